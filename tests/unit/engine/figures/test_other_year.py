"""What only moves to another year, answered from the row that was told."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from typing import cast

from fin_tui.candidates import Candidate
from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.figures.framed import in_other_year
from fin_tui.engine.figures.linked_book import Linked
from fin_tui.engine.frame.reader import Frame, Span
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
