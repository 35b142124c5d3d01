"""Whether a search strayed: to another company than a question names, to another year than it names (pure)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence, Set

from fin_tui.records import Filing

LOOKED_AT = 5
"""How many of the first hits are held against the question."""
_YEAR = re.compile(r"(?<![\d$,.])(?:fy\s?)?((?:19|20)\d{2})(?![\d%]|[.,]\d)", re.IGNORECASE)
_SHORT_YEAR = re.compile(r"\bfy\s?['’]?(\d{2})\b", re.IGNORECASE)
_FISCAL = r"(?:fiscal\s+(?:year\s+)?|fy\s?)?"
_RANGE = re.compile(rf"\b((?:19|20)\d{{2}})\s*(?:to|through|until|[-–])\s*{_FISCAL}((?:19|20)\d{{2}})\b", re.IGNORECASE)
_BETWEEN = re.compile(rf"\bbetween\s+{_FISCAL}((?:19|20)\d{{2}})\s+and\s+{_FISCAL}((?:19|20)\d{{2}})\b", re.IGNORECASE)
_STILL_COVERED = 2
"""Statements show up to two years before their own."""


def years_named(question: str) -> frozenset[int]:
    """The years that stand in a question, those between two ends of a range too; "FY23" is 2023."""
    years = {int(year) for year in _YEAR.findall(question)}
    years |= {(1900 if int(short) > 60 else 2000) + int(short) for short in _SHORT_YEAR.findall(question)}
    for first, last in (*_RANGE.findall(question), *_BETWEEN.findall(question)):
        years |= set(range(int(first), int(last) + 1))
    return frozenset(years)


def strays_from_company(filings: Sequence[Filing], companies: Set[str]) -> bool | None:
    """Whether one of the first five hits stands in a filing of none of ``companies`` (keys); None when none is named."""
    if not companies or not filings:
        return None
    return any(filing.company_key not in companies for filing in filings[:LOOKED_AT])


def strays_from_years(
    filings: Sequence[Filing], years: Set[int], *, figures: bool, lenient: bool, gold: Collection[str] = ()
) -> bool | None:
    """Whether one of the first five hits stands in a filing of another year; None when no year is named or nothing was found.

    What is told in words comes from the filing of that year. A figure may come from any filing that covers the period: that
    of the year and the two after it. Lenient: for words as for figures, and the filing of the year before too, which says
    what was expected. A filing is of its fiscal year and of the year its period ends in; the files of the
    gold are always right.
    """
    if not years or not filings:
        return None
    after = _STILL_COVERED if figures or lenient else 0
    allowed = {year + ahead for year in years for ahead in range(-int(lenient), after + 1)}
    return any(not (_years(filing) & allowed) and filing.file not in gold for filing in filings[:LOOKED_AT])


def _years(filing: Filing) -> set[int]:
    years = {filing.fiscal_year} if filing.fiscal_year else set()
    return years | ({filing.period_end.year} if filing.period_end else set())
