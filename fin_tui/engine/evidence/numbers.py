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

from fin_tui.language import closing, is_year, runs_of

Match = Literal["same", "finer", "differs"]
"""``finer``: stated more exactly than the source can bear out."""
Bound = Literal["exact", "about", "over", "under", "nearly"]
_HALF = Decimal("0.5")
_ABOUT = Decimal("0.05")
"""The most that "about" may be off, as a share of what is stated."""
_NEARLY = Decimal("0.15")
_WORDS: dict[Bound, str] = {
    "nearly": "nearly, almost, just under/below, just short of, close to, not quite, approaching",
    "over": "more than, over, above, exceed, exceeds, exceeded, exceeding, at least, greater than, higher than, in excess of, "
    "upward of, upwards of, surpass, surpasses, surpassed, surpassing, topped, topping",
    "under": "less than, under, below, fewer than, lower than, at most, up to, no more than, as much as",
    "about": "approximately, approx, approx., about, around, roughly, some, circa, c., an estimated, ~, ≈, "
    "in the region/range of",
}
"""The first that fits is said."""
_BOUNDS = {bound: closing(words, "a, an, the") for bound, words in _WORDS.items()}


def compare(stated: Decimal, accuracy: Decimal, value: Decimal, value_accuracy: Decimal = Decimal(0)) -> Match:
    """Whether ``value`` (known to within ``value_accuracy``) rounds to ``stated`` (printed to within ``accuracy``)."""
    gap = abs(stated - value)
    if gap == 0:
        return "same"
    if gap <= accuracy:
        return "finer" if value_accuracy > accuracy else "same"
    return "finer" if gap <= value_accuracy else "differs"


def compare_bounded(stated: Decimal, accuracy: Decimal, value: Decimal, value_accuracy: Decimal, bound: Bound) -> Match:
    """Like ``compare``, read with the word before the number; sizes are compared, the sign must be the same."""
    exact = compare(stated, accuracy, value, value_accuracy)
    if exact == "same" or bound == "exact":
        return exact
    if (stated < 0) != (value < 0) and value != 0:
        return "differs"
    size, found = abs(stated), abs(value)
    match bound:
        case "about":
            return "same" if abs(size - found) <= max(accuracy, min(last_digit(size) * _HALF, size * _ABOUT)) else exact
        case "over":
            return "same" if found > size else exact
        case "under":
            return "same" if found < size else exact
        case "nearly":
            return "same" if size * (1 - _NEARLY) <= found <= size else exact


def last_digit(value: Decimal) -> Decimal:
    """One unit of the last digit of ``value`` that is not a trailing zero: 10 for 390, 0.1 for 4.5."""
    exponent = value.normalize().as_tuple().exponent
    return Decimal(1).scaleb(exponent) if isinstance(exponent, int) else Decimal(0)


def significant_digits(value: Decimal) -> int:
    """How many digits of ``value`` are not leading or trailing zeros."""
    return len(value.normalize().as_tuple().digits)


_OF_PLACES = frozenset(
    "item items note notes part parts page pages p pp exhibit exhibits section sections rule rules topic topics asc asu no nos "
    "number form chapter table figure appendix footnote level levels tier phase phases scope class series version schedule "
    "schedules step grade".split()
)


def is_reference(before: str) -> bool:
    """Whether the words before a number make it that of a place, a rule or a kind: "Note 7", "Level 3", "§ 12"."""
    said = before.rstrip()
    word = said.removesuffix(".")
    return said.endswith(("#", "§")) or (word[-1:].isalpha() and runs_of(word.lower())[-1] in _OF_PLACES)


def bound_before(text: str) -> Bound:
    """What the words at the end of ``text`` say of the number that follows."""
    return next((bound for bound, pattern in _BOUNDS.items() if pattern.search(text)), "exact")


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
        return self.kind == "plain" and not self.scaled and is_year(self.text)


def find_numbers(text: str) -> Iterator[Number]:
    """The numbers printed in ``text``, left to right. Digits inside a word ("10-K", "Q4", "COVID-19") are not numbers."""
    for match in _NUMBER.finditer(text):
        number = _read(match, text)
        if number is not None:
            yield number


def _is_within_word(after: str) -> bool:
    """Whether a number goes on as a word: "10-K", "3rd"; "2x" and "1.2 times" are numbers."""
    first, second = after[:1], after[1:2]
    if first in ("x", "X"):
        return second.isalnum() or second == "_"
    letter = second if first == "-" else first
    return letter.isascii() and letter.isalpha()


def _read(match: re.Match[str], text: str) -> Number | None:
    start = match.start("digits")
    before = text[max(0, start - 2) : start]
    if (before[-1:].isascii() and before[-1:].isalpha()) or (
        before.endswith("-") and len(before) == 2 and before[0].isalnum() and not match["currency"]
    ):
        return None
    after = text[match.end("digits") : match.end("digits") + 2]
    scale_word = match["scale"] or (match["short"] if match["currency"] else None)
    if _is_within_word(after) and not scale_word:
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
