"""What facts state: their values in a figure's unit, how exact they are, and whether two state the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal

from fin_tui.facts.figures import Metric, Unit
from fin_tui.records import Fact

_HUNDRED = Decimal(100)
_EXACT = 99
_CURRENCY = re.compile(r"[a-z]{3}$")


def unit_fits(unit: str, wanted: Unit) -> bool:
    """Whether a fact's unit can give a figure in ``wanted``; foreign money counts as money."""
    match wanted:
        case "usd":
            return bool(_CURRENCY.match(unit))
        case "usd/share":
            return unit.endswith("/share") or unit.endswith("/shares")
        case "%" | "ratio":
            return unit in ("pure", "percent", "%")
        case "shares":
            return unit == "shares"
        case _:
            return not _CURRENCY.match(unit)


def value_of(fact: Fact, metric: Metric) -> Decimal:
    """The value in the metric's unit and sign: percentages as 14.2, money in base units."""
    value = exact(fact.value or 0.0)
    if metric.unit == "%" and fact.unit == "pure":
        value *= _HUNDRED
    return -value if metric.negate else value


def exact(value: float) -> Decimal:
    """The decimal that prints as the float does: 6.13, not 6.1299999."""
    return Decimal(int(value)) if value.is_integer() else Decimal(repr(value))


def exactness(fact: Fact) -> int:
    """Decimals of a fact; unlimited when none are given."""
    return _EXACT if fact.decimals is None else fact.decimals


def agree(one: Fact, other: Fact) -> bool:
    """Whether two facts state one value, allowing for the rounding of the coarser."""
    if one.value is None or other.value is None:
        return False
    if one.value == other.value:
        return True
    coarser = min(exactness(one), exactness(other))
    return coarser < _EXACT and abs(one.value - other.value) <= 0.5 * 10.0**-coarser


def best_of(facts: Sequence[Fact]) -> Fact:
    """Of facts that state the same: the value that most agree on, in its most exact form that is printed, first in order."""
    votes: Counter[float] = Counter()
    for fact in facts:
        for other in facts:
            votes[_number(fact)] += agree(fact, other)
    return min(
        enumerate(facts),
        key=lambda pair: (
            -votes[_number(pair[1])] / _repeats(facts, pair[1]),
            pair[1].block is None,
            -exactness(pair[1]),
            pair[0],
        ),
    )[1]


def _repeats(facts: Sequence[Fact], fact: Fact) -> int:
    return sum(other.value == fact.value for other in facts)


def _number(fact: Fact) -> float:
    return fact.value if fact.value is not None else 0.0
