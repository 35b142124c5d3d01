"""Paragraphs and grids -> blocks of a document, and the place of each tagged fact in its text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from fin_tui.filings.blocks import Added, DocumentBuilder
from fin_tui.filings.html_pieces import Content, Grid, GridCell, Mark, Para
from fin_tui.filings.html_tables import BULLET
from fin_tui.filings.tables import RawCell
from fin_tui.filings.xbrl import FactReader, Place
from fin_tui.filings.xbrl_cover import note_name
from fin_tui.records import Block, BlockKind, Span

_DIVISION = re.compile(r"^(?:part\s+(?:[ivx]{1,4}|[1-4])\b|items?\s*\d{1,2}\s*[a-c]?\b)", re.IGNORECASE)
_RUNNING_ON = re.compile(
    r"^(?:part|items?)\s+\S+\s+(?:of|to|in|and the|is|are|above|below|herein|hereof|contains?|includes?)\b", re.IGNORECASE
)
_LONGEST_HEADING = 400
_LONGEST_PLAIN = 120
_AROUND = 90
"""Characters of prose before and after a figure that stand in for a row label."""
_ABOVE = 5
_SENTENCE_END = re.compile(r"[.;:,]$")


class BlockWriter:
    """Writes pieces into a document, one block each, and notes where facts land."""

    def __init__(self, facts: FactReader, body_size: float) -> None:
        self.builder = DocumentBuilder()
        self.places: dict[int, Place] = {}
        self._facts = facts
        self._body_size = body_size
        self._above: list[str] = []
        self._notes: dict[str, str] = {"": ""}

    def write(self, pieces: Sequence[Content]) -> None:
        """Append ``pieces`` in order."""
        for index, piece in enumerate(pieces):
            if isinstance(piece, Grid):
                added = self._grid(piece)
            else:
                # Links one after another are a table of contents, not the headings they lead to.
                beside = (*pieces[max(0, index - 1) : index], *pieces[index + 1 : index + 2])
                contents = piece.linked and any(isinstance(other, Para) and other.linked for other in beside)
                added = self._paragraph(piece, contents=contents)
            if added is not None:
                self._above.append(piece.text[-300:])
                del self._above[:-_ABOVE]

    def _note(self, reference: str) -> str:
        if reference not in self._notes:
            origin = self._facts.origin(reference)
            self._notes[reference] = note_name(origin) if origin else ""
        return self._notes[reference]

    def _paragraph(self, piece: Para, *, contents: bool) -> Added | None:
        kind, level = (BlockKind.PARAGRAPH, 0) if contents else self._classify(piece)
        added = self.builder.add(
            kind, piece.text, page=piece.page, page_label=piece.label, level=level, note=self._note(piece.note), is_clean=True
        )
        if added is not None:
            block = added.block
            for mark in piece.marks:
                self.places[mark.fact] = Place(
                    block.start + mark.start, block.start + mark.end, block.ordinal, _words_around(piece.text, mark)
                )
        return added

    def _classify(self, piece: Para) -> tuple[BlockKind, int]:
        text, look = piece.text, piece.look
        if _DIVISION.match(text) and len(text) <= 250 and not _RUNNING_ON.match(text):
            emphasised = look.bold or look.underline or look.centered or text.isupper()
            if emphasised or (len(text) <= _LONGEST_PLAIN and "," not in text[:12]):
                return BlockKind.HEADING, 1
        if piece.listed or (BULLET.match(text.split(" ", 1)[0]) and not (look.bold and len(text) < 80)):
            return BlockKind.LIST, 0
        level = heading_level(piece, self._body_size)
        return (BlockKind.HEADING, level) if level else (BlockKind.PARAGRAPH, 0)

    def _grid(self, piece: Grid) -> Added | None:
        raw = [
            RawCell(cell.text, cell.row, cell.column, cell.colspan, cell.rowspan, cell.header, cell.indent, cell.bold)
            for cell in piece.cells
        ]
        added = self.builder.add_table(
            raw, page=piece.page, page_label=piece.label, note=self._note(piece.note), above=tuple(self._above)
        )
        if added is not None and any(cell.marks for cell in piece.cells):
            text = self.builder.block_text(added.block)
            rows = _Rows(added.block, text)
            for cell, span in zip(piece.cells, added.cells, strict=True):
                for mark in cell.marks:
                    self.places[mark.fact] = self._place(cell, mark, span, added.block, rows)
        return added

    def _place(self, cell: GridCell, mark: Mark, span: Span, block: Block, rows: _Rows) -> Place:
        printed = cell.text[mark.start : mark.end]
        shown = rows.text[span.start - block.start : span.end - block.start]
        if shown == cell.text:
            start, end = span.start + mark.start, span.start + mark.end
        else:
            at = shown.find(printed, max(0, mark.start - (len(cell.text) - len(shown))))
            at = at if at >= 0 else shown.find(printed)
            start, end = (span.start + at, span.start + at + len(printed)) if at >= 0 else (span.start, span.end)
        return Place(start, end, block.ordinal, rows.label(start) or _words_around(cell.text, mark))


class _Rows:
    """The rows of a written table, found by position."""

    def __init__(self, block: Block, text: str) -> None:
        self.text = text
        self._table = block.table
        self._starts = [row[0].start for row in block.table.rows if row] if block.table else []
        self._indexes = [index for index, row in enumerate(block.table.rows) if row] if block.table else []

    def label(self, position: int) -> str:
        """The labels of the row at ``position``, outermost first; empty when the row has none before it."""
        at = bisect_right(self._starts, position) - 1
        if at < 0 or self._table is None:
            return ""
        index = self._indexes[at]
        path = self._table.row_paths[index] if index < len(self._table.row_paths) else ()
        if path and any(path):
            return " > ".join(part for part in path if part)
        first = self._table.rows[index][0]
        return first.text if first.start < position and not first.text.replace(",", "").isdigit() else ""


def heading_level(piece: Para, body_size: float) -> int:
    """The level of a heading below Part and Item, from 2; 0 when ``piece`` is no heading."""
    text, look = piece.text, piece.look
    if len(text) > _LONGEST_HEADING or not any(c.isalpha() for c in text):
        return 0
    large = look.size > body_size * 1.15
    upper = text.isupper()
    short = len(text) <= _LONGEST_PLAIN and not _SENTENCE_END.search(text)
    if look.bold:
        if text.endswith(",") or (len(text) > 200 and not look.italic and upper):
            return 0
        return 2 if large or upper or (look.centered and short) else 4 if look.italic else 3
    if look.underline and short:
        return 4
    if look.italic and (short or len(text) <= 250) and not text.endswith((",", ";")) and not text.startswith(("(", "“", "/s/")):
        return 5
    if short and text[0].isalpha() and (large or (upper and len(text) > 6 and look.centered)):
        return 3
    return 0


def _words_around(text: str, mark: Mark) -> str:
    """The words of a sentence around a figure."""
    start = max(0, mark.start - _AROUND)
    stop = max(text.rfind(end, start, mark.start) for end in (". ", "; "))
    if stop >= 0:
        start = stop + 2
    elif start:
        start = text.find(" ", start, mark.start) + 1 or start
    end = min(len(text), mark.end + _AROUND)
    close = min((at for at in (text.find(". ", mark.end, end), text.find("; ", mark.end, end)) if at >= 0), default=-1)
    if close >= 0:
        end = close
    elif end < len(text):
        end = max(text.rfind(" ", mark.end, end), mark.end)
    return text[start:end].strip()


def body_size(pieces: Sequence[Content]) -> float:
    """The font size in points that most of the prose is set in; 10 when there is none."""
    letters: dict[float, int] = {}
    for piece in pieces:
        if isinstance(piece, Para):
            letters[piece.look.size] = letters.get(piece.look.size, 0) + len(piece.text)
    return max(letters, key=lambda size: letters[size], default=10.0)
