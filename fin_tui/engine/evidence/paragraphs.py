"""Paragraphs of a filing: running text with the bullets or rows that it announces, under its heading; those in and beside hits.

A sentence alone often leaves out half of what it answers: the amount stands in the next one, the reasons in the bullets below.
So what is shown of a filing's prose are paragraphs, made once from its blocks. A page break may cut a paragraph in two, and a
line that ends with a colon says nothing without what it announces; both are put together here.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import Literal, Protocol

from fin_tui.engine.evidence import units_of
from fin_tui.facts import vocabulary
from fin_tui.facts.words import without_note
from fin_tui.language import any_of, runs_of, split_sentences
from fin_tui.records import Block, BlockKind, Chunk, Document, Filing, Hit, Table
from fin_tui.store import Remembered

_BULLET = re.compile(r"^[ \t]*(?:[•·▪‣●○◦■□➢*–—-]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])[ \t]*(?=\S)")
_GLYPHS = tuple("•·▪‣●○◦■□➢")
_MOST = 60


def is_item(line: str) -> bool:
    """Whether ``line`` begins with the glyph of a list item."""
    return line.lstrip().startswith(_GLYPHS) and bool(line.lstrip()[1:].strip())


def without_glyph(line: str) -> str:
    """``line`` without the glyph of a list item; numbers and letters of a list stay."""
    return line.lstrip()[1:].lstrip() if is_item(line) else line


def with_glyph(item: str) -> str:
    """``item`` as it is told: behind a glyph, unless it has a mark of its own."""
    return item if _BULLET.match(item) else f"• {item}"


def bullets_after(text: str, at: int) -> tuple[tuple[int, int], ...]:
    """Spans of the list items whose lines follow ``at``, without their marks; empty when none follows directly."""
    spans: list[tuple[int, int]] = []
    begin = text.find("\n", at)
    if begin < 0 or text[at:begin].strip():
        return ()
    while 0 <= begin < len(text) and len(spans) < _MOST:
        end = text.find("\n", begin + 1)
        end = len(text) if end < 0 else end
        line = text[begin + 1 : end]
        if line.strip():
            mark = _BULLET.match(line)
            if mark is None:
                break
            spans.append((begin + 1 + mark.end(), begin + 1 + len(line.rstrip())))
        begin = end if end < len(text) else -1
    return tuple(spans)


Kind = Literal["sentence", "item", "row"]
_POINTS = any_of(
    "(please) see, (please) refer to, for (a/an/any/the) (more/further/additional) information/discussion/description/detail(s)/"
    "explanation/definition(s)"
)
_SEE = any_of("see, refer to")
_NOTE = re.compile(r"^\s*(?:\(\w{1,2}\)|\*+|[†‡§¹²³])\s*(?=\S)")
"""What the footnotes of a table begin with."""
_KEY = re.compile(r"^\s*(?:[_–—-]{3,}|(?:[A-Z][A-Z/&.]{0,4}|[nN]/?[mMaA]\.?)(?:\s+-+\s+|\s*[–—=:]\s*)\w+(?:\s+\S+){0,5})\s*$")
"""The rule under a table, and what it explains a short form with: "NM - not meaningful"."""
_TELLS = 25
"""Words of a footnote that tells a matter of its own."""
_ENDED = '.!?:;”"’)]'
_BOXES = ("☐", "☒", "☑", "[X]", "[x]", "[ ]", "(Mark One)")
"""What the lines begin with of which a cover ticks one."""
_WORDY = 4
"""Words of a line without an end that can be a sentence."""
_SHORTEST, _LONGEST = 40, 100
"""Words of a part of a long paragraph."""
_SAYS = 8
"""Words of a heading that ends with a full stop and is a sentence."""
_SEVERAL = 2
_NO_SEGMENT = frozenset("other other, all total less net".split())
_ROWS = 30
"""The longest table that a line announces as a list is."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence, list item or row, with its span in the clean text."""

    text: str
    start: int
    end: int
    kind: Kind = "sentence"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences that stand together, and the items that they announce; of a long paragraph one part."""

    pieces: tuple[Piece, ...]
    heading: str = ""
    """The last two headings over it, outermost first."""
    lead: Piece | None = None
    """What announces the items of a part that begins behind it."""
    whole: int = 0
    """Ordinal of the whole paragraph within the filing: its parts share it. -1 for the rows of a table of figures."""
    part: int = 0
    """Which part of it."""

    @property
    def start(self) -> int:
        return self.pieces[0].start

    @property
    def end(self) -> int:
        return self.pieces[-1].end

    @property
    def text(self) -> str:
        """All of it, with its lead."""
        return " ".join(piece.text for piece in ((self.lead, *self.pieces) if self.lead else self.pieces))


def paragraphs(text: str, blocks: Sequence[Block]) -> tuple[Paragraph, ...]:
    """The paragraphs of the clean ``text`` in reading order. Headings, and sentences that only point elsewhere, are in none."""
    made: list[Paragraph] = []
    whole = 0
    begins = next((block.start for block in blocks if block.kind is BlockKind.HEADING and block.level == 1), 0)
    for heading, group in _groups(text, blocks):
        of_cover = group[0].start < begins
        told = [block for block in group if not of_cover or _says_something(text[block.start : block.end])]
        pieces = _joined([piece for block in told for piece in _pieces(text, block, is_first=block is group[0])])
        while pieces and pieces[-1].text.endswith(":"):  # What it announces is a table of figures.
            pieces.pop()
        if pieces:
            made.extend(_parts(pieces, heading, whole))
            whole += 1
    return tuple(made)


def _parts(pieces: Sequence[Piece], heading: str, whole: int) -> Iterator[Paragraph]:
    """``pieces`` in parts of some sixty to a hundred words."""
    part: list[Piece] = []
    lead: Piece | None = None
    words = number = 0
    for at, piece in enumerate(pieces):
        more = len(piece.text.split())
        left = sum(len(one.text.split()) for one in pieces[at:])
        is_full = words + more > _LONGEST and words >= _SHORTEST and left >= _SHORTEST and not part[-1].text.endswith(":")
        if part and (is_full or (piece.kind == "row" and part[-1].kind != "row")):
            yield Paragraph(tuple(part), heading, lead, whole, number)
            number += 1
            lead = _lead(pieces[:at]) if piece.kind != "sentence" else None
            part, words = [], 0
        part.append(piece)
        words += more
    yield Paragraph(tuple(part), heading, lead, whole, number)


def _lead(before: Sequence[Piece]) -> Piece | None:
    """What announces the items behind ``before``: the last line that ends with a colon, else the last sentence."""
    said = [piece for piece in before if piece.kind == "sentence"]
    return next((piece for piece in reversed(said) if piece.text.endswith(":")), said[-1] if said else None)


def _groups(text: str, blocks: Sequence[Block]) -> Iterator[tuple[str, list[Block]]]:
    """Blocks that make one paragraph, with the headings over them."""
    headings: list[tuple[int, str]] = []
    group: list[Block] = []
    is_under_table = False
    for block in blocks:
        is_under_table = (is_under_table and _is_note(text, block)) or (block.table is not None and not _is_list(block.table))
        if is_under_table and block.table is None:
            continue  # A footnote explains a figure of its table, and nothing without it.
        if block.kind is BlockKind.HEADING:
            if group:
                yield _over(headings), group
            group = [block] if _is_sentence(text[block.start : block.end]) else []
            if group:
                continue
            while headings and headings[-1][0] >= block.level:
                headings.pop()
            headings.append((block.level, _line(text, block.start, block.end)))
        elif group and _goes_on(text, group, block):
            group.append(block)
        else:
            if group:
                yield _over(headings), group
            group = [block] if block.table is None or _is_list(block.table) else []
    if group:
        yield _over(headings), group


def _over(headings: Sequence[tuple[int, str]]) -> str:
    """The last two headings, without the Item's."""
    return " – ".join([words for level, words in headings if level > 1][-2:])


