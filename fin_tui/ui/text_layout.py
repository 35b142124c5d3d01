"""Clean text laid out for a width: prose wraps at words, the rows of a table stand in its columns.

This is the one place that turns character offsets into rows and columns, and back. A line is a row of pieces; each piece is a
span of the text and the column it is drawn at. Pure.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

from rich.cells import cell_len

from fin_tui.ui.text import drawn

Cells = Callable[[str], int]
"""How many cells wide a text is drawn."""
Grid = Mapping[int, tuple[int, int]]
"""Where a cell of a table begins in the text -> the first and the last of its table's columns that it stands over."""
_GAPS = (2, 1)
_LEAST_LABEL = 12
_INDENT = 2
_WIDEST_HEAD = 24
"""Cells from which on the head of a column wraps, though there is room for it in one line."""


class Piece(NamedTuple):
    """``text[start:end]`` drawn from ``column`` on."""

    start: int
    end: int
    column: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The lines of a text at one width."""

    lines: tuple[tuple[Piece, ...], ...]
    starts: tuple[int, ...]
    """Offset at which each line begins, ascending."""

    def row_of(self, offset: int) -> int:
        """The row that shows the character at ``offset`` (the nearest above where it is between lines)."""
        return max(bisect_right(self.starts, offset) - 1, 0)

    def offset_of(self, text: str, row: int, column: int) -> int:
        """The offset of the character of ``text`` at a row and column; of the end of what is drawn left of it, between pieces."""
        if row >= len(self.lines):
            return len(text)
        at = self.starts[row]
        for piece in self.lines[row]:
            if column < piece.column:
                break
            at, cells = piece.start, piece.column
            while at < piece.end and cells + cells_of(text[at]) <= column:
                cells += cells_of(text[at])
                at += 1
        return at


def lay_out(text: str, width: int, grid: Grid | None = None) -> Layout:
    """Lay out ``text`` for ``width`` cells; every character but line breaks, tabs and wrapped spaces is drawn.

    Cells stand in the columns that ``grid`` gives them. Of a table that it doesn't know, rows with a cell in every column are
    aligned only if all rows with figures have one; else each row keeps its cells beside each other, and no column is guessed.
    """
    grid = grid or {}
    width = max(width, 8)
    cells = _cells_of(text)
    lines: list[tuple[Piece, ...]] = []
    starts: list[int] = []
    for start, end, tabular in _groups(text, grid):
        group = _table(text, start, end, width, cells, grid) if tabular else _prose(text, start, end, width, cells)
        for begin, pieces in group:
            lines.append(pieces)
            starts.append(begin)
    return Layout(tuple(lines), tuple(starts))


def _cells_of(text: str) -> Cells:
    """Where every character of ``text`` takes one cell, as in nearly all filings, its length tells the width much sooner."""
    return len if all(character.isascii() or cells_of(character) == 1 for character in set(text)) else cells_of


def cells_of(text: str) -> int:
    """How many cells ``text`` takes as it is drawn: what the screen leaves out of it takes none."""
    return cell_len(drawn(text))


def _groups(text: str, grid: Grid) -> Iterator[tuple[int, int, bool]]:
    """Spans of the text that are wholly table rows or single other lines."""
    at, table_from = 0, -1
    while at <= len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        tabular = "\t" in text[at:stop] or at in grid
        if tabular and table_from < 0:
            table_from = at
        if not tabular:
            if table_from >= 0:
                if _continues(text, stop):
                    at = stop + 1
                    continue
                yield table_from, at - 1, True
                table_from = -1
            yield at, stop, False
        at = stop + 1
    if table_from >= 0:
        yield table_from, len(text), True


def _continues(text: str, stop: int) -> bool:
    """A row of one cell inside a table: not blank, and a tabbed row follows at once."""
    if stop >= len(text) or text[stop - 1 : stop] == "\n":
        return False
    following = text.find("\n", stop + 1)
    return "\t" in text[stop + 1 : following if following >= 0 else len(text)]


def _prose(text: str, start: int, end: int, width: int, cells: Cells) -> Iterator[tuple[int, tuple[Piece, ...]]]:
    if start >= end:
        yield start, ()
        return
    for begin, stop in _wrap(text, start, end, width, cells):
        yield begin, (Piece(begin, stop, 0),)


def _wrap(text: str, start: int, end: int, width: int, cells: Cells) -> Iterator[tuple[int, int]]:
    """Spans of at most ``width`` cells, broken at spaces where there are any."""
    while start < end:
        stop = min(start + width, end) if cells is len else _fit(text, start, end, width)
        if stop < end and text[stop] != " ":
            space = text.rfind(" ", start + 1, stop)
            stop = space if space > start else stop
        yield start, stop
        start = stop
        while start < end and text[start] == " ":
            start += 1


def _fit(text: str, start: int, end: int, width: int) -> int:
    """The last offset such that the span from ``start`` is no wider than ``width`` cells; at least one character."""
    stop = min(start + width, end)
    span = text[start:stop]
    if span.isascii():
        return stop
    while stop > start + 1 and cells_of(text[start:stop]) > width:
        stop -= 1
    while stop < end and not cells_of(text[stop]):
        stop += 1  # An accent stays with its letter.
    return stop


class _Cell(NamedTuple):
    """``text[start:end]`` over the columns ``first`` to ``last`` of its table; column 0 holds the labels."""

    start: int
    end: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where the columns of a table stand at one width."""

    ends: tuple[int, ...]
    """Where each column ends; that of the labels is the first."""
    gap: int
    words: frozenset[int]
    """Columns of words: these stand left, figures right."""
    is_stacked: bool
    """Labels take lines of their own above their figures."""

    def place(self, cell: _Cell) -> tuple[int, int]:
        """Where ``cell`` begins and ends."""
        return (self.ends[cell.first - 1] + self.gap if cell.first else 0), self.ends[cell.last]


