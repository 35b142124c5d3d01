"""Figures as people read them: in the filing's own unit and precision; rounded only on request.

"$391,035 million", "$6.13", "15,115,823,000 shares", "(4.5)%", "0.66".
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fin_tui.facts.figures import Unit
    from fin_tui.records import Fact

SCALES = {1_000_000_000_000: "trillion", 1_000_000_000: "billion", 1_000_000: "million", 1_000: "thousand"}
_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")


def printed_scale(fact: Fact) -> int:
    """The factor from what the filing prints to the value it means: 1_000_000 for "391,035" in a table of millions."""
    match = _DIGITS.search(fact.text)
    if match is None or not fact.value:
        return 1
    printed = Decimal(match.group().replace(",", ""))
    if not printed:
        return 1
    factor = abs(Decimal(str(fact.value))) / printed
    return next((scale for scale in SCALES if abs(factor / scale - 1) < Decimal("0.001")), 1)


def printed_places(fact: Fact) -> int:
    """Decimal places that the filing prints."""
    match = _DIGITS.search(fact.text)
    return len(match.group().partition(".")[2]) if match else 0


def plain(value: Decimal, places: int | None = None) -> str:
    """Digits with thousands separators; all that are significant when ``places`` is None, else rounded half up."""
    if places is not None:
        value = rounded(value, places)
    text = format(value, ",f")
    if places is None and "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def rounded(value: Decimal, places: int) -> Decimal:
    """Rounded half up, away from zero, as people do."""
    return value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP) if value.is_finite() else value


def show(value: Decimal, unit: Unit, *, scale: int = 1, places: int | None = None) -> str:
    """``value`` (base units) for people, in units of ``scale``."""
    scaled = value / scale
    word = f" {SCALES[scale]}" if scale in SCALES else ""
    match unit:
        case "usd":
            return f"${_signed(scaled, places)}{word}"
        case "usd/share":
            return f"${_signed(scaled, _cents(scaled) if places is None else places)} per share"
        case "%":
            return f"{_signed(scaled, places)}%"
        case "ratio":
            return f"{plain(scaled, places)}"
        case "shares" | "days":
            return f"{plain(scaled, places)}{word} {unit}"
        case _:
            return f"{plain(scaled, places)}{word}"


def _signed(value: Decimal, places: int | None) -> str:
    """Digits, in parentheses where they are less than nothing, as statements print them."""
    digits = plain(abs(value), places)
    return f"({digits})" if value < 0 and digits.strip("0.,") else digits


def _cents(value: Decimal) -> int:
    """At least two places, and all that there are up to four."""
    exponent = value.normalize().as_tuple().exponent
    return min(max(2, -exponent if isinstance(exponent, int) else 2), 4)


def show_fact(value: Decimal, unit: Unit, fact: Fact) -> str:
    """``value`` in the unit and precision in which ``fact`` prints it."""
    scale = printed_scale(fact) if unit in ("usd", "shares", "count") else 1
    places = printed_places(fact)
    exact = value / scale
    return show(value, unit, scale=scale, places=places if rounded(exact, places) == exact else None)
