"""Which years, quarters and dates a question names. Rules only; nothing here knows a filing."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from fin_tui.engine.frame.reader import TIME_UNITS
from fin_tui.language import MONTH, MONTH_LIKE, STARTS, UNBROKEN, any_of, camel_parts, day_of, is_year, month_number, runs_of

_NUMBERS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": 4, "final": 4}
_NAMED = re.compile(
    r"\b(?:the\s+|its\s+)?(?:fiscal\s+)?(?:(?P<name>first|second|third|fourth|1st|2nd|3rd|4th)[\s-]+(?:fiscal\s+)?(?:quarter|qtr)\b|"
    r"(?P<of>last|final)\s+(?:fiscal\s+)?quarter(?=\s+of\b)|quarter\s+(?P<number>[1-4])\b|"
    r"(?:Q\s?(?P<after>[1-4])|(?P<before>[1-4])Q)(?=\W|$|\d\d\b)(?:\s*['’]?(?P<year>\d\d)\b(?!\d|[,.]\d|%))?)",
    re.I,
)
"""A quarter by name or number; the year in two digits right behind its number: "4Q23", "Q4 '23"."""
_ENDED = any_of(
    "(the) (fiscal) quarter (that) ended/ending (on/in), (the) (fiscal) three-months (period) (that) ended/ending (on/in)"
)
_UP_TO = re.compile(rf"\b(?:quarter|qtr)\s+(?:to|through)\s+(?=(?:{MONTH})\b)", re.I)
"""What leads to the day, or the month, on which a quarter ends."""
_MONTHS_OF = re.compile(
    rf"\b(?:{MONTH})\w*\.?\s*(?:-|–|—|to|through)\s*(?P<last>{MONTH})\w*\.?\s+(?:quarter|qtr)(?:\s+of)?\s+(?P<of>(?:19|20)\d\d)\b",
    re.I,
)
"""A quarter by its months: "the April-June quarter of 2031"."""
SAME_YEAR = any_of("that (same/very) year, same (fiscal) year")
"""What goes on with the year of the question before."""
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
    return bool(_NAMED.search(text)) or names_an_ended_quarter(text)


def short_years(text: str) -> set[str]:
    """The years in two digits that stand behind a quarter's number."""
    return {match["year"] for match in _NAMED.finditer(text) if match["year"]}


def quarter_spans(text: str) -> list[tuple[int, int]]:
    """Where ``text`` names its one quarter."""
    ended = [match.span() for pattern in (_ENDED, _UP_TO, _MONTHS_OF) for match in pattern.finditer(text)]
    if not find_quarter(text):
        return ended
    return [*ended, *(match.span() for match in _NAMED.finditer(text))]


