"""A filing as a reader opens it: its contents, that is Items, the primary statements and the numbered notes.

What it changed against the year before stands in ``whats_new.py``.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal, Protocol

from fin_tui.engine.changes import Change, compare_texts
from fin_tui.engine.evidence import Passage
from fin_tui.engine.structures import FilingReader, StructureAnswer, named
from fin_tui.engine.structures.auditor import auditor
from fin_tui.engine.structures.risks import risk_changes
from fin_tui.errors import NotFound
from fin_tui.facts.figures import exact, exactness, plain
from fin_tui.facts.index import FilingFacts, Index
from fin_tui.facts.words import camel_words, spoken_name
from fin_tui.filings.section_headings import opens_note
from fin_tui.language import any_of, count, runs_of
from fin_tui.records import Block, BlockKind, Citation, Document, Fact, Filing, Section, Span
from fin_tui.retrieval.scope import item_numbers
from fin_tui.store import Corpus

_STATEMENT = re.compile(
    r"^(?:[\w&.,'’()\- ]{0,70}\b)?(?:balance\s+sheets?"
    r"|statements?\s+of\s+(?:consolidated\s+)?(?:changes\s+in\s+)?(?:\w+\s+){0,2}"
    r"(?:operations|income|earnings|loss|cash\s+flows?|financial\s+(?:position|condition)|(?:stock|share)(?:holders|owners)\S*\s+equity"
    r"|equity|deficit))\b(?:\s*[(—–-].*|\s+(?:and|for|as)\b.*)?$",
    re.IGNORECASE,
)
_NOTE = re.compile(r"^(?:note\s+)?(?P<number>\d{1,2})\s*[.:)–—-]?\s*[.:)–—-]?\s+(?P<title>\S.*)$", re.IGNORECASE)
_NOT_PRIMARY = any_of(
    "note(s) to, index, *schedule*, *parent*, *condensed*, *continued*, *pro forma*, *report of, *details*, our, the, "
    "were, was, on"
)
_LONGEST_HEADING = 140
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


def cell_columns(document: Document, place: Span) -> dict[int, tuple[int, int]]:
    """Where each cell of a table begins, counted from ``place`` on, which it stands in -> the first and the last of the table's
    columns that it stands over: a head's are all beside its own that have it among their headers.
    """
    found: dict[int, tuple[int, int]] = {}
    inside = (block for block in document.blocks if block.start < place.end and place.start < block.end)
    for table in (block.table for block in inside if block.table is not None):
        for number, row in enumerate(table.rows):
            for cell, end in zip(row, [*(other.column for other in row[1:]), len(table.columns)], strict=True):
                beside = table.columns[cell.column + 1 : end] if cell.column and number < table.header_rows else ()
                spanned = list(takewhile(bool, (cell.text in column.header for column in beside)))
                found[cell.start - place.start] = (cell.column, cell.column + len(spanned))
    return found


def _item_at(sections: Sequence[Section], offset: int) -> str:
    return next((s.item for s in sections if s.item and s.start <= offset < s.end), "")


def _lines(text: str, blocks: Sequence[Block]) -> Iterator[tuple[Block, str]]:
    """Headings and titles of tables, each on one line."""
    for block in blocks:
        if block.table is not None and block.table.title:
            yield block, " ".join(block.table.title.split())
        elif block.kind is BlockKind.HEADING and block.end - block.start <= _LONGEST_HEADING:
            yield block, " ".join(text[block.start : block.end].split())


def _statements(text: str, blocks: Sequence[Block]) -> Iterator[Heading]:
    """The first place of each primary statement that a table follows soon after."""
    tables = [block.start for block in blocks if block.table is not None]
    seen: set[str] = set()
    for block, line in _lines(text, blocks):
        key = " ".join(runs_of(line.casefold()))
        if key in seen or not _STATEMENT.match(line) or _NOT_PRIMARY.search(line) or line.endswith("."):
            continue
        if block.table is None and not any(block.end <= start <= block.end + 2 * _LONGEST_HEADING for start in tables):
            continue
        seen.add(key)
        yield Heading("statement", line, block.start)


def _notes(text: str, blocks: Sequence[Block]) -> list[Heading]:
    """Numbered headings that go up by one: the longest such run, as contents and lists have shorter ones."""
    lines = [(b, line) for b, line in _lines(text, blocks) if b.kind is BlockKind.HEADING]
    named = _run([(block, line) for block, line in lines if opens_note(line)])
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
            shown = line if opens_note(line) else f"Note {number} — {match['title']}"
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


class Library(Protocol):
    """What a comparison reads."""

    def filings(self) -> Sequence[Filing]: ...
    def filing(self, filing_id: str) -> Filing: ...
    def sections(self, filing_id: str) -> Sequence[Section]: ...
    def text(self, filing_id: str) -> str: ...


@dataclass(frozen=True, slots=True)
class ItemChanges:
    """What an Item says that it did not say before, and the other way round."""

    item: str
    newer: Filing
    older: Filing
    changes: tuple[Change, ...]
    start: int
    """Where the newer Item stands in the clean text of its filing."""


def compare_item(library: Library, filing_id: str, item: str) -> ItemChanges:
    """Compare ``item`` with the filing before; raises ``NotFound`` when there is none, or one of both has no such Item."""
    newer = library.filing(filing_id)
    older = filing_before(newer, library.filings())
    if older is None:
        raise NotFound(
            f"No earlier filing of {_named(newer)} is in the library.",
            "Add the 10-K of the year before to compare.",
        )
    (old, _), (new, start) = (_item_text(library, filing, item) for filing in (older, newer))
    return ItemChanges(item, newer, older, compare_texts(old, new), start)


def _named(filing: Filing) -> str:
    return spoken_name(filing.company) or filing.file


def filing_before(filing: Filing, held: Sequence[Filing]) -> Filing | None:
    """The company's latest filing of an earlier period, an amendment only where there is nothing else."""
    earlier = [other for other in held if other.company_key == filing.company_key and _period(other) < _period(filing)]
    return max(earlier, key=lambda other: (not other.form.endswith("/A"), _period(other)), default=None)


