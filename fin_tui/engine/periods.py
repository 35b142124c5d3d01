"""Which years and dates a question names. Rules only; nothing here knows a filing."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

_MONTHS = {name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), start=1)}
_DATE = re.compile(
    r"\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+((?:19|20)\d\d)\b", re.I
)
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d)-(\d\d)\b")
_SHORT = re.compile(r"\b(?:FY|fiscal(?:\s+years?)?)\s*['’]?(\d\d)\b(?!\d|[,.]\d|%)", re.I)
_LONG = re.compile(r"(?<![\d$.,/-])(?:FY\s*)?((?:19|20)\d\d)(?![\d/]|,\d|\.\d)", re.I)
_RANGE = re.compile(
    r"\b(?:FY\s*)?((?:19|20)\d\d)\s*(?:-|–|—|to|through|until|and)\s*(?:(?:fiscal|FY)\s*(?:year\s*)?)?((?:19|20)?\d\d)\b", re.I
)
_SPANNING = re.compile(r"(?:-|–|—|\bto\b|\bthrough\b|\buntil\b)", re.I)
_NOT_PERIOD = re.compile(
    r"^\s*(?:notes?|senior|convertible|plan|act|proxy|annual meeting|incentive|equity|facility|credit)\b", re.I
)
_LATEST = re.compile(r"\b(?:latest|most recent|newest|current|last)\s+(?:fiscal\s+)?(?:year|10-k|filing|annual report)\b", re.I)
_PAST = re.compile(r"\b(?:past|last|previous|prior)\s+(\d|two|three|four|five)\s+(?:fiscal\s+)?years\b", re.I)
_BEFORE = re.compile(
    r"(?P<compared>\b(?:from|than|versus|vs\.?|over|since|against|compar(?:ed|ing)\s+(?:to|with)|relative\s+to|on)\s+)?(?:the\s+|its\s+)?"
    r"(?:year\s+(?:before|earlier|prior|ago)|(?:previous|prior|preceding)\s+(?:fiscal\s+)?year)\b(?!\s+(?:ended|ending))",
    re.I,
)
_WORDS = {"two": 2, "three": 3, "four": 4, "five": 5}


@dataclass(frozen=True, slots=True)
class Periods:
    """The periods named in a question."""

    years: tuple[int, ...] = ()
    """Years as the company labels them, ascending."""
    dates: tuple[dt.date, ...] = ()
    """Full dates: period ends, or other days."""
    latest: bool = False
    past: int = 0
    """ "past three years" -> 3."""
    back: int = 0
    """ "the year before" -> 1: years before the year that is otherwise meant. A year that is only compared with is not this."""

    @property
    def named(self) -> bool:
        return bool(self.years or self.dates)


def find_periods(text: str) -> Periods:
    """Years, ranges ("2021-2023", "2021 to 23"), "FY23", full dates, "latest year", "past three years" in ``text``."""
    dates, rest = _take_dates(text)
    years: set[int] = set()
    for match in _RANGE.finditer(rest):
        first, last = int(match.group(1)), _full_year(match.group(2))
        if _SPANNING.search(match.group()) and 0 < last - first <= 15:
            years.update(range(first, last + 1))
    for match in _SHORT.finditer(rest):
        years.add(_full_year(match.group(1)))
    for match in _LONG.finditer(rest):
        if not _NOT_PERIOD.match(rest[match.end() :]):
            years.add(int(match.group(1)))
    past = _PAST.search(text)
    before = _BEFORE.search(text)
    return Periods(
        years=tuple(sorted(years)),
        dates=tuple(sorted(set(dates))),
        latest=bool(_LATEST.search(text)),
        past=0 if past is None else _WORDS.get(past.group(1).lower()) or int(past.group(1)),
        back=0 if before is None or before["compared"] else 1,
    )


def period_spans(text: str) -> list[tuple[int, int]]:
    """Where in ``text`` a period is named."""
    patterns = (_DATE, _ISO, _RANGE, _SHORT, _LONG, _LATEST, _PAST, _BEFORE)
    return [match.span() for pattern in patterns for match in pattern.finditer(text)]


def _take_dates(text: str) -> tuple[list[dt.date], str]:
    dates: list[dt.date] = []

    def keep(year: int, month: int, day: int, whole: str) -> str:
        try:
            dates.append(dt.date(year, month, day))
        except ValueError:
            return whole
        return " " * len(whole)

    text = _DATE.sub(lambda m: keep(int(m.group(3)), _MONTHS[m.group(1).lower()], int(m.group(2)), m.group()), text)
    text = _ISO.sub(lambda m: keep(int(m.group(1)), int(m.group(2)), int(m.group(3)), m.group()), text)
    return dates, text


def _full_year(digits: str) -> int:
    if len(digits) == 4:
        return int(digits)
    return (1900 if int(digits) >= 70 else 2000) + int(digits)
