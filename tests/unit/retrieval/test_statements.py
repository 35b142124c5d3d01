from __future__ import annotations

import pytest

from fin_tui.records import Chunk
from fin_tui.retrieval.fuse import Pinned
from fin_tui.retrieval.statements import BALANCE, CASH_FLOW, INCOME, NAMED, StatementBoost, named_in, statement_of
from tests.unit.retrieval.fakes import make_filing

HEADER = "Acme Corp. (ACM) · 10-K · FY2023, ended 2023-12-31 · Item 8 Financial Statements"
FILING = make_filing()


def chunk(title: str, rows: str = "Total: 2023 $12; 2022 $11.", kind: str = "table", identifier: str = "f/1:1") -> Chunk:
    header = f"{HEADER} · {title}"
    return Chunk(identifier, "f", 1, 0, 10, 1, "", "8", "", kind, "text", header, f"{header}\n{rows}")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Using only the balance sheet, what are total assets?", (BALANCE,)),
        ("Look at the statement of financial position and the P&L statement", (BALANCE, INCOME)),
        ("According to the statements of cash flows, how much was spent on property?", (CASH_FLOW,)),
        ("What off-balance sheet arrangements are there?", ()),
        ("What does the company say about its income?", ()),
    ],
)
def test_the_statements_a_question_names(question: str, expected: tuple[str, ...]) -> None:
    assert named_in(question) == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("CONSOLIDATED BALANCE SHEETS · (In millions)", BALANCE),
        ("Consolidated Statements of Financial Position", BALANCE),
        ("Acme Corp. and subsidiaries consolidated statements of earnings (Note 1)", INCOME),
        ("CONSOLIDATED STATEMENTS OF OPERATIONS AND COMPREHENSIVE LOSS", INCOME),
        ("Consolidated Statements of Cash Flows", CASH_FLOW),
        ("CONSOLIDATED STATEMENTS OF COMPREHENSIVE INCOME", None),
        ("Note 9 - Balance Sheet Components", None),
        ("Condensed Consolidating Statements of Cash Flows", None),
        ("The following table shows lease cost in our consolidated statements of income", None),
    ],
)
def test_a_statement_is_known_by_its_title(title: str, expected: str | None) -> None:
    assert statement_of(chunk(title)) == expected


def test_a_statement_without_a_title_is_known_by_its_rows() -> None:
    rows = (
        "Total current assets: $3. Total assets: $9. Accounts payable: $1. Total current liabilities: $2. Total liabilities: $5."
    )
    assert statement_of(chunk("(in millions)", rows)) == BALANCE
    assert statement_of(chunk("Note 4 – Condensed data of joint ventures", rows)) is None
    assert statement_of(chunk("(in millions)", "Total assets: $9.")) is None


def test_prose_about_a_statement_is_no_statement() -> None:
    assert statement_of(chunk("Consolidated Balance Sheets", kind="prose")) is None


def test_a_named_statement_comes_before_what_the_question_implies() -> None:
    hint = StatementBoost((INCOME, BALANCE), ("inventories",), 2).and_named("inventories in the balance sheet")
    assert hint == StatementBoost((BALANCE, INCOME), ("inventories",), NAMED)
    assert StatementBoost((INCOME,), (), 2).and_named("inventories") == StatementBoost((INCOME,), (), 2)


def test_pinned_chunks_move_up_and_never_down() -> None:
    entries = [(key, chunk("Note", identifier=f"f/1:{key}"), FILING) for key in range(6)]
    ranked = [(entry, None) for entry in entries[:5]]
    pinned = Pinned((entries[4], entries[0], entries[5]), 1)
    assert [found[0] for found, _ in pinned.into(ranked)] == [0, 4, 1, 5, 2, 3]
    assert pinned.into([]) == [(entries[4], None), (entries[0], None), (entries[5], None)]
