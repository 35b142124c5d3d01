"""Passages: what is retrieved and cited."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence

from fin_tui.config import Chunking
from fin_tui.filings.chunk_headers import chunk_header, filing_header, item_header, unsaid_lines
from fin_tui.filings.chunk_packing import Draft, Packer, cut_plainly
from fin_tui.filings.linearize import linearize
from fin_tui.records import Block, Chunk, Document, Filing, Section

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
