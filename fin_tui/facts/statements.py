"""Which tables of a filing are its primary statements, judged by title and by the rows that only such a statement has."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from fin_tui.records import Block, Table

_TITLES = (
    ("cash_flow", re.compile(r"cash flows?\b(?!.*hedge)", re.I)),
    ("balance", re.compile(r"balance sheets?|financial (?:position|condition)|assets and liabilities", re.I)),
    ("equity", re.compile(r"(?:share|stock)(?:holders|owners)['’]?s? (?:equity|investment|deficit)|changes in equity", re.I)),
    ("income", re.compile(r"statements? of (?:consolidated )?(?:net )?(?:operations|income|earnings)|income statements?", re.I)),
)
_STATEMENT = re.compile(r"\bstatements?\b|balance sheets?", re.I)
_MARKS = {
    "balance": (
        r"^total assets",
        r"^total (?:current )?liabilities|^liabilities and|^total liabilities and",
        r"retained earnings|accumulated deficit|earnings retained",
    ),
    "cash_flow": (
        r"operating activities|operations",
        r"investing activities|investment activities",
        r"financing activities",
    ),
    "income": (
        r"^(?:total )?(?:net )?(?:sales|revenues?)|net sales|^total revenues?",
        r"income tax|taxes on income",
        r"^net (?:income|earnings|\(?loss)|^consolidated net",
    ),
}
_ROWS: Mapping[str, Sequence[re.Pattern[str]]] = {
    name: tuple(re.compile(mark, re.I) for mark in marks) for name, marks in _MARKS.items()
}
_PER_SHARE = re.compile(r"\bper\b.*\bshare\b|\bbasic\b|\bdilut", re.I)
_PARTIAL = re.compile(
    r"condensed|consolidating|parent|guarantor|pro forma|selected|highlights|summary|quarter|unaudited|supplement|schedule", re.I
)
_LEAST_ROWS = 8


def statements_of(blocks: Sequence[Block]) -> dict[int, str]:
    """Block ordinal -> "income", "balance" or "cash_flow" for the tables that are such a statement, in whole or in part.

    Of several tables of a kind (highlights of the discussion, condensed statements of a parent), those that look most like
    the audited statement of the whole company.
    """
    found: dict[str, list[tuple[int, int, bool]]] = {}
    for block in blocks:
        if block.table is not None and (name := statement_of(block.table)):
            found.setdefault(name, []).append((_rank(block.table, name), block.ordinal, _opens(block.table, name)))
    kept: dict[int, str] = {}
    for name, ranked in found.items():
        best = max(rank for rank, _, _ in ranked)
        opened = False
        for rank, ordinal, opens in ranked:
            # A second sheet with the same first mark is that of another company, such as a finance arm.
            if rank == best and not (opens and opened):
                kept[ordinal] = name
                opened = opened or opens
    return kept


def _opens(table: Table, name: str) -> bool:
    """Whether the table has the first mark of its kind: a continuation has not."""
    return any(path and _ROWS[name][0].search(path[-1]) for path in table.row_paths[table.header_rows :])


def _rank(table: Table, name: str) -> int:
    labels = [path[-1] for path in table.row_paths[table.header_rows :] if path]
    titled = any(kind == name and pattern.search(table.title) for kind, pattern in _TITLES) and _STATEMENT.search(table.title)
    rank = 2 if titled else 0
    if name == "income":
        rank += any(_PER_SHARE.search(" ".join(path)) for path in table.row_paths)
    rank -= 3 * (_PARTIAL.search(table.title) is not None)
    rank -= sum("%" in cell.text for row in table.rows for cell in row) > len(labels) // 4
    return rank


def statement_of(table: Table) -> str:
    """The primary statement that ``table`` is; "" when it is none.

    Rows decide, as titles are often lost or shared: two of a statement's three marks with a fitting title, or all three.
    """
    labels = [path[-1] for path in table.row_paths[table.header_rows :] if path]
    if len(labels) < _LEAST_ROWS:
        return ""
    titled = next((name for name, pattern in _TITLES if pattern.search(table.title)), "")
    for name in ("cash_flow", "balance", "income"):
        marks = sum(any(pattern.search(label) for label in labels) for pattern in _ROWS[name])
        if marks == 3 or (marks >= 1 and titled == name and _STATEMENT.search(table.title)):
            return name
    return ""
