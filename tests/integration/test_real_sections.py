"""Sections, chunks and tables of real filings (found through FIN_TUI_CORPUS)."""

import json
import os
from functools import cache
from pathlib import Path

import pytest

from fin_tui.config import Chunking
from fin_tui.filings.chunk import chunk_document
from fin_tui.filings.reader import make_filing, read
from fin_tui.filings.sections import find_sections
from fin_tui.records import Chunk, Document, Section

CORPUS = Path(os.environ.get("FIN_TUI_CORPUS", "/nonexistent"))
WANTED: dict[str, list[str]] = (
    json.loads((CORPUS / "qa/sections.json").read_text()) if (CORPUS / "qa/sections.json").exists() else {}
)
pytestmark = pytest.mark.skipif(not WANTED, reason="FIN_TUI_CORPUS names no folder with filings")
NAMES = sorted(WANTED) or ["none"]


@cache
def parsed(name: str) -> tuple[Document, tuple[Section, ...], tuple[Chunk, ...]]:
    path = next(path for path in (CORPUS / "filings" / name, CORPUS / "pdf" / name) if path.exists())
    raw = path.read_bytes()
    document = read(raw, name)
    sections = find_sections(document)
    return document, sections, chunk_document(document, make_filing(document, raw, name), sections, Chunking())


@pytest.mark.parametrize("name", NAMES)
def test_all_items_are_found_with_more_than_their_heading(name: str) -> None:
    document, sections, _ = parsed(name)
    longest = {section.item: section for section in sorted(sections, key=lambda s: s.end - s.start)}
    assert [item for item in WANTED[name] if item not in longest] == []
    for item in WANTED[name]:
        body = document.text[longest[item].start : longest[item].end]
        assert len(body) > len(longest[item].title), item


@pytest.mark.parametrize("name", NAMES)
def test_every_word_is_in_a_chunk_of_a_fitting_size(name: str) -> None:
    document, _, chunks = parsed(name)
    covered = bytearray(len(document.text))
    for chunk in chunks:
        assert chunk.text == document.text[chunk.start : chunk.end]
        covered[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
    assert all(covered[i] for i, c in enumerate(document.text) if not c.isspace())
    sizes = sorted(len(chunk.text.split()) for chunk in chunks)
    assert sizes[-1] <= 300
    assert 60 <= sizes[len(sizes) // 2] <= 180
    assert max(len(chunk.index_text.split()) for chunk in chunks) <= 480


@pytest.mark.parametrize("name", NAMES)
def test_columns_end_when_the_tagged_figures_below_them_do(name: str) -> None:
    document, _, _ = parsed(name)
    cells = {
        cell.start: (block.table, cell) for block in document.blocks if block.table for row in block.table.rows for cell in row
    }
    right = wrong = undated = 0
    for fact in document.facts:
        table, cell = cells.get(fact.start, cells.get(fact.start - 1, (None, None)))
        if table is None or cell is None or fact.value is None:
            continue
        if table.columns[cell.column].period_end is None:
            undated += 1
            continue
        # Opening balances stand in the column of the year that they open.
        if any(word in " ".join(table.row_paths[cell.row]).lower() for word in ("begin", "opening", "balance", "as of")):
            continue
        right += table.columns[cell.column].period_end == fact.period_end
        wrong += table.columns[cell.column].period_end != fact.period_end
    assert wrong <= 0.06 * right
    # Equity roll-forwards, fair-value levels and maturities have no period in their columns.
    assert right >= undated or right + undated < 100
