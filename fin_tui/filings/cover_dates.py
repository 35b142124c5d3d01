"""Dates and periods as covers print them: "December 31, 2003", "31 December 2003", "12/31/03", "52 weeks ended ..."."""

from __future__ import annotations

import datetime as dt
import re

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_GAP = r"[\s_.,:]*"
DATE = (
    rf"(?:{_MONTH}\.?\s*\d{{1,2}}(?:st|nd|rd|th)?\s*,?{_GAP}(?:19|20)\s?\d\s?\d"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:day\s+of\s+)?{_MONTH}\.?,?\s+(?:19|20)\d\d"
    r"|\d{1,2}\s?[/-]\s?\d{1,2}\s?[/-]\s?(?:(?:19|20)\d\d|\d\d)(?!\d)"
    r"|(?:19|20)\d\d-\d\d-\d\d)"
)
"""Pattern source of one date, to be used with ``re.IGNORECASE``."""
_WORDS_FIRST = re.compile(rf"({_MONTH})\.?\s*(\d{{1,2}})(?:st|nd|rd|th)?\s*,?{_GAP}((?:19|20)\s?\d\s?\d)", re.I)
_DAY_FIRST = re.compile(rf"(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:day\s+of\s+)?({_MONTH})\.?,?\s+((?:19|20)\d\d)", re.I)
_SLASHES = re.compile(r"(\d{1,2})\s?[/-]\s?(\d{1,2})\s?[/-]\s?((?:19|20)?\d\d)(?!\d)")
_ISO = re.compile(r"((?:19|20)\d\d)-(\d\d)-(\d\d)")
_CENTURY_TURN = 70
"""Two-digit years from here on are of the 1900s: EDGAR begins in 1993."""


def parse_date(text: str) -> dt.date | None:
    """The first date in ``text``; None when there is none or it does not exist."""
    if found := _ISO.search(text):
        return _made(int(found[1]), int(found[2]), int(found[3]))
    if found := _WORDS_FIRST.search(text):
        return _made(int(re.sub(r"\s", "", found[3])), _month(found[1]), int(found[2]))
    if found := _DAY_FIRST.search(text):
        return _made(int(found[3]), _month(found[2]), int(found[1]))
    if found := _SLASHES.search(text):
        year = int(found[3])
        if year < 100:
            year += 1900 if year >= _CENTURY_TURN else 2000
        return _made(year, int(found[1]), int(found[2]))
    return None


def long_date_pattern(date: dt.date) -> str:
    """Pattern source that finds ``date`` written out, in full or with a shortened month, across line breaks."""
    name = _MONTHS[date.month - 1]
    return rf"{name[:3]}(?:{name[3:]})?t?\.?\s+{date.day}\s*,?\s*{date.year}"


def _month(word: str) -> int:
    start = word.lower()[:3]
    return next(number for number, name in enumerate(_MONTHS, 1) if name.startswith(start))


def _made(year: int, month: int, day: int) -> dt.date | None:
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None