Line = tuple[int, tuple[Piece, ...]]


def _table(text: str, start: int, end: int, width: int, cells: Cells, grid: Grid) -> Iterator[Line]:
    rows = _rows(text, start, end)
    placed = _placed(rows, grid)
    body = _first_body_row(text, placed) if placed is not None else 0
    columns = _columns(text, placed, body, width, cells) if placed is not None else None
    for at, row in enumerate(rows):
        if placed is None or columns is None:
            lines = list(_loose_row(text, row, width, cells))
        else:
            lines = list(_row(text, placed[at], columns, width, cells, is_head=at < body))
        # What begins before its first cell, with the tab of an empty one, begins with its line.
        yield row[0][0], lines[0][1] if lines else ()
        yield from lines[1:]


def _rows(text: str, start: int, end: int) -> list[list[tuple[int, int]]]:
    """Where the cells of each row begin and end."""
    rows: list[list[tuple[int, int]]] = []
    at = start
    for line in text[start:end].split("\n"):
        row = []
        for cell in line.split("\t"):
            row.append((at, at + len(cell)))
            at += len(cell) + 1
        rows.append(row)
    return rows


def _placed(rows: Sequence[Sequence[tuple[int, int]]], grid: Grid) -> list[list[_Cell]] | None:
    """The cells of each row by their columns, those that stay empty not counted; None where the columns aren't known."""
    count = max(len(row) for row in rows)
    if all(start in grid for row in rows for start, end in row if start < end):
        found = [[_Cell(start, end, *grid[start]) for start, end in row if start < end] for row in rows]
    elif all(len(row) in (1, count) for row in rows):
        found = [[_Cell(start, end, at, at) for at, (start, end) in enumerate(row) if start < end] for row in rows]
    else:
        return None
    if any(before.last >= cell.first for row in found for before, cell in pairwise(row)):
        return None
    used = sorted({0, *(column for row in found for cell in row for column in (cell.first, cell.last))})
    number = {column: at for at, column in enumerate(used)}
    return [[_Cell(cell.start, cell.end, number[cell.first], number[cell.last]) for cell in row] for row in found]


def _first_body_row(text: str, rows: Sequence[Sequence[_Cell]]) -> int:
    """The first row with a label and a figure; 0 where none has both."""
    return next((at for at, row in enumerate(rows) if row and not row[0].first and not all(_worded(text, row[1:]))), 0)


def _worded(text: str, row: Sequence[_Cell]) -> list[bool]:
    """Of each cell whether it holds words, which may wrap, unlike a figure with its sign."""
    return [sum(map(str.isalpha, text[cell.start : cell.end])) > 1 for cell in row]


def _columns(text: str, rows: Sequence[Sequence[_Cell]], body: int, width: int, cells: Cells) -> _Columns | None:
    """The columns of ``rows``, of which those before ``body`` are heads; None where even the figures alone are too wide."""
    count = 1 + max((cell.last for row in rows for cell in row), default=0)
    natural, least = [0] * count, [0] * count
    worded = [0] * count
    spanning: list[tuple[_Cell, int]] = []
    for at, row in enumerate(rows):
        for cell, is_worded in zip(row, _worded(text, row), strict=True):
            size = cells(text[cell.start : cell.end])
            short = max(map(cells, text[cell.start : cell.end].split(" ")), default=0) if is_worded else size
            if not cell.first and len(row) == 1:
                continue
            if cell.last > cell.first:
                spanning.append((cell, short))
                continue
            least[cell.last] = max(least[cell.last], short)
            natural[cell.last] = max(natural[cell.last], size if at >= body else max(short, min(size, _WIDEST_HEAD)))
            worded[cell.last] += (1 if is_worded else -1) if at >= body else 0
    for cell, short in spanning:
        least[cell.last] += max(short - sum(least[cell.first : cell.last + 1]), 0)
        natural[cell.last] = max(natural[cell.last], least[cell.last])
    words = frozenset(column for column in range(1, count) if worded[column] > 0)
    return _fitted(natural, least, words, width)


