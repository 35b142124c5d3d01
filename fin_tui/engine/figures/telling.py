"""Which filings tell of a year, and of which year a question that names several, or none, may ask."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import replace

from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.questions.periods import find_periods
from fin_tui.engine.questions.question import is_year
from fin_tui.engine.questions.target import AHEAD, Subject, filed_around, first_after, last_before, long_before, year_ending
from fin_tui.engine.rank.wanted import Apart
from fin_tui.facts.figures import Figure, Period
from fin_tui.records import Filing

_REACH = 2
_BEHIND = 150
"""Days behind a year of which its filing tells."""
_A_YEAR = 365
_LOOK_UP = "lookup"
_TWO = 2


def around(filings: Sequence[Filing], day: dt.date) -> list[tuple[Filing, Period]]:
    """Filings that tell of ``day``, that of its year first, with that year as the filing has it."""
    found = []
    for filing in filings:
        if filing.period_end is None or filing.fiscal_year is None:
            continue
        ahead = (filing.period_end - day).days
        back = max(ahead // _A_YEAR, 0)
        if ahead >= -_BEHIND and back <= _REACH:
            found.append((ahead < 0, back, filing, Period(years_before(filing, back), None, f"FY{filing.fiscal_year - back}")))
    found.sort(key=lambda one: (one[2].form.endswith("/A"), one[1], one[0]))
    return [(filing, year) for _, _, filing, year in found]


def covering(
    filings: Sequence[Filing], period: Period | int, *, newest_first: bool = False
) -> list[tuple[Filing, Period]]:  # fmt: skip
    """Filings that cover the year, its own first, or the newest, with the year as the filing has it."""
    year = period if isinstance(period, int) else None
    found = []
    for filing in sorted(filings, key=lambda one: (one.form.endswith("/A"), one.fiscal_year or 0)):
        if filing.fiscal_year is None or filing.period_end is None or year is None:
            continue
        back = filing.fiscal_year - year
        if 0 <= back <= _REACH:
            end = filing.period_end if not back else years_before(filing, back)
            found.append((filing, Period(end, None, f"FY{year}")))
    return found[::-1] if newest_first else found


def looking_ahead(filings: Sequence[Filing], period: Period | int) -> list[tuple[Filing, Apart]]:
    """The last filing before a year that no filing covers, where it may tell of it beforehand."""
    return _apart(filings, period, last_before)


def telling_apart(filings: Sequence[Filing], period: Period | int) -> list[tuple[Filing, Apart]]:
    """As :func:`looking_ahead`; else the first filing after the year, whose tables may reach back to it, or the last one before a
    year far ahead.
    """
    return looking_ahead(filings, period) or _apart(filings, period, first_after) or _apart(filings, period, long_before)


def _apart(
    filings: Sequence[Filing], period: Period | int, choose: Callable[[Sequence[Filing], Sequence[int]], Filing | None]
) -> list[tuple[Filing, Apart]]:
    dated = [one for one in filings if one.fiscal_year and one.period_end]
    filing = choose(dated, [period]) if isinstance(period, int) and not covering(dated, period) else None
    if filing is None or filing.period_end is None or filing.fiscal_year is None or not isinstance(period, int):
        return []
    end = years_before(filing, filing.fiscal_year - period)
    return [(filing, Apart(Period(end, None, f"FY{period}"), filing.period_end))]


def years_before(filing: Filing, back: int) -> dt.date:
    """The last day of the year ``back`` years before that of ``filing``."""
    end = filing.period_end
    assert end is not None
    try:
        return end.replace(year=end.year - back)
    except ValueError:  # 29 February
        return end.replace(year=end.year - back, day=28)


def in_month(subject: Subject, frame: Frame) -> Subject:
    """``subject`` with the month that is named as its day, where no year ends in that month, nor was its report made then."""
    if subject.day or subject.quarter:
        return subject
    for last in (last for span in frame.periods for last in find_periods(span.text).months):
        if year_ending(last, subject.filings, month=True) is None and filed_around(last, subject.filings) is None:
            return replace(subject, day=last) if around(subject.filings, last) else subject
    return subject


def within_reach(subject: Subject) -> Subject:
    """``subject`` without years that no filing of it tells of."""
    told = tuple(year for year in subject.years if covering(subject.filings, year) or telling_apart(subject.filings, year))
    return replace(subject, years=told) if told else subject


def beforehand(subject: Subject, frame: Frame) -> Subject:
    """``subject`` with the year alone that its own filing looks ahead to: "due in 2025 as of June 2023" asks for one figure."""
    due = {year for part in frame.parts if is_year(part.text) for year in find_periods(part.text).years} & set(subject.years)
    if not due and not all(is_year(span.text) for span in frame.periods):  # A day or month says when it was told.
        named = {year for span in frame.periods if is_year(span.text) for year in find_periods(span.text).years}
        first = [filing for filing in subject.filings if filing.fiscal_year == min(subject.years, default=0)]
        due = {year for year in named & set(subject.years) if looking_ahead(first or subject.filings, year)}
    due = due or _told_before(subject, frame)
    own = [year for year in subject.years if year not in due]
    if not due or not own or min(due) <= max(own):
        return subject
    if min(due) > max(own) + AHEAD:
        return replace(subject, years=tuple(own))  # Notes are called by the year in which they fall due.
    telling = tuple(filing for filing in subject.filings if filing.fiscal_year == max(own))
    return replace(subject, filings=telling or subject.filings, years=tuple(sorted(due)))


def _told_before(subject: Subject, frame: Frame) -> set[int]:
    """The later of two years, where the filing of the earlier one tells of it beforehand and what is asked for stands between
    them: "FY2022: rent due in 2025"; years that follow each other are both asked about.
    """
    places = sorted(span.start for span in frame.periods if find_periods(span.text).years)
    is_between = len(places) == _TWO and any(places[0] < span.start < places[1] for span in frame.targets)
    if frame.operation != _LOOK_UP or len(subject.years) != _TWO or not is_between:
        return set()
    first, last = subject.years
    own = [filing for filing in subject.filings if filing.fiscal_year == first]
    return {last} if own and looking_ahead(own, last) else set()


def by_filing_told(whose: Sequence[Subject], frame: Frame, told: Sequence[Figure]) -> list[Subject]:
    """What else a follow-up may ask of the filing that the turn before was answered from: the same year as told there
    beforehand ("and in 2030?" of maturities), or, where it names no year, that of the filing ("and patents held?").
    """
    if len(whose) != 1 or frame.behind is None:
        return []
    subject = whose[0]
    ahead = [filing for year in subject.years for filing, _ in looking_ahead(subject.filings, year)]
    filing = next((one for one in (*(figure.filing for figure in told[:1]), *ahead[:1]) if one in subject.filings), None)
    if filing is None or filing.fiscal_year is None or not all(looking_ahead((filing,), year) for year in subject.years):
        return []
    of_filing = replace(subject, filings=(filing,), day=None, quarter=0)
    own = [] if frame.periods else [replace(of_filing, years=(filing.fiscal_year,))]
    return own if ahead else [*own, of_filing]
