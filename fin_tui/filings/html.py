"""HTML filings, with and without inline XBRL -> documents: blocks, and the place and the name of each tagged fact."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from fin_tui.errors import BadFiling
from fin_tui.filings.dom import MOST_TAGS, decode, repair, walk
from fin_tui.filings.html_flow import Flow
from fin_tui.filings.html_pages import join_pages, split_pages, take_out_running
from fin_tui.filings.html_pieces import Content, Grid, GridCell, Mark, Para, is_bullet
from fin_tui.filings.section_headings import opening_divisions
from fin_tui.filings.table_cells import RawCell
from fin_tui.filings.tables import Added, DocumentBuilder
from fin_tui.filings.xbrl import FactReader, Place, parse_boolean, parse_date, parse_number
from fin_tui.language import any_of, camel_parts, is_year, only_digits
from fin_tui.records import Block, BlockKind, Cell, Cover, Document, Fact, Span, Table

_ENDINGS = (("policy", "disclosure", "table"), ("policy",))
_SMALL = frozenset("and or of the in to for by on at with from a an as".split())
_LONGEST_TICKER = 12
_COMMON = ("common", "classa", "capitalunits", "ordinary")


def cover(facts: Sequence[Fact], formats: Sequence[str]) -> Cover:
    """What the ``dei:`` facts say of the filing; fields they don't give stay empty. ``formats`` are the facts' formats."""
    found: dict[str, list[tuple[Fact, str]]] = {}
    for fact, format_name in zip(facts, formats, strict=True):
        prefix, _, name = fact.concept.partition(":")
        if prefix.lower() == "dei" and fact.text:
            found.setdefault(name.lower(), []).append((fact, format_name))
    form = _text(found, "documenttype").upper()
    amended = _best(found, "amendmentflag")
    if form and amended and parse_boolean(amended[0].text, amended[1]) and not form.endswith("/A"):
        form += "/A"
    year = _text(found, "documentfiscalyearfocus")
    period = _best(found, "documentperiodenddate")
    cik = only_digits(_text(found, "entitycentralindexkey"))
    return Cover(
        company=_text(found, "entityregistrantname"),
        form=form,
        fiscal_year=int(year) if is_year(year) else None,
        period_end=parse_date(period[0].text, period[1]) if period else None,
        cik=cik.zfill(10) if 0 < len(cik) <= 10 else "",
        ticker=_ticker(fact for fact, _ in found.get("tradingsymbol", [])),
        irs_number=_text(found, "entitytaxidentificationnumber"),
        commission_file=_text(found, "entityfilenumber"),
    )


def _best(found: dict[str, list[tuple[Fact, str]]], name: str) -> tuple[Fact, str] | None:
    """The fact about the whole registrant when there are several (subsidiaries carry a dimension)."""
    candidates = found.get(name)
    if not candidates:
        return None
    return min(candidates, key=lambda pair: len(pair[0].dimensions))


def _text(found: dict[str, list[tuple[Fact, str]]], name: str) -> str:
    best = _best(found, name)
    return best[0].text if best else ""


def _is_common(member: str) -> bool:
    return any(name in member.lower() for name in _COMMON)


def _ticker(facts: Iterable[Fact]) -> str:
    candidates = [fact for fact in facts if fact.text.isascii() and 0 < len(fact.text) <= _LONGEST_TICKER]
    candidates = [fact for fact in candidates if all(char.isalnum() or char in ".-/ " for char in fact.text)]
    candidates = [fact for fact in candidates if fact.text.lower() not in ("none", "n/a", "not applicable", "na")]
    for wanted in (
        [fact for fact in candidates if any(_is_common(member) for member in fact.dimensions.values())],
        [fact for fact in candidates if not fact.dimensions],
        candidates,
    ):
        if wanted:
            return wanted[0].text.upper()
    return ""


@lru_cache(maxsize=4096)
def note_name(concept: str) -> str:
    """The words of a text block's name: "us-gaap:RevenueRecognitionPolicyPolicyTextBlock" -> "Revenue Recognition"."""
    local = concept.rpartition(":")[2]
    stem = local.casefold().removesuffix("textblock")
    for endings in _ENDINGS if len(stem) < len(local) else ():
        stem = next((stem.removesuffix(ending) for ending in endings if stem.endswith(ending)), stem)
    words = camel_parts(local[: len(stem)] or local)
    return " ".join(word.lower() if i and word.lower() in _SMALL else word[:1].upper() + word[1:] for i, word in enumerate(words))


_RUNNING_ON = any_of("of, to, in, and the, is, are, above, below, herein, hereof, contain(s), include(s)")
_LONGEST_HEADING = 400
_LONGEST_PLAIN = 120
_AROUND = 90
"""Characters of prose before and after a figure that stand in for a row label."""
_ABOVE = 5


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
        if text[0].isalpha() and len(text) <= 250 and opening_divisions(text) and not _runs_on(text):
            emphasised = look.bold or look.underline or look.centered or text.isupper()
            if emphasised or (len(text) <= _LONGEST_PLAIN and "," not in text[:12]):
                return BlockKind.HEADING, 1
        if piece.listed or (is_bullet(text.split(" ", 1)[0]) and not (look.bold and len(text) < 80)):
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


def _runs_on(text: str) -> bool:
    """Whether "Part II of this report" and the like go on as a sentence does."""
    return _RUNNING_ON.match("".join(text.split(maxsplit=2)[2:])) is not None


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
    short = len(text) <= _LONGEST_PLAIN and not text.endswith((".", ";", ":", ","))
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


