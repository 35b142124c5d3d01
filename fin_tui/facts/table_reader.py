"""Reads the cells of one table: what a row, a column and a caption say of a number, and what the numbers around it say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise

from fin_tui.facts.cell_units import MOST_SHARES, unit_of
from fin_tui.facts.cells import Reading, read_cell
from fin_tui.records import Cell, Table

_LARGEST_PERCENT = Decimal(1_000)
_BASIC_SHARES = re.compile(r"\bbasic\b|\bweighted[- ]average\b.*\bshares\b", re.I)
_DILUTED_SHARES = re.compile(r"\bdilut(?:ed|ion)\b", re.I)
_MOST_BETWEEN = 8
_YEAR = re.compile(r"^(?:19|20)\d\d$")
_SHARE_NOTE = re.compile(r"\b(?:number of )?(?:shares|units)\b[^.;]*?\bin (?P<unit>thousands|millions)\b", re.I)
_Placed = tuple[int, Cell, Reading]


class TableReader:
    """Values and units of the cells of ``table``.

    Three things only the neighbours tell: a percent sign at the top and the bottom of a column speaks for the numbers between
    them; what leads from the basic to the diluted number of shares is shares; shares of one column are printed in one scale.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._placed = _columns(table)
        self._notes = _column_notes(table)
        self._year_rows = frozenset(_year_rows(table))
        self._percents = frozenset(_percent_runs(self._placed))
        self._whole_shares = frozenset(self._columns_of_whole_shares())
        self._between = dict(self._dilutions())

    def read(self, row: int, cell: Cell) -> tuple[float, str] | None:
        """(value in base units, unit) of a cell, signs applied; None when it holds no figure."""
        reading = read_cell(cell.text)
        if reading is None or row in self._year_rows:
            return None
        unit, factor = self._unit(row, cell.column, reading)
        value = reading.value / 100 if unit == "pure" else reading.value * factor
        return float(value), unit

    def _unit(self, row: int, column: int, reading: Reading) -> tuple[str, int]:
        if (row, column) in self._percents:
            return "pure", 1
        if (row, column) in self._between:
            return "shares", self._between[row, column]
        unit, factor = self._stated(row, column, reading)
        return (unit, 1) if unit == "shares" and column in self._whole_shares else (unit, factor)

    def _stated(self, row: int, column: int, reading: Reading) -> tuple[str, int]:
        """What label, header and captions say."""
        table = self._table
        header = table.columns[column].header if column < len(table.columns) else ()
        return unit_of(_path(table, row), (*header, *self._notes.get(column, ())), table.units, table.scale, reading)

    def _columns_of_whole_shares(self) -> Iterator[int]:
        for column, cells in self._placed.items():
            for row, _, reading in cells:
                if abs(reading.value) * self._table.scale >= MOST_SHARES and self._stated(row, column, reading) == ("shares", 1):
                    yield column
                    break

    def _dilutions(self) -> Iterator[tuple[tuple[int, int], int]]:
        """(row, column) -> factor of what is added to the basic number of shares."""
        for column, cells in self._placed.items():
            shares = [
                (row, reading, factor)
                for row, _, reading in cells
                if not reading.money
                for unit, factor in (self._stated(row, column, reading),)
                if unit == "shares"
            ]
            for (first, basic, factor), (last, diluted, _) in pairwise(shares):
                if not _BASIC_SHARES.search(self._label(first)) or not _DILUTED_SHARES.search(self._label(last)):
                    continue
                inner = [(row, reading) for row, _, reading in cells if first < row < last]
                if 0 < len(inner) <= _MOST_BETWEEN and _adds_up(basic, [reading for _, reading in inner], diluted):
                    yield from (((row, column), factor) for row, _ in inner)

    def _label(self, row: int) -> str:
        return " > ".join(_path(self._table, row)[-2:])


def _adds_up(first: Reading, between: Sequence[Reading], last: Reading) -> bool:
    plain = all(not reading.money and not reading.percent for reading in between)
    return plain and first.value + sum((reading.value for reading in between), Decimal(0)) == last.value


def _percent_runs(columns: dict[int, list[_Placed]]) -> Iterator[tuple[int, int]]:
    """(row, column) of the unsigned numbers between two percentages of a column that are printed alike."""
    for column, cells in columns.items():
        signed = [place for place, (_, _, reading) in enumerate(cells) if reading.percent]
        if len(signed) < 2:
            continue
        whole = signed[0] == 0 and signed[-1] == len(cells) - 1
        for first, last in pairwise(signed):
            run = cells[first + 1 : last]
            places = {cells[first][2].decimals, cells[last][2].decimals}
            # Whole numbers are common: only a column of nothing but percentages has them without their sign.
            if run and (whole or min(places)) and all(_may_be_percent(reading, places) for _, _, reading in run):
                yield from ((row, column) for row, _, _ in run)


def _may_be_percent(reading: Reading, places: set[int]) -> bool:
    if reading.money or abs(reading.value) >= _LARGEST_PERCENT:
        return False
    return reading.decimals in places or reading.value == 0


def _year_rows(table: Table) -> Iterator[int]:
    """Rows that head what is under them with years: "2022 | 2021" once more in the middle of a table."""
    for number, row in enumerate(table.rows[table.header_rows :], start=table.header_rows):
        figures = [cell.text for cell in row if cell.column]
        if len(figures) > 1 and all(_YEAR.match(text) for text in figures) and len(set(figures)) == len(figures):
            yield number


def _columns(table: Table) -> dict[int, list[_Placed]]:
    """The figures of each column but the first, from the top down."""
    found: dict[int, list[_Placed]] = {}
    for row, line in enumerate(table.rows[table.header_rows :], start=table.header_rows):
        for cell in line:
            if cell.column and (reading := read_cell(cell.text)) is not None:
                found.setdefault(cell.column, []).append((row, cell, reading))
    return found


def _column_notes(table: Table) -> dict[int, tuple[str, ...]]:
    """What footnotes to a column's header say of shares: "(a) Represents the number of shares, in thousands"."""
    found: dict[int, tuple[str, ...]] = {}
    for cell in (cell for row in table.rows[: table.header_rows] for cell in row if cell.column):
        for marker in cell.footnotes:
            if said := _SHARE_NOTE.search(table.footnotes.get(marker, "")):
                found[cell.column] = (f"shares (in {said['unit'].lower()})",)
    return found


def _path(table: Table, row: int) -> tuple[str, ...]:
    return table.row_paths[row] if row < len(table.row_paths) else ()
