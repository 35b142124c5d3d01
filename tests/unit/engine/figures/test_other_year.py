"""What only moves to another year, or asks how it moved, answered from the row that was told."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from typing import cast

import pytest

from fin_tui.candidates import Candidate
from fin_tui.engine.figures.again import between_told, in_each_year, in_other_year
from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.figures.linked_book import Linked
from fin_tui.engine.frame.reader import Frame, Span
from fin_tui.engine.questions.understanding import Request, Understanding
from fin_tui.engine.rank.ranker import Ranker
from fin_tui.facts.figures import Figure, Period
from fin_tui.records import Fact, Filing
from tests.unit.engine.figures.book import ACME, source, understood


class _OneRow:
    """A row of two years, which stand at the places 2024 and 2023."""

    def __init__(self, unit: str = "usd") -> None:
        self.row = [self._cell(7e6, 2024, "usd"), self._cell(5e6, 2023, unit)]

    @staticmethod
    def _cell(value: float, year: int, unit: str) -> Candidate:
        end = dt.date(year, 12, 31)
        return Candidate(
            Fact("table:x", "Mills", value, f"{value:,.0f}", unit, None, end, source="table", start=year), ("Mills",)
        )

    def figures(self, filing: Filing) -> list[Candidate]:
        return self.row

    def in_year(self, known: Candidate, filing: Filing, year: Period) -> Candidate | None:
        assert known is self.row[0]
        return next((one for one in self.row if one.fact.period_end == year.end), None)


def test_what_only_moves_to_another_year_is_answered_from_the_row_told_before() -> None:
    first, text = "What did Acme's mills cost in 2024?", "And in 2023?"
    sure = {"figure": 0.9, "operation": 0.9, "answer": 0.9, "refusal": 0.0}
    before = Frame(first, (), (), (Span("mills cost", 16, 26),), (), "lookup", "money", "", (), sure)
    frame = replace(before, question=text, periods=(Span("2023", 7, 11),), targets=(), carried=before)
    rows = _OneRow()
    told = Figure("Mills", Decimal(7_000_000), "usd", rows.row[0].fact, ACME[2], Period(dt.date(2024, 12, 31), None, "FY2024"))

    def found(frame: Frame, text: str = text, rows: _OneRow = rows) -> FigureAnswer | None:
        linked = Linked(cast("Ranker", rows), lambda words, filing: ())
        return in_other_year(frame, told, replace(understood(first, text), frame=frame), source(), linked)

    answer = found(frame)
    assert answer is not None
    assert (answer.value, answer.unit, answer.plan[0]["period_end"]) == (5e6, "usd", "2023-12-31")
    assert found(replace(frame, left_over=("then", "prior"))) is not None
    assert found(replace(frame, left_over=("insured",))) is None
    assert found(replace(frame, operation="growth")) is None
    assert found(replace(frame, carried=None)) is None
    assert found(frame, "And in 2022?") is None  # The row has no such year.
    assert found(frame, "And in 2024?") is None  # That is what was told.
    assert found(frame, rows=_OneRow("shares")) is None


SURE = {"figure": 0.9, "operation": 0.9, "answer": 0.9, "refusal": 0.0}
FIRST = "What did Acme's mills cost in 2024?"
BEFORE = Frame(FIRST, (), (), (Span("mills cost", 16, 26),), (), "lookup", "money", "", (), SURE)


def _told(value: float, year: int, *, label: str = "Mills", fact: Fact | None = None) -> Figure:
    own = fact or Fact("table:x", label, value, f"{value:,.0f}", "usd", None, dt.date(year, 12, 31), source="table", start=9)
    return Figure(label, Decimal(str(value)), "usd", own, ACME[2], Period(dt.date(year, 12, 31), None, f"FY{year}"))


def _apart(text: str, operation: str, *told: Figure, answer: str = "percent", **others: object) -> float | None:
    frame = replace(BEFORE, question=text, targets=(), operation=operation, answer=answer, carried=BEFORE)
    frame = replace(frame, kinds={answer: 1.0}, **others)  # type: ignore[arg-type]
    linked = Linked(cast("Ranker", _OneRow()), lambda words, filing: ())
    found = between_told(frame, told, source(), linked)
    return None if found is None else found.value


ROW = _told(7e6, 2024, fact=_OneRow().row[0].fact)


@pytest.mark.parametrize(
    ("text", "operation", "told", "answer", "value"),
    [
        ("so up by how many percent?", "growth", (_told(5e6, 2023), _told(7e6, 2024)), "percent", 40.0),
        ("and how much is that?", "difference", (_told(5e6, 2023), _told(7e6, 2024)), "money", 2e6),
        ("times?", "ratio", (_told(7e6, 2024), _told(5e6, 2022)), "ratio", 1.4),
        ("how far apart?", "difference", (_told(5e6, 2024, label="Kilns"), _told(7e6, 2024)), "money", 2e6),
        ("growth yoy?", "growth", (ROW, _told(3e6, 2024, label="Kilns")), "percent", 40.0),
        ("up how much on the year before?", "difference", (ROW,), "money", 2e6),
        ("how much?", "growth", (ROW, _told(3e6, 2024, label="Kilns")), "percent", None),
        ("so?", "growth", (ROW,), "percent", None),
        ("sum?", "sum", (_told(5e6, 2023), _told(7e6, 2024)), "money", None),
    ],
)
def test_figures_that_were_told_are_set_against_each_other(
    text: str, operation: str, told: tuple[Figure, ...], answer: str, value: float | None
) -> None:
    assert _apart(text, operation, *told, answer=answer) == (None if value is None else pytest.approx(value))


def test_it_is_told_as_a_change_of_the_row_from_year_to_year() -> None:
    frame = replace(BEFORE, question="up by?", targets=(), operation="difference", carried=BEFORE)
    linked = Linked(cast("Ranker", _OneRow()), lambda words, filing: ())
    pair = (_told(5e6, 2023), _told(7e6, 2024))
    found = between_told(frame, pair, source(), linked)
    assert found is not None
    assert found.sentences[0].text.startswith("Acme's Mills rose $2,000,000 from FY2023 to FY2024")


def test_percentages_lie_apart_by_points() -> None:
    frame = replace(BEFORE, question="up by?", targets=(), operation="difference", answer="percent", carried=BEFORE)
    pair = tuple(
        replace(_told(value, year), unit="%", fact=replace(_told(value, year).fact, unit="%", text=f"{value}%"))
        for value, year in ((2.3, 2023), (2.5, 2024))
    )
    found = between_told(frame, pair, source(), Linked(cast("Ranker", _OneRow()), lambda words, filing: ()))
    assert found is not None
    assert "rose 0.2 percentage points from FY2023 to FY2024" in found.sentences[0].text


def test_a_follow_up_that_names_more_is_looked_up_anew() -> None:
    both = (_told(5e6, 2023), _told(7e6, 2024))
    assert _apart("growth?", "growth", *both) is not None
    assert _apart("growth of kilns?", "growth", *both, targets=(Span("kilns", 10, 15),)) is None
    assert _apart("growth in Spain?", "growth", *both, parts=(Span("Spain", 10, 15),)) is None
    assert _apart("growth ex levies?", "growth", *both, left_over=("levies",)) is None
    assert _apart("growth?", "growth", *both, carried=None) is None


class _Rows(_OneRow):
    """The row once more, of a company whose sentence tells the figure."""

    def in_year(self, known: Candidate, filing: Filing, year: Period) -> Candidate | None:
        return next((one for one in self.row if one.fact.period_end == year.end), None)


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("Acme mills 2024 vs 2023", "7,000,000", True),
        ("Acme mills 2024 and the year before", "7,000,000", True),
        ("Acme mills 2024 vs 2021", "7,000,000", False),
        ("Acme mills 2024 vs 2023", "7,100,000", False),
        ("Acme mills 2024 vs 2023", "$7.02 million", False),
        ("Acme mills 2024 vs 2023", "$7.00 million", True),
        ("Acme mills 2024", "7,000,000", False),
        ("Acme mills growth 2024 vs 2023", "7,000,000", False),
    ],
)
def test_what_is_surely_meant_in_the_newer_of_two_years_brings_its_row(question: str, text: str, *, told: bool) -> None:
    value = 1e6 * float(text.split()[0].strip("$")) if "million" in text else float(text.replace(",", ""))
    said = Fact("", "The mills cost …", value, text, "usd", None, dt.date(2024, 12, 31), source="text", start=5)
    single = Figure("Mills", Decimal(7_000_000), "usd", said, ACME[2], Period(dt.date(2024, 12, 31), None, "FY2024"))
    answer = FigureAnswer((), (), (), (), 7e6, "usd", single=single)
    years = tuple(
        Span(year, question.find(year), question.find(year) + 4) for year in ("2024", "2023", "2021") if year in question
    )
    frame = Frame(question, (), years, (Span("mills", 5, 10),), (), "compare", "money", "", (), SURE)
    asked: list[str] = []

    def understand(request: Request) -> Understanding:
        asked.append(request.question)
        return understood(request.question)

    linked = Linked(cast("Ranker", _Rows()), lambda words, filing: ())
    found = in_each_year(replace(understood(question), frame=frame), source(), linked, understand, lambda one: answer)
    assert (found is not None) is told
    if found is not None:
        assert asked == ["Acme mills 2024"]
        assert all(shown in found.sentences[0].text for shown in ("FY2023", "$5", "FY2024", "$7"))
