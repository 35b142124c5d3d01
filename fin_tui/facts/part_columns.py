"""Columns that are no periods: segments, regions or kinds side by side, their years named by rows, or the same over several.

"2021 / Total revenue | United States | Canada | Total" gives "Total revenue > Canada" of 2021. Where several columns are of one
period, what else their headers say tells them apart; a total keeps the row's own label.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from fin_tui.facts.cells import read_cell
from fin_tui.facts.metrics import vocabulary
from fin_tui.filings.table_periods import dates_in, start_of
from fin_tui.filings.table_units import caption_in
from fin_tui.records import Cell, Table

_YEAR = re.compile(r"(?<![\d.,$-])\b(?:FY\s?)?(?:19|20)\d\d\b(?![\d%]|[.,]\d)", re.I)
_PERIOD_WORDS = re.compile(
    r"\b(?:as\s+of|at|for|the|and|fiscal|calendar|years?|periods?|months?|weeks?|end(?:ed|ing)|twelve|12|5[23]|"
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|"
    r"dec(?:ember)?)\b\.?|\b\d{1,2}\b|[,:;|()-]",
    re.I,
)
_WHOLE = re.compile(r"\btotals?\b|\bconsolidated\b|\bcompany\b", re.I)
_BALANCE = re.compile(
    r"\bassets\b|\bgoodwill\b|\breceivables?\b|\binventor|\bproperty\b|\bplant\b|\bequipment\b|\bliabilities\b|\bdeposits\b", re.I
)
_FLOW = re.compile(
    r"\b(?:additions|purchases|expenditures?|depreciation|amortization|impairments?|acquisitions?|sales?|revenues?|return|income|expenses?)\b",
    re.I,
)
_NEAR = 10
_MOST_WORDS = 8
"""A header of more words is a sentence and no name."""
Dates = tuple[dt.date | None, dt.date]


class PartColumns:
    """What the columns of ``table`` add to the labels of its rows, and the years that rows name for columns without."""

    def __init__(self, table: Table, ends: Mapping[int, dt.date]) -> None:
        """``ends``: the last day of each fiscal year that the filing may show."""
        self._ends = ends
        self._table = table
        self._names = [_name_of(column.header) for column in table.columns]
        self._shared = self._sharing()
        self._own = self._one_period()
        self._years = self._years_of_rows() if self._are_parts() or self._own else {}
        if self._own:  # Rows under another year than that of all columns are of that one.
            self._years = {row: year for row, year in self._years.items() if year != self._own}

    def __bool__(self) -> bool:
        return bool(self._years)

    def dates(self, row: int, column: int, label: str) -> Dates | None:
        """The year that the row stands under, for a column that names no period but a part."""
        year = self._years.get(row)
        if year is None or column >= len(self._names) or not self._names[column]:
            return None
        if self._table.columns[column].period_end and not self._own:
            return None
        end = self._ends[year]
        is_balance = _BALANCE.search(label) and not _FLOW.search(label)
        return (None if is_balance else start_of(end, 12, list(self._ends.values()))), end

    def label(self, path: Sequence[str], column: int) -> list[str]:
        """``path`` with what the column's header says beside its period; a column of a metric stands before the row's name."""
        path = [part for part in path if not (self._years and _is_period(part))] or list(path)
        name = self._names[column] if column < len(self._names) else ""
        told = self._years or self._shared.get(column)
        if not told or not name or _WHOLE.search(name):
            return path
        return [name, *path] if vocabulary().named(name) else [*path, name]

    def _are_parts(self) -> bool:
        """Whether at least two columns have names, and none a period."""
        columns = self._table.columns[1:]
        named = [name for name in self._names[1:] if name and len(name.split()) <= _MOST_WORDS]
        return len(set(named)) > 1 and all(column.period_end is None for column in columns)

    def _one_period(self) -> int:
        """The fiscal year that all columns are of by their headers; 0 where they differ, or name none."""
        found = {column.period_end for column in self._table.columns[1:]}
        end = found.pop() if len(found) == 1 and len(self._table.columns) > 2 else None
        return next((year for year, last in self._ends.items() if end is not None and abs((last - end).days) <= _NEAR), 0)

    def _sharing(self) -> dict[int, bool]:
        """The columns that are of the same period as another, by other names."""
        columns = self._table.columns
        periods: Counter[object] = Counter((c.period_start, c.period_end) for c in columns[1:] if c.period_end)
        names: dict[object, set[str]] = {}
        for column, name in zip(columns[1:], self._names[1:], strict=True):
            names.setdefault((column.period_start, column.period_end), set()).add(name)
        found = {}
        for number, column in enumerate(columns):
            key = (column.period_start, column.period_end)
            found[number] = bool(number) and periods[key] > 1 and len(names[key]) > 1
        return found

    def _years_of_rows(self) -> dict[int, int]:
        table = self._table
        year = self._own or self._only_year(" ".join(table.columns[0].header)) or self._only_year(table.title)
        found = {}
        first = table.header_rows if self._own else 0
        for number, row in enumerate(table.rows[first:], start=first):
            if not _holds_figures(row):
                named = {cell.text.strip() for cell in row if _is_period(cell.text)}
                if named:  # A row that heads others with a year that can't be told leaves them without.
                    year = self._only_year(named.pop()) if len(named) == 1 else None
            elif year is not None:
                found[number] = year
        return found

    def _only_year(self, text: str) -> int | None:
        dates = dates_in(text)
        if dates:
            years = [year for year, end in self._ends.items() if any(abs((end - date).days) <= _NEAR for date in dates)]
            return years[0] if len(dates) == len(years) == 1 else None
        named = {int(match.group()[-4:]) for match in _YEAR.finditer(text)}
        return named.pop() if len(named) == 1 and named <= set(self._ends) else None


def column_words(header: Sequence[str]) -> str:
    """What a header says beside periods and units: "" for "Year ended December 31, 2022"."""
    lines = [line.strip() for line in header if line.strip() and not caption_in(line)]
    kept = [line for line in lines if _PERIOD_WORDS.sub(" ", _YEAR.sub(" ", line)).strip()]
    return " ".join(_YEAR.sub(" ", line).strip() for line in kept)


def _name_of(header: Sequence[str]) -> str:
    """The lines of a header that say more than a period or a unit."""
    lines = [line.strip() for line in header if line.strip() and not caption_in(line)]
    return " ".join(
        _YEAR.sub(" ", line).strip() if _YEAR.search(line) else line for line in lines if not _is_period(line)
    ).strip()


def _is_period(text: str) -> bool:
    """Whether ``text`` names a year or a day and says nothing else."""
    return _YEAR.search(text) is not None and not _PERIOD_WORDS.sub(" ", _YEAR.sub(" ", text)).strip()


def _holds_figures(row: Sequence[Cell]) -> bool:
    return any(cell.column and read_cell(cell.text) is not None and not _YEAR.fullmatch(cell.text.strip()) for cell in row)
