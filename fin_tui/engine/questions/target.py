"""A question and a scope -> the filings to look in, and the grid of companies and fiscal years whose figures are needed.

Narrative comes from the filing *of* a year; a figure may come from any filing that *covers* the period. A question that
names no year is about each named company's latest filing. What the library does not hold is said, never replaced. Days and months
that a question names are fiscal years as the company counts them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from fin_tui.engine.questions.periods import (
    SAME_YEAR,
    Periods,
    find_periods,
    is_base_named,
    is_set_against_before,
    period_spans,
    quarter_ending,
    read_period,
)
from fin_tui.engine.questions.question import ASKS_ALL, Question
from fin_tui.engine.questions.wanted import Reading
from fin_tui.language import any_of, fiscal_years, is_year
from fin_tui.records import Filing, Scope

COVER_DAYS = 150
"""The cover states shares at a day after the year's end, before the filing is due."""
_NEAR_DAYS = 7
_MONTH_DAYS = 30
_YEARS_BACK = 6


def label_of(filing: Filing) -> int:
    """The fiscal year of ``filing``."""
    return filing.fiscal_year or end_of(filing).year


def is_of_filing(question: Question, held: Sequence[Filing]) -> bool:
    """Whether ``question`` asks the filing that a company made for the one year that is named."""
    periods, keys = question.periods, {key for one in question.companies for key in one.keys}
    is_of_year = len(periods.years) == 1 and not (periods.quarter or periods.back or periods.since)
    return is_of_year and any(one.company_key in keys and label_of(one) in periods.years for one in held)


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


_COVERED_YEARS = 2
"""A 10-K's statements reach two years before its own."""
_INTERIM = any_of("quarterly, quarter(s), months")
_FILED_WITHIN = dt.timedelta(days=100)
"""An annual report tells what happened until it was made; the last ones are made 90 days after the year."""
AHEAD, BACK = 5, 5
"""Years that a filing tells of beside those of its statements: tables of maturities and commitments name the five that follow,
selected data and the performance of shares those before. What falls due later is called by its year.
"""


@dataclass(frozen=True, slots=True)
class Target:
    """Where to look: one scope per company and year when several are named, so that each is searched fairly."""

    scopes: tuple[Scope, ...]
    label: str
    """For people: "Apple Inc. FY2024"."""
    filings: tuple[Filing, ...]
    missing: tuple[str, ...] = ()
    """Periods asked for that are not held, for people: "Apple Inc. FY2009 (held: FY2021-FY2025)"."""
    future: bool = False
    """A period asked for ends after every filing held, of any company."""
    beyond: tuple[int, ...] = ()
    """Years that the filings in ``scopes`` don't cover, of which they may tell: what is due, expected, or began then."""


def in_scope(filings: Iterable[Filing], scope: Scope) -> list[Filing]:
    """The filings that ``scope`` allows."""
    return [
        filing
        for filing in filings
        if (not scope.companies or filing.company_key in scope.companies)
        and (not scope.fiscal_years or filing.fiscal_year in scope.fiscal_years)
        and (not scope.forms or filing.form in scope.forms)
        and (not scope.filings or filing.id in scope.filings)
    ]


def find_target(question: Question, given: Scope, held: Sequence[Filing], *, in_words: bool = False) -> Target:
    """Narrow ``given`` (what the user set) by what the question names; the question never widens it. ``in_words``: no figure is
    asked for, so that a later filing may tell of a year long before.
    """
    filings = in_scope(held, given)
    groups = by_company(question, filings)
    chosen: list[list[Filing]] = []
    missing: list[str] = []
    beyond: list[int] = []
    future = False
    for name, group in groups:
        picked, lacking = _of_periods(group, question.periods_of(name), fixed=bool(given.fiscal_years) or len(given.filings) == 1)
        future = future or (bool(lacking) and is_future(lacking, held))
        if lacking and not picked and (telling := _tells_of(question, group, lacking, in_words=in_words)):
            beyond += [] if _is_soon_after(question.text, _end(telling)) else lacking
            picked, lacking = [[telling]], []
        if lacking:
            missing.append(f"{name} {_years(lacking)} (in the library: {_held(group)})")
        chosen.extend(picked)
    if not groups:
        chosen = [filings] if not question.periods.named else _any_company(filings, question.periods)
        beside = [filing for year in _wanted(question.periods) for filing in covering(filings, year)] if not chosen else []
        chosen = chosen or ([list(dict.fromkeys(beside))] if beside else [])  # Filings show the years before their own.
        if not chosen and long_before(filings, _wanted(question.periods)):
            chosen, beyond, future = [filings], _wanted(question.periods), is_future(_wanted(question.periods), held)
        if question.periods.named and not chosen:
            missing.append(f"{_years(_wanted(question.periods))} (in the library: {_held(filings)})")
            future = is_future(_wanted(question.periods), held)
    items = given.items or question.items
    scopes = tuple(
        replace(given, companies=(), fiscal_years=(), items=items, filings=tuple(filing.id for filing in part))
        for part in chosen
        if part
    )
    flat = tuple(dict.fromkeys(filing for part in chosen for filing in part))
    return Target(scopes, _label(flat, len(held)), flat, tuple(missing), future, tuple(beyond))


