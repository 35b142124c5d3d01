"""Which quarter of a fiscal year a question names (pure)."""

from __future__ import annotations

import datetime as dt
import re

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
WHOLE_YEAR = re.compile(
    r"\b(?:full|whole|entire)[\s-]+(?:fiscal\s+)?year\b|\bannual(?:ly)?\b|\bfor\s+the\s+(?:fiscal\s+)?year\b", re.I
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