def _goes_on(text: str, group: Sequence[Block], block: Block) -> bool:
    """Whether ``block`` belongs to the paragraph that ``group`` began."""
    last = group[-1]
    if last.kind is BlockKind.HEADING:
        return block.table is None
    before = text[last.start : last.end].rstrip()
    announces = before.endswith(":")
    if block.kind is BlockKind.TABLE:
        return last.kind is not BlockKind.TABLE and _is_list(block.table)
    if last.kind is BlockKind.TABLE:
        return False
    if _is_item(text, block):
        return True
    if _is_item(text, last):  # What follows the last item is a new paragraph, unless the item was cut by a page.
        return before[-1:] not in _ENDED and text[block.start : block.start + 1].islower()
    is_cut = before[-1:] not in _ENDED and len(before.split()) >= _WORDY
    return announces or (is_cut and not before[-1:].isdigit()) or text[block.start : block.start + 1].islower()


def _is_sentence(heading: str) -> bool:
    """Whether a heading says something, as those of risks do."""
    return heading.rstrip()[-1:] == "." and len(heading.split()) >= _SAYS


def _is_note(text: str, block: Block) -> bool:
    said = text[block.start : block.end]
    if block.kind is BlockKind.HEADING:
        return False
    return _KEY.match(said) is not None or (_NOTE.match(said) is not None and len(said.split()) < _TELLS)


