"""What a header of a spreadsheet says of its period: "FY23A", "2024E", "Sep-23", "Year ended December 31, 2023" (pure)."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

_MONTHS = {name: at for at, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), start=1)}
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_MARK = (
    r"(?:\s*[-(]?\s*(?P<mark>actual|reported|audited|est(?:imated?|\.)?|forecast|projected|proj\.?|budget|plan|guidance"
    r"|a|e|f|p|b)\)?)?"
)
_LEAD = (
    r"(?:(?:for\s+)?(?:the\s+)?(?:fiscal\s+)?(?:year|period|12\s+months|twelve\s+months|fye?|ye)\s*"
    r"(?:ended|ending|end)?:?\s*|as\s+(?:of|at)\s+)?"
)
_YEAR = re.compile(
    rf"(?:fye?|cy|fiscal(?:\s+year)?|year|calendar\s+year)?\s*['’]?(?P<year>(?:19|20)\d\d|\d\d(?=\D|$)){_MARK}", re.I
)
_PREFIXED = re.compile(r"(?:fye?|cy|fiscal|year|calendar)|['’]", re.I)
_DAY = re.compile(rf"{_LEAD}{_MONTH}\s+(?P<day>\d{{1,2}})\s*,?\s+(?P<year>\d{{4}}){_MARK}", re.I)
_DAY_FIRST = re.compile(rf"{_LEAD}(?P<day>\d{{1,2}})[-\s/]{_MONTH}[-\s/,]*(?P<year>\d{{4}}|\d\d){_MARK}", re.I)
_MONTH_ONLY = re.compile(rf"{_LEAD}{_MONTH}[-\s/,'’]*(?P<year>\d{{4}}|\d\d){_MARK}", re.I)
_ISO = re.compile(rf"{_LEAD}(?P<year>\d{{4}})-(?P<number>\d\d)-(?P<day>\d\d)(?:[T ].*)?{_MARK}", re.I)
_SLASHED = re.compile(rf"{_LEAD}(?P<number>\d{{1,2}})/(?P<day>\d{{1,2}})/(?P<year>\d{{4}}|\d\d){_MARK}", re.I)
_PART = re.compile(
    r"(?:[1-4]\s?q|q\s?[1-4]|[12]\s?h|h\s?[12])\s*['’]?(?:fy)?\s*-?\s*\d{2,4}\s*\w?"
    r"|[ln]tm\b.*|ttm\b.*|ytd\b.*|(?:three|six|nine|3|6|9)\s+months\b.*",
    re.I,
)
_ESTIMATES = ("e", "f", "p", "b")
_ESTIMATE_WORDS = ("est", "forecast", "proj", "budget", "plan", "guidance")
_NEAREST, _FARTHEST = 1985, 2060
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class HeadPeriod:
    """A period as a header names it."""

    year: int
    """The fiscal year as labelled, or the year of ``end``."""
    end: dt.date | None = None
    """The last day, where one is named; of a month alone its last day."""
    is_estimate: bool = False
    is_part: bool = False
    """A quarter, a half, the last twelve months: no fiscal year."""


def read_period(text: str) -> HeadPeriod | None:
    """The period that ``text`` names and nothing else; None for any other text."""
    text = " ".join(text.split()).strip()
    if not text or len(text) > _LONGEST:
        return None
    if _PART.fullmatch(text):
        return HeadPeriod(0, is_part=True)
    for pattern in (_ISO, _SLASHED, _DAY, _DAY_FIRST, _MONTH_ONLY):
        match = pattern.fullmatch(text)
        if match is not None and (end := _end(match.groupdict())) is not None:
            return HeadPeriod(end.year, end, _is_estimate(match["mark"]))
    match = _YEAR.fullmatch(text)
    if match is None or (len(match["year"]) == 2 and not (_PREFIXED.match(text) or match["mark"])):
        return None
    year = _full(match["year"])
    return HeadPeriod(year, None, _is_estimate(match["mark"])) if _NEAREST <= year <= _FARTHEST else None


def is_year(value: object) -> bool:
    """Whether a number may be a year."""
    return isinstance(value, (int, float)) and float(value).is_integer() and _NEAREST <= value <= _FARTHEST


def _end(parts: dict[str, str | None]) -> dt.date | None:
    year = _full(parts["year"] or "")
    month = _MONTHS[(parts.get("month") or "").lower()[:3]] if parts.get("month") else int(parts.get("number") or 0)
    if not (_NEAREST <= year <= _FARTHEST and 1 <= month <= 12):
        return None
    if parts.get("day") is None:
        after = dt.date(year + month // 12, month % 12 + 1, 1)
        return after - dt.timedelta(days=1)
    try:
        return dt.date(year, month, int(parts["day"] or 0))
    except ValueError:
        return None


def _full(year: str) -> int:
    number = int(year or 0)
    return number if len(year) == 4 else number + (2000 if number < 70 else 1900)


def _is_estimate(mark: str | None) -> bool:
    folded = (mark or "").lower()
    return folded in _ESTIMATES or folded.startswith(_ESTIMATE_WORDS)