def _period(filing: Filing) -> dt.date:
    """The end of the period; a filing without one is before all others."""
    if filing.period_end is not None:
        return filing.period_end
    return dt.date(filing.fiscal_year, 12, 31) if filing.fiscal_year else dt.date.min


def _item_text(library: Library, filing: Filing, item: str) -> tuple[str, int]:
    """The longest text under that Item's number, and where it begins."""
    found = [section for section in library.sections(filing.id) if section.item == item]
    if not found:
        name = " ".join(filter(None, (filing.company or filing.file, str(filing.fiscal_year or ""))))
        raise NotFound(f"{name}: no Item {item} was found.", f"fin-tui sections {filing.id} lists what was.")
    longest = max(found, key=lambda section: section.end - section.start)
    return library.text(filing.id)[longest.start : longest.end], longest.start


_ITEMS = ("1", "1A", "1C", "3", "5", "7", "7A", "9A")
"""Items of prose; notes and statements are compared by their figures."""
_SEGMENTS = "us-gaap:StatementBusinessSegmentsAxis"
_FORM = ("segment", "segments", "reportable", "operating")
"""Words of a segment's tag that are no part of its name."""
_MOST = 12
_LONGEST = 240
_LABEL, _SHORT = 90, 20


@dataclass(frozen=True, slots=True)
class Line:
    """Something that changed, with where it stands."""

    text: str
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """Changes of one kind."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class WhatsNew:
    """A filing beside that of the year before."""

    newer: Filing
    older: Filing
    parts: tuple[Part, ...]


def whats_new(corpus: Corpus, filing_id: str) -> WhatsNew:
    """What the filing changed. Raises ``NotFound`` where no earlier filing of the company is held."""
    newer = corpus.filing(filing_id)
    older = filing_before(newer, corpus.filings())
    if older is None:
        name = _named(newer)
        raise NotFound(f"No earlier filing of {name} is in the library.", "fin-tui fetch downloads the 10-K of the year before.")
    reader, index = FilingReader(corpus, corpus.chunks), Index(corpus)
    held = index.of(older), index.of(newer)
    parts = (
        Part("Risk headings", tuple(_risks(reader, older, newer))),
        Part("Items that changed most", tuple(_items(corpus, reader, newer))),
        Part("Restated figures", tuple(_restated(reader, *held))),
        Part("Segments", tuple(_segments(reader, *held))),
        Part("Auditor", tuple(_auditors(reader, older, newer))),
    )
    return WhatsNew(newer, older, tuple(part for part in parts if part.lines))


def _risks(reader: FilingReader, older: Filing, newer: Filing) -> Iterator[Line]:
    found = risk_changes(reader, older, newer)
    yield from _answer_lines(found) if found is not None else ()


def _answer_lines(found: StructureAnswer) -> Iterator[Line]:
    known = {passage.citation.id: passage.citation for passage in found.passages}
    for sentence in found.sentences:
        yield Line(sentence.text, tuple(known[number] for number in sentence.citations))


def _items(corpus: Corpus, reader: FilingReader, newer: Filing) -> Iterator[Line]:
    """The Items by how many of their sentences are new, gone or other ones, each at the longest that is new."""
    measured = []
    for item in _ITEMS:
        try:
            changes = compare_item(corpus, newer.id, item).changes
        except NotFound:
            continue  # One of both has no such Item.
        if changes:
            measured.append((len(changes), item, changes))
    for number, item, changes in sorted(measured, key=lambda one: -one[0])[:_MOST]:
        kinds = [change.kind for change in changes]
        told = ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("added", "removed", "changed"))
        longest = max(changes, key=lambda change: len(change.new))
        section = max((s for s in corpus.sections(newer.id) if s.item == item), key=lambda s: s.end - s.start)
        start = section.start + longest.start
        passage = reader.passage(1, newer, start, start + len(longest.new)) if longest.new else None
        yield Line(f"Item {item}: {count(number, 'other sentence')} ({told}).", (passage.citation,) if passage else ())


def _restated(reader: FilingReader, older: FilingFacts, newer: FilingFacts) -> Iterator[Line]:
    """Figures of the statements that both filings give for one period, with another value in the newer one."""
    told = 0
    for concept, facts in newer.by_concept.items():
        before = {
            (fact.period_start, fact.period_end): fact for fact in older.by_concept.get(concept, ()) if _stands(fact, older)
        }
        for fact in facts:
            old = before.pop((fact.period_start, fact.period_end), None)
            if old is None or not _stands(fact, newer) or not _differs(old, fact) or told >= _MOST:
                continue
            told += 1
            label = _label(fact) or concept
            text = f"{label}, period to {fact.period_end}: {_amount(fact)}, before {_amount(old)}."
            yield Line(text, _cited(reader, (newer.filing, fact), (older.filing, old)))


def _label(fact: Fact) -> str:
    """The row's label; a short one ("Diluted") behind the heading that it stands under."""
    *above, own = fact.label.split(" > ")
    if above and len(own) < _SHORT:
        own = f"{above[-1].rstrip(':')}: {own}"
    return own if len(own) <= _LABEL else f"{own[: _LABEL - 1]}…"


