"""Years in two digits that a company has a filing of: "Acme 23 rent", "Acme rent 23"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fin_tui.engine.frame.reader import TIME_UNITS
from fin_tui.engine.questions.companies import Named
from fin_tui.engine.questions.periods import Periods, find_periods, full_year
from fin_tui.records import Filing

_COVERED_YEARS = 2
"""A 10-K's statements reach two years before its own."""
_DIGITS = 2


def with_years_of(text: str, named: Sequence[Named], held: Iterable[Filing]) -> str:
    """``text`` with all four digits of years in two: right behind the name of a company, or last of all where no other period is
    named, if a filing of that company covers the year. "Acme 24 months" is a length of time.
    """
    filings = tuple(held)
    for one in sorted((one for one in named if one.start >= 0), key=lambda one: -one.start):
        rest = text[one.end :].removeprefix("'s").removeprefix("’s")
        word, _, behind = rest.lstrip().partition(" ")
        following = behind.lstrip().partition(" ")[0].lower().strip(",.?;:")
        year = _year_of(word.rstrip(",:;?"), one, filings) if rest[:1].isspace() and following not in TIME_UNITS else 0
        if year:
            at = len(text) - len(rest.lstrip())
            text = f"{text[:at]}{year}{text[at + _DIGITS :]}"
    before, _, last = text.rstrip("? ").rpartition(" ")
    is_of_one = bool(before) and len({one.keys for one in named}) == 1 and find_periods(text) == Periods()
    if is_of_one and (year := _year_of(last, named[0], filings)):
        return f"{before} {year}{text[len(before) + 1 + _DIGITS :]}"
    return text


def _year_of(word: str, named: Named, filings: Sequence[Filing]) -> int:
    """The year that ``word`` is short for, if a filing of the company covers it; else 0."""
    if len(word) != _DIGITS or not (word.isascii() and word.isdigit()):
        return 0
    year = full_year(word)
    own = (filing.fiscal_year or 0 for filing in filings if filing.company_key in named.keys)
    return year if any(0 <= last - year <= _COVERED_YEARS for last in own) else 0
