"""A question's companies and years -> whose figures of which years are needed: the grid (pure)."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass

from fin_tui.engine.question import Question
from fin_tui.engine.target import Target, by_company, in_scope
from fin_tui.engine.wanted import Reading
from fin_tui.records import Filing, Scope

MOST_COMPANIES = 12
"""A question that names no company is answered for each company in scope, up to so many."""
MOST_CANDIDATES = 60
_COVER_DAYS = 150
"""The cover states shares at a day after the year's end, before the filing is due."""
_NEAR_DAYS = 7
_ALL = re.compile(
    r"\b(?:all|every|each|any|which|what)\s+(?:of\s+the\s+)?(?:compan(?:y|ies)|firms?|filings?|businesse?s?)\b|\bcompanies\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Subject:
    """A company and the years asked about."""

    company: str
    filings: tuple[Filing, ...]
    """All its filings in scope."""
    years: tuple[int, ...]
    """Fiscal years as the company labels them, ascending; never empty."""
    day: dt.date | None = None
    """A day within no year's end: only a figure stated for that very day will do."""


def subjects(question: Question, reading: Reading, target: Target, scope: Scope, held: Sequence[Filing]) -> tuple[Subject, ...]:
    """The companies and years of ``question``; empty when it does not say which company and several are possible."""
    allowed = in_scope(held, scope)
    groups = by_company(question, allowed)
    if not groups:
        groups = _unnamed(question, target, allowed, asks_all=bool(_ALL.search(question.text)) or reading.across != "each")
    return tuple(_subject(name, filings, question, reading, scope) for name, filings in groups)


def candidates(question: Question, reading: Reading, target: Target, scope: Scope, held: Sequence[Filing]) -> tuple[Subject, ...]:
    """Each company in scope that files for the period, when ``question`` names none."""
    if question.companies:
        return ()
    allowed = in_scope(held, scope)
    keys = dict.fromkeys(filing.company_key for filing in target.filings)
    groups = [[filing for filing in allowed if filing.company_key == key] for key in keys]
    return tuple(
        _subject(max(group, key=_end).company, group, question, reading, scope) for group in groups[:MOST_CANDIDATES] if group
    )


def _unnamed(question: Question, target: Target, allowed: Sequence[Filing], *, asks_all: bool) -> list[tuple[str, list[Filing]]]:
    if question.companies or question.unknown:
        return []
    keys = list(dict.fromkeys(filing.company_key for filing in target.filings))
    if len(keys) != 1 and not asks_all and not question.periods.dates:
        return []
    if len(keys) > MOST_COMPANIES:
        return []
    groups = {key: [filing for filing in allowed if filing.company_key == key] for key in keys}
    return [(max(group, key=_end).company, group) for group in groups.values() if group]


def _subject(name: str, filings: Sequence[Filing], question: Question, reading: Reading, scope: Scope) -> Subject:
    originals = [filing for filing in filings if not filing.form.endswith("/A")] or list(filings)
    newest = max(originals, key=_end)
    periods = question.periods
    years, day = set(periods.years), None
    for date in periods.dates:
        year = _year_of(date, originals)
        if year is None:
            years.add(_covering_year(date, originals))
            day = date
        else:
            years.add(year)
    if not years and scope.fiscal_years:
        years.update(scope.fiscal_years)
    if not years:
        latest = _label(newest) - periods.back
        years.update(range(latest - max(periods.past, 1) + 1, latest + 1))
    return Subject(name, tuple(filings), tuple(sorted(years)), day)


def _year_of(date: dt.date, filings: Sequence[Filing]) -> int | None:
    """The fiscal year that ends on ``date``, or 1 to 3 years before the end of one that a filing covers."""
    for filing in sorted(filings, key=_end):
        for back in range(6):
            try:
                end = _end(filing).replace(year=_end(filing).year - back)
            except ValueError:  # 29 February
                end = _end(filing) - dt.timedelta(days=365 * back)
            if abs((end - date).days) <= _NEAR_DAYS:
                return _label(filing) - back
    return None


def _covering_year(date: dt.date, filings: Sequence[Filing]) -> int:
    """The year of the filing made soon after its end, around ``date``."""
    after = [filing for filing in filings if 0 < (date - _end(filing)).days <= _COVER_DAYS]
    return _label(max(after, key=_end)) if after else date.year


def _label(filing: Filing) -> int:
    return filing.fiscal_year or _end(filing).year


def _end(filing: Filing) -> dt.date:
    return filing.period_end or dt.date(filing.fiscal_year or 1900, 12, 31)
