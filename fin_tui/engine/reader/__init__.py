"""A filing as a reader opens it: its contents, that is Items, the primary statements and the numbered notes.

What it changed against the year before stands in ``whats_new.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fin_tui.errors import NotFound
from fin_tui.records import Block, BlockKind, Document, Filing, Section, Span
from fin_tui.retrieval.scope import item_numbers

if TYPE_CHECKING:
    from fin_tui.store import Corpus


_STATEMENT = re.compile(
    r"^(?:[\w&.,'’()\- ]{0,70}\b)?(?:balance\s+sheets?"
    r"|statements?\s+of\s+(?:consolidated\s+)?(?:changes\s+in\s+)?(?:\w+\s+){0,2}"
    r"(?:operations|income|earnings|loss|cash\s+flows?|financial\s+(?:position|condition)|(?:stock|share)(?:holders|owners)\S*\s+equity"
    r"|equity|deficit))\b(?:\s*[(—–-].*|\s+(?:and|for|as)\b.*)?$",
    re.IGNORECASE,
)
_NOTE = re.compile(r"^(?:note\s+)?(?P<number>\d{1,2})\s*[.:)–—-]?\s*[.:)–—-]?\s+(?P<title>\S.*)$", re.IGNORECASE)
_NAMED_NOTE = re.compile(r"^note\s+\d", re.IGNORECASE)
_NOT_PRIMARY = re.compile(
    r"\bnotes?\s+to\b|\bindex\b|schedule|parent|condensed|continued|pro\s+forma|report\s+of"
    r"|details|\bour\b|\bthe\b|\bw(?:ere|as)\b|\bon\b",
    re.IGNORECASE,
)
_LONGEST = 140
_STATEMENT_ITEMS = frozenset({"8", "15", "14", ""})
"""Where statements stand: Item 8, or behind the exhibits (Item 15, before 2003 Item 14), or in no Item at all."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A line of the contents."""

    kind: Literal["item", "statement", "note"]
    title: str
    start: int
    """In the clean text."""


def outline(document: Document, sections: Sequence[Section]) -> tuple[Heading, ...]:
    """Items, statements and notes in the order of the text; each statement once, notes as far as their numbers go up."""
    found = [Heading("item", f"{s.item:<3} {s.title}".strip(), s.start) for s in sections if s.item]
    inside = [block for block in document.blocks if _item_at(sections, block.start) in _STATEMENT_ITEMS]
    found += _statements(document.text, inside)
    found += _notes(document.text, inside)
    return tuple(sorted(found, key=lambda heading: heading.start))


def _item_at(sections: Sequence[Section], offset: int) -> str:
    return next((s.item for s in sections if s.item and s.start <= offset < s.end), "")


def _lines(text: str, blocks: Sequence[Block]) -> Iterator[tuple[Block, str]]:
    """Headings and titles of tables, each on one line."""
    for block in blocks:
        if block.table is not None and block.table.title:
            yield block, " ".join(block.table.title.split())
        elif block.kind is BlockKind.HEADING and block.end - block.start <= _LONGEST:
            yield block, " ".join(text[block.start : block.end].split())


def _statements(text: str, blocks: Sequence[Block]) -> Iterator[Heading]:
    """The first place of each primary statement that a table follows soon after."""
    tables = [block.start for block in blocks if block.table is not None]
    seen: set[str] = set()
    for block, line in _lines(text, blocks):
        key = re.sub(r"\W+", " ", line).casefold().strip()
        if key in seen or not _STATEMENT.match(line) or _NOT_PRIMARY.search(line) or line.endswith("."):
            continue
        if block.table is None and not any(block.end <= start <= block.end + 2 * _LONGEST for start in tables):
            continue
        seen.add(key)
        yield Heading("statement", line, block.start)


def _notes(text: str, blocks: Sequence[Block]) -> list[Heading]:
    """Numbered headings that go up by one: the longest such run, as contents and lists have shorter ones."""
    lines = [(b, line) for b, line in _lines(text, blocks) if b.kind is BlockKind.HEADING]
    named = _run([(block, line) for block, line in lines if _NAMED_NOTE.match(line)])
    return named or _run(lines)


def _run(lines: Sequence[tuple[Block, str]]) -> list[Heading]:
    best: list[Heading] = []
    run: list[Heading] = []
    last = 0
    for block, line in lines:
        match = _NOTE.match(line)
        if match is None or not match["title"][0].isalpha():
            continue
        number = int(match["number"])
        if number == 1:
            best, run, last = max(best, run, key=len), [], 0
        if number == last + 1:
            shown = line if _NAMED_NOTE.match(line) else f"Note {number} — {match['title']}"
            run.append(Heading("note", shown, block.start))
            last = number
    best = max(best, run, key=len)
    return best if len(best) > 1 else []


def item_spans(library: Corpus, filing: Filing, item: str) -> tuple[Span, ...]:
    """Where ``item`` ("7", "1A", "mda", …) stands in the clean text, in reading order; Items merged into one span give it once.

    Raises ``NotFound`` with the Items that there are, ``UsageError`` for what names no Item.
    """
    wanted = item_numbers(item)
    spans = {(section.start, section.end) for section in library.sections(filing.id) if section.item in wanted}
    if not spans:
        name = f"{filing.company or filing.file} {filing.form} FY{filing.fiscal_year or '?'} ({filing.id})"
        raise NotFound(f"{name} has no Item {item}", f"It has: {', '.join(filing.items) or 'no Items'}.")
    return tuple(Span(start, end) for start, end in sorted(spans))


def item_text(library: Corpus, filing: Filing, item: str) -> str:
    """The clean text of ``item``; raises as :func:`item_spans`."""
    whole = library.text(filing.id)
    return "\n\n".join(whole[span.start : span.end] for span in item_spans(library, filing, item))
