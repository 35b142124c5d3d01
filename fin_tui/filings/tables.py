"""Cell grids -> tables with header paths, units, scale, periods and linked footnotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fin_tui.records import Cell, Column, Span, Table


@dataclass(frozen=True, slots=True)
class RawCell:
    """A cell as a reader found it, before currency signs, brackets and percent signs are joined to their numbers."""

    text: str
    row: int
    column: int
    colspan: int = 1
    rowspan: int = 1
    header: bool = False
    """The source marked it as a header (``<th>``)."""
    indent: int = 0
    """Left indentation of a row label, in any unit that grows with depth."""
    bold: bool = False


@dataclass(frozen=True, slots=True)
class MadeTable:
    """The clean text of a table (rows are lines, cells separated by tabs), its grid, and where each raw cell went."""

    text: str
    table: Table
    spans: tuple[Span, ...]


def make_table(cells: Sequence[RawCell], *, offset: int, above: Sequence[str] = ()) -> MadeTable:
    """Build a table whose text will start at ``offset`` of the clean text.

    ``above`` holds the texts of the blocks before the table, nearest last: titles and unit captions are taken from them.
    """
    rows: dict[int, list[tuple[int, RawCell]]] = {}
    for index, cell in enumerate(cells):
        if cell.text.strip():
            rows.setdefault(cell.row, []).append((index, cell))
    lines: list[str] = []
    made: list[tuple[Cell, ...]] = []
    spans = [Span(offset, offset)] * len(cells)
    at = offset
    for number, row in enumerate(rows[key] for key in sorted(rows)):
        texts: list[str] = []
        out: list[Cell] = []
        for index, cell in sorted(row, key=lambda pair: pair[1].column):
            text = " ".join(cell.text.split())
            out.append(Cell(text, number, cell.column, at, at + len(text)))
            spans[index] = Span(at, at + len(text))
            texts.append(text)
            at += len(text) + 1
        lines.append("\t".join(texts))
        made.append(tuple(out))
    width = 1 + max((cell.column for row in made for cell in row), default=0)
    return MadeTable("\n".join(lines), Table(tuple(made), 0, tuple(Column(()) for _ in range(width))), tuple(spans))