def _is_item(text: str, block: Block) -> bool:
    return block.kind is BlockKind.LIST or is_item(text[block.start : block.end])


def _is_list(table: Table | None) -> bool:
    """Whether a table lists words: most of its cells under the header hold letters."""
    if table is None or len(table.rows) > _ROWS:
        return False
    cells = [cell.text for row in table.rows[table.header_rows :] for cell in row if cell.text.strip()]
    return sum(any(c.isalpha() for c in cell) for cell in cells) * 2 > len(cells)


def _pieces(text: str, block: Block, *, is_first: bool) -> Iterator[Piece]:
    if block.table is not None:
        for row in block.table.rows[block.table.header_rows :]:
            cells = [cell for cell in row if cell.text.strip()]
            if cells:
                yield Piece(" · ".join(" ".join(c.text.split()) for c in cells), cells[0].start, cells[-1].end, "row")
        return
    kind: Kind = "item" if _is_item(text, block) else "sentence"
    for at, (a, b) in enumerate(split_sentences(text[block.start : block.end])):
        said = _line(text, block.start + a, block.start + b)
        if refers_only(said) or (is_first and kind == "sentence" and _is_furniture(said)):
            continue
        own: Kind = kind if at == 0 else "sentence"
        yield Piece(without_glyph(said) if own == "item" else said, block.start + a, block.start + b, own)


_NOTHING = frozenset(("none", "not applicable", "n a", "not required"))


def says_nothing(said: str) -> bool:
    """Whether a text is the "None." of an Item, which says nothing without its heading."""
    return " ".join(runs_of(said.lower())) in _NOTHING


def refers_only(said: str) -> bool:
    """Whether a sentence only points elsewhere: "See Note 4.", "For further discussion, see Part I, Item 1A." """
    begin = next((at for at, char in enumerate(said) if char.isalnum()), len(said))
    letter, bracket, behind = said[begin:].partition(")")
    said = behind.lstrip(" (") if bracket and len(letter) <= 2 and letter.isalnum() else said[begin:]
    match = _POINTS.match(said)
    if match is None:
        return False
    rest = said[match.end() :]
    stop = next((at for at, char in enumerate(rest) if char in ".;"), len(rest))
    see = _SEE.search(rest[:stop]) if match.group()[0] in "Ff" else None
    return _is_blank(rest[stop:]) or (see is not None and _is_blank(rest[see.end() :].partition(".")[2]))


def _is_blank(text: str) -> bool:
    return not any(char.isalnum() for char in text)


def _says_something(said: str) -> bool:
    """Whether a block of the cover is more than a line of its form: "For the fiscal year ended …", "☐ TRANSITION REPORT …"."""
    return said.rstrip()[-1:] in _ENDED and not said.lstrip().startswith(_BOXES)