def names_an_ended_quarter(text: str) -> bool:
    """Whether the day that ``text`` names is the last one of a quarter."""
    return any(pattern.search(text) for pattern in (_ENDED, _UP_TO, _MONTHS_OF))


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
_MONTH = re.compile(rf"\b({MONTH})\.?,?\s+(?:of\s+)?((?:19|20)\d\d)\b", re.I)
_LENGTHS = ("52", "53", "fifty-two", "fifty-three", "12", "twelve", "one")
_SPAN = any_of(", ".join((*(f"{n}-week(s)/{n}-month(s) (period) end*" for n in _LENGTHS), "FYE, FY-end")))
"""How long a year is, or that one ends, beside the day on which it does."""
_BARE = re.compile(
    r"(?:\b(?:in|for|during)\s+['’]?|(?<!\S)['’])([0-3]\d|9\d)(?=\s*(?:[?.!,;)]|$|(?:vs|versus|compared|and)\b))", re.I
)
"""A year in two digits at the end of what is asked: "capex in 24"."""
_AGAINST_SIGN = r"(?:vs\.?|v\.?|versus|against)"
_SET_AGAINST = re.compile(
    rf"(?<=(?:19|20|FY)\d\d)(\s+(?:{_AGAINST_SIGN}|over|from|and)\s+)['’]?([0-3]\d|9\d)(?=\s*(?:[?.!,;)]|$))", re.I
)
"""A year in two digits behind one that it is set against: "capex 2024 vs 23"."""
_PAIR = re.compile(rf"(?<![\d$.,/-])\b([0-3]\d|9\d)(\s+{_AGAINST_SIGN}\s+)['’]?([0-3]\d|9\d)\b(?![\d/%]|[,.]\d)", re.I)
_MOST_APART = 10
"""Years in two digits that are set against each other."""
_BETWEEN_YEARS = re.compile(rf"(?<=\d\d)\s+{_AGAINST_SIGN}\s+(?=(?:the\s+)?(?:FY|fiscal|['’])?\s*\d\d)", re.I)
_ENDING = re.compile(r"\b((?:end|YE|y/e|year[\s-]end)\s+)['’]?([0-3]\d|9\d)\b(?![\d/%]|[,.]\d)", re.I)
_OF_MONTH = re.compile(
    rf"\b((?!may\b)(?:{MONTH})\w*\.?[\s-]+)['’]?([0-3]\d|9\d)\b(?![\d/%]|[,.]\d|(?:st|nd|rd|th)\b|,?\s+['’]?\d\d|\s+percent)",
    re.I,
)
"""A year in two digits behind a month, where no year has four: "Dec-31"."""
_OF_DAY = re.compile(rf"\b((?:{MONTH})\w*\.?\s+\d{{1,2}},?\s+)['’]?([0-3]\d|9\d)\b(?![\d/%]|[,.]\d)", re.I)
"""A year in two digits behind a day: "Mar 30 31"."""
_LAST_WORD = re.compile(r"(?<=[a-z]\s)(9\d)(?=\s*\?*\s*$)", re.I)
"""A year of the last century at the end: "employees 98"."""
_SHORT = re.compile(r"\b(?:FY|fiscal(?:\s+years?)?)\s*['’]?(\d\d)\b(?!\d|[,.]\d|%)", re.I)
_LONG = re.compile(r"(?<![\d$.,/-])(?:FY\s*)?((?:19|20)\d\d)(?![\d/]|,\d|\.\d)", re.I)
_RANGE = re.compile(
    r"\b(?:FY\s*)?((?:19|20)\d\d)\s*(?P<to>-|–|—|to|through|until|and)\s*(?:(?:fiscal|FY)\s*(?:year\s*)?)?((?:19|20)?\d\d)\b(?![.,]\d|\s*%)",
    re.I,
)
_MONTHS_OF_YEAR = 12
_SHORTEST_MONTH, _LONGEST_MONTH = 28, 31
_NOT_PERIOD = any_of("note(s), senior, convertible, plan, act, proxy, annual meeting, incentive, equity, facility, credit")
_LATEST = any_of(
    "latest/newest/current/last (fiscal) year/yr/10-k/filing, latest/newest/current/last (fiscal) annual report, most recent "
    "(fiscal) year/yr/10-k/filing, most recent (fiscal) annual report"
)
_WORDS = {"few": 3, "several": 3} | {w: n for n, w in enumerate("two three four five six seven eight nine ten".split(), start=2)}
_COUNT = "/".join((*_WORDS, *map(str, range(1, 31))))
_RECENT, _YEARS = "past/last/previous/prior/preceding/latest/recent", "(fiscal/financial/reported) (full) (completed) years/yrs"
_PAST = any_of(
    f"{_RECENT} {_COUNT} {_YEARS}, most recent {_COUNT} {_YEARS}, {_COUNT} {_RECENT} {_YEARS}, {_COUNT} most recent {_YEARS}, "
    "recent/past/last years"
)
_BETWEEN = frozenset("to and through".split())
_OF_YEARS = frozenset("year years yr yrs".split())
_AROUND_COUNT = frozenset("over across for in during the fiscal financial reported full completed".split())
_SINCE = any_of(
    "since (the) (fiscal) (year) (FY) FY*/19*/20*, from (fiscal) (year) (FY) FY*/19*/20* on/onward(s), from (fiscal) (year) (FY) "
    "FY*/19*/20* (up) to/until/through (the) date/now/today/present/latest/last, from (fiscal) (year) (FY) FY*/19*/20* (up) "
    "to/until/through (the) most recent (fiscal) (year)"
)
_BEFORE_NAMED = any_of(
    f"(the) ({_COUNT}) (fiscal) year/years/yr/yrs before/preceding, (the) ({_COUNT}) (fiscal) year/years/yr/yrs prior to, "
    "(the) prior/previous/preceding (fiscal) year/yr to/of"
)
_AT_START = any_of("at/as-of/by (the) start/beginning of (the) (fiscal) (year)")
"""A year opens with what the one before it ends with."""
_AGO = any_of(f"{_COUNT} (fiscal) years/yrs ago/back/earlier/before")
_LATER = any_of(f"(a/an/one) (fiscal) year/yr later, {_COUNT} (fiscal) year/years/yr/yrs later")
_AFTER = any_of("(the) (fiscal) year/yr after (that)")
_NEXT = any_of("next/coming (fiscal/financial) year/yr")
_LEADS = ("compared/comparing to/with", "relative to", "from/than/versus/vs/vs./over/since/against/on", "")
_BEFORE = any_of(
    ", ".join(
        f"{lead} (the/its) {year}"
        for lead in _LEADS
        for year in ("year/yr before/earlier/prior/ago", "previous/prior/preceding (fiscal) year/yr")
    )
)
_AGAINST_LAST = any_of(
    ", ".join(
        f"{lead} {year}"
        for lead in ("compared/comparing to/with", "relative to", "versus/vs/vs./over/against/on/than")
        for year in ("(a/one/the/its) year/yr ago/earlier", "last year/yr")
    )
)
"""Last year, where another is set against it."""
_PAIRED = 2
_JOINING = frozenset("vs versus against and to with compared the".split())
"""Words between two years that are set side by side."""
_ITSELF, _ENDS = frozenset("the its year yr previous prior preceding".split()), any_of("ended, ending")
"""What begins the words for the year before where nothing is compared with it; what makes it another year."""


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
    """ "the year before" -> 1, "two years ago" -> 2, "next year" -> -1: so many years before the year that is otherwise meant.

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
        first, last = int(match.group(1)), full_year(match.group(3))
        if match["to"].lower() != "and" and 0 < last - first <= 15:
            years.update(range(first, last + 1))
    for match in _SHORT.finditer(rest):
        years.add(full_year(match.group(1)))
    for match in _LONG.finditer(rest):
        if not _NOT_PERIOD.match(rest[match.end() :].lstrip()):
            years.add(int(match.group(1)))
    years.update(full_year(match.group(1)) for match in _BARE.finditer(rest))
    years.update(map(full_year, short_years(rest)))
    years = _before_named(years, rest)
    past = _PAST.search(text)
    is_counted = any(_counted_back(rest))
    return Periods(
        years=tuple(sorted(years)),
        dates=tuple(sorted(set(dates))),
        latest=bool(_LATEST.search(text)),
        past=0 if past is None else _count_in(past.group()) or _WORDS["few"],
        since=bool(_since(text)) and len(years) == 1,
        months=tuple(sorted({_last_day(match) for match in _MONTH.finditer(rest)})),
        back=_back(text, is_dated=bool(years), is_counted=is_counted),
        quarter=find_quarter(text),
        by_quarter=bool(dates) and names_an_ended_quarter(text),
    )


def with_whole_years(text: str) -> str:
    """``text`` with all digits of the years in two that stand where only a year can: behind one that they are set against, two
    set against each other, behind "end" or a month. Between years "vs" takes the place of other words for it.
    """
    text = _ENDING.sub(lambda match: f"{match.group(1)}{full_year(match.group(2))}", text)
    if not any(map(is_year, runs_of(text))):
        text = _OF_DAY.sub(lambda match: f"{match.group(1)}{full_year(match.group(2))}", text)
        text = _OF_MONTH.sub(lambda match: f"{match.group(1)}{full_year(match.group(2))}", text)
    text = _PAIR.sub(_whole_pair, text)
    text = _BETWEEN_YEARS.sub(" vs ", text)
    text = _SET_AGAINST.sub(lambda match: f"{match.group(1)}{full_year(match.group(2))}", text)
    return _LAST_WORD.sub(lambda match: str(full_year(match.group(1))), text)


def _whole_pair(match: re.Match[str]) -> str:
    first, second = (full_year(match.group(at)) for at in (1, 3))
    return f"{first}{match.group(2)}{second}" if 0 < abs(first - second) <= _MOST_APART else match.group()


def _back(text: str, *, is_dated: bool, is_counted: bool) -> int:
    """How many years before the year that is otherwise meant; what is only compared with is not meant."""
    if not is_dated and (ago := _AGO.search(text)):
        return _count_in(ago.group())
    if not is_dated and (later := _later(text)):
        return -(_count_in(later[0].group()) or 1)
    before = [] if is_counted or is_set_against_before(text) else _before(text)
    return 1 if before and before[0].group().lower().split()[0] in _ITSELF else 0


def _since(text: str) -> list[re.Match[str]]:
    """What names the first of all years up to the latest, in four digits."""
    said = ((match, match.group().upper().split()) for match in _SINCE.finditer(text))
    return [match for match, words in said if any(is_year(word.removeprefix("FY")) for word in words)]


def _later(text: str) -> list[re.Match[str]]:
    later = (match for match in (*_LATER.finditer(text), *_AFTER.finditer(text)) if not _is_of_each(text[: match.start()]))
    ends = (match for match in later if match.re is _LATER or not any(map(str.isalnum, text[match.end() :])))
    # "Over the next year" is a length of time from the end of the year that is meant.
    following = (match for match in _NEXT.finditer(text) if text[: match.start()].split()[-1:] != ["the"])
    return [*ends, *following]


def _is_of_each(before: str) -> bool:
    """Whether the words ``before`` a year make it any: "in each year after"."""
    return before.lower().split()[-1:] in (["each"], ["every"], ["per"], ["any"])


def _before(text: str) -> list[re.Match[str]]:
    return [match for match in _BEFORE.finditer(text) if not _ENDS.match(text[match.end() :].lstrip())]


def read_period(name: str) -> Periods:
    """The year or day that ``name`` means, where it is known to name a period: "end-2020", "YE22", "Dec-21", "31.12.22"."""
    pieces = _without_lengths(camel_parts(name))
    numbers = [piece for piece in pieces if piece.isdigit()]
    month = next((month_number(piece) for piece in pieces if piece[:3].lower() in STARTS), 0)
    if not numbers or any(len(number) not in (1, 2, 4) for number in numbers):
        return Periods()
    if len(numbers) == len(pieces) == len("12") and name.strip().count(".") == 1:
        return Periods()  # "Only 1.28" is a decimal.
    if len(numbers[-1]) < len("2024") and pieces[-1] != numbers[-1]:
        return Periods()  # "22 onwards"
    if month and len(numbers) == 1 and _SHORTEST_MONTH <= int(numbers[0]) <= _LONGEST_MONTH:
        return Periods()  # "Dec 31" is a day of no year.
    year = full_year(numbers[-1].zfill(2))
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


def _without_lengths(pieces: list[str]) -> list[str]:
    """``pieces`` of a period's name without the numbers of a length of time: "12 months", "months 13 to 36"."""
    units = [at for at, piece in enumerate(pieces) if piece.lower() in TIME_UNITS]
    counts = {at - 1 for at in units}
    for at in units:
        while at + 1 < len(pieces) and (pieces[at + 1].isdigit() or pieces[at + 1].lower() in _BETWEEN):
            at += 1
            counts.add(at)
    return [piece for at, piece in enumerate(pieces) if not (at in counts and piece.isdigit() and len(piece) < len("2024"))]


