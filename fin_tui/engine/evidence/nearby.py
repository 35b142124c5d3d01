"""Hits -> the paragraphs in and right beside them, each with the chunk that its words are cited in."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Protocol

from fin_tui.engine.evidence.paragraphs import Paragraph, Piece, is_item, paragraphs
from fin_tui.engine.evidence.passage import units_of
from fin_tui.records import Block, BlockKind, Chunk, Document, Filing, Hit, Table

_KEPT = 6
"""Filings whose paragraphs stay in memory."""
_HEADING = 12
"""Words of a line without an end that is a heading."""


class Held(Protocol):
    """A filing's chunk by its place."""

    def holding(self, filing_id: str, start: int, end: int, /) -> Chunk | None: ...


class Corpus(Protocol):
    """Documents of filings, and their chunks."""

    @property
    def chunks(self) -> Held: ...

    def document(self, filing_id: str, /) -> Document: ...


@dataclass(frozen=True, slots=True)
class Near:
    """A paragraph in or beside a hit."""

    paragraph: Paragraph
    filing: Filing
    rank: int
    """Of the first hit that it stands in or beside, from 0."""
    chunks: tuple[Chunk, ...]
    """For each piece the chunk that is cited for it."""
    table: Table | None = None
    """The table whose rows the pieces are, where the filing's document is held."""


@dataclass(frozen=True, slots=True)
class _Outline:
    """What a filing is made of."""

    paragraphs: tuple[Paragraph, ...]
    tables: tuple[Block, ...]
    """In reading order."""


class Outlines:
    """The paragraphs of filings, those used last kept. Usable from several threads."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._lock = Lock()
        self._made: OrderedDict[Filing, _Outline] = OrderedDict()

    def near(self, hits: Sequence[Hit], excluded: Collection[str] = ()) -> tuple[Near, ...]:
        """The paragraphs in and beside ``hits``, each once, in the order of the hits; none of ``excluded`` chunks (ids)."""
        found: dict[tuple[str, int], Near] = {}
        for rank, hit in enumerate(hits):
            outline = self._outline(hit.filing)
            of = outline.paragraphs
            first = bisect_left(of, hit.chunk.start + 1, key=lambda paragraph: paragraph.end)
            last = bisect_left(of, hit.chunk.end, key=lambda paragraph: paragraph.start)
            for paragraph in of[max(0, first - 1) : last + 1]:
                key = (hit.filing.id, paragraph.start)
                if key in found:
                    continue
                chunks = self._chunks(paragraph, hit.filing, hits)
                if chunks and not any(chunk.id in excluded for chunk in chunks):
                    found[key] = Near(paragraph, hit.filing, rank, chunks)
            if hit.chunk.kind == "table" and (rows := _rows(hit)):
                table = _table_at(outline.tables, rows.start)
                chunks = (hit.chunk,) * len(rows.pieces)
                found.setdefault((hit.filing.id, rows.start), Near(rows, hit.filing, rank, chunks, table))
        return tuple(found.values())

    def table(self, filing: Filing, start: int) -> Table | None:
        """The table that holds this place of the filing's clean text; None where none does."""
        return _table_at(self._outline(filing).tables, start)

    def _outline(self, filing: Filing) -> _Outline:
        with self._lock:
            held = self._made.get(filing)
            if held is not None:
                self._made.move_to_end(filing)
                return held
        document = self._corpus.document(filing.id)
        tables = tuple(block for block in document.blocks if block.table is not None)
        made = _Outline(paragraphs(document.text, document.blocks), tables)
        with self._lock:
            self._made[filing] = made
            while len(self._made) > _KEPT:
                self._made.popitem(last=False)
        return made

    def _chunks(self, paragraph: Paragraph, filing: Filing, hits: Sequence[Hit]) -> tuple[Chunk, ...]:
        """The chunk that holds each piece, one of the hits' where one does; empty when a piece stands in none."""
        found = []
        for piece in paragraph.pieces:
            chunk = next((hit.chunk for hit in hits if hit.filing.id == filing.id and _holds(hit.chunk, piece)), None)
            # What a page break cut in two may stand in no one chunk: its beginning is cited.
            chunk = chunk or self._corpus.chunks.holding(filing.id, piece.start, piece.end)
            chunk = chunk or self._corpus.chunks.holding(filing.id, piece.start, piece.start + 1)
            if chunk is None:
                return ()
            found.append(chunk)
        return tuple(found)


def _table_at(tables: Sequence[Block], start: int) -> Table | None:
    at = bisect_right(tables, start, key=lambda block: block.start) - 1
    return tables[at].table if at >= 0 and start < tables[at].end else None


def near_lines(hits: Sequence[Hit]) -> tuple[Near, ...]:
    """The paragraphs of the hits' own lines, where no documents are held."""
    found = []
    for rank, hit in enumerate(hits):
        chunk = hit.chunk
        made = [_rows(hit)] if chunk.kind == "table" else paragraphs(chunk.text, list(_lines(chunk.text)))
        moved = [one if chunk.kind == "table" else _moved(one, chunk.start) for one in made if one is not None]
        found += [Near(one, hit.filing, rank, (chunk,) * len(one.pieces)) for one in moved]
    return tuple(found)


def _moved(paragraph: Paragraph, by: int) -> Paragraph:
    pieces = tuple(replace(piece, start=piece.start + by, end=piece.end + by) for piece in paragraph.pieces)
    return replace(paragraph, pieces=pieces)


def _holds(chunk: Chunk, piece: Piece) -> bool:
    return chunk.start <= piece.start and piece.end <= chunk.end


def _rows(hit: Hit) -> Paragraph | None:
    """The rows of a table in words, under its title."""
    chunk = hit.chunk
    rows = [unit for unit in units_of(hit) if "\t" in chunk.text[unit.start - chunk.start : unit.end - chunk.start]]
    units = [unit for unit in rows if unit.is_told]
    pieces = tuple(Piece(unit.text, unit.start, unit.end, "row") for unit in units)
    return Paragraph(pieces, chunk.heading, whole=-1) if pieces else None


def _lines(text: str) -> Iterator[Block]:
    at = 0
    for ordinal, line in enumerate(text.split("\n")):
        start, end = at, at + len(line)
        at = end + 1
        if not line.strip():
            continue
        is_heading = len(line.split()) <= _HEADING and line.rstrip()[-1] not in '.:;,!?”")' and not is_item(line)
        yield Block(ordinal, BlockKind.HEADING if is_heading else BlockKind.PARAGRAPH, start, end, page=1, level=2)
