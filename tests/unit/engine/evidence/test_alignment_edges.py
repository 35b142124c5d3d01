"""The edges of what speaks against a sentence: contractions, sentence ends, names, and how far a denial reaches."""

from __future__ import annotations

import pytest

from fin_tui.engine.evidence.alignment import objection
from fin_tui.retrieval.tokens import tokenize

_DENIED = "one of the two denies what the other says"


@pytest.mark.parametrize("spelled", ["didn't", "didn’t", "did not"])
def test_a_contraction_denies_as_the_whole_words_do(spelled: str) -> None:
    assert objection(f"Acme {spelled} repurchase shares.", "Acme repurchased shares.") == _DENIED
    assert objection("Acme repurchased shares.", f"Acme {spelled} repurchase shares.") == _DENIED
    assert objection(f"Acme {spelled} repurchase shares.", "Acme did not repurchase shares.") is None


def test_up_to_is_no_direction() -> None:
    assert objection("Acme may repurchase up to ten shares.", "Repurchases by Acme are down to ten shares.") is None


@pytest.mark.parametrize("sentence", ["Sales rose 12% on demand.", "Sales rose (12) on demand.", "Sales rose -12 on demand."])
def test_numbers_are_left_to_the_comparison_of_numbers(sentence: str) -> None:
    assert objection(sentence, "Sales rose on demand.") is None


def test_four_words_in_a_row_that_the_place_lacks_are_named_as_they_stand() -> None:
    why = objection("Sales rose, “autonomy, tradition, excellence, honour” aside.", "Sales rose.")
    assert why == "nothing there about “autonomy tradition excellence honour”"
    assert objection("Sales rose on autonomy, tradition, excellence.", "Sales rose.") is None
    assert objection("Sales autonomy tradition rose excellence honour.", "Sales rose.") is None


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("Sales rose in Portugal.", "Portugal"),
        ("Sales rose at IBM.", "IBM"),
        ("IBM sales rose.", "IBM"),
        ("EU sales rose.", "EU"),
        ("Sales rose in (Portugal).", "Portugal"),
        ("Sales rose. Then they rose in Portugal.", "Portugal"),
    ],
)
def test_a_name_that_the_place_lacks_is_told(sentence: str, name: str) -> None:
    assert objection(sentence, "Sales rose, and then they rose.") == f"{name} is not named there"


@pytest.mark.parametrize(
    "sentence",
    [
        "Quickly sales rose.",
        "Sales rose. Quickly.",
        "Sales rose: Quickly.",
        "Sales rose; Quickly.",
        "Sales rose ( Quickly ).",
        "Sales rose! Quickly? Strongly.",
        "• Quickly sales rose.",
        "Sales “ Quickly rose”.",
    ],
)
def test_a_capital_at_the_beginning_names_nobody(sentence: str) -> None:
    assert "named" not in (objection(sentence, "Sales rose.") or "")


def test_a_known_name_may_be_given() -> None:
    assert objection("Sales of Acme rose.", "Sales rose.") == "Acme is not named there"
    assert objection("Sales of Acme rose.", "Sales rose.", names=set(tokenize("Acme"))) is None


def test_a_denial_reaches_no_further_than_its_sentence() -> None:
    there = "Dividends were not paid. Shares were repurchased."
    assert objection("Shares were repurchased.", there) is None
    assert objection("Shares were not repurchased.", there) == _DENIED
    assert objection("Shares were repurchased! Dividends were not paid.", there) is None


def test_a_denial_reaches_three_words() -> None:
    near = "Acme has not issued new preferred shares lately."
    assert objection("Acme has issued new preferred shares.", near) == _DENIED
    assert (
        objection("Shares were issued.", "Bonds have not yet matured under new older indentures, and shares were issued.") is None
    )


def test_what_a_place_denies_besides_is_its_own_matter() -> None:
    there = "Sales rose while margins did not improve because freight was dear."
    assert objection("Sales rose.", there) is None
    assert objection("Margins did improve because freight was dear, as sales rose.", there) == _DENIED


def test_two_denials_are_each_looked_at() -> None:
    there = "Acme did not pay dividends."
    assert objection("Acme did not pay dividends. It did not repurchase shares.", f"{there} It repurchased shares.") == _DENIED


@pytest.mark.parametrize(
    ("sentence", "there", "turned"),
    [
        ("Revenue increased.", "Revenue decreased.", "it says “decreased” there, not “increased”"),
        ("Revenue decreased.", "Revenue increased.", "it says “increased” there, not “decreased”"),
        ("Acme saw a favorable effect.", "Acme saw an unfavorable effect.", "it says “unfavorable” there, not “favorable”"),
        ("Growth came before the merger.", "Growth came after the merger.", "it says “after” there, not “before”"),
        ("Acme is able to borrow.", "Acme is unable to borrow.", "it says “unable” there, not “able”"),
    ],
)
def test_a_direction_turned_round_is_told(sentence: str, there: str, turned: str) -> None:
    assert objection(sentence, there) == turned


def test_a_place_that_tells_both_directions_of_different_matters_agrees_with_both() -> None:
    there = "Revenue increased strongly. Costs decreased slightly."
    assert objection("Revenue increased strongly.", there) is None
    assert objection("Costs decreased slightly.", there) is None
    assert objection("Costs increased slightly.", there) == "it says “decreased” there, not “increased”"


def test_an_empty_place_says_nothing_and_denies_nothing() -> None:
    assert objection("sales rose.", "") is None
    assert objection("sales did not rise.", "") == _DENIED
    assert "nothing there about" in (objection("sales rose on strong overseas demand this year.", "") or "")