def years_long(name: str) -> int:
    """How many years a period of some years is that ``name`` means: "over three years", "3-year" -> 3; 0 for any other."""
    count, *unit = [word for word in name.lower().replace("-", " ").split() if word not in _AROUND_COUNT] or [""]
    return _WORDS.get(count, int(count) if count.isdecimal() else 0) if len(unit) == 1 and unit[0] in _OF_YEARS else 0


def counts_years(text: str, start: int, end: int) -> bool:
    """Whether the number at a span of ``text`` is how many years something takes: the "20" of "20 yr plan"."""
    following, _, behind = text[end:].lstrip(" -").partition(" ")
    is_ended = behind.lstrip(" -").lower().startswith("end")  # "22 yr end" is a day.
    return text[start:end].isdecimal() and years_long(f"{text[start:end]} {following.strip(',.?;:')}") > 0 and not is_ended


def _before_named(years: set[int], text: str) -> set[int]:
    """``years`` with the one before in place of the one that it is counted from: "the year before fiscal 2024"."""
    for _, _, named, count in _counted_back(text):
        years = (years - {named}) | {named - count}
    return years


def _counted_back(text: str) -> Iterator[tuple[int, int, int, int]]:
    """(start, end, the year named, how many years before it) of each year that is told by a later one."""
    for lead in _BEFORE_NAMED.finditer(text):
        named = (match for pattern in (_LONG, _SHORT) if (match := pattern.search(text, lead.end())))
        for year in named:
            if {"fiscal", "year"}.issuperset(text[lead.end() : year.start()].lower().split()):
                yield lead.start(), year.end(), full_year(year.group(1)), _count_in(lead.group()) or 1
                break