def by_company(question: Question, filings: Sequence[Filing]) -> list[tuple[str, list[Filing]]]:
    groups = []
    for named in question.companies:
        mine = [filing for filing in filings if filing.company_key in named.keys]
        if mine:
            groups.append((named.name, mine))
    if not groups and not question.companies and len({filing.company_key for filing in filings}) == 1:
        groups.append((max(filings, key=_end).company, list(filings)))
    return groups


def _of_periods(group: list[Filing], periods: Periods, *, fixed: bool) -> tuple[list[list[Filing]], list[int]]:
    """The filings for each period named, and the years that no filing held covers."""
    if fixed:
        return [group], []
    originals = [filing for filing in group if not filing.form.endswith("/A")] or group
    ranked = sorted(originals, key=_end, reverse=True)
    periods = with_months(periods, originals)
    if not periods.named and periods.back and ranked[0].fiscal_year:
        periods = replace(periods, years=(ranked[0].fiscal_year - periods.back,))
    if not periods.named:
        count = max(periods.past, 1)
        return [[filing] for filing in ranked[:count]], []
    picked: list[list[Filing]] = []
    lacking: list[int] = []
    for date in periods.dates:
        exact = [filing for filing in ranked if filing.period_end == date]
        near = filed_around(date, ranked)
        same_year = [filing for filing in ranked if _end(filing).year == date.year]
        around = exact or same_year or ([near] if near else covering(ranked, date.year))
        if around:
            picked.append(around[:1])
        elif not periods.years:
            lacking.append(date.year)
    for year in periods.years:
        found = of_year(ranked, year) or covering(ranked, year)
        if found:
            picked.append(found[:1])
        else:
            lacking.append(year)
    unique = list({part[0].id: part for part in picked}.values())
    return unique, lacking


def _tells_of(question: Question, group: Sequence[Filing], years: Sequence[int], *, in_words: bool) -> Filing | None:
    """The last filing before years that it may tell of beforehand, of those that the conversation is about where there are any;
    else the first one after them: in words, it may tell of years long before.
    """
    basis = question.basis.years if question.basis is not None else ()
    if (of_basis := last_before((one for one in group if label_of(one) in basis), years)) is not None:
        return of_basis
    latest = max(group, key=_end)
    if not question.companies or _is_soon_after(question.text, _end(latest)):
        return latest if question.companies else None
    apart = last_before(group, years) or first_after(group, years) or long_before(group, years)
    later = [filing for filing in group if in_words and _end(filing).year > max(years)]
    return apart or min(later, key=_end, default=None)


def last_before(filings: Iterable[Filing], years: Sequence[int]) -> Filing | None:
    """The last filing before all of ``years`` that may tell of them beforehand."""
    before = [filing for filing in filings if all(0 < year - label_of(filing) <= AHEAD for year in years)]
    return max(before, key=_end, default=None)


def long_before(filings: Sequence[Filing], years: Sequence[int]) -> Filing | None:
    """The last of the ``filings``, where ``years`` are so far ahead of all that no more than a maturity is called by them."""
    newest = max(filings, key=_end, default=None)
    return newest if newest is not None and min(years) > label_of(newest) + AHEAD else None


def first_after(filings: Iterable[Filing], years: Sequence[int]) -> Filing | None:
    """The first filing after all of ``years`` whose tables may reach back to them."""
    after = [filing for filing in filings if all(0 < label_of(filing) - year <= BACK for year in years)]
    return min(after, key=_end, default=None)


def _is_soon_after(text: str, end: dt.date) -> bool:
    """Whether ``text`` names a month so soon after ``end`` that the filing, made weeks later, tells of it."""
    named = find_periods(text)
    months = (day.replace(day=28) for day in (*named.months, *named.dates))
    return not _INTERIM.search(text) and any(end < month <= end + _FILED_WITHIN for month in months)


