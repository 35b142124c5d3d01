"""Numbers as filings and answers print them, read to exact values for comparison (pure).

"$391.0 billion", "391,035" under "(In millions)", "(2.4)%", "1.2x" and "forty" are one notation problem: a number has a value, an
accuracy (half of its last printed digit) and a kind. A stated number agrees with its source when the source rounds to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal

from fin_tui.engine.evidence.compare import compare

Kind = Literal["money", "percent", "plain"]

_SCALES = {
    "thousand": Decimal(10**3), "million": Decimal(10**6), "mm": Decimal(10**6), "billion": Decimal(10**9), "bn": Decimal(10**9),
    "trillion": Decimal(10**12), "mn": Decimal(10**6), "mln": Decimal(10**6), "bln": Decimal(10**9), "tn": Decimal(10**12),
    "k": Decimal(10**3), "m": Decimal(10**6), "b": Decimal(10**9), "t": Decimal(10**12),
}  # fmt: skip
_NUMBER = re.compile(
    r"(?P<outer>[$€£]\s*(?=\())?(?P<open>\(\s*)?(?P<minus>(?:[-−–]\s?|\b(?:negative|minus)\s+)(?=[$€£\d(]))?(?P<open2>\(\s*)?(?P<currency>[$€£]\s*|US\$\s*)?(?P<minus2>[-−](?=\d))?"
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"(?P<close>\s*\))?\s*(?P<percent>%|percent\b|percentage points?\b)?"
    r"(?:\s*(?P<scale>thousand|million|billion|trillion|mm|mn|mln|bn|bln|tn)s?\b|(?P<short>(?-i:[BMKT])(?![\w-])))?",
    re.I,
)
_WORDY = re.compile(r"[A-Za-z]$")


@dataclass(frozen=True, slots=True)
class Number:
    """A printed number."""

    text: str
    value: Decimal
    """With its scale word applied; percentages as printed (14.2 for 14.2 %)."""
    accuracy: Decimal
    """Half a unit of the last printed digit, scale applied."""
    kind: Kind
    start: int
    end: int
    scaled: bool
    """A scale word stood with it, so a table's scale does not apply."""

    @property
    def is_year(self) -> bool:
        """Looks like a calendar year: four plain digits between 1900 and 2099."""
        return self.kind == "plain" and not self.scaled and bool(re.fullmatch(r"(?:19|20)\d\d", self.text))


def find_numbers(text: str) -> Iterator[Number]:
    """The numbers printed in ``text``, left to right. Digits inside a word ("10-K", "Q4", "COVID-19") are not numbers."""
    for match in _NUMBER.finditer(text):
        number = _read(match, text)
        if number is not None:
            yield number


def _read(match: re.Match[str], text: str) -> Number | None:
    start = match.start("digits")
    before = text[max(0, start - 2) : start]
    if _WORDY.search(before) or (before.endswith("-") and len(before) == 2 and before[0].isalnum() and not match["currency"]):
        return None
    after = text[match.end("digits") : match.end("digits") + 2]
    scale_word = match["scale"] or (match["short"] if match["currency"] else None)
    if re.match(r"[A-WYZa-wyz]|-[A-Za-z]|[Xx]\w", after) and not scale_word:
        return None
    digits = match["digits"].replace(",", "")
    try:
        value = Decimal(digits)
    except InvalidOperation:
        return None
    scale = _SCALES.get((scale_word or "").lower(), Decimal(1))
    places = len(digits.partition(".")[2])
    accuracy = scale / (2 * Decimal(10) ** places)
    opened = match["open"] is not None or match["open2"] is not None
    negative = bool(match["minus"] or match["minus2"]) or (opened and match["close"] is not None)
    kind: Kind = "percent" if match["percent"] else "money" if match["currency"] or match["outer"] else "plain"
    begin = match.start("currency") if match["currency"] else start
    return Number(match.group().strip(), value * scale * (-1 if negative else 1), accuracy, kind, begin, match.end(), scale != 1)


def agrees(stated: Number, source: Number, scales: Iterable[int] = (1,)) -> bool:
    """``stated`` (in an answer) says the same as ``source`` (in the evidence), read under any of the evidence's ``scales``.

    The sign is compared by size only: prose says "decreased by $5 million" where a table prints "(5)". A percentage agrees
    only with a percentage or with a bare number (tables print the sign in a column of its own).
    """
    if (stated.kind == "percent" and source.kind == "money") or (stated.kind == "money" and source.kind == "percent"):
        return False
    for scale in (1,) if source.scaled or source.kind == "percent" or stated.kind == "percent" else {1, *scales}:
        if compare(abs(stated.value), stated.accuracy, abs(source.value) * scale, source.accuracy * scale) == "same":
            return True
    return False
