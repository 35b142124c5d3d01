"""A typed number against a value: the same, the same but for its sign, or another; and what slip may lie between (pure)."""

from __future__ import annotations

import re
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA

from fin_tui.facts.words import camel_words
from fin_tui.sheets.audit.layout import TypedNumber

Slip = Literal["digit", "sign", "scale", "year", "row", "restated", "company", "other"]
SCALES = (1, 1_000, 1_000_000, 1_000_000_000)
Array = NDArray[Any]
_FACTORS = (10.0, 100.0, 1e3, 1e6, 1e9)
_REDUCED = re.compile(r"\b(?:net of|less)\b.*")
"""What a balance is stated after: "property, net of accumulated depreciation" goes nowhere."""
_TINY = 1e-9
_PLACES_OF_ZERO = 3
_OUT = frozenset(
    "payment payments repayment repayments repurchase repurchases repurchased purchase purchases expense expenses cost costs "
    "dividend dividends depreciation amortization treasury impairment provision decrease acquire acquisition acquisitions "
    "expenditure expenditures capex cogs buyback buybacks paid".split()
)
"""Words of what goes out, which a model may hold as a negative number."""


def equal(number: TypedNumber, value: float, unit: str, scale: int) -> int:
    """1 when the typed number is ``value`` within what it shows, -1 when its sign differs, else 0. ``scale`` is the factor of
    plain amounts of money on its sheet.
    """
    for factor in _factors(number, unit, scale):
        typed, slack = number.value * factor, _slack(number, factor) + _TINY * abs(value)
        if abs(typed - value) <= slack:
            return 1
        if abs(typed + value) <= slack:
            return -1
    return 0


def are_equal(number: TypedNumber, values: Array, unit: str, scale: int) -> Array:
    """Which of ``values``, all in one unit, the typed number is, whichever their sign."""
    sizes = np.abs(values)
    found = np.zeros(len(values), bool)
    for factor in _factors(number, unit, scale):
        found |= np.abs(sizes - abs(number.value * factor)) <= _slack(number, factor) + _TINY * sizes
    return found


def _slack(number: TypedNumber, factor: float) -> float:
    """What rounding may change; a zero is nothing, not whatever is small."""
    places = number.places if number.value else max(number.places, _PLACES_OF_ZERO)
    return 0.5 * 10.0**-places * factor * (1 + 1e-6)


def _factors(number: TypedNumber, unit: str, scale: int) -> tuple[float, ...]:
    """What the typed digits may have to be multiplied by, for a figure of this unit."""
    if unit == "usd/share" or unit in ("days", "ratio"):
        return (1.0,)
    if unit == "%":
        return (1.0,) if number.is_percent else (1.0, 100.0)
    if number.is_percent:
        return ()
    if number.is_per_share:
        return (float(scale),)  # "Net income used in computing earnings per share" is an amount.
    if unit in ("shares", "count"):
        return (float(scale), 1.0, 1e3, 1e6)
    return (float(scale),)


def may_be(number: TypedNumber, unit: str) -> bool:
    """Whether a number of the sheet can be a figure of this unit."""
    return bool(_factors(number, unit, 1))


def is_outflow(concept: str, label: str) -> bool:
    """Whether a model may hold the figure as a negative number: what is paid or spent."""
    own = _REDUCED.sub("", label.casefold())
    words = {word.lower() for word in camel_words(concept.partition(":")[2])} | set(own.replace(",", " ").split())
    return bool(words & _OUT)


def is_scale_slip(number: TypedNumber, value: float, unit: str, scale: int) -> bool:
    """Whether the number is ``value`` in another power of ten."""
    if not value or not number.value:
        return False
    for factor in _factors(number, unit, scale)[:1]:
        ratio = abs(number.value * factor / value)
        for power in _FACTORS:
            if abs(ratio / power - 1) < 1e-4 or abs(ratio * power - 1) < 1e-4:
                return True
    return False


def is_digit_slip(number: TypedNumber, value: float, unit: str, scale: int) -> bool:
    """Whether one digit is wrong, missing or too many, or two stand in each other's place."""
    factor = 1.0 if unit in ("usd/share", "%", "days", "ratio") else float(scale)
    typed, meant = (f"{abs(one):.{number.places}f}" for one in (number.value, value / factor))
    return len(meant.replace(".", "")) > 1 and OSA.distance(typed, meant) == 1


def digits(number: TypedNumber) -> int:
    """How many digits the number shows that mean something."""
    return len(f"{abs(number.value):.{number.places}f}".replace(".", "").strip("0"))
