"""The text of a table cell -> a number with its sign and kind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

_NUMBER = re.compile(
    r"^(?P<open>[(\[]?)\s*(?P<minus>[-–—−]?)\s*(?P<money>(?:US|CA?|AU?|HK|R)?\s?[$€£¥])?\s*(?P<open2>\(?)\s*(?P<minus2>[-–—−]?)\s*"
    r"(?P<digits>\d[\d,]*(?:\.\d*)?|\.\d+)(?:\s(?P<top>\d{1,2})/(?P<bottom>\d{1,2}))?\s*(?P<percent>%?)\s*(?P<close>[)\]]?)\s*(?P<percent2>%?)\s*[)\]]?$"
)
_ZERO = re.compile(r"^[(\[]?\s*(?P<money>[$€£¥])?\s*(?:[-–—−]{1,3}|nil|none)\s*(?P<percent>%?)[)\]]?$", re.I)
_LEAST_YEAR, _LAST_YEAR = 1900, 2100


@dataclass(frozen=True, slots=True)
class Reading:
    """A number as a cell prints it: brackets and minus applied, scale not."""

    value: Decimal
    decimals: int
    percent: bool = False
    money: bool = False


def read_cell(text: str) -> Reading | None:
    """The number that ``text`` prints; a dash is zero; None for words, dates and "n/a"."""
    text = text.strip()
    zero = _ZERO.match(text)
    if zero is not None:
        return Reading(Decimal(0), 0, bool(zero["percent"]), bool(zero["money"]))
    match = _NUMBER.match(text)
    if match is None:
        return None
    digits = match["digits"].replace(",", "").rstrip(".")
    try:
        value = Decimal(digits)
    except InvalidOperation:
        return None
    if match["bottom"] and int(match["bottom"]):
        value += Decimal(int(match["top"])) / int(match["bottom"])
    negative = bool(match["minus"] or match["minus2"] or match["open"] or match["open2"])
    places = len(digits.partition(".")[2])
    return Reading(-value if negative else value, places, bool(match["percent"] or match["percent2"]), bool(match["money"]))
