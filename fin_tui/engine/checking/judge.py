"""Whether a claim's number says the value of a reading, and whether another value would make it wrong (pure).

A number is wrong only when its figure, company and year are identified beyond doubt and every reading of them has another value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from fin_tui.engine.checking.claims import Claim
from fin_tui.engine.checking.readings import Reading
from fin_tui.engine.evidence.compare import Match, compare_bounded
from fin_tui.engine.questions.wanted import Item, Names
from fin_tui.facts.figures import Metric
from fin_tui.facts.words import stems

Status = Literal["supported", "contradicted", "unknown"]
_TURNS = re.compile(r"income|earnings|profit|equity|cash flow|per share|result|book value|ebitda|oci|tax", re.I)
"""Figures that are negative when they are told as a loss, a deficit, cash used or a tax benefit."""
_LOOSE = re.compile(r"\b(?:opt|avg|prior)\(")
"""A formula with these is one of several ways to define its figure."""
_LEAST_DIGITS = 3
_POINT = Decimal("0.1")
"""Points told as the difference of two rounded percentages are this far off."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found of a claim."""

    status: Status
    why: str
    reading: Reading | None = None
    stated: Decimal | None = None
    """The value that was compared, its sign as the words tell it."""


def is_loose(item: Item | None, names: Names) -> bool:
    """Whether a figure, or one that it is computed from, is defined in several ways, so that another value proves nothing."""
    metric = item.metric if item is not None else None
    return metric is not None and _is_loose(metric, names)


def _is_loose(metric: Metric, names: Names) -> bool:
    if _LOOSE.search(metric.formula):
        return True
    if metric.concepts:
        return False
    parts = (names.get(name) for name in re.findall(r"[a-z_]\w*", metric.formula))
    return any(part is not None and _is_loose(part, names) for part in parts)


def is_certain(claim: Claim, reading: Reading, names: Names) -> bool:
    """Whether another value than that of ``reading`` would make the number wrong."""
    if not claim.sure or claim.item is None or is_loose(claim.item, names):
        return False
    return claim.item.metric is not None or set(stems(claim.item.phrase)) == set(
        stems(reading.figure.fact.label.rpartition(" > ")[2])
    )


def stated_value(claim: Claim, reading: Reading) -> Decimal | None:
    """The claim's number in the unit of ``reading`` with the sign that its words give it; None when the kinds don't fit."""
    number = claim.number
    value = number.value
    match number.kind:
        case "money":
            fits = reading.unit in ("usd", "usd/share")
        case "percent":
            fits = reading.unit in ("%", "ratio")
            value = value / 100 if reading.unit == "ratio" else value
        case _:
            fits = reading.unit in ("shares", "count", "ratio", "days", "usd/share") or (reading.unit == "usd" and number.scaled)
    if not fits:
        return None
    if claim.role in ("growth", "change", "points", "cagr"):
        return abs(value) * claim.direction if claim.direction and value > 0 else value
    turns = claim.item is not None and claim.item.metric is not None and bool(_TURNS.search(claim.item.metric.names[0]))
    return -abs(value) if claim.loss and turns else value


def matches(claim: Claim, reading: Reading, stated: Decimal) -> Match:
    """Whether the number says the value of ``reading``."""
    accuracy = (
        claim.number.accuracy / 100 if claim.number.kind == "percent" and reading.unit == "ratio" else claim.number.accuracy
    )
    value, known = reading.value, reading.accuracy
    if reading.how == "computed":
        # Figures computed by others from rounded or from exact figures differ within their rounding: both are right.
        accuracy, known = accuracy + known, Decimal(0)
        accuracy = max(accuracy, _POINT) if claim.role == "points" else accuracy
    unsigned = reading.either_sign or (claim.role in ("growth", "change", "points") and not claim.direction and stated >= 0)
    if unsigned:
        stated, value = abs(stated), abs(value)
    return compare_bounded(stated, accuracy, value, known, claim.bound)


def same_digits(stated: Decimal, value: Decimal) -> bool:
    """Whether two numbers of several digits have the same but for their scale, as far as the one stated goes."""
    digits = len(stated.normalize().as_tuple().digits)
    if not value or digits < _LEAST_DIGITS:
        return False
    one, other = abs(stated), abs(value)
    return abs(one - other.scaleb(one.adjusted() - other.adjusted())) * 2 <= Decimal(1).scaleb(one.adjusted() - digits + 1)
