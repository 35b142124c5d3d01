"""Fiscal years of one filing: which it covers, how the company labels them, and whether a fact belongs to one."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from collections.abc import Iterable, Sequence

from fin_tui.facts.figures import Period
from fin_tui.records import Fact, Filing

YEAR_DAYS = (350, 380)
"""Days of a fiscal year, 52 and 53 weeks included."""
NEAR = 7
"""Days by which the end of the same year may differ between two tags."""
_ENOUGH = 3
_DRIFT = 12
"""Days by which the ends of years of 52 and 53 weeks move within some years."""
_LEAST_TRANSITION = 20
_LONGEST_QUARTER = 110


def days(fact: Fact) -> int | None:
    """Length of a fact's period, both ends included; None for an instant."""
    if fact.period_start is None or fact.period_end is None:
        return None
    return (fact.period_end - fact.period_start).days + 1


def covered(filing: Filing, facts: Iterable[Fact]) -> tuple[Period, ...]:
    """The fiscal years that ``facts`` of ``filing`` report in full, latest first, labelled as the company counts its years.

    A transition report covers its own shorter period under the filing's label.
    """
    lengths: Counter[tuple[dt.date, dt.date]] = Counter()
    for fact in facts:
        if fact.period_start and fact.period_end and not fact.dimensions and fact.value is not None:
            lengths[fact.period_start, fact.period_end] += 1
    own = filing.period_end
    years = [
        span for span, count in lengths.items() if _is_year(span, own, lengths) and (count >= _ENOUGH or _close(span[1], own))
    ]
    merged: dict[dt.date, tuple[dt.date, dt.date]] = {}
    for span in sorted(years, key=lambda span: -lengths[span]):
        if not any(_close(span[1], end) for end in merged):
            merged[span[1]] = span
    periods = [Period(end, start, label(filing, end)) for start, end in merged.values()]
    if own is not None and not any(_close(period.end, own) for period in periods):
        periods.append(Period(own, None, label(filing, own)))
    return tuple(sorted(periods, key=lambda period: period.end, reverse=True))


def _is_year(span: tuple[dt.date, dt.date], own: dt.date | None, lengths: Counter[tuple[dt.date, dt.date]]) -> bool:
    length = _length(span)
    if own is not None and span[1] > own + dt.timedelta(days=NEAR):
        # Columns of later years are payments due, not a year reported.
        return False
    if YEAR_DAYS[0] <= length <= YEAR_DAYS[1]:
        return True
    if own is None or not _close(span[1], own) or length < _LEAST_TRANSITION or length > YEAR_DAYS[1]:
        return False
    if any(0 < (span[0] - other[1]).days <= NEAR and _length(other) < _LONGEST_QUARTER for other in lengths):
        return False  # The last of several quarters.
    longest = [other for other in lengths if _close(other[1], own) and _length(other) <= YEAR_DAYS[1]]
    return lengths[span] >= _ENOUGH and span == min(longest)


def _length(span: tuple[dt.date, dt.date]) -> int:
    return (span[1] - span[0]).days + 1


def label(filing: Filing, end: dt.date) -> str:
    """The label of the year that ends on ``end``, counted back from the filing's own."""
    number = year_of(filing, end)
    return f"FY{number}" if number else str(end)


def year_of(filing: Filing, end: dt.date) -> int | None:
    """The fiscal year of this company that the day ``end`` falls in; None when the filing does not know its own.

    A quarter's end belongs to the year that it is a part of: with a year that ends in September, December 1998 is of fiscal 1999.
    """
    if filing.fiscal_year is None or filing.period_end is None:
        return end.year if filing.fiscal_year is None else None
    return filing.fiscal_year - math.floor(((filing.period_end - end).days + _DRIFT) / 365.25)


def wanted(filing: Filing, years: Sequence[Period], period: Period | int) -> Period | None:
    """The year of ``filing`` that ``period`` means (a fiscal year label, or an end date with or without a start)."""
    if isinstance(period, int):
        return next((year for year in years if year.label == f"FY{period}"), None)
    near = [year for year in years if _close(year.end, period.end)]
    return min(near, key=lambda year: abs((year.end - period.end).days), default=None)


def fits(fact: Fact, year: Period, *, instant: bool) -> bool:
    """Whether ``fact`` is a balance at the end of ``year``, or a flow over all of it."""
    if fact.period_end is None or not _close(fact.period_end, year.end):
        return False
    if instant:
        return fact.period_start is None
    length = days(fact)
    if length is None:
        return False
    if year.start is None:
        return YEAR_DAYS[0] <= length <= YEAR_DAYS[1]
    return fact.period_start is not None and abs((fact.period_start - year.start).days) <= NEAR


def _close(a: dt.date | None, b: dt.date | None) -> bool:
    return a is not None and b is not None and abs((a - b).days) <= NEAR