def _fitted(natural: Sequence[int], least: Sequence[int], words: frozenset[int], width: int) -> _Columns | None:
    """Labels give way first, down to half of the width; then columns whose cells can wrap; then gaps; then the labels stand
    above their figures.
    """
    label, figures, shortest = natural[0], natural[1:], least[1:]
    least_label = min(label, max(least[0], _LEAST_LABEL))
    for gap in _GAPS:
        room = width - gap * len(figures)
        if sum(shortest) + least_label <= room:
            widths = _shrunk(figures, shortest, max(room - min(label, max(least_label, width // 2)), sum(shortest)))
            return _ended(min(label, room - sum(widths)), widths, gap, words, is_stacked=False)
    for gap in _GAPS:
        room = width - gap * (len(figures) - 1)
        if sum(shortest) <= room:
            widths = _shrunk(figures, shortest, room)
            indent = min(_INDENT, room - sum(widths))
            return _ended(indent - gap, widths, gap, words, is_stacked=True)
    return None


def _ended(label: int, widths: Sequence[int], gap: int, words: frozenset[int], *, is_stacked: bool) -> _Columns:
    return _Columns(tuple(accumulate(widths, lambda end, size: end + gap + size, initial=label)), gap, words, is_stacked)


def _shrunk(natural: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Widths that come to ``room`` at most: the widest columns give way, none below its ``least``."""

    def capped(most: int) -> list[int]:
        return [max(short, min(size, most)) for size, short in zip(natural, least, strict=True)]

    most = bisect_right(range(max(natural, default=0) + 1), room, key=lambda most: sum(capped(most))) - 1
    return capped(most)


def _row(text: str, row: Sequence[_Cell], columns: _Columns, width: int, cells: Cells, *, is_head: bool) -> Iterator[Line]:
    """A row in its columns; a label alone, or stacked, takes the whole width."""
    label = row[0] if row and not row[0].first else None
    if label is not None and (len(row) == 1 or columns.is_stacked):
        yield from _prose(text, label.start, label.end, width, cells)
        row = row[1:]
    if row:
        yield from _placed_row(text, row, columns, cells, is_head=is_head)


def _placed_row(text: str, row: Sequence[_Cell], columns: _Columns, cells: Cells, *, is_head: bool) -> Iterator[Line]:
    """A row on as many lines as its longest cell takes. Heads stand above their figures, figures beside the end of a label that
    wraps, and beside the beginning of words that do.
    """
    places = [columns.place(cell) for cell in row]
    wrapped = [
        list(_wrap(text, cell.start, cell.end, end - begin, cells)) for cell, (begin, end) in zip(row, places, strict=True)
    ]
    height = max(map(len, wrapped))
    on_top = not is_head and not row[0].first and len(wrapped[0]) < height
    lines: list[list[Piece]] = [[] for _ in range(height)]
    for cell, (begin, end), parts in zip(row, places, wrapped, strict=True):
        for at, (start, stop) in enumerate(parts, start=0 if on_top else height - len(parts)):
            left = end - begin - cells(text[start:stop])
            stands_left = not cell.first or (cell.first in columns.words and cell.first == cell.last)
            indent = 0 if stands_left else left // 2 if cell.last > cell.first else left
            lines[at].append(Piece(start, stop, begin + indent))
    # Cells go on side by side: a line begins no later in the text than those under it.
    starts = list(accumulate((line[0].start for line in reversed(lines)), min))
    yield from zip(reversed(starts), map(tuple, lines), strict=True)


def _loose_row(text: str, row: Sequence[tuple[int, int]], width: int, cells: Cells) -> Iterator[Line]:
    """A row without columns: all its cells one after the other on one line, behind the label where it leaves them room."""
    label, *others = [cell for cell in row if cell[0] < cell[1]] or [row[0]]
    beside = sum(_GAPS[0] + cells(text[start:end]) for start, end in others)
    size = cells(text[label[0] : label[1]])
    if beside > width or not others:
        yield from _flowing(text, [label, *others], width, cells)
        return
    room = width - beside if width - beside >= min(size, _LEAST_LABEL) else width
    lines = [(begin, [Piece(begin, stop, 0)]) for begin, stop in _wrap(text, *label, room, cells)]
    column = cells(text[lines[-1][1][0].start : lines[-1][1][0].end]) if room < width or size + beside <= width else 0
    if not column:
        lines.append((others[0][0], []))
    for start, end in others:
        column += _GAPS[0]
        lines[-1][1].append(Piece(start, end, column))
        column += cells(text[start:end])
    yield from ((begin, tuple(pieces)) for begin, pieces in lines)


def _flowing(text: str, row: Sequence[tuple[int, int]], width: int, cells: Cells) -> Iterator[Line]:
    """Cells one after the other with a gap, on as many lines as they need."""
    line: list[Piece] = []
    column = 0
    for start, end in row:
        for begin, stop in _wrap(text, start, end, width, cells):
            size = cells(text[begin:stop])
            if line and column + size > width:
                yield line[0].start, tuple(line)
                line, column = [], _GAPS[0]
            column = min(column, max(width - size, 0))
            line.append(Piece(begin, stop, column))
            column += size + _GAPS[0]
    if line:
        yield line[0].start, tuple(line)
