"""Words that name no metric are read as the one that they mean."""

from __future__ import annotations

import io

import numpy as np
import pytest

from fin_tui.engine.frame.linear import weights_file
from fin_tui.engine.frame.meaning import NAME, Meanings
from fin_tui.facts import vocabulary
from fin_tui.retrieval.shared_encoder import SharedEncoder


@pytest.fixture(scope="module")
def meanings() -> Meanings:
    return Meanings(SharedEncoder(), vocabulary())


@pytest.mark.parametrize(
    ("words", "metric"),
    [
        ("money owed to vendors", "accounts_payable"),
        ("money left for ordinary shareholders", "net_income_common"),
        ("cash handed to shareholders as dividends", "dividends_paid"),
    ],
)
def test_words_that_are_no_name_mean_their_metric(meanings: Meanings, words: str, metric: str) -> None:
    found = meanings.of(words)
    assert found is not None
    assert found.metric.id == metric
    assert found.chance >= 0.5


@pytest.mark.parametrize("words", ["number of submarines", "how the board is chosen", "widgets in Norway", "revenue in Norway"])
def test_other_words_mean_none(meanings: Meanings, words: str) -> None:
    found = meanings.of(words)
    assert found is None or found.chance < 0.5


def test_the_weights_are_those_of_the_encoder_in_the_package() -> None:
    encoder = SharedEncoder()
    encoder.load()
    with np.load(io.BytesIO(weights_file(NAME))) as arrays:
        assert str(arrays["encoder"]) == encoder.name


def test_the_case_of_letters_says_nothing(meanings: Meanings) -> None:
    assert meanings.of("Money Owed to Vendors") == meanings.of("money owed to vendors")
