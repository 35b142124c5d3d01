"""Which years, quarters and dates a question names. Rules only; nothing here knows a filing."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from dataclasses import dataclass

from fin_tui.language import MONTH, MONTH_LIKE, STARTS, any_of, month_number

_NUMBERS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": 4, "final": 4}
_NAMED = re.compile(
    r"\b(?:the\s+|its\s+)?(?:fiscal\s+)?(?:(?P<name>first|second|third|fourth|1st|2nd|3rd|4th)[\s-]+(?:fiscal\s+)?(?:quarter|qtr)\b|"
    r"(?P<of>last|final)\s+(?:fiscal\s+)?quarter(?=\s+of\b)|"
    r"Q\s?(?P<after>[1-4])(?=\W|$|\d\d\b)|(?P<before>[1-4])Q(?=\W|$|\d\d\b)|quarter\s+(?P<number>[1-4])\b)",
    re.I,
)
_SHORT_YEAR = re.compile(r"\b(?:Q[1-4]|[1-4]Q)\s*['’]?(?P<year>\d\d)\b(?!\d|[,.]\d|%)", re.I)
"""The year in two digits right behind it: "4Q23", "Q4 '23"."""
_ENDED = re.compile(
    r"\b(?:the\s+)?(?:fiscal\s+)?(?:quarter|three[\s-]months(?:\s+period)?)\s+(?:that\s+)?end(?:ed|ing)(?:\s+(?:on|in))?\s+", re.I
)
"""What leads to the day on which a quarter ends."""
WHOLE_YEAR = any_of(
    "full/whole/entire (fiscal) year, full-year, whole-year, entire-year, full-fiscal year, annual, annually, "
    "for the (fiscal) year"
)
"""A question after one about a quarter leaves it."""
_MONTHS_OF_QUARTER = 91.31


def find_quarter(text: str) -> int:
    """The number of the one quarter that ``text`` names; 0 for none, or for several."""
    numbers = {_number(match) for match in _NAMED.finditer(text)}
    return numbers.pop() if len(numbers) == 1 else 0


def speaks_of_quarters(text: str) -> bool:
    """Whether ``text`` names any quarter, or tells of one."""
    return bool(_NAMED.search(text) or _ENDED.search(text))


def short_years(text: str) -> set[str]:
    """The years in two digits that stand behind a quarter's number."""
    return {match["year"] for match in _SHORT_YEAR.finditer(text)}


def quarter_spans(text: str) -> list[tuple[int, int]]:
    """Where ``text`` names its one quarter."""
    ended = [match.span() for match in _ENDED.finditer(text)]
    if not find_quarter(text):
        return ended
    return [*ended, *(match.span() for pattern in (_NAMED, _SHORT_YEAR) for match in pattern.finditer(text))]


def names_an_ended_quarter(text: str) -> bool:
    """Whether the day that ``text`` names is the last one of a quarter."""
    return _ENDED.search(text) is not None


def quarter_ending(date: dt.date, year_end: dt.date) -> tuple[int, int] | None:
    """(fiscal years that the quarter to ``date`` lies before that of ``year_end``, its number); None for no end of a quarter."""
    back = (year_end - date).days / _MONTHS_OF_QUARTER
    if abs(back - round(back)) > 0.2:
        return None
    years, quarters = divmod(round(back), 4)
    return years, 4 - quarters


def _number(match: re.Match[str]) -> int:
    name = match["name"] or match["of"]
    return _NUMBERS[name.lower()] if name else int(match["after"] or match["before"] or match["number"])


