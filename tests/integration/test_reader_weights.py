"""The weights in the package: frames of questions, vectors of rows."""

from __future__ import annotations

import numpy as np
import pytest

from fin_tui.engine.frame.reader import Frame, FrameReader
from fin_tui.errors import MissingAsset
from fin_tui.retrieval.shared_encoder import SharedEncoder


@pytest.fixture(scope="module")
def encoder() -> SharedEncoder:
    return SharedEncoder()


def _read(encoder: SharedEncoder, question: str, before: str = "") -> Frame:
    return FrameReader(encoder).read(question, before)


def test_company_and_period_are_named(encoder: SharedEncoder) -> None:
    frame = _read(encoder, "What did Globex pay in cash taxes in fiscal 2021?")
    assert [span.text for span in frame.companies] == ["Globex"]
    assert [span.text for span in frame.periods] == ["fiscal 2021"]
    assert frame.is_figure
    assert "Globex" not in frame.matter
    assert "2021" not in frame.matter


def test_words_are_no_figure(encoder: SharedEncoder) -> None:
    frame = _read(encoder, "Why did Initech's margins fall so sharply in 2019?")
    assert not frame.is_figure
    assert frame.operation == "why"


def test_a_row_is_nearer_to_its_wording_than_other_rows(encoder: SharedEncoder) -> None:
    rows = [
        "Payments for property and equipment | Investing activities | payments to acquire property plant and equipment",
        "Accounts receivable, net | Current assets | accounts receivable net current",
        "Dividends paid | Financing activities | payments of dividends",
    ]
    vectors = encoder.vectors(["capex", "money owed by customers", *rows])
    scores = vectors[:2] @ vectors[2:].T
    assert scores.argmax(axis=1).tolist() == [0, 1]
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_missing_weights_say_so(tmp_path: object) -> None:
    from pathlib import Path

    with pytest.raises(MissingAsset, match="weights can't be read"):
        SharedEncoder(Path(str(tmp_path))).load()
