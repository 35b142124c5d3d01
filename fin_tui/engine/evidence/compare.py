"""A stated number against a value: the one place where the two are compared (pure).

What is printed says how exact it means to be: "$391.0 billion" is any value that rounds to it. A statement more exact than its
source has made digits up. "about", "more than" and "nearly" widen or open one side.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Literal

Match = Literal["same", "finer", "differs"]
"""``finer``: stated more exactly than the source can bear out."""
Bound = Literal["exact", "about", "over", "under", "nearly"]
_HALF = Decimal("0.5")
_ABOUT = Decimal("0.05")
"""The most that "about" may be off, as a share of what is stated."""
_NEARLY = Decimal("0.15")
_OVER = (
    r"more\s+than|over|above|exceed(?:s|ed|ing)?|at\s+least|greater\s+than|higher\s+than|in\s+excess\s+of|upwards?\s+of|surpass(?:es|ed|ing)?|"
    r"topp(?:ed|ing)"
)
_UNDER = r"less\s+than|under|below|fewer\s+than|lower\s+than|at\s+most|up\s+to|no\s+more\s+than|as\s+much\s+as"
_ABOUT_WORDS = r"approximately|approx\.?|about|around|roughly|some|circa|c\.|an?\s+estimated|~|≈|in\s+the\s+(?:region|range)\s+of"
_NEARLY_WORDS = r"nearly|almost|just\s+(?:under|below|short\s+of)|close\s+to|not\s+quite|approaching"
_WORDS: dict[Bound, str] = {"nearly": _NEARLY_WORDS, "over": _OVER, "under": _UNDER, "about": _ABOUT_WORDS}
_BOUNDS = {
    bound: re.compile(rf"(?:(?<=\W)|^)(?:just\s+|slightly\s+|well\s+|a\s+little\s+)?(?:{words})\s*(?:a\s+|an\s+|the\s+)?$", re.I)
    for bound, words in _WORDS.items()
}


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


def bound_before(text: str) -> Bound:
    """What the words at the end of ``text`` say of the number that follows."""
    return next((bound for bound, pattern in _BOUNDS.items() if pattern.search(text)), "exact")