_DATE = re.compile(rf"\b({MONTH_LIKE})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+((?:19|20)\d\d)\b", re.I)
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d)-(\d\d)\b")
_MONTH = re.compile(rf"\b({MONTH})\.?,?\s+(?:of\s+)?((?:19|20)\d\d)\b", re.I)
_SPAN = re.compile(
    r"\b(?:5[23]|fifty-(?:two|three)|12|twelve|one)[- ](?:weeks?|months?)(?=\s+(?:period\s+)?end)|\bFYE\b|\bFY[- ]end\b", re.I
)
"""How long a year is, or that one ends, beside the day on which it does."""
_BARE = re.compile(
    r"(?:\b(?:in|for|during)\s+['’]?|(?<!\S)['’])([0-3]\d|9\d)(?=\s*(?:[?.!,;)]|$|(?:vs|versus|compared|and)\b))", re.I
)
"""A year in two digits at the end of what is asked: "capex in 24"."""
_SHORT = re.compile(r"\b(?:FY|fiscal(?:\s+years?)?)\s*['’]?(\d\d)\b(?!\d|[,.]\d|%)", re.I)
_LONG = re.compile(r"(?<![\d$.,/-])(?:FY\s*)?((?:19|20)\d\d)(?![\d/]|,\d|\.\d)", re.I)
_RANGE = re.compile(
    r"\b(?:FY\s*)?((?:19|20)\d\d)\s*(?:-|–|—|to|through|until|and)\s*(?:(?:fiscal|FY)\s*(?:year\s*)?)?((?:19|20)?\d\d)\b(?![.,]\d|\s*%)",
    re.I,
)
_PIECES = re.compile(r"[A-Za-z]+|\d+")
_MONTHS_OF_YEAR = 12
_SHORTEST_MONTH, _LONGEST_MONTH = 28, 31
_SPANNING = re.compile(r"(?:-|–|—|\bto\b|\bthrough\b|\buntil\b)", re.I)
_NOT_PERIOD = re.compile(
    r"^\s*(?:notes?|senior|convertible|plan|act|proxy|annual meeting|incentive|equity|facility|credit)\b", re.I
)
_LATEST = any_of(
    "latest/newest/current/last (fiscal) year/10-k/filing, latest/newest/current/last (fiscal) annual report, most recent "
    "(fiscal) year/10-k/filing, most recent (fiscal) annual report"
)
_WORDS = {"few": 3, "several": 3} | {w: n for n, w in enumerate("two three four five six seven eight nine ten".split(), start=2)}
_COUNT = rf"(\d{{1,2}}|{'|'.join(_WORDS)})"
_RECENT = r"(?:past|last|previous|prior|preceding|latest|(?:most\s+)?recent)"
_YEARS = r"(?:(?:fiscal|financial|reported|full|completed)\s+)*years\b"
_PAST = re.compile(rf"\b{_RECENT}\s+{_COUNT}\s+{_YEARS}|\b{_COUNT}\s+{_RECENT}\s+{_YEARS}|\b(?:recent|past|last)\s+years\b", re.I)
_SOME_YEARS = re.compile(rf"(?:(?:over|across|for|in|during)\s+)?(?:the\s+)?{_COUNT}\s+{_YEARS}", re.I)
_SINCE = re.compile(
    r"\bsince\s+(?:the\s+)?(?:fiscal\s+)?(?:year\s+)?(?:FY\s*)?((?:19|20)\d\d)\b|"
    r"\bfrom\s+(?:fiscal\s+)?(?:year\s+)?(?:FY\s*)?((?:19|20)\d\d)\s+(?:on(?:wards?)?|(?:up\s+)?(?:to|until|through)\s+(?:date|now|today|(?:the\s+)?present|"
    r"(?:the\s+)?(?:latest|most\s+recent|last)(?:\s+(?:fiscal\s+)?year)?))\b",
    re.I,
)
_BEFORE_NAMED = re.compile(
    rf"\b(?:the\s+)?(?:(?:(?P<count>{'|'.join(_WORDS)}|\d)\s+)?(?:fiscal\s+)?years?\s+(?:before|prior\s+to|preceding)|"
    r"(?:prior|previous|preceding)\s+(?:fiscal\s+)?year\s+(?:to|of))\s+(?:fiscal\s+)?(?:year\s+)?(?:FY\s*)?['’]?(?P<year>(?:19|20)\d\d|(?<=FY)\d\d)\b",
    re.I,
)
_AGO = re.compile(rf"\b{_COUNT}\s+(?:fiscal\s+)?years\s+(?:ago|back|earlier|before)\b", re.I)
_LATER = re.compile(
    rf"\b(?:an?|one|{_COUNT})\s+(?:fiscal\s+)?years?\s+later\b|\bthe\s+(?:fiscal\s+)?year\s+after(?:\s+that)?(?=\W*$)", re.I
)
_BEFORE = re.compile(
    r"(?P<compared>\b(?:from|than|versus|vs\.?|over|since|against|compar(?:ed|ing)\s+(?:to|with)|relative\s+to|on)\s+)?(?:the\s+|its\s+)?"
    r"(?:year\s+(?:before|earlier|prior|ago)|(?:previous|prior|preceding)\s+(?:fiscal\s+)?year)\b(?!\s+(?:ended|ending))",
    re.I,
)


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
    since: bool = False
    """ "since 2021": all years from the named one to the latest."""
    months: tuple[dt.date, ...] = ()
    """Last days of months named without a day ("January 2026"); their years stand in ``years`` too."""
    back: int = 0
    """ "the year before" -> 1, "two years ago" -> 2, "a year later" -> -1: so many years before the year that is otherwise meant.

    A year that is only compared with is not this.
    """
    quarter: int = 0
    """The number of the one quarter that is named; 0 for whole years."""
    by_quarter: bool = False
    """The date named is the last day of a quarter."""

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
    years.update(_full_year(match.group(1)) for match in _BARE.finditer(rest))
    years.update(map(_full_year, short_years(rest)))
    years = _before_named(years, rest)
    past = _PAST.search(text)
    ago = _AGO.search(text)
    later = _LATER.search(text) if not years else None
    before = None if _BEFORE_NAMED.search(rest) else _BEFORE.search(text)
    return Periods(
        years=tuple(sorted(years)),
        dates=tuple(sorted(set(dates))),
        latest=bool(_LATEST.search(text)),
        past=0 if past is None else _number_of(past.group(1) or past.group(2) or "few"),
        since=_SINCE.search(text) is not None and len(years) == 1,
        months=tuple(sorted({_last_day(match) for match in _MONTH.finditer(rest)})),
        back=_back(None if years else ago, later, before),
        quarter=find_quarter(text),
        by_quarter=bool(dates) and names_an_ended_quarter(text),
    )


