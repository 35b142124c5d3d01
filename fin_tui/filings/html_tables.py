"""Tables of a page -> data grids; tables that only lay out text -> the paragraphs in them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from fin_tui.filings.dom import Attributes
from fin_tui.filings.html_pieces import Break, Grid, GridCell, Para, Piece, join_paragraphs, shifted

_MOST_COLUMNS = 400
_MOST_ROWS = 20_000
_FURTHEST = 500
"""Columns from which a cell of a row is set no further right, however much the rows above span."""
_WIDEST = 150
"""Columns of text above which a table is no grid that a person could read."""
BULLET = re.compile(r"^(?:[•·●○■□▪▫◦‣➢►▶→✓❖*§–—☐☒☑-]|\(?(?:\d{1,2}|[a-zA-Z]|[ivx]{1,5})[.)]|\(\*{1,3}\)|\*{1,4}|†{1,2}|‡)$")
_ITEM = re.compile(r"^(?:item|part|note)s?\s*\d{0,2}[ivx]{0,4}\s*[a-c]?\s*[.:–—-]*$", re.IGNORECASE)
_PROSE = 1200
"""Characters from which a cell's text is prose laid out in columns, not data."""


@dataclass(slots=True)
class _Cell:
    row: int
    column: int
    colspan: int
    rowspan: int
    header: bool
    pieces: list[Piece] = field(default_factory=list)

    @property
    def paragraphs(self) -> list[Para]:
        return [piece for piece in self.pieces if isinstance(piece, Para)]


class TableFrame:
    """A table while it is read. ``outer`` is where its pieces go when it closes."""

    def __init__(self, outer: list[Piece]) -> None:
        self.outer = outer
        self._cells: list[_Cell] = []
        self._row = -1
        self._column = 0
        self._taken: dict[int, int] = {}
        """Column -> first row that is free again, for cells that span rows."""

    def start_row(self) -> None:
        """A ``<tr>`` opens."""
        self._row += 1
        self._column = 0

    def start_cell(self, attributes: Attributes, *, header: bool) -> list[Piece]:
        """A cell opens; the list returned takes its pieces."""
        row = max(self._row, 0)
        while self._column < _FURTHEST and self._taken.get(self._column, 0) > row:
            self._column += 1
        colspan = _span(attributes.get("colspan"), _MOST_COLUMNS)
        rowspan = _span(attributes.get("rowspan"), _MOST_ROWS)
        cell = _Cell(row, self._column, colspan, rowspan, header)
        if rowspan > 1:
            for column in range(self._column, min(self._column + colspan, _FURTHEST)):
                self._taken[column] = row + rowspan
        self._column += colspan
        self._cells.append(cell)
        return cell.pieces

    def close(self) -> list[Piece]:
        """What the table comes to: one grid, or the pieces in it when it only lays out text."""
        filled = [cell for cell in self._cells if cell.pieces]
        rows: dict[int, list[_Cell]] = {}
        for cell in filled:
            if cell.paragraphs or any(isinstance(piece, Grid) for piece in cell.pieces):
                rows.setdefault(cell.row, []).append(cell)
        if not rows:
            return [piece for cell in filled for piece in cell.pieces]
        nested = any(isinstance(piece, Grid) for cell in filled for piece in cell.pieces)
        if nested or len({cell.column for cell in filled}) > _WIDEST:
            return [piece for cell in filled for piece in cell.pieces]
        unwrapped = _unwrap(list(rows.values()))
        if unwrapped is not None:
            breaks = [piece for cell in filled for piece in cell.pieces if isinstance(piece, Break)]
            inside = any(isinstance(piece, Break) for piece in unwrapped)
            return unwrapped if inside else [*unwrapped, *breaks]
        cells = _compact([_joined(cell) for row in rows.values() for cell in row])
        breaks = [piece for cell in filled for piece in cell.pieces if isinstance(piece, Break)]
        return [Grid(cells, note=_note(rows.values())), *breaks]


def _span(text: str | None, most: int) -> int:
    try:
        return min(max(int(text or 1), 1), most)
    except ValueError:
        return 1


