"""Periods of table columns, from what their headers say: "Years ended December 31," over "2024", "Sept. 28, 2024", "As of …"."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DATE = re.compile(rf"\b{_MONTH}\.?\s*(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s*,?\s*(?P<year>(?:19|20)\d\d)\b", re.IGNORECASE)
_DAY_FIRST = re.compile(rf"\b(?P<day>\d{{1,2}})\s+{_MONTH}\.?,?\s+(?P<year>(?:19|20)\d\d)\b", re.IGNORECASE)
_SLASHED = re.compile(r"(?<![\d/])(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>(?:19|20)?\d\d)(?![\d/])")
_MONTH_DAY = re.compile(rf"\b{_MONTH}\.?\s*(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s*,?\s*(?:19|20)\d\d)(?!\d)", re.IGNORECASE)
_MONTH_YEAR = re.compile(rf"\b{_MONTH}\.?,?\s+(?P<year>(?:19|20)\d\d)\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<![\d.,$/-])(?P<year>(?:19|20)\d\d)(?![\d/]|[.,]\d|-\d)")
_SHORT_YEAR = re.compile(r"\b(?:FY|fiscal(?:\s+year)?)\s*['’]?(?P<year>\d\d)\b", re.IGNORECASE)

_QUARTER = (
    r"\b(?:three|3)[\s-]months?\s+(?:period\s+)?end|\bquarters?\s+ended\b|\b(?:thirteen|13|14|fourteen)[\s-]weeks?\b"
    r"|\b(?:(?:first|second|third|fourth|1st|2nd|3rd|4th)\s+)?quarter\b|\bQ[1-4]\b"
)
_FULL_YEAR = (
    r"\b(?:fiscal\s+|calendar\s+)?years?\s*[-–—]?\s*(?:ended|ending)\b|\b(?:twelve|12)[\s-]months?\s+(?:period\s+)?end|\b5[23][\s-]weeks?\b"
    r"|\bfor the (?:fiscal )?years?\b|\bfiscal\s+years?\b|\bfiscal\s+(?:19|20)\d\d\b|\bFY\s?\d\d"
)
_LENGTHS = (
    (re.compile(_QUARTER, re.IGNORECASE), 3),
    (re.compile(r"\b(?:six|6)[\s-]months?\s+(?:period\s+)?end|\b(?:26|27|twenty-six)[\s-]weeks?\b", re.IGNORECASE), 6),
    (re.compile(r"\b(?:nine|9)[\s-]months?\s+(?:period\s+)?end|\b(?:39|40|thirty-nine)[\s-]weeks?\b", re.IGNORECASE), 9),
    (re.compile(_FULL_YEAR, re.IGNORECASE), 12),
)
_INSTANT = re.compile(r"^\W*(?:as\s+(?:of|at)|at|balances?\s+(?:as\s+of|at)|outstanding\s+at)\b", re.IGNORECASE)
_INSTANT_TITLE = re.compile(r"balance sheet|financial (?:position|condition)|assets and liabilities", re.IGNORECASE)
_FLOW_TITLE = re.compile(
    r"statements? of (?:consolidated )?(?:operations|income|earnings|cash flows?|comprehensive)|income statements?"
    r"|cash flows? statements?|results of operations",
    re.IGNORECASE,
)
_FROM_TO = re.compile(r"\b(?:from|inception)\b.*\b(?:to|through|until)\b", re.IGNORECASE | re.DOTALL)
_WEEKS = re.compile(r"\b(?P<weeks>5[23])[\s-]weeks?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Period:
    """An instant (``start`` is None) or a duration, both ends inclusive."""

    start: dt.date | None
    end: dt.date | None


# Years that name a plan or a debt issue, and years in which loans were made, are no reporting periods.
_NO_PERIOD = re.compile(
    r"\b(?:19|20)\d\d\s+(?:\w+\s+)?(?:plans?|programs?|notes?|series|acquisitions?)\b|\bdue\b|\bvintage|\boriginat", re.IGNORECASE
)
_ORIGINATION = re.compile(
    r"\b(?:(?:year|period|date)s? of origination|origination (?:year|date|period)|vintage)\b", re.IGNORECASE
)
FISCAL_LENGTH = (350, 380)
"""Days between the first and last day of a fiscal year, 52 and 53 weeks included."""
NO_PERIOD = Period(None, None)


def has_period_words(text: str) -> bool:
    """Whether ``text`` names a date, a year or the length of a period."""
    return any(p.search(text) for p in (_YEAR, _DATE, _SLASHED, _MONTH_DAY, _SHORT_YEAR)) or months_in(text) is not None


def months_in(text: str) -> int | None:
    """Length in months of the period that ``text`` names: 3, 6, 9, 12, or None."""
    return next((months for pattern, months in _LENGTHS if pattern.search(text)), None)


def fiscal_year_in(header: Sequence[str]) -> int | None:
    """The one year that a column's header names without a day or a part of a year; None otherwise."""
    own = " ".join(header)
    years = {int(match.group("year")) for match in _YEAR.finditer(own)}
    short = _SHORT_YEAR.search(own)
    if not years and short:
        years = {_full_year(short.group("year"))}
    if len(years) != 1 or _NO_PERIOD.search(own) or dates_in(own) or _MONTH_DAY.search(own) or months_in(own) not in (None, 12):
        return None
    return years.pop()


