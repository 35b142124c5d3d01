"""Which year a company calls its fiscal year, when no tagged fact says so.

A label is the company's own: a retailer's year that ends on 2 February 2019 is its fiscal 2018 or its fiscal 2019. The
filing's own wording next to the period end decides, then which label the filing speaks of, then the calendar.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter

from fin_tui.filings.cover_dates import long_date_pattern

_EARLY_JANUARY = 10
_EARLY_FEBRUARY = 5
_LAST_AMBIGUOUS_MONTH = 6
_ENOUGH_MENTIONS = 6
_YEAR = r"((?:19|20)\d\d)"
_LABEL = rf"fiscal(?:\s+years?)?\s+{_YEAR}"
_MORE_YEARS = r"(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:fiscal\s+)?(?:19|20)\d\d)*"
_ENDED = r"(?:ended|ending|ends|end)(?:\s+on)?"


def derive_fiscal_year(text: str, period_end: dt.date) -> int:
    """The company's label for the year that ends on ``period_end``, judged from the filing's clean text."""
    year = period_end.year
    if period_end.month > _LAST_AMBIGUOUS_MONTH:
        return year
    votes = _votes(text, period_end)
    if votes and votes.most_common(1)[0][1] > 0:
        best, count = votes.most_common(1)[0]
        other = votes[year if best == year - 1 else year - 1]
        if count > other:
            return best
    mentioned = Counter(int(found) for found in re.findall(rf"\bfiscal\s+(?:year\s+)?{_YEAR}\b", text, re.I))
    if mentioned[year] + mentioned[year - 1] >= _ENOUGH_MENTIONS:
        # The year just ended and the one before it are both spoken of at length; the year to come hardly is.
        return year if mentioned[year] * 2 >= mentioned[year - 1] else year - 1
    if period_end.month == 1 and period_end.day <= _EARLY_JANUARY:
        return year - 1
    if period_end <= dt.date(year, 2, _EARLY_FEBRUARY):
        return year - 1
    return year


def _votes(text: str, period_end: dt.date) -> Counter[int]:
    """How often the text ties the period end to each of the two possible labels."""
    date = long_date_pattern(period_end)
    patterns = (
        rf"\b{_LABEL}{_MORE_YEARS}[^.;\d]{{0,60}}?\b{_ENDED}\s+(?:\w+,?\s+)?{date}",
        rf"\b{_LABEL}\s*[\s(:,–—-]{{1,4}}{date}",
        rf"\b{_ENDED}\s+{date}\s*[,;]?\s*\(?\s*(?:the\s+|our\s+|or\s+|herein\s+)?(?:referred\s+to\s+(?:herein\s+)?as\s+|called\s+|is\s+|as\s+)?[“\"'‘(]*(?:our\s+)?{_LABEL}",
        rf"{date}\s*[,;]?\s+(?:and\s+[^.;]{{0,60}}?)?(?:is|are|as|was|called)\s+(?:referred\s+to\s+(?:herein\s+)?as\s+)?[“\"'‘]*{_LABEL}",
        rf"\b{_LABEL}[”\"'’]?\s+(?:refers?\s+to|means?|represents?|is|was|comprised|consisted\s+of|includes?)\s[^.;]{{0,80}}?{date}",
    )
    counts: Counter[int] = Counter()
    for pattern in patterns:
        for found in re.finditer(pattern, text, re.I):
            label = int(found[1])
            if label in (period_end.year, period_end.year - 1):
                counts[label] += 1
    return counts
