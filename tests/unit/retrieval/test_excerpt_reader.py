"""What reads lines and a question together: where numbers stand among the tokens, and what broken weights say."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from fin_tui.errors import MissingAsset
from fin_tui.retrieval.excerpt_reader import ExcerptReader, tokens_of
from fin_tui.retrieval.rerank import CrossEncoder

OFFSETS = [(0, 0), (0, 4), (0, 0), (0, 2), (3, 5), (5, 6), (6, 9), (10, 15), (0, 0)]
IS_SECOND = [False, False, False, True, True, True, True, True, True]
"""Of "[CLS] much [SEP] of 12,400 plants [SEP]"."""


def test_a_number_is_all_of_its_tokens_and_what_was_cut_off_is_none() -> None:
    assert tokens_of(OFFSETS, IS_SECOND, [(3, 9), (10, 15), (20, 22)]) == [(4, 6), (7, 7), None]


def test_the_weights_go_on_from_the_cross_encoder_of_the_package() -> None:
    cards = (files("fin_tui.retrieval").joinpath(folder, "card.json") for folder in ("excerpt_weights", "cross_encoder_weights"))
    upper, lower = (json.loads(card.read_text(encoding="utf-8")) for card in cards)
    assert upper["base"] == lower["name"], "the cross-encoder was trained anew: `make excerpts` must follow"


def test_a_question_that_fills_all_room_is_cut_as_well() -> None:
    numbers = " ".join(f"{at},{at:03d}.{at % 10}" for at in range(1, 200))
    made = ExcerptReader(CrossEncoder()).read(f"question: {numbers}", "We own 12 plants.", [(7, 9)])
    assert made.none + made.single.sum() + made.pairs.sum() == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("held", [b"none", b"", b"PK\x03\x04 cut off"])
def test_broken_weights_are_named(held: bytes, tmp_path: Path) -> None:
    (tmp_path / "heads.npz").write_bytes(held)
    with pytest.raises(MissingAsset, match="can't be read"):
        ExcerptReader(CrossEncoder(), tmp_path).load()


def test_heads_damaged_in_their_middle_are_named(tmp_path: Path) -> None:
    whole = files("fin_tui.retrieval").joinpath("excerpt_weights", "heads.npz").read_bytes()
    for at in range(1_000, len(whole), len(whole) // 40):
        (tmp_path / "heads.npz").write_bytes(whole[:at] + bytes(64) + whole[at + 64 :])
        with pytest.raises(MissingAsset):  # Without layers beside them no heads can be opened, damaged or not.
            ExcerptReader(CrossEncoder(), tmp_path).load()
