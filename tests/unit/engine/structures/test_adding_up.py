"""Rows of a table that add up to a figure are what it is made up of."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fin_tui.engine.structures.adding_up import parts_of
from fin_tui.records import Cell, Column, Table


def table(*rows: Sequence[str]) -> Table:
    """A table of labels and printed values under one header row."""
    cells, at = [], 0
    for number, row in enumerate((("", "2024"), *rows)):
        line = []
        for column, text in enumerate(row):
            if text:
                line.append(Cell(text, number, column, at, at + len(text)))
                at += len(text) + 1
        cells.append(tuple(line))
    paths = tuple((row[0],) if row and row[0] else () for row in (("", ""), *rows))
    return Table(tuple(cells), 1, (Column(()), Column(("2024",))), row_paths=paths)


def test_the_rows_above_a_figure_that_come_to_it_are_its_parts() -> None:
    made = table(("Pumps", "30"), ("Valves", "$ 12"), ("Credits", "(2)"), ("Inventories", "$ 40"))
    assert parts_of(made, 4, 1) == (1, 2, 3)


def test_a_part_that_is_a_sum_itself_stands_behind_its_own() -> None:
    made = table(("New plants", "10"), ("Repairs", "20"), ("At home", "30"), ("Abroad", "5"), ("Spent", "35"))
    assert parts_of(made, 5, 1) == (1, 2, 3, 4)


@pytest.mark.parametrize(
    "rows",
    [
        [("Pumps", "30"), ("Valves", "13"), ("Inventories", "40")],
        [("Inventories", "40")],
        [("Pumps", "40"), ("Inventories", "40")],
        [("", "30"), ("Valves", "10"), ("Inventories", "40")],
        [("Pumps", "-"), ("Valves", "words"), ("Inventories", "40")],
    ],
)
def test_rows_that_do_not_come_to_it_one_alone_or_without_a_name_are_no_parts(rows: Sequence[tuple[str, str]]) -> None:
    assert parts_of(table(*rows), len(rows), 1) == ()


def test_parts_may_be_off_by_their_rounding() -> None:
    assert parts_of(table(("Pumps", "3.3"), ("Valves", "3.3"), ("Pipes", "3.3"), ("Inventories", "10.0")), 4, 1) == (1, 2, 3)
    assert parts_of(table(("Pumps", "3.3"), ("Valves", "3.3"), ("Pipes", "3.3"), ("Inventories", "10.2")), 4, 1) == ()


def test_a_long_table_is_read_in_no_time() -> None:
    rows = [(f"Row {at}", str(at * at + 7)) for at in range(300)]
    assert parts_of(table(*rows), len(rows), 1) == ()
