"""Lists from a filing's headings and tables: what stands under a heading that names the matter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from fin_tui.engine.questions.listing import Listing
from fin_tui.facts.words import words
from fin_tui.filings.sentences import split_sentences
from fin_tui.records import Block, BlockKind, Document, Table

_LINKS = frozenset("our the of and its registrant company companys information about principal main item part executive".split())
_MOST = 60
_LONGEST = 12
"""Words of a heading; a longer one is a sentence."""
_LEAST_ROWS = 2
_LEAST_NAMED = 3
_NAMED = re.compile(
    r"\W*[A-Z][\w.’'()&-]*(?:\s+(?:[A-Z“\"(][\w.’'“”\"()&-]*|&|and|of|the|for|de|van|von)){0,5}\s*(?:[,:–—]|\s-\s)"
)
"""A paragraph that begins with a name of a few words: "Jane Doe, 50, has served as …", "Tin – We make …"."""
_COVER = 60
"""Blocks from the start within which the cover stands."""
_REGISTERED = re.compile(r"exchange\s+on\s+which\s+(?:each\s+(?:class\s+)?is\s+)?registered", re.I)


@dataclass(frozen=True, slots=True)
class Entry:
    """An item of a list and where it stands."""

    text: str
    start: int
    end: int


def headings_under(listing: Listing, document: Document) -> tuple[Entry, ...]:
    """The headings one level below the one that is called as the list is; empty when there are fewer than two."""
    blocks = document.blocks
    for at, block in enumerate(blocks):
        if block.kind is BlockKind.HEADING and _is_called(_text(block, document), listing):
            under = list(_below(blocks, at))
            level = min((b.level for b in under), default=0)
            entries = [Entry(_text(b, document), b.start, b.end) for b in under if b.level == level]
            if len(entries) >= _LEAST_ROWS and all(len(entry.text.split()) <= _LONGEST for entry in entries):
                return tuple(entries[:_MOST])
    return ()


def paragraphs_under(listing: Listing, document: Document) -> tuple[Entry, ...]:
    """The first sentences of the paragraphs under the heading that is called as the list is, where each begins with a name."""
    blocks = document.blocks
    for at, block in enumerate(blocks):
        if block.kind is not BlockKind.HEADING or not _is_called(_text(block, document), listing):
            continue
        under = takewhile(lambda other: other.kind is not BlockKind.HEADING, blocks[at + 1 :])
        entries = [
            Entry(" ".join(text[:end].split()), one.start, one.start + end)
            for one in under
            if one.table is None and _NAMED.match(text := document.text[one.start : one.end])
            for _, end in split_sentences(text)[:1]
        ]
        if len(entries) >= _LEAST_NAMED:
            return tuple(entries[:_MOST])
    return ()


def _below(blocks: Sequence[Block], at: int) -> Iterator[Block]:
    for block in blocks[at + 1 :]:
        if block.kind is BlockKind.HEADING:
            if block.level <= blocks[at].level:
                return
            yield block


def rows_under(listing: Listing, document: Document) -> tuple[Entry, ...]:
    """The rows of the first table whose title or heading is called as the list is; empty when there is none with words."""
    heading = ""
    for block in document.blocks:
        if block.kind is BlockKind.HEADING:
            heading = _text(block, document)
        elif block.table is not None and (_is_called(heading, listing) or _is_called(block.table.title, listing)):
            entries = _rows(block.table)
            if len(entries) >= _LEAST_ROWS:
                return entries[:_MOST]
    return ()


def securities(document: Document) -> tuple[Entry, ...]:
    """The rows of the cover's table of registered securities: class, symbol, exchange."""
    for block in document.blocks[:_COVER]:
        text = _text(block, document) if block.table is not None else ""
        if block.table is not None and _REGISTERED.search(text):
            return tuple(row for row in _rows(block.table) if not _REGISTERED.search(row.text))[:_MOST]
    return ()


def _rows(table: Table) -> tuple[Entry, ...]:
    """Each row with a label of letters, its other words behind it."""
    entries = []
    for row in table.rows[table.header_rows :]:
        cells = [cell for cell in row if cell.text.strip()]
        if len(cells) >= 2 and any(character.isalpha() for character in cells[0].text):
            entries.append(Entry(" · ".join(" ".join(cell.text.split()) for cell in cells), cells[0].start, cells[-1].end))
    return tuple(entries)


def _is_called(heading: str, listing: Listing) -> bool:
    """Whether ``heading`` names the list and hardly more."""
    stems = {word.stem for word in words(heading) if word.surface not in _LINKS or word.stem in listing.words}
    stems = {stem for stem in stems if not stem.isdigit()}
    more = 1 if len(listing.words) > 1 else 0
    return bool(stems) and listing.words <= stems and len(stems - listing.words) <= more and len(heading.split()) <= _LONGEST


def _text(block: Block, document: Document) -> str:
    return " ".join(document.text[block.start : block.end].split())