def dates_in(text: str) -> list[dt.date]:
    """Full dates in reading order; "June 2024" is the last day of that month."""
    found: dict[int, dt.date] = {}
    for pattern in (_DATE, _DAY_FIRST, _SLASHED, _MONTH_YEAR):
        for match in pattern.finditer(text):
            groups = match.groupdict()
            date = _date(groups["year"], groups["month"], groups.get("day"))
            if date and not any(abs(at - match.start()) < 4 for at in found):
                found[match.start()] = date
    return [found[at] for at in sorted(found)]


def read_periods(headers: Sequence[Sequence[str]], context: Sequence[str] = ()) -> list[Period]:
    """A period for each column from its header path.

    ``context`` holds what speaks for all columns at once (spanning captions, title, unit line), nearest first: a month and
    day, a period's length, or "as of" is taken from it when a column's own header has none.
    """
    common = " | ".join(context)
    flow = _FLOW_TITLE.search(common) is not None and not _INSTANT_TITLE.search(common)
    ends: list[dt.date | None] = []
    months: list[int | None] = []
    for header in headers:
        own = " ".join(header)
        end = _end_of(own, context) if own else None
        ends.append(end)
        months.append(None if end is None else _length_of(own, context, flow))
    weeks = _WEEKS.search(common)
    known = sorted({end for end, length in zip(ends, months, strict=True) if end and length == 12})
    return [_period(h, e, m, known, weeks) for h, e, m in zip(headers, ends, months, strict=True)]


def _end_of(own: str, context: Sequence[str]) -> dt.date | None:
    if _NO_PERIOD.search(own) or any(_ORIGINATION.search(text) for text in context):
        return None
    dates = dates_in(own)
    years = [int(match.group("year")) for match in _YEAR.finditer(own)]
    if dates:
        # "December 31, 2024" over "2026" is a table of later years, such as maturities: no period of ours.
        return dates[-1] if all(year in {date.year for date in dates} for year in years) else None
    short = _SHORT_YEAR.search(own)
    if not years and short:
        years = [_full_year(short.group("year"))]
    if len(set(years)) != 1:
        return None
    for text in (own, *context):
        found = list(_MONTH_DAY.finditer(text))
        if len({(m.group("month").lower()[:3], m.group("day")) for m in found}) == 1:
            return _date(str(years[0]), found[0].group("month"), found[0].group("day"))
    return None


def _length_of(own: str, context: Sequence[str], flow: bool) -> int | None:
    if _INSTANT.search(own):
        return None
    length = months_in(own)
    if length is not None:
        return length
    for text in context:
        length = months_in(text)
        if length is not None:
            return length
        if _INSTANT.search(text) or _INSTANT_TITLE.search(text):
            return None
    return 12 if flow else None


def _period(
    header: Sequence[str], end: dt.date | None, months: int | None, known: Sequence[dt.date], weeks: re.Match[str] | None
) -> Period:
    if end is None or months is None:
        return Period(None, end)
    own = " ".join(header)
    if _FROM_TO.search(own):
        dates = dates_in(own)
        if len(dates) >= 2:
            return Period(dates[0], end)
    return Period(start_of(end, months, known, _WEEKS.search(own) or weeks), end)


def start_of(end: dt.date, months: int, known: Sequence[dt.date] = (), weeks: re.Match[str] | None = None) -> dt.date:
    """First day of the period of ``months`` that ends on ``end``.

    A year that does not end with a month is one of 52 or 53 weeks, as are its neighbours (``known`` ends): it starts the day
    after the year before it ended, when that is known, else 52 weeks are taken.
    """
    month_end = _ends_month(end) and all(_ends_month(other) for other in known)
    if not month_end and months == 12:
        for before in known:
            if FISCAL_LENGTH[0] <= (end - before).days <= FISCAL_LENGTH[1]:
                return before + dt.timedelta(days=1)
        count = int(weeks.group("weeks")) if weeks else 52
        return end - dt.timedelta(days=7 * count - 1)
    if not month_end and months == 3:
        return end - dt.timedelta(days=7 * 13 - 1)
    index = end.year * 12 + end.month - 1 - months
    year, month = divmod(index, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return dt.date(year, month + 1, last if month_end else min(end.day, last)) + dt.timedelta(days=1)


def _full_year(text: str) -> int:
    return int(text) if len(text) == 4 else (2000 if int(text) < 70 else 1900) + int(text)


def _ends_month(date: dt.date) -> bool:
    return date.day == calendar.monthrange(date.year, date.month)[1]


def _date(year: str, month: str, day: str | None) -> dt.date | None:
    number = int(month) if month.isdigit() else _MONTHS.index(month.lower()[:3]) + 1
    full = _full_year(year)
    if not 1 <= number <= 12:
        return None
    last = calendar.monthrange(full, number)[1]
    if day is None:
        return dt.date(full, number, last)
    return dt.date(full, number, int(day)) if 1 <= int(day) <= last else None
