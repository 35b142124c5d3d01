"""The section-aware strategy: whole paragraphs under their heading, lists with their lead-in, tables with theirs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from fin_tui.config import Chunking
from fin_tui.filings.section_headings import opening_divisions, opens_note, plain
from fin_tui.filings.table_cells import is_number
from fin_tui.language import UNBROKEN, YEAR, split_sentences
from fin_tui.records import Block, BlockKind, Cell, Column, Table

Spans = list[tuple[int, int]]
_SEPARATORS = ("\n\n", "\n")


def count_words(text: str) -> int:
    return len(text.split())


def cut_prose(text: str, start: int, end: int, settings: Chunking) -> Spans:
    """``[start, end)`` cut by the strategy of ``settings``, which is any but the section-aware one."""
    part = text[start:end]
    if settings.strategy == "token":
        spans = by_words(part, settings.size, settings.overlap)
    elif settings.strategy == "sentence":
        spans = pack(part, _no_longer_than(part, split_sentences(part), settings.size), settings.size, settings.overlap)
    else:
        spans = pack(part, _recursive(part, 0, len(part), settings.size, 0), settings.size, settings.overlap)
    return [(start + a, start + b) for a, b in spans]


def by_sentences(text: str, start: int, end: int, settings: Chunking) -> Spans:
    """A long paragraph cut between sentences into parts of nearly equal size, each repeating the sentences before it."""
    part = text[start:end]
    words = count_words(part)
    size = math.ceil(words / math.ceil(words / settings.size)) + settings.size // 10
    sentences = _no_longer_than(part, split_sentences(part), settings.size)
    return [(start + a, start + b) for a, b in pack(part, sentences, size, settings.overlap)]


def by_words(text: str, size: int, overlap: int) -> Spans:
    """Windows of ``size`` words that share ``overlap`` words with the window before them."""
    words = [match.span() for match in UNBROKEN.finditer(text)]
    step = max(1, size - min(overlap, size // 2))
    spans: Spans = []
    for at in range(0, len(words), step):
        window = words[at : at + size]
        spans.append((window[0][0], window[-1][1]))
        if at + size >= len(words):
            break
    return spans


def pack(text: str, atoms: Spans, size: int, overlap: int) -> Spans:
    """Neighbouring ``atoms`` put together up to ``size`` words; each piece repeats the last atoms of the one before, up to
    ``overlap`` words of whole atoms."""
    counts = [count_words(text[a:b]) for a, b in atoms]
    spans: Spans = []
    first = 0
    total = 0
    for index, count in enumerate(counts):
        if total and total + count > size:
            spans.append((atoms[first][0], atoms[index - 1][1]))
            first, total = _step_back(counts, first, index, min(overlap, size - count))
        total += count
    if atoms:
        spans.append((atoms[first][0], atoms[-1][1]))
    return spans


def _step_back(counts: Sequence[int], first: int, index: int, overlap: int) -> tuple[int, int]:
    """Where the next piece begins so that it repeats at most ``overlap`` words, and how many those are."""
    at, total = index, 0
    while at - 1 > first and total + counts[at - 1] <= overlap:
        at -= 1
        total += counts[at]
    return at, total


def _no_longer_than(text: str, spans: Spans, size: int) -> Spans:
    """``spans`` with those of more than ``size`` words cut between words."""
    out: Spans = []
    for start, end in spans:
        if end - start > 2 * size and count_words(text[start:end]) > size:
            out.extend((start + a, start + b) for a, b in by_words(text[start:end], size, 0))
        else:
            out.append((start, end))
    return out


def _recursive(text: str, start: int, end: int, size: int, depth: int) -> Spans:
    """Atoms of at most ``size`` words: blocks, else lines, else sentences, else words."""
    if count_words(text[start:end]) <= size:
        return [(start, end)] if text[start:end].strip() else []
    if depth == len(_SEPARATORS):
        part = text[start:end]
        return [(start + a, start + b) for a, b in _no_longer_than(part, split_sentences(part), size)]
    spans: Spans = []
    at = start
    for piece in text[start:end].split(_SEPARATORS[depth]):
        spans.extend(_recursive(text, at, at + len(piece), size, depth + 1))
        at += len(piece) + len(_SEPARATORS[depth])
    return spans


LARGEST = 250
"""Words of clean text up to which a table is one chunk."""
_SMALLEST = 12


def is_data_table(block: Block) -> bool:
    """A table with figures in more than one row; layout tables and small ones are read as prose."""
    table = block.table
    if table is None:
        return False
    with_numbers = sum(any(is_number(cell.text) for cell in row) for row in table.rows[table.header_rows :])
    words = sum(len(cell.text.split()) for row in table.rows for cell in row)
    cells = sum(len(row) for row in table.rows)
    # Bullets and paragraphs laid out as a table have long cells.
    return with_numbers >= 2 and words >= _SMALLEST and words <= 12 * cells


def split_rows(block: Block, table: Table) -> Iterator[tuple[int, int, int, int]]:
    """(first row, row after the last, start, end) of each part of at most LARGEST words; spans are of the clean text."""
    rows = table.rows
    sizes = [sum(len(cell.text.split()) for cell in row) for row in rows]
    parts = max(1, -(-sum(sizes) // LARGEST))
    target = sum(sizes) / parts + 10
    first = 0
    words = 0
    for index, size in enumerate(sizes):
        if words and index > table.header_rows and (words + size > LARGEST or (words >= target and index < len(rows) - 1)):
            yield first, index, _start(block, table, first), _start(block, table, index) - 1
            first, words = index, 0
        words += size
    yield first, len(rows), _start(block, table, first), block.end


def _start(block: Block, table: Table, index: int) -> int:
    return table.rows[index][0].start if index else block.start


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
    if max(days) - min(days) > 8:
        return {}
    # A fiscal year may end in the calendar year after the one that names it: the filing's own name for it stands.
    printed = {i: set(YEAR.findall(" ".join(columns[i].header))) for i in dated}
    own = {i: min(years) for i, years in printed.items() if len(years) == 1}
    is_named = len(set(own.values())) == len(dated)
    return own if is_named else {i: str(end.year) for i, end in dated.items()}


_CAPTION = 12  # Words of a caption between a heading and its table.
_LEAD_IN = 45  # Words of a sentence that introduces a table or a list.


@dataclass(slots=True)
class Draft:
    """A chunk to be: its span, the block it starts in, the heading it stands under, and its table rows."""

    start: int
    end: int
    block: Block
    heading: str
    note: str = ""
    table: Table | None = None
    rows: tuple[int, int] = (0, 0)
    names: Sequence[str] = ()
    """Column names of the table right above, for one that continues it without a header."""
    table_start: int = 0
    """Where the table's text begins; what stands before it is its heading or lead-in."""


