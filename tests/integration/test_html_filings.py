"""The HTML reader over real filings: places of facts, words kept, and covers."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

import pytest

from fin_tui.filings.html import read_html
from fin_tui.records import BlockKind, Document

CORPUS = os.environ.get("FIN_TUI_CORPUS", "")
pytestmark = pytest.mark.skipif(not CORPUS, reason="FIN_TUI_CORPUS is not set: no real filings to read")

TAGGED = [
    ("AAPL_10-K_FY2024_0000320193-24-000123.htm", "Apple Inc.", 2024, "2024-09-28", "0000320193", "AAPL"),
    ("VZ_10-K_FY2023_0000732712-24-000010.htm", "Verizon Communications Inc.", 2023, "2023-12-31", "0000732712", "VZ"),
    ("GAXY_10-K_FY2021_filed2021.htm", "GALAXY NEXT GENERATION, INC.", 2021, "2021-06-30", "0001127993", ""),
    ("SDON_10-K_FY2021_0001410578-22-000504.htm", "SANDSTON CORP", 2021, "2021-12-31", "0000892832", "SDON"),
]
PLAIN = [
    ("BA_10-K_FY2003_0001193125-04-034751.htm", 129),
    ("INTC_10-K_FY2002_0001047469-03-008257.htm", 91),
    ("WFC_10-K_FY2008_0000950134-09-003967.htm", 31),
]


@cache
def document(name: str) -> Document:
    return read_html((Path(CORPUS) / "filings" / name).read_bytes())


def digits(text: str) -> str:
    return re.sub(r"\D", "", text)


@pytest.mark.parametrize(("name", "company", "year", "end", "cik", "ticker"), TAGGED)
def test_covers(name: str, company: str, year: int, end: str, cik: str, ticker: str) -> None:
    cover = document(name).cover
    assert (cover.company, cover.form, cover.fiscal_year, cover.cik, cover.ticker) == (company, "10-K", year, cik, ticker)
    assert str(cover.period_end) == end


@pytest.mark.parametrize("name", [row[0] for row in TAGGED])
def test_figures_stand_where_their_facts_say(name: str) -> None:
    read = document(name)
    visible = [fact for fact in read.facts if fact.block is not None and fact.unit and fact.value is not None]
    printed = [(fact, digits(read.text[fact.start : fact.end])) for fact in visible]
    right = [fact for fact, shown in printed if shown == digits(fact.text) or (not shown and not fact.value)]  # "nil".
    assert len(visible) > 100
    assert len(right) >= 0.99 * len(visible)
    assert sum(bool(fact.label) for fact in visible) >= 0.95 * len(visible)


@pytest.mark.parametrize("name", [row[0] for row in TAGGED] + [row[0] for row in PLAIN])
def test_hardly_a_word_is_lost(name: str) -> None:
    assert document(name).coverage >= 0.995


@pytest.mark.parametrize(("name", "pages"), PLAIN)
def test_pages_of_older_filings_are_counted_and_labelled(name: str, pages: int) -> None:
    read = document(name)
    assert read.pages == pages
    assert sum(bool(block.page_label) for block in read.blocks) >= 0.7 * len(read.blocks)


def test_a_tagged_policy_names_its_blocks() -> None:
    read = document(TAGGED[0][0])
    notes = {block.note for block in read.blocks}
    assert "Revenue Recognition" in notes


def test_a_balance_sheet_is_one_table() -> None:
    read = document(TAGGED[0][0])
    tables = [read.text[block.start : block.end] for block in read.blocks if block.kind is BlockKind.TABLE]
    (sheet,) = [text for text in tables if "Total liabilities and shareholders’ equity" in text]
    assert "Cash and cash equivalents" in sheet
    assert "364,980" in sheet