def _stands(fact: Fact, held: FilingFacts) -> bool:
    return fact.block is not None and (fact.block in held.statements) and fact.value is not None


def _differs(old: Fact, new: Fact) -> bool:
    gap = abs((old.value or 0.0) - (new.value or 0.0))
    return old.unit == new.unit and gap > 1.01 * 10.0 ** -min(exactness(old), exactness(new), 9)


def _amount(fact: Fact) -> str:
    return f"{plain(exact(fact.value or 0.0))} {fact.unit}"


def _segments(reader: FilingReader, older: FilingFacts, newer: FilingFacts) -> Iterator[Line]:
    """Members of the segment axis that only one of the filings tags for its own year; a tag spelled otherwise is the same."""
    old, new = _members(older), _members(newer)
    if not old or not new:
        return
    for mine, others, filing in ((new, old, newer.filing), (old, new, older.filing)):
        for name in sorted(set(mine) - set(others)):
            text = f"{name}: tagged as a segment in the {named(filing)} alone of the two."
            yield Line(text, _cited(reader, (filing, mine[name])))


def _members(held: FilingFacts) -> dict[str, Fact]:
    found: dict[str, Fact] = {}
    for fact in held.dimensioned:
        member = fact.dimensions.get(_SEGMENTS)
        if member is not None and fact.period_end == held.filing.period_end and fact.block is not None:
            words = camel_words(member.partition(":")[2].removesuffix("Member"))
            found.setdefault(" ".join(word for word in words if word not in _FORM), fact)
    return found


def _auditors(reader: FilingReader, older: Filing, newer: Filing) -> Iterator[Line]:
    found = [auditor(reader, filing) for filing in (older, newer)]
    firms = [_firm(one) for one in found]
    if found[0] is not None and found[1] is not None and all(firms) and firms[0] != firms[1]:
        yield from (*tuple(_answer_lines(found[1]))[:1], *tuple(_answer_lines(found[0]))[:1])


def _firm(found: StructureAnswer | None) -> str:
    """The firm's letters alone: filings print its form with and without points and spaces."""
    text = found.sentences[0].text.partition(" audited ")[0] if found is not None else ""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _cited(reader: FilingReader, *places: tuple[Filing, Fact]) -> tuple[Citation, ...]:
    made: list[Passage] = []
    for filing, fact in places:
        passage = reader.passage(len(made) + 1, filing, fact.start, fact.end) if fact.end > fact.start else None
        if passage is not None:
            made.append(passage)
    return tuple(passage.citation for passage in made)


def markdown(found: WhatsNew) -> str:
    """One page; citations behind their lines."""
    lines = [f"# {found.newer.company}: {named(found.newer)} against {named(found.older)}"]
    for part in found.parts:
        lines += ["", f"## {part.title}", ""]
        lines += [f"- {_short(line.text)}{_places(line.citations)}" for line in part.lines]
    if not found.parts:
        lines += ["", "No change was found in risk headings, Items, figures, segments or auditor."]
    return "\n".join(lines) + "\n"


def _places(citations: Sequence[Citation]) -> str:
    return f" ({'; '.join(citation.reference for citation in citations)})" if citations else ""


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST - 1]}…"
