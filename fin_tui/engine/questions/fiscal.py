"""Days and months that a question names -> fiscal years as the company counts them (pure)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

from fin_tui.engine.questions.periods import Periods
from fin_tui.records import Filing

COVER_DAYS = 150
"""The cover states shares at a day after the year's end, before the filing is due."""
_NEAR_DAYS = 7
_MONTH_DAYS = 30
_YEARS_BACK = 6


def label_of(filing: Filing) -> int:
    """The fiscal year of ``filing``."""
    return filing.fiscal_year or end_of(filing).year


def end_of(filing: Filing) -> dt.date:
    """The last day of the year that ``filing`` is about; the calendar's where it is not known."""
    return filing.period_end or dt.date(filing.fiscal_year or 1900, 12, 31)


def year_ending(date: dt.date, filings: Sequence[Filing], *, month: bool = False) -> int | None:
    """The fiscal year that ends on ``date``, or in its month, of those that a filing reports or shows beside its own."""
    for filing in sorted(filings, key=end_of):
        for back in range(_YEARS_BACK):
            try:
                end = end_of(filing).replace(year=end_of(filing).year - back)
            except ValueError:  # 29 February
                end = end_of(filing) - dt.timedelta(days=365 * back)
            off = (date - end).days
            if abs(off) <= _NEAR_DAYS or (month and 0 <= off <= _MONTH_DAYS):
                return label_of(filing) - back
    return None


def filed_around(date: dt.date, filings: Sequence[Filing]) -> Filing | None:
    """The filing made soon after its year's end, around ``date``: its cover may state a figure of that day."""
    after = [filing for filing in filings if 0 < (date - end_of(filing)).days <= COVER_DAYS]
    return max(after, key=end_of, default=None)


def with_months(periods: Periods, filings: Sequence[Filing]) -> Periods:
    """``periods`` with months turned into the fiscal years that end in them ("January 2026" may be fiscal 2025), or whose
    filing was made around them; a month within a year leaves the year as it is named.
    """
    years = set(periods.years)
    for last in periods.months:
        year = year_ending(last, filings, month=True)
        if year is None and not any(label_of(filing) == last.year for filing in filings):
            filing = filed_around(last, filings)
            year = label_of(filing) if filing else None
        if year is not None:
            years = (years - {last.year}) | {year}
    return replace(periods, years=tuple(sorted(years)))