def _last_day(match: re.Match[str]) -> dt.date:
    return _month_end(match.group(1), match.group(2))


def _month_end(name: str, of: str) -> dt.date:
    month, year = month_number(name), int(of)
    return dt.date(year, month, calendar.monthrange(year, month)[1])


def _years_before(day: dt.date, back: int) -> dt.date:
    """The same day of an earlier year; the last day of a month stays that."""
    is_last = day.day == calendar.monthrange(day.year, day.month)[1]
    last = calendar.monthrange(day.year - back, day.month)[1]
    return day.replace(year=day.year - back, day=last if is_last else min(day.day, last))


def is_set_against_before(text: str) -> bool:
    """Whether the year before is set against the one that is asked about: "vs the prior year", "debt and the year before"."""
    for match in _before(text):
        if match.group().lower().split()[0] not in _ITSELF:
            return True
        lead, is_last = text[: match.start()].lower().split(), not any(map(str.isalnum, text[match.end() :]))
        if lead[-1:] == ["and"] and len(lead) > 1 and is_last:
            return True
    return _AGAINST_LAST.search(text) is not None


def of_newest_year(text: str) -> str:
    """``text`` with the newest alone of the two years that it sets side by side: "staff 2031 vs 2030", "and the year before"; ""
    where it names others.
    """
    spans: list[tuple[int, int]] = []
    named = sorted(period_spans(text))
    for start, end in named:
        if sum(start <= a and b <= end for a, b in named if (a, b) != (start, end)) >= _PAIRED:
            continue  # Both, with what joins them.
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    if len(spans) != _PAIRED:
        return ""
    (_, first), (second, end) = spans
    between = set(runs_of(text[first:second].lower()))
    if not between <= _JOINING or ("to" in between and "compared" not in between):
        return ""
    years = [find_periods(text[a:b]).years for a, b in spans]
    if any(len(of) > 1 for of in years) or not years[0]:
        return ""
    if years[1] and years[1] > years[0]:
        return text[: spans[0][0]] + text[second:]
    return text[:first] + text[end:]


