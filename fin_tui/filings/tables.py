"""Cell grids -> tables with header paths, units, scale, periods and linked footnotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fin_tui.filings.table_cells import GridCell, RawCell, join_cells
from fin_tui.filings.table_columns import find_columns
from fin_tui.filings.table_header import Header, count_header_rows, find_title, read_header
from fin_tui.filings.table_notes import note_of_row
from fin_tui.filings.table_periods import NO_PERIOD, Period, has_period_words, read_periods
from fin_tui.filings.table_rows import row_paths
from fin_tui.filings.table_units import find_units
from fin_tui.records import Cell, Column, Span, Table

__all__ = ["MadeTable", "RawCell", "make_table"]


@dataclass(frozen=True, slots=True)
class MadeTable:
    """The clean text of a table (rows are lines, cells separated by tabs), its grid, and where each raw cell went."""

    text: str
    table: Table
    spans: tuple[Span, ...]


def make_table(cells: Sequence[RawCell], *, offset: int, above: Sequence[str] = ()) -> MadeTable:
    """Build a table whose text will start at ``offset`` of the clean text.

    ``above`` holds the texts of the blocks before the table, nearest last: titles and unit captions are taken from them.

    Signs, brackets and note markers that had cells of their own are joined to their number, and grid columns that make up
    one visible column become one; ``Cell.column`` and ``Table.columns`` count those. ``spans[i]`` is where the text of
    ``cells[i]`` stands, an empty span where it has none.
    """
    rows = join_cells(cells)
    if not rows:
        return MadeTable("", Table((), 0, ()), tuple(Span(offset, offset) for _ in cells))
    count = count_header_rows(rows)
    columns = find_columns(rows, count)
    header = read_header(rows, count, columns)
    notes = _notes(rows, count)
    text, made, spans = _lay_out(rows, offset, len(cells))
    units, scale = find_units([*header.captions, *header.paths[0][::-1], *_nearest(above), *_corner(header)])
    table = Table(
        rows=made,
        header_rows=count,
        columns=tuple(
            Column(path, period.start, period.end) for path, period in zip(header.paths, _periods(header, above), strict=True)
        ),
        title=find_title(header.captions, above),
        units=units,
        scale=scale,
        row_paths=tuple(row_paths(rows, count, len(notes))),
        footnotes=dict(reversed(notes)),
    )
    return MadeTable(text, table, spans)


def _nearest(above: Sequence[str]) -> list[str]:
    return list(reversed(above[-3:]))


def _corner(header: Header) -> list[str]:
    """Units that only column headers state ("2024 (in millions)")."""
    return [text for path in header.paths[1:] for text in path]


def _periods(header: Header, above: Sequence[str]) -> list[Period]:
    captions = [*reversed(header.captions), *header.paths[0]]
    context = [*captions, *(text for text in _nearest(above) if len(text.split()) <= 40)]
    spanning = [text for path in header.paths[1:] for text in path if has_period_words(text)]
    # "Years ended December 31," centred over the first column only still speaks for all of them.
    context.extend(dict.fromkeys(spanning))
    return [NO_PERIOD, *read_periods(header.paths[1:], context)]


def _notes(rows: Sequence[Sequence[GridCell]], header_rows: int) -> list[tuple[str, str]]:
    """Note rows at the foot of the table, last first."""
    notes: list[tuple[str, str]] = []
    for row in reversed(rows[header_rows:]):
        note = note_of_row([cell.text for cell in row])
        if note is None:
            break
        notes.append(note)
    return notes if len(notes) < len(rows) - header_rows else []


def _lay_out(
    rows: Sequence[Sequence[GridCell]], offset: int, count: int
) -> tuple[str, tuple[tuple[Cell, ...], ...], tuple[Span, ...]]:
    spans = [Span(offset, offset)] * count
    lines: list[str] = []
    made: list[tuple[Cell, ...]] = []
    at = offset
    for number, row in enumerate(rows):
        out: list[Cell] = []
        for cell in row:
            out.append(Cell(cell.value, number, cell.column, at, at + cell.length, cell.markers))
            for index, start, end in cell.parts:
                spans[index] = Span(at + start, at + end)
            at += len(cell.text) + 1
        lines.append("\t".join(cell.text for cell in row))
        made.append(tuple(out))
    return "\n".join(lines), tuple(made), tuple(spans)
