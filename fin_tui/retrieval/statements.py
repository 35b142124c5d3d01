"""The primary financial statements: which of them a question is about, and which chunks they are.

Analysts ask for ratios and lines "from the balance sheet", in words that the statement does not print. Its table is told by its
title, or, where a filing prints none, by the rows that every such statement has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from fin_tui.filings.section_headings import opens_note
from fin_tui.language import any_of
from fin_tui.records import Chunk

BALANCE, INCOME, CASH_FLOW = "balance", "income", "cash_flow"

WEAK, STRONG, FIGURE, NAMED = 1, 2, 3, 4
"""For prose that speaks of a statement's line; any other question that does; one for its figures; one that names it."""

_NAMES = {
    BALANCE: any_of("balance sheet(s), statement(s) of (consolidated) financial position/condition"),
    INCOME: any_of(
        "statement(s) of (consolidated) (net) income/operations/earnings, "
        "statement(s) of (consolidated) (net) profit and/or loss, income/earnings/operations statement(s)"
    ),
    CASH_FLOW: any_of("statement(s) of (consolidated) cash-flow(s)/cashflow(s), cash-flow(s)/cashflow(s) statement(s)"),
}
_COLLOQUIAL = any_of("p&l (statement/account), p & l (statement/account), profit and/& loss (statement/account)")
_TITLE = {
    kind: re.compile(
        rf"^(?:item\s+\d+[a-c]?\.?\s+)?(?:[\w&.,'’()\- ]{{0,70}}\b)?(?:{names.pattern})"
        r"(?:\s+and\s+(?:other\s+)?comprehensive\s+(?:income|loss|\(loss\)).{0,20})?"
        r"(?:\s*(?:[(—–-]|for the|years? ended|as of|at ).*)?$",
        re.IGNORECASE,
    )
    for kind, names in _NAMES.items()
}
_OTHER = tuple(
    "off ,off-,off–,supplement,condens,summar,schedule,parent,obligor,deriv,hedg,component,information,analysis,included in,"
    "classif,recognised,recognized,segment,following,selected,effect of,effects of,effect on,effects on,pro forma,impact,"
    "comprehensive income statement".split(",")
)
"""Words of the titles of other tables, or how they begin."""
_ROWS = {
    BALANCE: "total assets|total liabilities|total current assets|total current liabilities|retained earnings|accounts payable|"
    "liabilities and",
    INCOME: "per share|income tax|net income|net earnings|net loss|cost of|operating income|operating expenses|before",
    CASH_FLOW: "operating activities|investing activities|financing activities|depreciation|end of|increase (decrease) in cash",
}
_ENOUGH_ROWS = {BALANCE: 4, INCOME: 5, CASH_FLOW: 3}
_SEARCH = {
    BALANCE: "consolidated balance sheets statements of financial position total assets current liabilities retained earnings",
    INCOME: "consolidated statements of income operations earnings net income per share before income taxes operating income",
    CASH_FLOW: "consolidated statements of cash flows operating activities investing activities financing activities",
}


@dataclass(frozen=True, slots=True)
class StatementBoost:
    """What a question is known to be about, beyond its words."""

    statements: tuple[str, ...] = ()
    """``BALANCE``, ``INCOME``, ``CASH_FLOW``."""
    words: tuple[str, ...] = ()
    """What the rows asked for are called."""
    weight: int = 0
    """``NAMED``, ``FIGURE``, ``STRONG`` or ``WEAK``: how sure it is that the statements are wanted."""

    def and_named(self, query: str) -> StatementBoost:
        """This hint with the statements that ``query`` itself names; those come first."""
        named = named_in(query)
        if not named:
            return self
        return StatementBoost((*named, *(s for s in self.statements if s not in named)), self.words, NAMED)


def named_in(query: str) -> tuple[str, ...]:
    """The statements that ``query`` names, also as people say them ("P&L statement")."""
    return tuple(kind for kind in _NAMES if _names(query, kind))


def _names(query: str, kind: str) -> bool:
    if kind == BALANCE:
        return any(not query[: found.start()].lower().endswith(("off-", "off ")) for found in _NAMES[kind].finditer(query))
    return bool(_NAMES[kind].search(query) or (kind == INCOME and _COLLOQUIAL.search(query)))


def _is_other(title: str) -> bool:
    return any(word in title.lower() for word in _OTHER)


def statement_of(chunk: Chunk) -> str | None:
    """Which primary statement a chunk is a part of; None for all others."""
    if chunk.kind != "table":
        return None
    parts = chunk.header.split(" · ")[3:]
    for part in reversed(parts):
        for kind, pattern in _TITLE.items():
            if pattern.search(part) and not _is_other(part):
                return kind
    if any(_is_other(part) or opens_note(part) for part in parts[1:]):
        return None
    rows = chunk.index_text[len(chunk.header) :].lower()
    for kind, marks in _ROWS.items():
        if sum(mark in rows for mark in marks.split("|")) >= _ENOUGH_ROWS[kind]:
            return kind
    return None


def search_words(kind: str) -> str:
    """Words that find the chunks of a statement: its titles and rows."""
    return _SEARCH[kind]


def best_of(kinds: Iterable[str], found: Iterable[tuple[int, Chunk]]) -> dict[str, list[int]]:
    """Statement -> keys of the chunks among ``found`` that are parts of it, in the order given."""
    keys: dict[str, list[int]] = {kind: [] for kind in kinds}
    for key, chunk in found:
        kind = statement_of(chunk)
        if kind in keys:
            keys[kind].append(key)
    return keys