def years_earlier(periods: Periods, back: int) -> Periods:
    """``periods`` moved ``back`` years; the last of several years is the one that "the year before" starts from."""
    if not back:
        return periods
    if periods.by_quarter:
        return replace(periods, dates=tuple(_years_before(day, back) for day in periods.dates))
    years = tuple(year - back for year in periods.years[-1:])
    if not years and periods.dates:
        years = (periods.dates[-1].year - back,)
    return replace(periods, years=years, dates=(), back=0 if years else periods.back + back)


def opening(periods: Periods, text: str) -> Periods:
    """``periods`` of a figure; of what there was at the start of a year it is that of the year before."""
    start = _AT_START.search(text) if len(periods.years) == 1 else None
    behind = runs_of(text[start.end() :].lower())[:1] if start is not None else []
    is_of_month = any(len(word) > 2 and name.lower().startswith(word) for word in behind for name in calendar.month_name[1:])
    return years_earlier(periods, 1) if start is not None and not is_of_month else periods


def both_years(previous: Periods, now: Periods) -> tuple[int, ...]:
    """Both years, where one question asked of one and the next of another."""
    both = tuple(sorted({*previous.years, *now.years}))
    return both if len(previous.years) == len(now.years) == 1 and len(both) > 1 else ()


_COMPARED, _OF_YEAR = frozenset("from than versus vs over against on".split()), frozenset(("fiscal", "year", "fy", "the"))