def of_year(ranked: Iterable[Filing], year: int) -> list[Filing]:
    """Filings whose own fiscal year is labelled ``year``; failing that, whose period ends in it."""
    ranked = list(ranked)
    labelled = [filing for filing in ranked if filing.fiscal_year == year]
    return labelled or [filing for filing in ranked if filing.fiscal_year is None and _end(filing).year == year]


def covering(ranked: Iterable[Filing], year: int) -> list[Filing]:
    """Filings of the next years, whose statements still show ``year``; the nearest first."""
    later = [f for f in ranked if f.fiscal_year is not None and 0 < f.fiscal_year - year <= _COVERED_YEARS]
    return sorted(later, key=lambda filing: filing.fiscal_year or 0)


def _any_company(filings: Sequence[Filing], periods: Periods) -> list[list[Filing]]:
    wanted = set(_wanted(periods))
    exact = [filing for filing in filings if filing.period_end in periods.dates]
    of_years = [
        filing for filing in filings if filing.fiscal_year in wanted or (filing.period_end and filing.period_end.year in wanted)
    ]
    return [exact or of_years] if exact or of_years else []


def _wanted(periods: Periods) -> list[int]:
    return sorted({*periods.years, *(date.year for date in periods.dates)})


def _end(filing: Filing) -> dt.date:
    return filing.period_end or dt.date(filing.fiscal_year or 1900, 12, 31)


def is_future(years: Sequence[int], held: Sequence[Filing]) -> bool:
    """Whether all of ``years`` end after every filing held, of any company."""
    newest = max((filing.period_end for filing in held if filing.period_end), default=None)
    return newest is not None and min(years) > newest.year


def _years(years: Iterable[int]) -> str:
    return ", ".join(f"FY{year}" for year in years)


def _held(filings: Iterable[Filing]) -> str:
    return fiscal_years(filing.fiscal_year for filing in filings if filing.fiscal_year) or "nothing"


def _label(filings: Sequence[Filing], held: int) -> str:
    if not filings:
        return "nothing"
    if len(filings) == held and held > 1:
        return f"all {held} filings"
    if len(filings) > 4:
        return f"{len(filings)} filings"
    return ", ".join(f"{filing.company} FY{filing.fiscal_year}" if filing.fiscal_year else filing.company for filing in filings)


MOST_COMPANIES = 12
"""A question that names no company is answered for each company in scope, up to so many."""
MOST_CANDIDATES = 60
_NEXT = any_of("next, following year")
_A_FILING = any_of("(form) 10-k/10k/filing, (form) annual report")
_TREND_YEARS, _MOST_TREND_YEARS = 3, 10
"""Years of a trend when the question names none: at least those of an income statement, at most so many in a row."""


BETWEEN = frozenset(("change", "growth", "cagr", "multiple", "contribution"))
"""What is told between a first year and a last one."""


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
        groups = _unnamed(question, target, allowed, asks_all=bool(ASKS_ALL.search(question.text)) or reading.across != "each")
    found = [_subject(name, filings, question, reading, scope) for name, filings in groups]
    due = next((subject.years for subject in found if subject.years), ()) if reading.ahead else ()
    return tuple(subject for subject in (_due_beside(one, due) for one in found) if subject.years)


def _due_beside(subject: Subject, years: tuple[int, ...]) -> Subject:
    """``subject`` with what falls due in the ``years`` that others look ahead to, where its own filing covers them by now."""
    before = [label_of(filing) for filing in subject.filings if years and label_of(filing) < min(years)]
    return replace(subject, years=years, base=max(before)) if before and not subject.years else subject


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


def in_own_years(question: Question, own: Question, held: Sequence[Filing], *, leans: bool) -> Question:
    """``question`` without the years that it took over from the turn before, as its ``own`` words name none, where one of the
    companies that it sets side by side has no filing for them, or where it no longer ``leans`` on that turn, which was about what
    falls due in years after all filings: each company is asked about in its latest then.
    """
    taken = question.periods.years
    said_own = own.periods != Periods() or period_spans(own.text)
    groups = by_company(question, held) if taken and not said_own else []
    is_covered = all(any(_covers(filing, year) for filing in filings) for _, filings in groups for year in taken)
    newest = [filing.fiscal_year or 0 for _, filings in groups for filing in filings]
    leans = leans or SAME_YEAR.search(own.text) is not None
    is_ahead = not (leans or own.companies) and bool(newest) and min(taken) > max(newest)
    if not is_ahead and (is_covered or len(own.companies) <= 1):
        return question
    companies = tuple(replace(company, periods=None) for company in question.companies)
    return replace(question, periods=Periods(), companies=companies)