def with_fact_footnotes(
    blocks: Sequence[Block], facts: Sequence[Fact], footnotes: Callable[[int], Sequence[str]]
) -> tuple[Block, ...]:
    """``blocks`` with the footnotes of facts kept with their cells, in the way of the footnotes printed under a table.

    ``footnotes`` gives the texts tied to the fact at a place in ``facts``. A note that stands under its table already keeps its
    own marker; others are marked "[1]", "[2]", …
    """
    tied: defaultdict[int, list[tuple[Fact, Sequence[str]]]] = defaultdict(list)
    for index, fact in enumerate(facts):
        if fact.block is not None and (notes := footnotes(index)):
            tied[fact.block].append((fact, notes))
    return tuple(
        replace(block, table=_noted(block.table, tied[block.ordinal])) if block.table and block.ordinal in tied else block
        for block in blocks
    )


def _noted(table: Table, tied: Sequence[tuple[Fact, Sequence[str]]]) -> Table:
    notes = dict(table.footnotes)
    marks = {text: marker for marker, text in notes.items()}
    of_place: defaultdict[int, list[str]] = defaultdict(list)
    for fact, texts in tied:
        for text in texts:
            if text not in marks:
                marks[text] = f"[{len(marks) + 1}]"
                notes[marks[text]] = text
            of_place[fact.start].append(marks[text])

    def noted(cell: Cell) -> Cell:
        own = [mark for start, some in of_place.items() if cell.start <= start < cell.end for mark in some]
        return replace(cell, footnotes=tuple(dict.fromkeys((*cell.footnotes, *own)))) if own else cell

    return replace(table, rows=tuple(tuple(noted(cell) for cell in row) for row in table.rows), footnotes=notes)


_WORD = re.compile(r"[^\W\d_]+|\d+")
_FEWEST_WORDS = 1
_LOW_COVERAGE = 0.97
_BINARY = 0.02
"""Share of control bytes from which a file is no text."""
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\r\f")


def read_html(raw: bytes) -> Document:
    """The document in the bytes of one HTML file: clean text, blocks with pages, tagged facts and the DEI cover.

    Raises ``BadFiling`` when the bytes are empty, binary, or hold no visible text.
    """
    if not raw.strip():
        raise BadFiling("The file is empty.", "Download it again.")
    if _is_binary(raw[:65536]):
        raise BadFiling("The file is binary, not HTML.", "Add the .htm document of the filing.")
    if raw.count(b"<") > MOST_TAGS:
        raise BadFiling(f"The HTML has more than {MOST_TAGS:,} tags.", "No 10-K is that large: check the file.")
    flow = Flow()
    flow.read(walk(repair(decode(raw))))
    pages = split_pages(flow.pieces)
    taken = take_out_running(pages)
    pieces = join_pages(pages, taken)
    writer = BlockWriter(flow.facts, body_size(pieces))
    writer.write(pieces)
    text = writer.builder.text
    if len(_WORD.findall(text[:1000])) < _FEWEST_WORDS:
        raise BadFiling("The HTML holds no visible text.", "Check that the file is complete.")
    facts = tuple(_as_printed(_where_stated(fact, text), text) for fact in flow.facts.facts(writer.places))
    share = coverage("".join(flow.seen), text, (piece.text for piece in taken))
    return Document(
        format="ixbrl" if facts else "html",
        text=text,
        blocks=with_fact_footnotes(writer.builder.blocks, facts, flow.facts.footnotes),
        pages=len(pages),
        cover=cover(facts, [tagged.format for tagged in flow.facts.tagged]),
        facts=facts,
        coverage=share,
        warnings=(f"Only {share:.1%} of the visible words were read.",) if share < _LOW_COVERAGE else (),
    )


def _is_binary(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    return len(head) - len(head.translate(None, _CONTROLS)) > _BINARY * len(head)


def coverage(visible: str, text: str, taken: Iterable[str]) -> float:
    """Share of the words of ``visible``, apart from those in ``taken``, that stand in ``text``, each as often as it does."""
    wanted = Counter(_WORD.findall(visible))
    for piece in taken:
        wanted.subtract(_WORD.findall(piece))
    wanted = +wanted
    total = wanted.total()
    return 1.0 if not total else 1.0 - (wanted - Counter(_WORD.findall(text))).total() / total


_SHARE_UNITS = frozenset(("", "pure"))
_PLAIN = "num-dot-decimal"
_BEHIND = 8
"""Characters behind a figure in which its bracket and percent sign stand."""


def _where_stated(fact: Fact, text: str) -> Fact:
    """``fact`` without its place where that states another number: a hidden one may point to a word beside it."""
    printed = text[fact.start : fact.end]
    is_number = fact.block is not None and fact.value is not None and " ".join(printed.split()) != fact.text
    if not is_number or only_digits(printed) or parse_number(printed, "") == abs(fact.value or 0.0):
        return fact
    return replace(fact, label="", start=0, end=0, block=None)


def _as_printed(fact: Fact, text: str) -> Fact:
    """``fact`` with the value that ``text`` prints, where that is a percentage and the tag's scale makes it another: some filers
    tag "(68)%" as 68. A figure that is printed in brackets is negative then.
    """
    if fact.value is None or fact.unit not in _SHARE_UNITS or not fact.start or "," in fact.text:
        return fact
    behind = "".join(text[fact.end : fact.end + _BEHIND].split())
    printed = parse_number(fact.text, _PLAIN) if behind.startswith(("%", ")%")) else None
    if printed is None or math.isclose(abs(fact.value), float(printed) / 100, rel_tol=1e-6):
        return fact
    in_brackets = text[: fact.start].rstrip().endswith("(") and behind.startswith((")%", "%)"))
    value = float(printed) / 100
    return replace(fact, value=-value if in_brackets or fact.value < 0 else value)