def _back(ago: re.Match[str] | None, later: re.Match[str] | None, before: re.Match[str] | None) -> int:
    """How many years before the year that is otherwise meant; what is only compared with is not meant."""
    if ago is not None:
        return _number_of(ago.group(1))
    if later is not None:
        return -_number_of(later.group(1) or "1")
    return 0 if before is None or before["compared"] else 1


def read_period(name: str) -> Periods:
    """The year or day that ``name`` means, where it is known to name a period: "end-2020", "YE22", "Dec-21", "31.12.22"."""
    pieces = _PIECES.findall(name)
    numbers = [piece for piece in pieces if piece.isdigit()]
    month = next((month_number(piece) for piece in pieces if piece[:3].lower() in STARTS), 0)
    if not numbers or any(len(number) not in (1, 2, 4) for number in numbers):
        return Periods()
    if len(numbers[-1]) < len("2024") and pieces[-1] != numbers[-1]:
        return Periods()  # "next 12 months"
    if month and len(numbers) == 1 and _SHORTEST_MONTH <= int(numbers[0]) <= _LONGEST_MONTH:
        return Periods()  # "Dec 31" is a day of no year.
    year = _full_year(numbers[-1].zfill(2))
    try:
        if len(numbers) == 3 and not month:
            first, second = sorted((int(numbers[0]), int(numbers[1])), key=lambda number: number > _MONTHS_OF_YEAR)
            return Periods(dates=(dt.date(year, first, second),))
        if month and len(numbers) == 2 and len(numbers[0]) < 3:
            return Periods(dates=(dt.date(year, month, int(numbers[0])),))
    except ValueError:
        return Periods()
    if month:
        return Periods(years=(year,), months=(dt.date(year, month, calendar.monthrange(year, month)[1]),))
    return Periods(years=(year,)) if len(numbers[-1]) > 1 else Periods()


def years_long(name: str) -> int:
    """How many years a period of some years is that ``name`` means: "three years" -> 3; 0 for any other."""
    found = _SOME_YEARS.fullmatch(name.strip())
    return _number_of(found.group(1)) if found is not None else 0


def _before_named(years: set[int], text: str) -> set[int]:
    """``years`` with the one before in place of the one that it is counted from: "the year before fiscal 2024"."""
    for match in _BEFORE_NAMED.finditer(text):
        named = _full_year(match["year"])
        years = (years - {named}) | {named - (_number_of(match["count"]) if match["count"] else 1)}
    return years


def _last_day(match: re.Match[str]) -> dt.date:
    month, year = month_number(match.group(1)), int(match.group(2))
    return dt.date(year, month, calendar.monthrange(year, month)[1])


def period_spans(text: str) -> list[tuple[int, int]]:
    """Where in ``text`` a period is named."""
    patterns = (
        _DATE,
        _ISO,
        _MONTH,
        _SPAN,
        _RANGE,
        _SHORT,
        _LONG,
        _BARE,
        _LATEST,
        _PAST,
        _SINCE,
        _BEFORE_NAMED,
        _AGO,
        _LATER,
        _BEFORE,
    )
    return [*quarter_spans(text), *(match.span() for pattern in patterns for match in pattern.finditer(text))]


def _number_of(count: str) -> int:
    return _WORDS.get(count.lower()) or int(count)


def _take_dates(text: str) -> tuple[list[dt.date], str]:
    dates: list[dt.date] = []

    def keep(year: int, month: int, day: int, whole: str) -> str:
        try:
            dates.append(dt.date(year, month, day))
        except ValueError:
            return whole
        return " " * len(whole)

    text = _DATE.sub(lambda m: keep(int(m.group(3)), month_number(m.group(1)), int(m.group(2)), m.group()), text)
    text = _ISO.sub(lambda m: keep(int(m.group(1)), int(m.group(2)), int(m.group(3)), m.group()), text)
    return dates, text


def _full_year(digits: str) -> int:
    if len(digits) == 4:
        return int(digits)
    return (1900 if int(digits) >= 70 else 2000) + int(digits)
