"""A question's companies and years -> whose figures of which years are needed: the grid (pure)."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass

from fin_tui.engine.questions.fiscal import end_of, filed_around, label_of, with_months, year_ending
from fin_tui.engine.questions.quarters import quarter_ending
from fin_tui.engine.questions.question import Question
from fin_tui.engine.questions.target import Target, by_company, covering, in_scope, of_year
from fin_tui.engine.questions.wanted import Reading
from fin_tui.records import Filing, Scope

MOST_COMPANIES = 12
"""A question that names no company is answered for each company in scope, up to so many."""
MOST_CANDIDATES = 60
_NEXT = re.compile(r"\bnext\b|\bfollowing\s+year\b", re.I)
_FILING_YEAR = re.compile(
    r"\b(?:FY\s?)?(?P<year>(?:19|20)\d\d|(?<=FY)\d\d)\s+(?:form\s+)?(?:10-?K|annual\s+report|filing)\b", re.I
)
_TREND_YEARS = 3
"""Years of a trend when the question names none: those of an income statement."""
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
    """Fiscal years as the company labels them, ascending; empty only where a look ahead names no year."""
    base: int | None = None
    """The year of the filing that looks ahead to ``years``."""
    day: dt.date | None = None
    """A day within no year's end: only a figure stated for that very day will do."""
    quarter: int = 0
    """The number of the quarter of each year that is asked about; 0 for the whole years."""


def subjects(question: Question, reading: Reading, target: Target, scope: Scope, held: Sequence[Filing]) -> tuple[Subject, ...]:
    """The companies and years of ``question``; empty when it does not say which company and several are possible."""
    allowed = in_scope(held, scope)
    groups = by_company(question, allowed)
    if not groups:
        groups = _unnamed(question, target, allowed, asks_all=bool(_ALL.search(question.text)) or reading.across != "each")
    found = (_subject(name, filings, question, reading, scope) for name, filings in groups)
    return tuple(subject for subject in found if subject.years)


def candidates(question: Question, reading: Reading, target: Target, scope: Scope, held: Sequence[Filing]) -> tuple[Subject, ...]:
    """Each company in scope that files for the period, when ``question`` names none."""
    if question.companies:
        return ()
    allowed = in_scope(held, scope)
    keys = dict.fromkeys(filing.company_key for filing in target.filings)
    groups = [[filing for filing in allowed if filing.company_key == key] for key in keys]
    return tuple(
        _subject(max(group, key=end_of).company, group, question, reading, scope) for group in groups[:MOST_CANDIDATES] if group
    )


def _unnamed(question: Question, target: Target, allowed: Sequence[Filing], *, asks_all: bool) -> list[tuple[str, list[Filing]]]:
    if question.companies or question.unknown:
        return []
    wanted = question.periods.years
    own = target.filings if not (asks_all and wanted) else [f for f in allowed if any(_covers(f, year) for year in wanted)]
    keys = list(dict.fromkeys(filing.company_key for filing in own))
    if len(keys) != 1 and not asks_all and not question.periods.dates:
        return []
    if len(keys) > (MOST_CANDIDATES if asks_all else MOST_COMPANIES):
        return []
    groups = {key: [filing for filing in allowed if filing.company_key == key] for key in keys}
    return [(max(group, key=end_of).company, group) for group in groups.values() if group]


def _covers(filing: Filing, year: int) -> bool:
    return bool(of_year([filing], year) or covering([filing], year))


def _subject(name: str, filings: Sequence[Filing], question: Question, reading: Reading, scope: Scope) -> Subject:
    originals = [filing for filing in filings if not filing.form.endswith("/A")] or list(filings)
    newest = max(originals, key=end_of)
    periods = with_months(question.periods_of(name), originals)
    years, day, quarter = set(periods.years), None, periods.quarter
    for date in periods.dates:
        ending = quarter_ending(date, end_of(newest)) if periods.by_quarter else None
        if ending is not None:
            years.add(label_of(newest) - ending[0])
            quarter = ending[1]
            continue
        year = year_ending(date, originals)
        if year is None:
            around = filed_around(date, originals)
            years.add(label_of(around) if around else date.year)
            day = date
        else:
            years.add(year)
    if reading.ahead:
        ahead = _ahead({*years, *question.dated}, originals, says_next=bool(_NEXT.search(question.text)))
        return Subject(name, tuple(filings), ahead[1:], ahead[0]) if ahead else Subject(name, tuple(filings), ())
    if match := _FILING_YEAR.search(question.text):
        of = int(match["year"][-2:])
        years = {
            year for year in years if year % 100 != of
        } or years  # It says where to look; the year asked about stands beside it.
    if not years and scope.fiscal_years:
        years.update(scope.fiscal_years)
    if not years:
        latest = label_of(newest) - periods.back
        count = max(periods.past, 1) if reading.over != "trend" else periods.past or _TREND_YEARS
        years.update(range(latest - count + 1, latest + 1))
    elif len(years) > 1 and reading.over == "trend":
        years.update(range(min(years), max(years)))
    elif periods.since and min(years) < label_of(newest):
        years.update(range(min(years), label_of(newest) + 1))
    return Subject(name, tuple(filings), tuple(sorted(years)), day=day, quarter=quarter)


def _ahead(years: set[int], filings: Sequence[Filing], *, says_next: bool) -> tuple[int, int] | None:
    """The year whose filing looks ahead, and the year that it looks to: a later one that is named, or the next."""
    own = {label_of(filing) for filing in filings}
    last = max(years, default=max(own))
    before = [year for year in own if year < last and (len(years) < 2 or year in years)]
    if before and (len(years) > 1 or last not in own):
        return max(before), last
    return (last, last + 1) if says_next and last in own else None
