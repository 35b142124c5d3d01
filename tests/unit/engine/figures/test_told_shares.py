"""Shares that sentences state, where no table has the part."""

from __future__ import annotations

from decimal import Decimal

import pytest

from fin_tui.engine.figures.prose import told_share
from fin_tui.facts import vocabulary
from tests.unit.engine.figures.test_prose import OWN, Prose


def ask(phrase: str, *paragraphs: str) -> Decimal | None:
    revenue = vocabulary().get("revenue")
    assert revenue is not None
    found = told_share(phrase, revenue, OWN, 2021, Prose(*paragraphs))
    return found.value if found else None


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("In 2021, Globex Corporation contributed approximately 16% to our total sales.", "16"),
        ("Sales to Globex represented 12.5% of net sales.", "12.5"),
        ("Globex accounted for 16%, 14% and 13% of our revenue in 2021, 2020 and 2019, respectively.", "16"),
        ("Globex accounted for 14%, 16% and 13% of our revenue in 2020, 2021 and 2019, respectively.", "16"),
    ],
)
def test_the_share_of_the_year(sentence: str, value: str) -> None:
    assert ask("Globex", sentence) == Decimal(value)


@pytest.mark.parametrize(
    "sentence",
    [
        "Globex contributed approximately 16% to our gross profit growth.",
        "In 2019, Globex contributed 16% to our total sales.",
        "Globex and Initech accounted for 16% of our stores.",
        "Globex grew strongly, while Initech represented 20% of net sales.",
        "Sales to Globex increased 16% of net sales.",
        "In the fourth quarter Globex represented 12% of net sales.",
        "Initech represented 20% of net sales.",
    ],
)
def test_what_is_another_share(sentence: str) -> None:
    assert ask("Globex", sentence) is None


def test_sentences_that_differ_are_no_answer() -> None:
    assert ask("Globex", "Globex represented 12% of net sales.", "Globex represented 15% of net sales.") is None
