"""When a table's figure is from: its column's period, unless its row is a balance at one end of that period."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence

from fin_tui.facts.statements import statement_of
from fin_tui.filings.table_periods import FISCAL_LENGTH, dates_in
from fin_tui.records import Column, Table

Dates = tuple[dt.date | None, dt.date]
"""(first day, or None for an instant; last day)."""
_BEGINNING = re.compile(
    r"\b(?:beginning|start|opening) of (?:the )?(?:fiscal )?(?:year|period)\b"
    r"|\b(?:beginning|opening) (?:of (?:the )?(?:year|period) )?balances?\b"
    r"|^balances?\b.*\bbeginning\b|[–—,-] january 1$",
    re.I,
)
_OF_THE_BALANCE = re.compile(r"\bincluded in\b|\brecogni[sz]ed\b|\bincome\b|\brevenues?\b", re.I)
"""A flow out of an opening balance: "Revenue recognized that was deferred at the beginning of the period"."""
_END = re.compile(
    r"\bend of (?:the )?(?:fiscal )?(?:year|period)\b|\b(?:ending|closing) balances?\b|^balances?\b.*\bend(?:ing)?\b"
    r"|\byear[- ]end balances?\b",
    re.I,
)
_OWN_DATE = re.compile(r"^(?:\w+ ){0,4}(?:balances?|as of|outstanding|at)\b", re.I)
_BALANCES = re.compile(
    r"\b(?:assets|liabilities|inventor(?:y|ies)|receivables?|payables?|property|equipment|goodwill|debt|borrowings|allowances?)\b",
    re.I,
)
_FLOWS = re.compile(
    r"activit|change|roll|expense|income|earning|cash flow|depreciation|amortization|sales|revenue|payment|cost|gain|loss"
    r"|proceeds|purchase|acqui|written|charge|provision|result|operation",
    re.I,
)


class TableDates:
    """The dates of the figures of ``table``."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._instants = _holds_balances(table)

    def of(self, row: int, column: int) -> Dates | None:
        """When the figure in this cell is from; None when its column has no period."""
        if column >= len(self._table.columns):
            return None
        head = self._table.columns[column]
        if head.period_end is None:
            return None
        own = self._table.row_paths[row][-1] if row < len(self._table.row_paths) and self._table.row_paths[row] else ""
        if _BEGINNING.search(own) and not _OF_THE_BALANCE.search(own):
            start = head.period_start or _start_before(self._table.columns, head.period_end)
            return (None, start - dt.timedelta(days=1)) if start else None
        if _END.search(own):
            return None, head.period_end
        if _OWN_DATE.search(own) and len(dates := dates_in(own)) == 1:
            return None, dates[0]
        return None if self._instants else head.period_start, head.period_end


def _holds_balances(table: Table) -> bool:
    """Whether all figures are balances, whatever length of time the words around the table speak of."""
    if statement_of(table) == "balance":
        return True
    return _BALANCES.search(table.title) is not None and not _FLOWS.search(table.title)


def _start_before(columns: Sequence[Column], end: dt.date) -> dt.date | None:
    """The first day of the year to ``end``, when another column is of the year before."""
    for column in columns:
        if column.period_end and FISCAL_LENGTH[0] <= (end - column.period_end).days <= FISCAL_LENGTH[1]:
            return column.period_end + dt.timedelta(days=1)
    return None