@dataclass(slots=True)
class _Headings:
    """The headings that stand over the current place, outermost first."""

    stack: list[tuple[int, str]] = field(default_factory=list)

    def meet(self, level: int, text: str) -> None:
        note = next((open_level for open_level, heading in self.stack if opens_note(heading)), None)
        if note is not None and level == note and not opens_note(text):
            # Filings often print a note's own headings like the note's title.
            level += 1
        while self.stack and self.stack[-1][0] >= level:
            self.stack.pop()
        self.stack.append((level, text))

    @property
    def nearest(self) -> str:
        inner = [text for level, text in self.stack if level > 1]
        if not inner:
            return ""
        # One or two words ("Products", "2024") say too little alone.
        return f"{inner[-2]} – {inner[-1]}" if len(inner) > 1 and len(inner[-1].split()) <= 2 else inner[-1]


class Packer:
    """Walks over the blocks of one Item and collects drafts."""

    def __init__(self, text: str, settings: Chunking, title: str = "") -> None:
        self.text = text
        self.settings = settings
        self._title = plain(title)
        self.headings = _Headings()
        self.drafts: list[Draft] = []
        self._held: list[Block] = []
        self._words = self._body_words = 0
        self._holds_body = False
        self._heading = ""
        self._last_table = -2
        self._names: Sequence[str] = ()

    def run(self, blocks: Sequence[Block]) -> list[Draft]:
        for index, block in enumerate(blocks):
            if is_data_table(block):
                self._table(block)
            elif block.kind is BlockKind.HEADING:
                self._meet_heading(block)
            else:
                self._prose(block, self._list_words(block, blocks[index + 1 : index + 30]))
        self._flush()
        return self.drafts

    def _list_words(self, block: Block, following: Sequence[Block]) -> int:
        """Words of the list that ``block`` introduces, 0 when it does not or the list is too long for one chunk."""
        if block.kind is BlockKind.LIST or not self._text(block).endswith(":"):
            return 0
        items = takewhile(lambda other: other.kind is BlockKind.LIST, following)
        words = sum(count_words(self._text(item)) for item in items)
        return words if words + count_words(self._text(block)) <= self.settings.size else 0

    def _meet_heading(self, block: Block) -> None:
        enough = self.settings.size // (4 if block.level <= 3 else 2)
        if self._body_words >= max(self.settings.minimum, min(enough, self.settings.size)):
            self._flush()
        else:
            self._add_to_table()
        text = self._text(block)
        # The header names the Item already.
        names_item = opening_divisions(text) or (self._title and plain(text) == self._title)
        self.headings.meet(1 if names_item else max(2, block.level), text)
        self._hold(block)

    def _add_to_table(self) -> None:
        """A line under a table ("See accompanying notes") goes with it rather than with the next heading."""
        last = self.drafts[-1] if self.drafts else None
        if last is None or last.table is None or not self._held or self._body_words >= self.settings.minimum:
            return
        if self._held[0].ordinal == self._last_table + 1 and all(b.kind is not BlockKind.HEADING for b in self._held):
            last.end = self._held[-1].end
            self._clear()

    def _prose(self, block: Block, listed: int) -> None:
        words = count_words(self._text(block))
        size = self.settings.size
        if self._words and self._words + words + listed > size and self._body_words >= self.settings.minimum:
            carried = self._lead_in() if block.kind is BlockKind.LIST else []
            self._flush(keep=carried)
        if self._words + words > size + size // 3:
            self._split(block)
            return
        self._hold(block)

    def _split(self, block: Block) -> None:
        """A block too long for one chunk; headings held before it go with its first part."""
        held = self._held
        start = held[0].start if held else block.start
        spans = (
            by_sentences(self.text, block.start, block.end, self.settings)
            if self.settings.strategy == "section"
            else cut_prose(self.text, block.start, block.end, self.settings)
        )
        heading = self.headings.nearest
        for index, (a, b) in enumerate(spans):
            self.drafts.append(Draft(a if index else start, b, block if index or not held else held[0], heading, block.note))
        self._clear()

    def _table(self, block: Block) -> None:
        table = block.table
        assert table is not None
        carried = self._held if self._body_words < self.settings.minimum else self._lead_in()
        self._flush(keep=carried)
        lead = self._held
        start = lead[0].start if lead else block.start
        opening = lead[0] if lead else block
        own = column_names(table)
        self._names = own if any(own) or block.ordinal != self._last_table + 1 else self._names
        for index, (first, last, a, b) in enumerate(split_rows(block, table)):
            draft = Draft(a if index else start, b, block if index else opening, self.headings.nearest, block.note)
            draft.table, draft.rows, draft.names, draft.table_start = table, (first, last), self._names, a
            self.drafts.append(draft)
        self._last_table = block.ordinal
        self._clear()

    def _lead_in(self) -> list[Block]:
        """The sentence at the end of what is held that introduces what follows, with headings behind it."""
        at = len(self._held)
        while at and self._is_caption(self._held[at - 1]):
            at -= 1
        if at and self._text(self._held[at - 1]).endswith(":") and count_words(self._text(self._held[at - 1])) <= _LEAD_IN:
            at -= 1
            while at and self._held[at - 1].kind is BlockKind.HEADING:
                at -= 1
        return self._held[at:]

    def _is_caption(self, block: Block) -> bool:
        if block.kind is BlockKind.HEADING:
            return True
        text = self._text(block)
        return block.kind is BlockKind.PARAGRAPH and count_words(text) <= _CAPTION and not text.endswith((".", ":"))

    def _flush(self, keep: Sequence[Block] = ()) -> None:
        """Turn what is held into a draft, except ``keep`` and headings at its end, which stay held."""
        kept = list(keep)
        body = self._held[: len(self._held) - len(kept)]
        while body and body[-1].kind is BlockKind.HEADING and kept:
            kept.insert(0, body.pop())
        heading = self._heading
        self._clear()
        if body:
            self._add(body, heading)
        for block in kept:
            self._hold(block)

    def _add(self, body: Sequence[Block], heading: str) -> None:
        last = self.drafts[-1] if self.drafts else None
        text = self.text[body[0].start : body[-1].end]
        only_headings = all(block.kind is BlockKind.HEADING for block in body)
        tiny = only_headings or count_words(text) < self.settings.minimum
        if tiny and last is not None and (last.table is None or only_headings):
            last.end = body[-1].end
            return
        first = next((block for block in body if block.kind is not BlockKind.HEADING), body[0])
        self.drafts.append(Draft(body[0].start, body[-1].end, body[0], heading, first.note))

    def _hold(self, block: Block) -> None:
        self._held.append(block)
        words = count_words(self._text(block))
        self._words += words
        if block.kind is not BlockKind.HEADING:
            if not self._holds_body:
                self._heading = self.headings.nearest
            self._holds_body = True
            self._body_words += words

    def _clear(self) -> None:
        self._held = []
        self._words = self._body_words = 0
        self._holds_body = False
        self._heading = self.headings.nearest

    def _text(self, block: Block) -> str:
        return self.text[block.start : block.end]


def cut_plainly(text: str, blocks: Sequence[Block], settings: Chunking) -> Iterator[Draft]:
    """The other strategies: runs of prose are cut without regard to headings, tables are kept as in the section-aware one."""
    packer = Packer(text, settings)
    run: list[Block] = []
    for block in blocks:
        if is_data_table(block):
            yield from _cut_run(text, run, settings)
            run = []
            yield from packer.run([block])
            packer.drafts = []
        else:
            run.append(block)
    yield from _cut_run(text, run, settings)


def _cut_run(text: str, run: Sequence[Block], settings: Chunking) -> Iterator[Draft]:
    if not run:
        return
    headings = _Headings()
    at = 0
    for start, end in cut_prose(text, run[0].start, run[-1].end, settings):
        while at < len(run) and run[at].start <= start:
            if run[at].kind is BlockKind.HEADING:
                headings.meet(run[at].level, text[run[at].start : run[at].end])
            at += 1
        opening = run[max(0, at - 1)]
        yield Draft(start, end, opening, headings.nearest, opening.note)
