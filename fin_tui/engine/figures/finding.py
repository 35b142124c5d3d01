"""What a question calls a figure -> the figure that filings of one company state: whole, of a part, of a quarter, or due."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from fin_tui.engine.questions.wanted import Item, Names
from fin_tui.facts.figures import Figure, Gap, Metric, Period
from fin_tui.facts.ranking import Ranking
from fin_tui.records import Filing

_EXCLUDING = re.compile(r"\s*[(,]?\s*\b(?:excluding|excl\.?|without|other than|not including)\b[^()]*\)?", re.I)
"""What a part of a company leaves out is another part of it, and must not be taken for the one asked about."""
_COUNTS = ("count", "shares", "ratio")
"""Units of what is counted; a number without a unit is tagged as a ratio."""


class Book(Protocol):
    """Looks figures up; all filings given are of one company."""

    def figure(self, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap: ...
    def quarterly(self, metric: Metric, filings: Sequence[Filing], year: int, number: int) -> Figure | Gap: ...
    def scheduled(self, metric: Metric, filings: Sequence[Filing], year: int) -> Figure | Gap: ...
    def ranked(self, asked: Ranking, filings: Sequence[Filing], year: int) -> Sequence[Figure]: ...
    def series(self, metric: Metric, filings: Sequence[Filing], periods: Sequence[Period | int]) -> Sequence[Figure | Gap]: ...
    def dimensioned(self, phrase: str, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap: ...
    def by_label(self, phrase: str, filings: Sequence[Filing], period: Period | int) -> Figure | Gap: ...


class Finding:
    """Looks the figures of one company up."""

    def __init__(self, book: Book, names: Names, *, base: int | None = None, quarter: int = 0) -> None:
        """``base``: the year of the filing that looks ahead. ``quarter``: that of each year in place of the whole of it."""
        self._book = book
        self._names = names
        self._base = base
        self._quarter = quarter

    def find(self, item: Item, filings: Sequence[Filing], year: int, *, trend: bool = False) -> Figure | Gap:
        """The figure of ``year``; in a ``trend`` from the latest filing that covers it, on one basis."""
        if self._quarter:
            return self._of_quarter(item, filings, year)
        if item.metric is None:
            return self._labelled(item, filings, year)
        if self._base is not None and item.metric.ahead and not item.phrase:
            return self._ahead(item.metric, filings, year)
        if not item.phrase and trend:
            return self._book.series(item.metric, filings, [year])[0]
        if not item.phrase:
            return self._whole(item.metric, filings, year)
        phrase = _EXCLUDING.sub("", item.phrase).strip() or item.phrase
        found = self._book.dimensioned(phrase, item.metric, filings, year)
        bare = phrase.partition("(")[0].strip()
        if isinstance(found, Gap) and bare and bare != phrase:
            found = self._book.dimensioned(bare, item.metric, filings, year)
        return found

    def _labelled(self, item: Item, filings: Sequence[Filing], year: int) -> Figure | Gap:
        found = self._book.by_label(item.phrase, filings, year) if item.phrase else Gap(item.label, None, "Not known.")
        if isinstance(found, Figure) and item.is_counted and found.unit not in _COUNTS:
            return Gap(item.label, found.period, f"No number of {item.label} is among the figures.")
        return found

    def _of_quarter(self, item: Item, filings: Sequence[Filing], year: int) -> Figure | Gap:
        """A figure of one quarter: of the whole company only, as no annual report states those of its parts."""
        if item.metric is None or item.phrase:
            return Gap(item.label, Period(dt.date(year, 12, 31)), f"No {item.label} found by quarter.")
        return self._book.quarterly(item.metric, filings, year, self._quarter)

    def _ahead(self, metric: Metric, filings: Sequence[Filing], year: int) -> Figure | Gap:
        """What falls due in ``year`` as the filing of the base year lists it."""
        base = self._base or year
        after = year - base
        if not 0 < after <= len(metric.ahead):
            return Gap(metric.names[0], None, f"No {metric.names[0]} due in {year} found by year.")
        due = replace(metric, concepts=metric.ahead[after - 1 : after], labels=(), formula="", instant=True, said="")
        own = [filing for filing in filings if filing.fiscal_year == base]
        found = self._book.figure(due, own, base)
        if isinstance(found, Gap):
            found = self._book.scheduled(metric, own, year)
        return found if isinstance(found, Gap) else replace(found, label=f"{metric.names[0]} due in FY{year}")

    def _whole(self, metric: Metric, filings: Sequence[Filing], year: int) -> Figure | Gap:
        """A figure of the whole company; one that filings tag as a part of another by its member."""
        found = self._book.figure(metric, filings, year)
        whole = self._names.get(metric.whole) if metric.whole else None
        if isinstance(found, Gap) and whole is not None:
            part = self._book.dimensioned(metric.part, whole, filings, year)
            return found if isinstance(part, Gap) else part
        return found
