"""Several documents of one submission as one: the 10-K and the annual report it points to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fin_tui.filings.blocks import SEPARATOR
from fin_tui.records import Block, Document, Fact, Table


def join_documents(documents: Sequence[Document]) -> Document:
    """One document with the texts one after another, pages counted on, and every span, ordinal and page moved along.

    Format and cover are those of the first; coverage is weighted by length. Raises ``ValueError`` when there is nothing to join.
    """
    if not documents:
        raise ValueError("no documents to join")
    if len(documents) == 1:
        return documents[0]
    blocks: list[Block] = []
    facts: list[Fact] = []
    texts: list[str] = []
    offset = pages = 0
    for document in documents:
        first = len(blocks)
        blocks += [_moved_block(block, offset, first, pages) for block in document.blocks]
        facts += [_moved_fact(fact, offset, first) for fact in document.facts]
        texts.append(document.text)
        offset += len(document.text) + len(SEPARATOR)
        pages += document.pages
    weight = sum(len(text) for text in texts) or 1
    return replace(
        documents[0],
        text=SEPARATOR.join(texts),
        blocks=tuple(blocks),
        facts=tuple(facts),
        pages=pages,
        coverage=sum(document.coverage * len(document.text) for document in documents) / weight,
        warnings=tuple(dict.fromkeys(warning for document in documents for warning in document.warnings)),
    )


def _moved_block(block: Block, offset: int, first: int, pages: int) -> Block:
    return replace(
        block,
        ordinal=block.ordinal + first,
        start=block.start + offset,
        end=block.end + offset,
        page=block.page + pages,
        table=_moved_table(block.table, offset) if block.table else None,
    )


def _moved_table(table: Table, offset: int) -> Table:
    rows = tuple(tuple(replace(cell, start=cell.start + offset, end=cell.end + offset) for cell in row) for row in table.rows)
    return replace(table, rows=rows)


def _moved_fact(fact: Fact, offset: int, first: int) -> Fact:
    if fact.block is None:
        return fact
    return replace(fact, start=fact.start + offset, end=fact.end + offset, block=fact.block + first)
