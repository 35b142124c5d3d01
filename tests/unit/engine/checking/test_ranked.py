"""Numbers read as questions: which figure each word of part and figure leads to, and when another value makes it wrong."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest

from fin_tui.candidates import Candidate
from fin_tui.engine.checking import Checked, Checker
from fin_tui.engine.checking.ranked import Asker
from fin_tui.engine.figures.linked_book import Linked
from fin_tui.engine.frame.reader import Frame, FrameReader, Span
from fin_tui.engine.rank.ranker import Ranker, Scored
from fin_tui.engine.rank.wanted import Wanted
from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Period
from fin_tui.facts.words import stems
from fin_tui.records import Chunk, Fact, Filing
from tests.unit.engine.checking.check_book import ACME, BOLT, FIGURES, FakeBook, NoChunks

_TARGETS = ("net sales", "revenue", "operating income", "employees", "gross margin", "cars")
_PARTS = ("Gadgets", "Gizmos", "Orbit Cloud", "Europe")
_ROWS: dict[tuple[str, int], float] = {
    ("Gadgets net sales", 2023): 40e9,
    ("Gadgets net sales", 2024): 50e9,
    ("Gadgets operating income", 2024): 6e9,
    ("Gizmos net sales", 2024): 75e9,
    ("Gizmos operating income", 2024): -2e9,
    ("Orbit Cloud revenue", 2024): 9e9,
    ("employees", 2024): 8_200.0,
    ("Gadgets gross margin", 2024): 0.262,
}


class _Frames:
    """Knows a few names of figures and parts."""

    def read_if_able(self, question: str, before: Frame | None = None) -> Frame:
        def spans(names: Sequence[str]) -> tuple[Span, ...]:
            return tuple(Span(name, at, at + len(name)) for name in names if (at := question.find(name)) >= 0)

        companies = spans(("Acme", "Orbit Cloud") if question.startswith("Orbit") else ("Acme",))
        parts = tuple(span for span in spans(_PARTS) if span not in companies)
        return Frame(question, companies, (), spans(_TARGETS), parts, "lookup", "money", "", (), {"figure": 1.0})


class _Ranker:
    """A row is as likely as the share of the known words asked for that it has, and that are its own."""

    def rank(self, wanted: Wanted, filing: Filing, year: Period, chunks: Sequence[Chunk]) -> list[Scored]:
        asked = set(stems(wanted.matter)) & {stem for row, _ in _ROWS for stem in stems(row)}
        rows = [one for one in self.figures(filing) if one.fact.period_end == year.end and self._fits(one, wanted)]
        scored = [Scored(one, 0.9 * len(asked & set(stems(one.row))) / len(asked | set(stems(one.row)))) for one in rows]
        return sorted(scored, key=lambda one: -one.probability)

    def _fits(self, one: Candidate, wanted: Wanted) -> bool:
        units = {"money": "usd", "count": "count", "percent": "pure"}
        return not wanted.answer or one.fact.unit == units[wanted.answer]

    def figures(self, filing: Filing) -> list[Candidate]:
        return [_row(label, year, value) for (label, year), value in _ROWS.items() if filing == ACME[-1]]

    def in_year(self, known: Candidate, filing: Filing, year: Period) -> Candidate | None:
        found = [one for one in self.figures(filing) if one.row == known.row and one.fact.period_end == year.end]
        return found[0] if found else None


def _row(label: str, year: int, value: float) -> Candidate:
    unit = "count" if "employees" in label else "pure" if "margin" in label else "usd"
    fact = Fact("", label, value, f"{value:,}", unit, dt.date(year, 1, 1), dt.date(year, 12, 31), source="table", start=1, end=2)
    return Candidate(fact, (label,))


def _checked(text: str) -> Checked:
    ranker, frames = cast("Ranker", _Ranker()), cast("FrameReader", _Frames())
    owner = lambda name: "Acme Corp." if name == "Orbit Cloud" else ""  # noqa: E731
    book = FakeBook(FIGURES)
    asker = Asker(frames, Linked(ranker, lambda words, filing: ()), owner)
    return Checker(book, book, vocabulary(), (*ACME, *BOLT), NoChunks(), None, asker).check(text)


def _marks(text: str) -> list[str]:
    return [number.status for statement in _checked(text).statements for number in statement.numbers]


@pytest.mark.parametrize(
    "text",
    [
        "In 2024, Gadgets brought Acme $50 billion of net sales.",
        "In 2024, Gadgets brought Acme $50 billion of net sales and $6.0 billion of operating income.",
        "Acme's Gadgets net sales grew 25% to $50 billion in 2024.",
        "Acme's net sales of Gadgets were $40 billion in 2023.",
        "Gizmos lost Acme $2.0 billion of operating income in 2024.",
        "Acme's Gadgets had a gross margin of 26.2% in 2024.",
        "Acme had 8,200 employees at the end of 2024.",
        "Orbit Cloud had revenue of $9.0 billion in 2024.",
    ],
)
def test_a_part_is_held_against_the_row_that_bears_it(text: str) -> None:
    found = _checked(text)
    assert set(_marks(text)) == {"supported"}, [number.why for one in found.statements for number in one.numbers]


@pytest.mark.parametrize(
    "text",
    [
        "In 2024, Gadgets brought Acme $57 billion of net sales.",
        "In 2024, Gadgets brought Acme $75 billion of net sales.",
        "Acme's Gadgets net sales were $40 billion in 2024.",
        "Acme's Gadgets net sales fell 25% in 2024.",
        "Acme's Gadgets had a gross margin of 62.2% in 2024.",
        "Acme had 2,800 employees at the end of 2024.",
        "Orbit Cloud had revenue of $19 billion in 2024.",
    ],
)
def test_another_value_than_that_of_the_surely_right_row_conflicts(text: str) -> None:
    assert _marks(text) == ["contradicted"]


def test_the_row_that_conflicts_is_cited() -> None:
    (number,) = _checked("In 2024, Gadgets brought Acme $75 billion of net sales.").statements[0].numbers
    assert number.found is not None
    assert (number.found["label"], number.found["value"]) == ("Gadgets net sales", 50e9)


def test_a_part_without_a_row_is_never_held_against_the_whole_company() -> None:
    (number,) = _checked("Acme's revenue in Europe was $77 billion in 2024.").statements[0].numbers
    assert number.status == "unknown"


def test_no_sum_of_money_comes_closest_to_things_counted_nor_a_figure_of_another_matter() -> None:
    (number,) = _checked("Acme's Gadgets sold 4 million cars in 2024.").statements[0].numbers
    assert (number.status, number.found) == ("unknown", None)
    assert "closest" not in number.why


def test_a_loss_told_as_income_conflicts() -> None:
    assert _marks("Acme's Gizmos operating income was $2.0 billion in 2024.") == ["contradicted"]


def test_a_denied_or_expected_number_is_not_ranked() -> None:
    assert "supported" not in _marks("Acme expects Gadgets net sales of $50 billion in 2024.")


def test_without_the_reader_of_questions_names_alone_count() -> None:
    asker = Asker(cast("FrameReader", _Blind()), Linked(cast("Ranker", _Ranker()), lambda words, filing: ()), lambda name: "")
    book = FakeBook(FIGURES)
    checker = Checker(book, book, vocabulary(), ACME, NoChunks(), None, asker)
    checked = checker.check("Acme's revenue was $125 billion in 2024.")
    assert checked.status == "supported"
    assert replace(checked, statements=()).status == "supported"


class _Blind:
    def read_if_able(self, question: str, before: Frame | None = None) -> None:
        return None