def is_base_named(text: str) -> bool:
    """Whether a period of ``text`` is one that another is set against: "from 2022"."""
    leads = ([word for word in runs_of(text[:start].lower()) if word not in _OF_YEAR][-1:] for start, _ in period_spans(text))
    return any(lead and _COMPARED.issuperset(lead) for lead in leads)


def period_spans(text: str) -> list[tuple[int, int]]:
    """Where in ``text`` a period is named."""
    days = ((start, end) for _, start, end in _days(text))
    patterns = (_MONTH, _SPAN, _RANGE, _SHORT, _LONG, _BARE, _LATEST, _PAST, _AGO, _AGAINST_LAST)
    matches = chain(*(pattern.finditer(text) for pattern in patterns), _since(text), _later(text), _before(text))
    counted = ((start, end) for start, end, _, _ in _counted_back(text))
    return [*quarter_spans(text), *days, *(match.span() for match in matches), *counted]


def _count_in(said: str) -> int:
    """The first number among the words; 0 without one."""
    return next((_WORDS.get(word) or int(word) for word in said.lower().split() if word in _WORDS or word.isdigit()), 0)


def _days(text: str) -> Iterator[tuple[dt.date, int, int]]:
    """(day, start, end) of each full date, and of the month that a quarter ends in."""
    for match in _DATE.finditer(text):
        if day := day_of(int(match.group(3)), month_number(match.group(1)), int(match.group(2))):
            yield day, *match.span()
    yield from _ends_of_quarters(text)
    for match in UNBROKEN.finditer(text):
        word = match.group().strip(".,;:?!()'\"")
        year, *rest = word.split("-")
        is_iso = is_year(year) and [len(part) for part in rest if part.isdigit()] == [2, 2]
        if is_iso and (day := day_of(int(year), int(rest[0]), int(rest[1]))):
            start = text.index(word, match.start())
            yield day, start, start + len(word)


def _ends_of_quarters(text: str) -> Iterator[tuple[dt.date, int, int]]:
    for match in _MONTHS_OF.finditer(text):
        yield _month_end(match["last"], match["of"]), *match.span()
    leads = [lead.end() for pattern in (_ENDED, _UP_TO) for lead in pattern.finditer(text)]
    for match in _MONTH.finditer(text):
        if any(lead <= match.start() and not text[lead : match.start()].strip() for lead in leads):
            yield _last_day(match), *match.span()


def _take_dates(text: str) -> tuple[list[dt.date], str]:
    """The days of ``text``, and the text with spaces in their place."""
    found = list(_days(text))
    for _, start, end in found:
        text = text[:start] + " " * (end - start) + text[end:]
    return [day for day, _, _ in found], text


def full_year(digits: str) -> int:
    if len(digits) == 4:
        return int(digits)
    return (1900 if int(digits) >= 70 else 2000) + int(digits)
