"""Passages: what is retrieved and cited."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence

from fin_tui.config import Chunking
from fin_tui.filings.chunk_packing import Draft, Packer, cut_plainly, linearize
from fin_tui.filings.section_headings import BY_NUMBER, plain
from fin_tui.records import Block, Chunk, Document, Filing, Section, Table

_SHORT = {
    "4": "Mine Safety",
    "5": "Market for Common Equity",
    "7": "Management's Discussion and Analysis",
    "7A": "Market Risk",
    "8": "Financial Statements",
    "9": "Disagreements with Accountants",
    "9C": "Foreign Jurisdictions",
    "10": "Directors and Corporate Governance",
    "12": "Security Ownership",
    "13": "Related Transactions",
    "15": "Exhibits",
}
_ROOM = 9  # Words of heading and title above which a note's name is left out.
_DOT = " · "


def filing_header(filing: Filing) -> str:
    """Company, form and period: "Apple Inc. (AAPL) · 10-K · FY2024, ended 2024-09-28"."""
    name = f"{filing.company} ({filing.ticker})" if filing.ticker else filing.company
    year = f"FY{filing.fiscal_year}" if filing.fiscal_year else ""
    ended = f"ended {filing.period_end.isoformat()}" if filing.period_end else ""
    return _DOT.join(part for part in (name, filing.form, ", ".join(p for p in (year, ended) if p)) if part)


def item_header(sections: Sequence[Section]) -> str:
    """The Item in few words: "Item 7 Management's Discussion and Analysis"; a section's title where it has no Item."""
    numbers = [section.item for section in sections if section.item]
    if not numbers:
        return cut(sections[0].title, 6) if sections and sections[0].title != "Cover" else "Cover page"
    if len(numbers) > 1:
        return f"Items {', '.join(numbers)} {cut(sections[0].title, 7)}"
    number = numbers[0]
    usual = BY_NUMBER[number].pattern.match(plain(sections[0].title)) is not None
    title = (
        _SHORT.get(number, BY_NUMBER[number].title) if usual and number not in ("4", "14", "15") else cut(sections[0].title, 7)
    )
    return f"Item {number} {title}"


def chunk_header(filing: str, item: str, heading: str, note: str = "", table: Table | None = None) -> str:
    """All parts in order, each once."""
    parts = [filing, item]
    title, units = (cut(table.title, 28), cut(table.units, 8)) if table is not None else ("", "")
    # A tagged note's name helps where the headings say little; a tagged table's name says what its title says.
    room = _ROOM - len(heading.split()) - len(title.split())
    named = note if room > 0 and not (title and note.startswith("Schedule")) else ""
    for part in (cut(named, 8), cut(heading, 12), title):
        words = plain(part)
        if words and not any(words in plain(known) for known in parts[1:]):
            parts.append(part)
    if units and plain(units) not in plain(title):
        parts.append(units)
    return _DOT.join(part for part in parts if part)


def unsaid_lines(text: str, header: str) -> str:
    """The lines of ``text`` that ``header`` does not say already: what is said twice costs an encoder twice."""
    said = plain(header)
    parts = [plain(part) for part in header.split(_DOT)[2:]]
    kept = []
    for line in text.splitlines():
        words = plain(line)
        known = words in said or any(part and part in words and len(words) - len(part) < 40 for part in parts)
        if words and not known:
            kept.append(line)
    return "\n".join(kept)


def cut(text: str, words: int) -> str:
    """``text`` up to that many words, with an ellipsis where some are left out."""
    found = text.split()
    return " ".join(found) if len(found) <= words else " ".join(found[:words]) + "…"


CHUNKING_VERSION = 1
"""Part of every chunk id: raised when the same filing would be cut in another way."""


def chunk_document(document: Document, filing: Filing, sections: Sequence[Section], settings: Chunking) -> tuple[Chunk, ...]:
    """The passages of ``document`` in reading order, none of them across an Item.

    Every visible character of the clean text is in at least one chunk (neighbours may share sentences). A table of up to
    about 250 words is one chunk; a longer one is split between rows, and each part's ``index_text`` names title, columns and
    units again. Merged Items share their chunks, which carry the first Item's number.
    """
    name = filing_header(filing)
    chunks: list[Chunk] = []
    starts = [block.start for block in document.blocks]
    for group, blocks in _regions(document, sections):
        item = item_header(group)
        drafts = (
            Packer(document.text, settings, group[0].title if group else "").run(blocks)
            if settings.strategy == "section"
            else list(cut_plainly(document.text, blocks, settings))
        )
        number = group[0].item if group else ""
        for draft in drafts:
            block = _main_block(document.blocks, starts, draft)
            chunks.append(_make(document, filing.id, draft, block, len(chunks), number, name, item))
    return tuple(chunks)


def _regions(document: Document, sections: Sequence[Section]) -> Iterator[tuple[list[Section], Sequence[Block]]]:
    """Sections with one span together, and the blocks that begin in it; blocks outside of all sections come as they stand."""
    starts = [block.start for block in document.blocks]
    groups: dict[tuple[int, int], list[Section]] = {}
    for section in sorted(sections, key=lambda s: s.start):
        groups.setdefault((section.start, section.end), []).append(section)
    at = 0
    for (start, end), group in groups.items():
        first, last = bisect_left(starts, start), bisect_left(starts, end)
        if first > at:
            yield [], document.blocks[at:first]
        if last > max(first, at):
            yield group, document.blocks[max(first, at) : last]
        at = max(at, last)
    if at < len(document.blocks):
        yield [], document.blocks[at:]


def _main_block(blocks: Sequence[Block], starts: Sequence[int], draft: Draft) -> Block:
    """The first block on the page that holds most of a draft: a heading may stand at the foot of the page before."""
    first = max(0, bisect_right(starts, draft.start) - 1)
    within = blocks[first : bisect_left(starts, draft.end)]
    sizes: Counter[int] = Counter()
    for block in within:
        sizes[block.page] += max(0, min(block.end, draft.end) - max(block.start, draft.start))
    page = max(sizes, key=lambda one: (sizes[one], -one), default=draft.block.page)
    return next((block for block in within if block.page == page), draft.block)


def _make(
    document: Document, filing: str, draft: Draft, block: Block, ordinal: int, item: str, name: str, item_name: str
) -> Chunk:
    text = document.text[draft.start : draft.end]
    header = chunk_header(name, item_name, draft.heading, draft.note, draft.table)
    body = text
    if draft.table is not None:
        lead = unsaid_lines(document.text[draft.start : draft.table_start], header)
        tail = linearize(draft.table, *draft.rows, names=draft.names)
        body = f"{lead}\n{tail}" if lead else tail
    return Chunk(
        id=f"{filing}/{CHUNKING_VERSION}:{ordinal}",
        filing=filing,
        ordinal=ordinal,
        start=draft.start,
        end=draft.end,
        page=block.page,
        page_label=block.page_label,
        item=item,
        heading=draft.heading,
        kind="prose" if draft.table is None else "table",
        text=text,
        header=header,
        index_text=f"{header}\n{body}",
    )