def with_basis(question: Question, own: Question, before: Question, held: Sequence[Filing], *, says_more: bool) -> Question:
    """``question`` with the periods that its conversation is about, where its ``own`` words move on to later years, or those that
    the turn ``before`` moved on to are taken over: what falls due in a year is told by the filing made before it. A follow-up
    that ``says_more`` than a period may mean such a year though it has a filing of its own.
    """
    years = question.periods.years
    groups = by_company(question, held) if years else []
    newest = max((label_of(filing) for _, filings in groups for filing in filings), default=0)
    if not groups or own.companies:
        return question
    is_ahead = min(years) > newest
    basis = before.basis or replace(before.periods, years=tuple(year for year in before.periods.years if year <= newest))
    if own.periods == Periods() and not period_spans(own.text):
        return replace(question, basis=basis) if before.basis is not None or is_ahead else question
    is_later = says_more and own.periods.years and min(years) > max(basis.years, default=newest)
    return replace(question, basis=basis) if is_ahead or is_later else question


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
    if (of := _year_of_filing(question.text)) is not None:
        years = {year for year in years if year % 100 != of % 100} or years  # The year asked about stands beside it.
        own = tuple(filing for filing in filings if label_of(filing) % 100 == of % 100)
        if own and all(_covers(own[0], year) or 0 < year - label_of(own[0]) <= AHEAD for year in years):
            filings = own  # Later ones may cover the year as well; what was told of it before stands in this one.
    if not years and scope.fiscal_years:
        years.update(scope.fiscal_years)
    if not years:
        latest = label_of(newest) - periods.back
        is_pair = is_set_against_before(question.text)
        count = periods.past or (_course(latest, originals) if reading.over == "trend" and not is_pair else 1)
        is_held = any(_covers(filing, latest - count) for filing in originals)
        if periods.past and reading.over in BETWEEN and (is_held or reading.over == "cagr"):
            count += 1  # What grew over three years is set against the year before them.
        years.update(range(latest - count + 1, latest + 1))
    elif len(years) > 1 and reading.over == "trend" and not is_base_named(question.text):
        between = range(min(years), max(years))
        years.update(year for year in between if any(_covers(filing, year) for filing in originals))
    elif periods.since and min(years) < label_of(newest):
        years.update(range(min(years), label_of(newest) + 1))
    if len(years) == 1 and day is None and reading.over not in BETWEEN and is_set_against_before(question.text):
        years.add(min(years) - 1)
    return Subject(name, tuple(filings), tuple(sorted(years)), day=day, quarter=quarter)


def _year_of_filing(text: str) -> int | None:
    """The year of the filing that ``text`` says where to look, which may have two digits: "the FY24 10-K"."""
    beside = (word for match in _A_FILING.finditer(text) for word in _around_name(text[: match.start()], text[match.end() :]))
    named = (read_period(word).years for word in beside if is_year(word) or word.upper().startswith("FY"))
    return next((year for years in named for year in years), None)


def _around_name(before: str, behind: str) -> list[str]:
    """The words around the name of a filing, the likelier first: "2024 10-K", "10-K FY2024", "revenue 2023 (10-K for 2024)"."""
    last, following = before.replace("(", " ").split()[-1:], behind.replace("(", " ").replace(")", " ").split()
    is_joined = following[:1] in (["for"], ["of"])
    beside = [word.strip(",.:;?") for word in following[int(is_joined) :][:1]]
    return [*beside, *last] if is_joined or before.rstrip().endswith("(") else [*last, *beside]


def _course(latest: int, filings: Sequence[Filing]) -> int:
    """How many years up to ``latest`` a course without years has: those that have filings of their own, one after the other."""
    own = {label_of(filing) for filing in filings}
    run = next(back for back in range(_MOST_TREND_YEARS + 1) if back == _MOST_TREND_YEARS or latest - back not in own)
    return max(run, _TREND_YEARS)


def _ahead(years: set[int], filings: Sequence[Filing], *, says_next: bool) -> tuple[int, int] | None:
    """The year whose filing looks ahead, and the year that it looks to: a later one that is named, or the next."""
    own = {label_of(filing) for filing in filings}
    last = max(years, default=max(own))
    before = [year for year in own if year < last and (len(years) < 2 or year in years)]
    if before and (len(years) > 1 or last not in own):
        return max(before), last
    return (last, last + 1) if says_next and last in own else None
