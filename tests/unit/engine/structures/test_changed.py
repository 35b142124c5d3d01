from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from fin_tui.engine.structures import FilingReader
from fin_tui.engine.structures.risks import asks_risk_changes, pair, risk_changes
from fin_tui.records import Chunk, Filing
from tests.unit.engine.made import filing, hit
from tests.unit.engine.structures.made import Library

OLD, NEW = filing(year=2023), filing(year=2024)
SHARED = "Trade is uncertain and may hurt our sales of rockets."
HEADINGS = {
    OLD.id: (SHARED, "Cats scare our engineers in the night."),
    NEW.id: ("Trade is uncertain and could hurt our sales of rockets.", "Tariffs on tin raise the cost of our hulls."),
}


class Chunks:
    def holding(self, filing_id: str, start: int, end: int) -> Chunk | None:
        return None

    def of_filing(self, filing_id: str) -> Sequence[Chunk]:
        made = hit("Some words.").chunk
        return [replace(made, id=f"{filing_id}{at}", heading=words) for at, words in enumerate(HEADINGS.get(filing_id, ()))]


@pytest.mark.parametrize(
    "question",
    [
        "What changed in Acme's risk factors between 2023 and 2024?",
        "Which risk factors are new in the 2024 report?",
        "Which risks did Acme add?",
        "Which risk factors were dropped?",
    ],
)
def test_asked_for_changes(question: str) -> None:
    assert asks_risk_changes(question)


@pytest.mark.parametrize(
    "question",
    [
        "List the risk factors",
        "What risks come from climate change?",
        "What changed in sales?",
        "How do risks of new products show?",
    ],
)
def test_not_asked_for_changes(question: str) -> None:
    assert not asks_risk_changes(question)


def test_new_and_dropped_headings_are_cited_in_their_own_filing() -> None:
    answer = risk_changes(FilingReader(Library(""), Chunks()), OLD, NEW)
    assert answer is not None
    assert [sentence.text for sentence in answer.sentences] == [
        "1 risk heading of Item 1A in Acme Corp.'s 10-K for FY2024 is new since the 10-K for FY2023:",
        "1. Tariffs on tin raise the cost of our hulls.",
        "1 risk heading of Item 1A in Acme Corp.'s 10-K for FY2024 is no longer there:",
        "1. Cats scare our engineers in the night.",
    ]
    assert [passage.citation.fiscal_year for passage in answer.passages] == [2024, 2023]


def test_the_year_before_is_compared_with_where_one_filing_is_asked_about() -> None:
    older = filing(year=2021)
    assert pair((NEW,), (older, OLD, NEW, filing("Other Inc.", 2022))) == (OLD, NEW)
    assert pair((NEW, OLD), ()) == (OLD, NEW)
    assert pair((NEW,), (NEW,)) is None


def test_two_companies_are_not_compared() -> None:
    other: Filing = filing("Other Inc.", 2023)
    assert pair((NEW, other), ()) is None


def test_what_is_said_anew_under_a_heading_that_stayed() -> None:
    class Reworded(Chunks):
        def of_filing(self, filing_id: str) -> Sequence[Chunk]:
            told = "We sell rockets to anyone who asks, in every season of the year. "
            more = "In May a minister forbade us to sell any rockets with fins to our neighbours."
            made = hit(told + more if filing_id == NEW.id else told).chunk
            return [
                replace(made, id=f"{filing_id}{at}", heading=words) for at, words in enumerate((SHARED, "Cats scare us all."))
            ]

    answer = risk_changes(FilingReader(Library(""), Reworded()), OLD, NEW)
    assert answer is not None
    assert [sentence.text for sentence in answer.sentences[:3]] == [
        "No risk heading of Item 1A in Acme Corp.'s 10-K for FY2024 is new since the 10-K for FY2023.",
        "No risk heading of Item 1A in Acme Corp.'s 10-K for FY2024 is no longer there.",
        "Said anew under headings that both have:",
    ]
    assert answer.passages[0].citation.quote.startswith("In May a minister")


def test_a_heading_in_other_words_is_reworded_not_new_and_gone() -> None:
    before = "Failure to estimate customer demand has led to mismatches between supply and demand."
    now = "Long lead times, with a failure to estimate customer demand accurately, could lead to mismatches of supply."

    class Said(Chunks):
        def of_filing(self, filing_id: str) -> Sequence[Chunk]:
            made = hit("Some words.").chunk
            told = (SHARED, now if filing_id == NEW.id else before)
            return [replace(made, id=f"{filing_id}{at}", heading=words) for at, words in enumerate(told)]

    answer = risk_changes(FilingReader(Library(""), Said()), OLD, NEW)
    assert answer is not None
    assert [sentence.text for sentence in answer.sentences[2:]] == [
        "1 risk heading of Item 1A in Acme Corp.'s 10-K for FY2024 is reworded since the 10-K for FY2023:",
        f"1. {now}",
        f"10-K for FY2023: {before}",
    ]
    assert [passage.citation.fiscal_year for passage in answer.passages] == [2024, 2023]
