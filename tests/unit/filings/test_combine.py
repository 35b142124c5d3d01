"""Joining documents keeps every span true."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fin_tui.filings.reader import join_documents
from fin_tui.filings.text import read_text
from fin_tui.records import Document, Fact

FIRST = b"The first report is about boats.\n\nIt has two parts.\n"
SECOND = (
    b"The second is about pumps.\n\nPumps sold         12      34\nValves sold        56      78\nHoses sold         91      23\n"
)


def with_fact(document: Document) -> Document:
    block = document.blocks[-1]
    fact = Fact(
        "table:Hoses sold", "Hoses sold", 91.0, "91", "", None, None, start=block.end - 5, end=block.end - 3, block=block.ordinal
    )
    hidden = Fact("dei:X", "", None, "x", "", None, None)
    return replace(document, facts=(fact, hidden))


def test_spans_pages_and_ordinals_move_along() -> None:
    first, second = read_text(FIRST), with_fact(read_text(SECOND))
    joined = join_documents([first, second])
    assert joined.text == f"{first.text}\n\n{second.text}"
    assert joined.pages == first.pages + second.pages
    parts = [first.text[b.start : b.end] for b in first.blocks] + [second.text[b.start : b.end] for b in second.blocks]
    assert [joined.text[block.start : block.end] for block in joined.blocks] == parts
    assert [block.ordinal for block in joined.blocks] == list(range(len(parts)))
    fact, hidden = joined.facts
    assert joined.text[fact.start : fact.end] == second.text[second.facts[0].start : second.facts[0].end]
    assert fact.block == joined.blocks[-1].ordinal
    assert (hidden.start, hidden.end, hidden.block) == (0, 0, None)
    table = joined.blocks[-1].table
    assert table is not None
    assert {joined.text[cell.start : cell.end] for row in table.rows for cell in row} >= {"Pumps sold", "12", "78"}


def test_coverage_is_weighted_and_nothing_is_an_error() -> None:
    first = replace(read_text(FIRST), coverage=0.5)
    joined = join_documents([first, replace(read_text(SECOND), coverage=1.0)])
    assert 0.5 < joined.coverage < 1.0
    assert join_documents([first]) is first
    with pytest.raises(ValueError, match="no documents"):
        join_documents([])