def _is_furniture(said: str) -> bool:
    """A line of a word or two without an end: a caption, a page's number, a footnote's mark."""
    return (len(said.split()) < _WORDY and said[-1:] not in ".:!?") or not any(c.isalpha() for c in said)


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Sentences that a page break cut in two as one."""
    whole: list[Piece] = []
    for piece in pieces:
        last = whole[-1] if whole else None
        if last is not None and piece.kind == "sentence" and last.kind != "row" and last.text[-1:] not in _ENDED:
            whole[-1] = Piece(f"{last.text} {piece.text}", last.start, piece.end, last.kind)
        else:
            whole.append(piece)
    return whole


def _line(text: str, start: int, end: int) -> str:
    return " ".join(text[start:end].split())


_KEPT = 40
"""Filings whose paragraphs stay in memory: under a megabyte each."""
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
    segment: str = ""
    """The segment whose heading it stands under."""


Place = tuple[int, str]


def segments_over(text: str, blocks: Sequence[Block]) -> tuple[Place, ...]:
    """Where each heading begins, and the segment that what follows it is told of; "" where that is none.

    A heading names a segment where a row of figures does in a table that tells of segments. It holds for itself, and for those
    behind it that stand under several segments alike ("Results of Operations"): depths alone are told too loosely in print.
    """
    names = _segment_names(blocks)
    inside = dropwhile(lambda one: one.level != 1, (one for one in blocks if one.kind is BlockKind.HEADING))
    headings = [(one, _line(text, one.start, one.end).strip(" :")) for one in inside]
    under: dict[str, set[str]] = {}
    for line, segment, is_own in _under(headings, names):
        under.setdefault(line, set()).update({segment} if segment and not is_own else ())
    found: list[Place] = []
    at, level = "", 0
    for block, line in headings:
        is_shared = len(under[line]) >= _SEVERAL
        if _plain(line) in names:
            at, level, is_shared = line, block.level, True
        elif block.level < level or (block.level == level and not is_shared):
            at, level = "", 0
        found.append((block.start, at if is_shared else ""))
    return tuple(found)


def _under(headings: Sequence[tuple[Block, str]], names: Collection[str]) -> Iterator[tuple[str, str, bool]]:
    """Each heading, the last segment named before it on no deeper level, and whether it names it itself."""
    at, level = "", 0
    for block, line in headings:
        is_own = _plain(line) in names
        at, level = (line, block.level) if is_own else ("", 0) if block.level < level else (at, level)
        yield line, at, is_own


def _segment_names(blocks: Sequence[Block]) -> frozenset[str]:
    found: set[str] = set()
    for table in (block.table for block in blocks if block.table is not None and block.table.scale > 1):
        headers = (text for column in table.columns for text in column.header)
        if "segment" in " ".join((table.title, *headers, *(label for path in table.row_paths for label in path))).lower():
            filled = (path for path, row in zip(table.row_paths, table.rows, strict=False) if path and len(row) > 1)
            found.update(_plain(path[-1]) for path in filled)
    named = (name for name in found if name and name.split()[0] not in _NO_SEGMENT)
    return frozenset(name for name in named if vocabulary().named(name) is None)


def _plain(label: str) -> str:
    return without_note(" ".join(label.split())).strip(" :").casefold()


def _segment_at(places: Sequence[Place], start: int) -> str:
    return ("", *(name for _, name in places))[bisect_right(places, start, key=lambda place: place[0])]


class Outlines:
    """The paragraphs of filings, those used last kept. Usable from several threads."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._made: Remembered[Filing, tuple[tuple[Paragraph, ...], tuple[Place, ...]]] = Remembered(_KEPT)

    def near(self, hits: Sequence[Hit], excluded: Collection[str] = ()) -> tuple[Near, ...]:
        """The paragraphs in and beside ``hits``, each once, in the order of the hits; none of ``excluded`` chunks (ids)."""
        found: dict[tuple[str, int], Near] = {}
        for rank, hit in enumerate(hits):
            of, segments = self._outline(hit.filing)
            first = bisect_left(of, hit.chunk.start + 1, key=lambda paragraph: paragraph.end)
            last = bisect_left(of, hit.chunk.end, key=lambda paragraph: paragraph.start)
            for paragraph in of[max(0, first - 1) : last + 1]:
                key = (hit.filing.id, paragraph.start)
                if key in found:
                    continue
                chunks = self._chunks(paragraph, hit.filing, hits)
                if chunks and not any(chunk.id in excluded for chunk in chunks):
                    found[key] = Near(paragraph, hit.filing, rank, chunks, None, _segment_at(segments, paragraph.start))
            if hit.chunk.kind == "table" and (rows := _rows(hit)):
                table = self.table(hit.filing, rows.start)
                chunks = (hit.chunk,) * len(rows.pieces)
                near = Near(rows, hit.filing, rank, chunks, table, _segment_at(segments, rows.start))
                found.setdefault((hit.filing.id, rows.start), near)
        return tuple(found.values())

    def table(self, filing: Filing, start: int) -> Table | None:
        """The table that holds this place of the filing's clean text; None where none does."""
        tables = [block for block in self._corpus.document(filing.id).blocks if block.table is not None]
        at = bisect_right(tables, start, key=lambda block: block.start) - 1
        return tables[at].table if at >= 0 and start < tables[at].end else None

    def _outline(self, filing: Filing) -> tuple[tuple[Paragraph, ...], tuple[Place, ...]]:
        """Its paragraphs, and where each of its segments is told of."""

        def make() -> tuple[tuple[Paragraph, ...], tuple[Place, ...]]:
            document = self._corpus.document(filing.id)
            return paragraphs(document.text, document.blocks), segments_over(document.text, document.blocks)

        return self._made.get(filing, make)

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
