"""Table rows as sentences, so that an encoder reads what a number is: "Total net sales: 2024 $391,035; 2023 $383,285."."""

from __future__ import annotations

from collections.abc import Sequence

from fin_tui.filings.table_cells import is_number
from fin_tui.records import Cell, Column, Table

_PATH = 3
_LABEL_WORDS = 16


def linearize(table: Table, first: int, last: int, *, limit: int = 350) -> str:
    """Rows ``first`` to ``last`` (exclusive) of ``table`` as one sentence each, at most ``limit`` words; whole rows only.

    Values keep their printed form; what all columns have in common is left to the chunk's header.
    """
    names = column_names(table)
    lines: list[str] = []
    words = 0
    for index in range(max(first, table.header_rows), last):
        line = row_sentence(table, index, names)
        words += len(line.split())
        if words > limit and lines:
            break
        if line:
            lines.append(line)
    return " ".join(lines)


def row_sentence(table: Table, index: int, names: Sequence[str]) -> str:
    """One row with its label path and the name of each value's column; label rows and empty rows give nothing."""
    row = table.rows[index]
    values = [cell for cell in row if cell.column or is_number(cell.text)]
    if not values:
        return "" if any(is_number(cell.text) for other in table.rows for cell in other) else " ".join(cell.text for cell in row)
    label = _label(table, index, row)
    said = "; ".join(_value(cell, names) for cell in values)
    return f"{label}: {said}." if label else f"{said}."


def _label(table: Table, index: int, row: Sequence[Cell]) -> str:
    path = table.row_paths[index] if index < len(table.row_paths) else ()
    labels = [label.rstrip(": ") for label in path[-_PATH:]] or [
        cell.text for cell in row if not cell.column and not is_number(cell.text)
    ]
    words = " – ".join(labels).split()
    return " ".join(words if len(words) <= _LABEL_WORDS else words[-_LABEL_WORDS:])


def _value(cell: Cell, names: Sequence[str]) -> str:
    name = names[cell.column] if cell.column < len(names) else ""
    return f"{name} {cell.text}" if name else cell.text


def column_names(table: Table) -> list[str]:
    """A short name for each column: its header without what all columns share; a bare year where that tells them apart."""
    columns = table.columns
    paths = [list(column.header) for column in columns]
    named = [path for path in paths[1:] if path]
    while len(named) > 1 and all(path and path[0] == named[0][0] for path in named):
        for path in named:
            path.pop(0)
    years = _years(columns)
    names = [" ".join(path) for path in paths]
    if names:
        names[0] = ""
    for i, year in years.items():
        names[i] = year
    return names


def _years(columns: Sequence[Column]) -> dict[int, str]:
    """Column -> year, when the columns are one period each, all ending at the same time of the year."""
    ends = {i: column.period_end for i, column in enumerate(columns) if i and column.header}
    dated = {i: end for i, end in ends.items() if end is not None}
    years = {end.year for end in dated.values()}
    if len(dated) < 2 or len(dated) < len(ends) or len(years) < len(dated):
        return {}
    days = [end.timetuple().tm_yday for end in dated.values()]
    return {i: str(end.year) for i, end in dated.items()} if max(days) - min(days) <= 8 else {}
