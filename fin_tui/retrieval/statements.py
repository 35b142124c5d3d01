"""The primary financial statements: which of them a question is about, and which chunks they are.

Analysts ask for ratios and lines "from the balance sheet", in words that the statement does not print. Its table is told by its
title, or, where a filing prints none, by the rows that every such statement has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from fin_tui.language import opens_note
from fin_tui.records import Chunk

BALANCE, INCOME, CASH_FLOW = "balance", "income", "cash_flow"

WEAK, STRONG, FIGURE, NAMED = 1, 2, 3, 4
"""For prose that speaks of a statement's line; any other question that does; one for its figures; one that names it."""

_NAMES = {
    BALANCE: r"balance\s+sheets?|statements?\s+of\s+(?:consolidated\s+)?financial\s+(?:position|condition)",
    INCOME: r"statements?\s+of\s+(?:consolidated\s+)?(?:net\s+)?(?:income|operations|earnings|profit\s+(?:and|or)\s+loss)"
    r"|(?:income|earnings|operations)\s+statements?",
    CASH_FLOW: r"statements?\s+of\s+(?:consolidated\s+)?cash\s*-?\s*flows?|cash\s*-?\s*flows?\s+statements?",
}
_COLLOQUIAL = {
    BALANCE: r"(?<!off-)(?<!off )" + f"(?:{_NAMES[BALANCE]})",
    INCOME: _NAMES[INCOME] + r"|p\s?&\s?l(?:\s+(?:statement|account))?|profit\s+(?:and|&)\s+loss(?:\s+(?:statement|account))?",
    CASH_FLOW: _NAMES[CASH_FLOW],
}
_ASKED = {kind: re.compile(rf"\b(?:{names})\b", re.IGNORECASE) for kind, names in _COLLOQUIAL.items()}
_TITLE = {
    kind: re.compile(
        rf"^(?:item\s+\d+[a-c]?\.?\s+)?(?:[\w&.,'’()\- ]{{0,70}}\b)?(?:{names})"
        r"(?:\s+and\s+(?:other\s+)?comprehensive\s+(?:income|loss|\(loss\)).{0,20})?"
        r"(?:\s*(?:[(—–-]|for the|years? ended|as of|at ).*)?$",
        re.IGNORECASE,
    )
    for kind, names in _NAMES.items()
}
_OTHER = re.compile(
    r"off[\s–-]|supplement|condens|summar|schedule|parent|obligor|deriv|hedg|component|information|analysis|included in|classif"
    r"|recogni[sz]ed|segment|following|selected|effects? (?:of|on)|pro forma|impact|comprehensive income statement",
    re.IGNORECASE,
)
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
    return tuple(kind for kind, pattern in _ASKED.items() if pattern.search(query))


def statement_of(chunk: Chunk) -> str | None:
    """Which primary statement a chunk is a part of; None for all others."""
    if chunk.kind != "table":
        return None
    parts = chunk.header.split(" · ")[3:]
    for part in reversed(parts):
        for kind, pattern in _TITLE.items():
            if pattern.search(part) and not _OTHER.search(part):
                return kind
    if any(_OTHER.search(part) or opens_note(part) for part in parts[1:]):
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
