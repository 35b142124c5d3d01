"""Slips of the keyboard are mended; names, words that are known, and short words are left alone."""

from __future__ import annotations

import pytest

from fin_tui.engine.questions.spelling import Corrected, Spelling
from fin_tui.errors import MissingAsset

ENGLISH = frozenset("compare operating income revenue revenues competes incomes margin what compute compete".split())
NAMES = ("operating income", "revenue", "revenues", "dividends paid", "capitalized interest")
SPELLING = Spelling(NAMES, ENGLISH.__contains__, lambda: ["compare", "compute", "margin", "dividde"])


@pytest.mark.parametrize(
    ("typed", "read", "slips"),
    [
        ("Comapre the revnue", "Compare the revenue", (("Comapre", "compare"), ("revnue", "revenue"))),
        ("what was oprating incmoe", "what was operating income", (("oprating", "operating"), ("incmoe", "income"))),
        ("Does Revnue Corp compete", "Does Revnue Corp compete", ()),  # A capital within a text makes a name.
        ("competes with incomes", "competes with incomes", ()),  # Known as they stand.
        ("comp of KC-revnue", "comp of KC-revnue", ()),
        ("revenueing", "revenueing", ()),
        ("capitalised interest", "capitalised interest", ()),
        ("dividends on dividend", "dividends on dividend", ()),  # Of a name, whatever the vocabulary holds.
        ("divdends", "dividends", (("divdends", "dividends"),)),
    ],
)
def test_slips_are_mended(typed: str, read: str, slips: tuple[tuple[str, str], ...]) -> None:
    assert SPELLING.correct(typed) == Corrected(read, slips)


def test_one_slip_of_two_words_is_not_guessed() -> None:
    near = Spelling(("banked", "bonked"), ("banked", "bonked").__contains__, list)
    assert near.correct("binked").text == "binked"


def test_a_word_of_a_filing_is_no_slip() -> None:
    issuer = Spelling(("issued",), ENGLISH.__contains__, list, "issuer".__eq__)
    assert issuer.correct("a seasoned issuer").text == "a seasoned issuer"
    assert issuer.correct("shares issuet").text == "shares issued"


def test_what_may_be_of_a_companys_name_is_left_to_that() -> None:
    assert SPELLING.correct("what was revnue", "revnue".__eq__).slips == ()
    assert SPELLING.correct("what was revnue").slips == (("revnue", "revenue"),)


def test_without_weights_nothing_is_mended() -> None:
    def missing(_: str) -> bool:
        raise MissingAsset("no weights", "run set-up")

    assert Spelling(("revenue",), missing, list).correct("revnue") == Corrected("revnue")


@pytest.mark.parametrize(
    ("typed", "is_unknown"),
    [("zxcv qqq", True), ("zxcv revenue", False), ("zxcv issuer", False), ("zxcv 2023", False), ("?", False)],
)
def test_keys_hit_at_random_are_words_that_no_one_knows(typed: str, is_unknown: bool) -> None:
    spelling = Spelling(NAMES, ENGLISH.__contains__, list, "issuer".__eq__)
    assert spelling.knows_none(typed) is is_unknown
