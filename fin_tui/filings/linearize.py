"""Table rows as sentences, so that an encoder reads what a number is: "Total net sales: 2024 $391,035; 2023 $383,285."."""

from __future__ import annotations

from collections.abc import Sequence

from fin_tui.filings.table_cells import is_number
from fin_tui.records import Cell, Column, Table

_PATH = 3
_LABEL_WORDS = 16


def linearize(table: Table, first: int, last: int, *, names: Sequence[str] = (), limit: int = 350) -> str:
    """Rows ``first`` to ``last`` (exclusive) of ``table`` as one sentence each, at most ``limit`` words; whole rows only.

    Values keep their printed form; what all columns have in common is left to the chunk's header. ``names`` are the columns'
    names where the table has none of its own.
    """
    own = column_names(table)
    names = own if any(own) or len(names) != len(own) else names
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
    """One row with its label path and the name of each value's column; a label row of a table with figures gives nothing."""
    row = table.rows[index]
    path = table.row_paths[index] if index < len(table.row_paths) else ()
    labelled = bool(path and row) and row[0].column == 0 and path[-1].endswith(row[0].text)
    values = [cell for cell in row if cell.column or (is_number(cell.text) and not labelled)]
    if not values:
        figures = any(is_number(cell.text) for other in table.rows for cell in other)
        words = " ".join(cell.text for cell in row)
        return "" if figures and len(words.split()) < _LABEL_WORDS else words
    label = _label(path)
    said = "; ".join(_value(cell, names) for cell in values)
    return f"{label}: {said}." if label else f"{said}."


def _label(path: Sequence[str]) -> str:
    labels = [label.rstrip(": ") for label in path[-_PATH:]]
    while len(labels) > 1 and sum(len(label.split()) for label in labels) > _LABEL_WORDS:
        labels.pop(0)
    return " – ".join(" ".join(label.split()[: 2 * _LABEL_WORDS]) for label in labels)


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
