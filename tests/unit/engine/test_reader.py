"""A filing's contents, and what it changed against that of the year before."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from fin_tui.engine.reader import cell_columns, compare_item, filing_before, markdown, outline, whats_new
from fin_tui.errors import NotFound
from fin_tui.filings.table_cells import RawCell
from fin_tui.filings.tables import DocumentBuilder
from fin_tui.paths import Paths
from fin_tui.records import Block, BlockKind, Cover, Document, Filing, Section, Span, Table
from fin_tui.store.library import Library
from tests.unit.sheets.made import Company, filing_of

H, P, T = BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.TABLE


def document(*pieces: tuple[BlockKind, str]) -> Document:
    """A document whose blocks are ``pieces``; tables carry no title."""
    blocks, at = [], 0
    for ordinal, (kind, text) in enumerate(pieces):
        table = Table((), 0, ()) if kind is T else None
        blocks.append(Block(ordinal, kind, at, at + len(text), 1, table=table))
        at += len(text) + 1
    return Document("html", "\n".join(text for _, text in pieces), tuple(blocks), 1, Cover())


def lines(found: Document, *items: tuple[str, str]) -> list[str]:
    """The outline when Items begin at the given headings."""
    starts = [found.text.index(f"Item {item}") for item, _ in items]
    ends = [*starts[1:], len(found.text)]
    sections = [Section("", i, t, start, end, 1, 0.9) for (i, t), start, end in zip(items, starts, ends, strict=True)]
    return [f"{heading.kind}: {heading.title}" for heading in outline(found, sections)]


def test_items_statements_and_notes_stand_in_the_order_of_the_text() -> None:
    found = document(
        (H, "Item 7. Discussion"),
        (H, "CONSOLIDATED STATEMENTS OF OPERATIONS"),
        (T, "Net sales\t1"),
        (H, "Item 8. Statements"),
        (T, "Consolidated Balance Sheets\t34"),
        (H, "CONSOLIDATED BALANCE SHEETS"),
        (T, "Total assets\t1"),
        (H, "Consolidated Statements of Cash Flows (continued)"),
        (T, "Cash\t1"),
        (H, "NOTES TO CONSOLIDATED BALANCE SHEETS"),
        (H, "Note 1 – Policies"),
        (P, "Words."),
        (H, "1. A list inside"),
        (H, "Note 2 – Revenue"),
    )
    assert lines(found, ("7", "Discussion"), ("8", "Statements")) == [
        "item: 7   Discussion",
        "item: 8   Statements",
        "statement: CONSOLIDATED BALANCE SHEETS",
        "note: Note 1 – Policies",
        "note: Note 2 – Revenue",
    ]


def test_plain_numbers_count_as_notes_and_a_lone_number_does_not() -> None:
    found = document((H, "Item 8. Statements"), (H, "1. Policies"), (H, "2) Revenue"), (H, "9. Elsewhere"), (H, "3 — Debt"))
    assert lines(found, ("8", "Statements"))[1:] == ["note: Note 1 — Policies", "note: Note 2 — Revenue", "note: Note 3 — Debt"]
    lone = document((H, "Item 8. Statements"), (H, "1. Policies"))
    assert lines(lone, ("8", "Statements")) == ["item: 8   Statements"]


def test_a_statement_named_in_a_sentence_or_without_a_table_is_none() -> None:
    found = document(
        (H, "Item 8. Statements"),
        (H, "The effect of hedges on our statements of income"),
        (T, "Loss\t1"),
        (H, "Consolidated Statements of Income"),
        (P, "x" * 600),
        (T, "Net\t1"),
    )
    assert lines(found, ("8", "Statements")) == ["item: 8   Statements"]


def test_restated_figures_stand_with_old_and_new_and_both_places(paths: Paths) -> None:
    company = Company()
    with Library.open(paths) as library:
        library.add(filing_of(company, 2022))
        library.add(filing_of(company, 2023, restated={(2022, "Goodwill"): 777e6}))
        found = whats_new(library, library.resolve("EXM:2023").id)
    (part,) = [part for part in found.parts if part.title == "Restated figures"]
    (line,) = part.lines
    assert line.text.startswith("Goodwill, period to 2022-09-30: 777,000,000 usd, before ")
    assert [citation.fiscal_year for citation in line.citations] == [2023, 2022]
    assert "## Restated figures" in markdown(found)


def test_nothing_changed_says_so_and_a_first_filing_has_nothing_before(paths: Paths) -> None:
    company = Company()
    with Library.open(paths) as library:
        library.add(filing_of(company, 2022))
        with pytest.raises(NotFound, match="No earlier filing"):
            whats_new(library, library.resolve("EXM:2022").id)
        library.add(filing_of(company, 2023))
        assert "No change was found" in markdown(whats_new(library, library.resolve("EXM:2023").id))


NOW = Filing("now", "a.htm", "Acme", "cik:1", "10-K", 2025, dt.date(2025, 9, 27))
BEFORE = replace(NOW, id="before", fiscal_year=2024, period_end=dt.date(2024, 9, 28))
AMENDED = replace(BEFORE, id="amended", form="10-K/A")
OLDEST = replace(NOW, id="oldest", fiscal_year=2020, period_end=None)
OTHER = replace(BEFORE, id="other", company_key="cik:2")


def test_cells_have_the_columns_of_the_table_and_heads_all_that_they_stand_over() -> None:
    builder = DocumentBuilder()
    builder.add(BlockKind.PARAGRAPH, "As follows:", page=1)
    rows = [
        ["", "Year ended December 31,", "", ""],
        ["", "2021", "2020", "2019"],
        ["Sales", "$9", "$8", "$7"],
        ["A gain", "", "498", ""],
    ]
    cells = [
        RawCell(text, row, column, colspan=3 if "Year" in text else 1)
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
        if text
    ]
    added = builder.add_table(cells, page=1)
    assert added is not None
    made = Document("html", builder.text, tuple(builder.blocks), 1, Cover())
    start = added.block.start
    found = cell_columns(made, Span(start, added.block.end))
    told = {made.text[start + at :].replace("\n", "\t").partition("\t")[0]: columns for at, columns in found.items()}
    assert told["Year ended December 31,"] == (1, 3)
    assert (told["2021"], told["2019"], told["A gain"], told["498"]) == ((1, 1), (3, 3), (0, 0), (2, 2))
    assert not cell_columns(made, Span(0, 5))


@dataclass
class Held:
    texts: dict[str, str] = field(
        default_factory=lambda: {"now": "We grew. Something new came.", "before": "We grew. An old plant closed."}
    )
    item: str = "1A"

    def filings(self) -> Sequence[Filing]:
        return NOW, BEFORE, AMENDED, OLDEST, OTHER

    def filing(self, filing_id: str) -> Filing:
        return next(f for f in self.filings() if f.id == filing_id)

    def text(self, filing_id: str) -> str:
        return self.texts[filing_id]

    def sections(self, filing_id: str) -> Sequence[Section]:
        return (Section("I", self.item, "Risk Factors", 0, len(self.texts[filing_id]), 1, 0.9),)


def test_the_latest_earlier_filing_of_the_company_is_taken_amendments_last() -> None:
    held = Held().filings()
    assert filing_before(NOW, held) == BEFORE
    assert filing_before(BEFORE, held) == OLDEST
    assert filing_before(NOW, (NOW, AMENDED, OTHER)) == AMENDED
    assert filing_before(OLDEST, held) is None


def test_an_item_is_compared_or_it_is_told_why_not() -> None:
    found = compare_item(Held(), "now", "1A")
    assert (found.older, [c.kind for c in found.changes]) == (BEFORE, ["added", "removed"])
    with pytest.raises(NotFound, match="no Item 7"):
        compare_item(Held(), "now", "7")
    with pytest.raises(NotFound, match="No earlier filing"):
        compare_item(Held(), "oldest", "1A")