def _note(rows: Iterable[list[_Cell]]) -> str:
    notes = (paragraph.note for row in rows for cell in row for paragraph in cell.paragraphs)
    return next(filter(None, notes), "")


def _joined(cell: _Cell) -> GridCell:
    paragraphs = cell.paragraphs
    text, marks = join_paragraphs(paragraphs)
    letters = sum(len(paragraph.text) for paragraph in paragraphs)
    bold = sum(len(paragraph.text) for paragraph in paragraphs if paragraph.look.bold)
    return GridCell(
        row=cell.row,
        column=cell.column,
        colspan=cell.colspan,
        rowspan=cell.rowspan,
        text=text,
        marks=marks,
        header=cell.header,
        indent=max(0, round(paragraphs[0].indent)),
        bold=2 * bold > letters,
    )


def _compact(cells: list[GridCell]) -> list[GridCell]:
    """The cells on a grid without the columns and rows in which no text begins; spans shrink with them."""
    columns_kept = sorted({cell.column for cell in cells})
    rows_kept = sorted({cell.row for cell in cells})
    columns = {old: new for new, old in enumerate(columns_kept)}
    rows = {old: new for new, old in enumerate(rows_kept)}
    for cell in cells:
        first = columns[cell.column]
        last = cell.column + cell.colspan
        width = bisect_left(columns_kept, last) - first
        height = bisect_left(rows_kept, cell.row + cell.rowspan) - rows[cell.row]
        cell.column, cell.colspan = first, max(1, width)
        cell.row, cell.rowspan = rows[cell.row], max(1, height)
    return cells


def _unwrap(rows: Sequence[list[_Cell]]) -> list[Piece] | None:
    """The pieces of a layout table in reading order; None for a data table."""
    heads = sum(_is_item_heading(row) for row in rows)
    if heads and (heads > 2 or len(rows) > 3):
        return None
    laid_out = all(len(row) == 1 or _is_bullet(row) or _is_item_heading(row) for row in rows)
    if not laid_out and not _is_columns_of_prose(rows):
        return None
    pieces: list[Piece] = []
    for row in rows:
        if len(row) == 2 and laid_out:
            pieces.extend(_merged(row, listed=not _is_item_heading(row)))
        else:
            pieces.extend(piece for cell in row for piece in cell.pieces)
    return pieces


def _first_text(cell: _Cell) -> str:
    paragraphs = cell.paragraphs
    return paragraphs[0].text if len(paragraphs) == 1 else ""


def _is_bullet(row: Sequence[_Cell]) -> bool:
    return len(row) == 2 and BULLET.match(_first_text(row[0])) is not None and not _is_figure(row[1])


def _is_figure(cell: _Cell) -> bool:
    text = _first_text(cell)
    return bool(text) and not any(c.isalpha() for c in text)


def _is_item_heading(row: Sequence[_Cell]) -> bool:
    return len(row) == 2 and _ITEM.match(_first_text(row[0])) is not None and not _is_figure(row[1])


def _is_columns_of_prose(rows: Sequence[list[_Cell]]) -> bool:
    if len(rows) > 2:
        return False
    lengths = [sum(len(paragraph.text) for paragraph in cell.paragraphs) for row in rows for cell in row]
    return max(lengths) > _PROSE and any(len(cell.paragraphs) > 2 for row in rows for cell in row)


def _merged(row: Sequence[_Cell], *, listed: bool) -> Iterator[Piece]:
    """A marker cell and the text beside it as one paragraph, then what else the text cell holds."""
    marker = row[0].paragraphs[0]
    body = row[1].pieces
    first = next((piece for piece in body if isinstance(piece, Para)), None)
    if first is None:
        yield from (*row[0].pieces, *body)
        return
    offset = len(marker.text) + 1
    look = first.look if first.look.bold or marker.look.bold == first.look.bold else replace(first.look, bold=False)
    yield replace(
        first,
        text=f"{marker.text} {first.text}",
        marks=(*marker.marks, *shifted(first.marks, offset)),
        look=look,
        indent=marker.indent,
        listed=listed,
        lead=first.lead + offset if first.lead else 0,
    )
    yield from (piece for piece in (*row[0].pieces, *body) if piece is not first and piece is not marker)
