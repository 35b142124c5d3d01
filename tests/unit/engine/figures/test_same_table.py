"""What the table of a figure told before states beside it."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from typing import cast

import pytest

from fin_tui.candidates import Candidate
from fin_tui.engine.figures.again import in_year_of_table, of_total
from fin_tui.engine.figures.linked_book import Linked
from fin_tui.engine.figures.same_table import in_year_named, total_beside
from fin_tui.engine.frame.reader import Frame, Span
from fin_tui.engine.rank.ranker import Ranker
from fin_tui.facts.figures import Figure, Period
from fin_tui.records import Fact, Filing
from tests.unit.engine.figures.book import ACME, source, understood

END = dt.date(2024, 12, 31)
SURE = {"figure": 0.9, "operation": 0.9, "answer": 0.9, "refusal": 0.0}
FIRST = "What rent of Acme's falls due in 2026?"


def _cell(path: tuple[str, ...], column: str, value: float, start: int, *, block: int = 7, unit: str = "usd") -> Candidate:
    fact = Fact("table:rent", path[-1], value, f"{value:,.0f}", unit, None, END, source="table", block=block, start=start)
    return Candidate(fact, path, column)


BY_ROW = [
    _cell(("Rent", "2026"), "Owed", 4e6, 10),
    _cell(("Rent", "2027"), "Owed", 3e6, 20),
    _cell(("Rent", "2027"), "Paid", 1e6, 30),
    _cell(("Rent", "Total"), "Owed", 10e6, 40),
    _cell(("Rent", "2028"), "Owed", 2e6, 50, block=8),
]
BY_COLUMN = [
    _cell(("Rent",), "Due in 2026", 4e6, 10),
    _cell(("Rent",), "Due in 2027", 3e6, 20),
    _cell(("Wages",), "Due in 2027", 6e6, 30),
    _cell(("Rent",), "Total", 16e6, 40),
]


class _Table:
    def __init__(self, cells: list[Candidate]) -> None:
        self.cells = cells

    def figures(self, filing: Filing) -> list[Candidate]:
        return self.cells


def _linked(cells: list[Candidate]) -> Linked:
    return Linked(cast("Ranker", _Table(cells)), lambda words, filing: ())


def _figure(cell: Candidate) -> Figure:
    value = Decimal(str(cell.fact.value))
    return Figure("rent due in 2026", value, "usd", cell.fact, ACME[2], Period(END, None, "FY2026"), sure=0.9)


@pytest.mark.parametrize("cells", [BY_ROW, BY_COLUMN])
def test_another_year_is_in_the_row_or_column_that_names_it(cells: list[Candidate]) -> None:
    told = in_year_named(_figure(cells[0]), 2027, _linked(cells))
    assert told is not None
    assert (float(told.value), told.label, told.period.label, told.sure) == (3e6, "rent due in 2027", "FY2027", 0.9)
    assert in_year_named(_figure(cells[0]), 2028, _linked(cells)) is None
    assert in_year_named(_figure(cells[0]), 2026, _linked(cells)) is None
    assert in_year_named(_figure(cells[3]), 2027, _linked(cells)) is None  # A total names no year.


def test_a_number_of_a_sentence_has_no_table() -> None:
    said = _figure(BY_ROW[0])
    said = replace(said, fact=replace(said.fact, source="text"))
    assert in_year_named(said, 2027, _linked(BY_ROW)) is None
    assert total_beside(said, _linked(BY_ROW)) is None


def test_the_total_is_that_over_the_years() -> None:
    across = [*BY_ROW, _cell(("Rent", "2026"), "Total", 5e6, 60)]
    down = [*BY_COLUMN, _cell(("Total",), "Due in 2026", 9e6, 60)]
    of_column, of_row = total_beside(_figure(across[0]), _linked(across)), total_beside(_figure(down[0]), _linked(down))
    assert of_column is not None
    assert of_row is not None
    assert (float(of_column.value), float(of_row.value)) == (10e6, 16e6)


def test_a_total_has_more_words_is_one_alone_of_the_same_unit_and_larger() -> None:
    longer = [BY_ROW[0], replace(BY_ROW[3], path=("Rent", "Total rent"))]
    assert total_beside(_figure(longer[0]), _linked(longer)) is not None
    smaller = [BY_ROW[0], replace(BY_ROW[3], fact=replace(BY_ROW[3].fact, value=1e6))]
    assert total_beside(_figure(smaller[0]), _linked(smaller)) is None
    in_shares = [BY_ROW[0], replace(BY_ROW[3], fact=replace(BY_ROW[3].fact, unit="shares"))]
    assert total_beside(_figure(in_shares[0]), _linked(in_shares)) is None
    parts = [_cell(("North",), "Sold", 4e6, 10), _cell(("Total",), "Sold", 9e6, 20)]
    assert total_beside(_figure(parts[0]), _linked(parts)) is not None
    both = [*parts, _cell(("North",), "Total", 16e6, 30)]
    assert total_beside(_figure(both[0]), _linked(both)) is None


def _frame(text: str, operation: str, **own: object) -> Frame:
    before = Frame(FIRST, (), (), (Span("rent", 5, 9),), (), "lookup", "money", "", (), SURE)
    made = Frame(text, (), (), (), (), operation, "percent", "", (), SURE, carried=before)
    return replace(made, **own)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "own", "value"),
    [
        ("as % of the total?", {"left_over": ("total",)}, 40.0),
        ("those two as % of the total?", {"left_over": ("total",)}, None),
        ("as % of rent?", {}, None),
        ("as % of total wages?", {"targets": (Span("wages", 11, 16),), "left_over": ("total",)}, None),
        ("as % of the total in 2020?", {"periods": (Span("2020", 21, 25),), "left_over": ("total",)}, None),
        ("total?", {"operation": "lookup", "left_over": ("total",)}, None),
        ("as % of the total?", {"carried": None, "left_over": ("total",)}, None),
    ],
)
def test_a_share_of_the_total_is_of_the_table_that_was_told_from(text: str, own: dict[str, object], value: float | None) -> None:
    answer = of_total(replace(_frame(text, "share"), **own), _figure(BY_ROW[0]), source(), _linked(BY_ROW))  # type: ignore[arg-type]
    assert (answer.value if answer is not None else None) == value


def test_a_year_by_itself_is_the_next_row_of_the_table_that_was_told_from() -> None:
    asked = understood(FIRST, "And in 2027?")
    frame = _frame("And in 2027?", "lookup", periods=(Span("2027", 7, 11),), answer="money")
    answer = in_year_of_table(frame, _figure(BY_ROW[0]), replace(asked, frame=frame), source(), _linked(BY_ROW))
    assert answer is not None
    assert answer.value == 3e6
    more = replace(frame, left_over=("insured",))
    assert in_year_of_table(more, _figure(BY_ROW[0]), replace(asked, frame=more), source(), _linked(BY_ROW)) is None
