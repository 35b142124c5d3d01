"""Clean text laid out as screen lines. The one place that turns character offsets into rows and columns, and back.

A line is a row of pieces; each piece is a span of the text and the column it is drawn at. Prose wraps at words. Runs of
tab-separated rows (tables) are aligned: the first cell left, the figures right, as many columns as the widest row has.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rich.cells import cell_len

from fin_tui.ui.text import drawn

Cells = Callable[[str], int]
"""How many cells wide a text is drawn."""
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_GAP = 2
_MIN_LABEL = 12


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


def lay_out(text: str, width: int) -> Layout:
    """Lay out ``text`` for ``width`` cells; every character but line breaks, tabs and wrapped spaces is drawn."""
    width = max(width, 8)
    cells = _cells_of(text)
    lines: list[tuple[Piece, ...]] = []
    starts: list[int] = []
    for start, end, tabular in _groups(text):
        group = _table(text, start, end, width, cells) if tabular else _prose(text, start, end, width, cells)
        for begin, pieces in group:
            lines.append(pieces)
            starts.append(begin)
    return Layout(tuple(lines), tuple(starts))


def _cells_of(text: str) -> Cells:
    """Where every character of ``text`` takes one cell, as in nearly all filings, its length tells the width much sooner."""
    return len if all(cells_of(character) == 1 for character in set(_BEYOND_ASCII.findall(text))) else cells_of


def cells_of(text: str) -> int:
    """How many cells ``text`` takes as it is drawn: what the screen leaves out of it takes none."""
    return cell_len(drawn(text))


def _groups(text: str) -> Iterator[tuple[int, int, bool]]:
    """Spans of the text that are wholly table rows or single other lines."""
    at, table_from = 0, -1
    while at <= len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        tabular = "\t" in text[at:stop]
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


def _table(text: str, start: int, end: int, width: int, cells: Cells) -> Iterator[tuple[int, tuple[Piece, ...]]]:
    rows = _rows(text, start, end)
    count = max(len(row) for row in rows)
    placed = [_place(row, count, seen_full) for row, seen_full in zip(rows, _after_full(rows, count), strict=True)]
    widths = [0] * count
    for row in placed:
        for column, (begin, stop) in row.items():
            if column:
                widths[column] = max(widths[column], cells(text[begin:stop]))
    figures = sum(widths[1:]) + _GAP * (count - 1)
    label_width = max((cells(text[b:e]) for row in placed if len(row) > 1 for c, (b, e) in row.items() if not c), default=0)
    label = min(label_width, width - figures)
    if label < min(_MIN_LABEL, label_width):
        for loose in rows:
            yield from _loose_row(text, loose, width, cells)
        return
    edges = [label]
    for column in range(1, count):
        edges.append(edges[-1] + _GAP + widths[column])
    for row in placed:
        yield from _aligned_row(text, row, label, edges, width, cells)


def _rows(text: str, start: int, end: int) -> list[list[tuple[int, int]]]:
    rows: list[list[tuple[int, int]]] = []
    at = start
    for line in text[start:end].split("\n"):
        row = []
        for cell in line.split("\t"):
            row.append((at, at + len(cell)))
            at += len(cell) + 1
        rows.append(row)
    return rows


def _after_full(rows: list[list[tuple[int, int]]], count: int) -> Iterator[bool]:
    seen = False
    for row in rows:
        yield seen
        seen = seen or len(row) == count


def _place(row: list[tuple[int, int]], count: int, seen_full: bool) -> dict[int, tuple[int, int]]:
    """Column -> cell. Short rows above the first full row are headers and stand over the figures."""
    if len(row) == 1:
        return {0: row[0]}
    if not seen_full and len(row) < count:
        return {count - len(row) + index: cell for index, cell in enumerate(row)}
    return {0: row[0]} | {count - len(row) + index: cell for index, cell in enumerate(row) if index}


def _aligned_row(
    text: str, row: dict[int, tuple[int, int]], label: int, edges: list[int], width: int, cells: Cells
) -> Iterator[tuple[int, tuple[Piece, ...]]]:
    figures = [
        Piece(start, end, edges[column] - cells(text[start:end])) for column, (start, end) in sorted(row.items()) if column
    ]
    if 0 not in row:
        yield figures[0].start, tuple(figures)
        return
    wrapped = list(_wrap(text, *row[0], label if figures else width, cells)) or [row[0]]
    for index, (begin, stop) in enumerate(wrapped):
        is_last = index == len(wrapped) - 1
        yield begin, (Piece(begin, stop, 0), *(figures if is_last else ()))


def _loose_row(text: str, row: list[tuple[int, int]], width: int, cells: Cells) -> Iterator[tuple[int, tuple[Piece, ...]]]:
    """Cells one after the other with a gap, on as many lines as they need: for tables wider than the pane."""
    line: list[Piece] = []
    column = 0
    for start, end in row:
        for begin, stop in _wrap(text, start, end, width, cells):
            size = cells(text[begin:stop])
            if line and column + size > width:
                yield line[0].start, tuple(line)
                line, column = [], 2
            column = min(column, max(width - size, 0))
            line.append(Piece(begin, stop, column))
            column += size + _GAP
    if line:
        yield line[0].start, tuple(line)
