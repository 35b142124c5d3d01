"""Segments and products in tables without tags: which rows are the part's figure of the metric."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import replace

import pytest

from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Figure, Gap, Metric
from fin_tui.facts.lookup import FactBook
from fin_tui.facts.parts import is_span
from fin_tui.paths import Paths
from fin_tui.records import Fact, Filing
from fin_tui.store.library import Library
from tests.unit.facts.book import held, opened

END = dt.date(2024, 12, 31)


@pytest.fixture
def library(paths: Paths) -> Iterator[Library]:
    with opened(paths) as library:
        yield library


def rows(block: int, *lines: tuple[str, float]) -> list[Fact]:
    """A table's column of 2024, in millions."""
    return [
        Fact(
            "", label, value * 1e6, f"{value:,}", "usd", dt.date(2024, 1, 1), END, {}, None, "table",
            block * 1000 + at, block * 1000 + at + 1, block,
        )
        for at, (label, value) in enumerate(lines)
    ]  # fmt: skip


def asked(library: Library, filing: Filing, phrase: str, said: str = "") -> Figure | Gap:
    revenue = vocabulary().get("revenue")
    assert isinstance(revenue, Metric)
    return FactBook(library).dimensioned(phrase, replace(revenue, said=said), [filing], 2024)


SEGMENTS = (
    ("Rockets", 60), ("Sleds", 40), ("Net sales", 100), ("Operating income > Rockets", 9), ("Operating income > Sleds", 1),
)  # fmt: skip


def test_a_row_called_by_the_part_alone_above_the_line_it_adds_up_to(library: Library) -> None:
    filing = held(library, 2024, rows(3, *SEGMENTS))
    found = asked(library, filing, "Rockets")
    assert isinstance(found, Figure)
    assert found.value == 60_000_000


def test_rows_that_add_up_to_nothing_of_the_metric_are_no_figure_of_it(library: Library) -> None:
    filing = held(library, 2024, rows(3, ("Rockets", 60), ("Sleds", 40), ("Total headcount cost", 100)))
    assert isinstance(asked(library, filing, "Rockets"), Gap)


def test_the_companys_name_in_a_row_is_left_out(library: Library) -> None:
    filing = held(library, 2024, rows(3, ("Revenue > Example Rockets", 60), ("Revenue > Example Sleds", 40)))
    found = asked(library, filing, "Rockets")
    assert isinstance(found, Figure)
    assert found.value == 60_000_000


def test_two_tables_that_differ_are_a_choice_to_show(library: Library) -> None:
    tables = [*rows(3, ("Rockets", 60), ("Sleds", 40), ("Total net sales", 100))]
    tables += rows(5, ("Rockets", 61), ("Sleds", 40), ("Total net sales", 101))
    found = asked(library, held(library, 2024, tables), "Rockets")
    assert isinstance(found, Gap)
    assert len(found.candidates) == 2


def test_a_name_within_a_longer_one(library: Library) -> None:
    filing = held(library, 2024, rows(3, ("Revenues > Rockets, Sleds & Space", 60), ("Revenues > Boats", 40)))
    found = asked(library, filing, "sleds")
    assert isinstance(found, Figure)
    assert found.value == 60_000_000


def test_a_row_of_another_metric_is_not_the_part(library: Library) -> None:
    filing = held(library, 2024, rows(3, ("Interest paid, net of amounts capitalized", 60), ("Taxes paid", 40)))
    expense = vocabulary().get("interest_expense")
    assert isinstance(expense, Metric)
    assert isinstance(FactBook(library).dimensioned("net of amounts capitalized", expense, [filing], 2024), Gap)


def test_a_row_called_by_part_and_figure_together_goes_before_a_segment_of_the_name(library: Library) -> None:
    def tagged(at: int, label: str, axis: str, member: str, value: float) -> Fact:
        start = dt.date(2024, 1, 1)
        return Fact(
            "us-gaap:Revenues", label, value, f"{value:,}", "usd", start, END, {axis: member}, None, "xbrl", at, at + 1, at
        )

    segment = tagged(1, "Rockets segment > Revenues", "us-gaap:StatementBusinessSegmentsAxis", "acme:RocketsSegmentMember", 90e6)
    product = tagged(2, "Revenues > Total rockets revenue", "srt:ProductOrServiceAxis", "acme:RocketsRevenueMember", 70e6)
    filing = held(library, 2024, [segment, replace(product, label="Revenues > Total rockets revenue")])
    assert [getattr(asked(library, filing, "Rockets", said), "value", None) for said in ("revenue", "")] == [70_000_000, None]


@pytest.mark.parametrize(
    ("text", "names_span"),
    [("May 1, 2031 — May 31, 2031", True), ("May 1, 2031 to May 31, 2031", True), ("2031", True), ("May plan 2031", False)],
)
def test_the_days_between_two_dates_are_a_span(text: str, names_span: bool) -> None:
    assert is_span(text) is names_span
