"""Contents of a filing: Items, statements, notes."""

from __future__ import annotations

from fin_tui.engine.reader import outline
from fin_tui.records import Block, BlockKind, Cover, Document, Section, Table

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
