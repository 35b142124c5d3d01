"""What the parts of ``facts`` hand each other: metrics, periods, figures, gaps; how values compare, and how people read them."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Literal

from fin_tui.records import Fact, Filing

if TYPE_CHECKING:
    from fin_tui.records import Fact

Unit = Literal["usd", "usd/share", "shares", "%", "ratio", "count", "days"]
Statement = Literal[
    "income", "balance", "cash_flow", "equity", "per_share", "shares", "segment", "tax", "lease", "debt", "cover", "other"
]


@dataclass(frozen=True, slots=True)
class Metric:
    """An everyday figure of a 10-K: how people call it and where filings keep it."""

    id: str
    """Snake case, e.g. "research_and_development"."""
    names: tuple[str, ...]
    """Everyday names and abbreviations, lower case; the first is shown to people."""
    unit: Unit
    statement: Statement
    instant: bool
    """A balance at a day; otherwise a flow over a period."""
    concepts: tuple[str, ...] = ()
    """Prefixed concepts in order of preference, e.g. "us-gaap:Revenues"."""
    labels: tuple[str, ...] = ()
    """Row labels, lower case, as statements print them: for filings without tags."""
    formula: str = ""
    """For derived metrics: an expression over metric ids, e.g. "gross_profit / revenue"; avg(x) is the mean of the balances at
    both ends of the period, prior(x) the figure of the year before, opt(x) is x, or 0 where the filing has no such line. A
    metric with concepts too is looked up first; the formula stands in when nothing is found."""
    variants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Industry ("bank", "insurer", "retailer", "real_estate") -> concepts preferred there."""
    negate: bool = False
    """Filings tag it with the sign opposite to how people speak of it (an outflow tagged positive is not: capex is 10)."""
    ahead: tuple[str, ...] = ()
    """Concepts of what falls due in each of the years after the filing's own, the next year's first."""
    part: str = ""
    """What the figure is the part of, where filings tag it by a member: "service" of ``whole``."""
    whole: str = ""
    """Id of the metric of which it is a part."""
    lines: tuple[str, ...] = ()
    """Words of the lines of the balance sheet whose sum it is, where no concept or label gives it."""
    beside: str = ""
    """Id of the metric that its barest name may mean as well: a "dividend" is paid in all, and per share."""
    said: str = ""
    """The name it was asked for by: a row called just so goes before others that the metric may mean ("net sales")."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A metric named in a text."""

    metric: Metric
    start: int
    end: int
    score: float
    """1 for an exact name; lower for a typo or a loose match."""


@dataclass(frozen=True, slots=True)
class Period:
    """A fiscal year (or day) of one company."""

    end: dt.date
    start: dt.date | None = None
    """None for an instant, or when only the end is known."""
    label: str = ""
    """ "FY2024" as the company labels it."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with the fact that states it."""

    label: str
    """What it is, for people: "Total net sales", "Greater China net sales"."""
    value: Decimal
    """Base units; percentages as 14.2 for 14.2 %."""
    unit: Unit
    fact: Fact
    filing: Filing
    period: Period
    metric: str = ""
    """Metric id, or "" for a figure found by its label."""
    restated: Decimal | None = None
    """A different value that a later filing gives for the same period."""
    restated_in: Filing | None = None
    note: str = ""
    """What a reader must know: "without noncontrolling interests", "first reported in FY2023"."""
    others: tuple[Fact, ...] = ()
    """Close candidates that lost, best first."""
    sure: float | None = None
    """Probability that it is the one asked for, where it was ranked among others; None for one found by its name."""
    row: str = ""
    """The words that it was ranked by: its row with headings and table, or its sentence."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Why there is no figure."""

    label: str
    period: Period | None
    why: str
    """One line for people."""
    candidates: tuple[Fact, ...] = ()
    """What stands near it, when several are equally likely."""
    filing: Filing | None = None
    """Where the candidates stand."""
    no_statements: bool = False
    """No filing held that covers the period has financial statements in it."""
    is_open: bool = False
    """A row of a filing without tags that covers the period may be the figure, under a longer name."""


HOW_READ = {
    "read from an untagged table": "read from a table that has no XBRL tags",
    "read from a sentence": "read from a sentence",
}
"""Notes on how a figure was found, as people read them beside the calculation; in a sentence they say nothing of the figure."""
_HUNDRED = Decimal(100)
_EXACT = 99


def _is_currency(unit: str) -> bool:
    return len(unit) == len("usd") and unit.isalpha() and unit.islower()


def unit_fits(unit: str, wanted: Unit) -> bool:
    """Whether a fact's unit can give a figure in ``wanted``; foreign money counts as money."""
    match wanted:
        case "usd":
            return _is_currency(unit)
        case "usd/share":
            return unit.endswith("/share") or unit.endswith("/shares")
        case "%" | "ratio":
            return unit in ("pure", "percent", "%")
        case "shares":
            return unit == "shares"
        case _:
            return not _is_currency(unit)


def value_of(fact: Fact, metric: Metric) -> Decimal:
    """The value in the metric's unit and sign: percentages as 14.2, money in base units."""
    value = exact(fact.value or 0.0)
    if metric.unit == "%" and fact.unit == "pure":
        value *= _HUNDRED
    return -value if metric.negate else value


_OF_FLOAT = 15
"""Digits that a float holds for sure."""


def exact(value: float) -> Decimal:
    """The decimal that prints as the float does: 6.13, not 6.1299999; of 2.2 / 100 it is 0.022, without a float's noise."""
    return Decimal(int(value)) if value.is_integer() else Decimal(f"{value:.{_OF_FLOAT}g}")


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


SCALES = {1_000_000_000_000: "trillion", 1_000_000_000: "billion", 1_000_000: "million", 1_000: "thousand"}
LEAST_MONEY = 10_000
"""An amount below it that says no scale may be one of thousands or millions."""
SPLIT_UNTOLD = "a stock split may lie"
"""How a note on figures begins whose filings share no year that would tell it."""
PRINTED = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")
"""A number as a filing prints it, without sign and scale."""


def printed_scale(fact: Fact) -> int:
    """The factor from what the filing prints to the value it means: 1_000_000 for "391,035" in a table of millions."""
    match = PRINTED.search(fact.text)
    if match is None or not fact.value:
        return 1
    printed = Decimal(match.group().replace(",", ""))
    if not printed:
        return 1
    factor = abs(Decimal(str(fact.value))) / printed
    return next((scale for scale in SCALES if abs(factor / scale - 1) < Decimal("0.001")), 1)


_THOUSAND, _MILLION = 1_000, 1_000_000


def told_scale(value: Decimal, scale: int) -> int:
    """The scale in which people read a value that is printed in ``scale``: millions in place of thousands of thousands."""
    return _MILLION if scale == _THOUSAND and abs(value) >= _MILLION else scale


def printed_places(fact: Fact) -> int:
    """Decimal places that the filing prints."""
    match = PRINTED.search(fact.text)
    return len(match.group().partition(".")[2]) if match else 0


def rounding_of(fact: Fact) -> float:
    """How far the value may be off for the digits that are printed: 50 million of "$2.5 billion"."""
    return 0.5 * printed_scale(fact) * 10.0 ** -printed_places(fact)


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


TOLD_PLACES = 1
"""Decimal places of an amount that is told in another scale than the filing's own."""


def show_fact(value: Decimal, unit: Unit, fact: Fact) -> str:
    """``value`` as people write it: in the unit and with the digits in which ``fact`` prints it, but "$2,225.0 million" for
    2,225,012 thousand.
    """
    printed = _scale_in(fact, unit)
    scale = told_scale(value, printed)
    return show_printed(value, unit, fact) if scale == printed else show(value, unit, scale=scale, places=TOLD_PLACES)


_LENGTHS = frozenset(("days", "weeks", "months", "years", "hours"))
"""Units of a length of time: without them a number says nothing."""


def show_printed(value: Decimal, unit: Unit, fact: Fact) -> str:
    """``value`` in the unit and with the digits in which ``fact`` prints it, as tables have it: "$2,225,012 thousand"."""
    scale, places = _scale_in(fact, unit), printed_places(fact)
    exact = value / scale
    shown = show(value, unit, scale=scale, places=places if rounded(exact, places) == exact else None)
    length = fact.unit.removesuffix("s") if exact == 1 else fact.unit
    return f"{shown} {length}" if unit == "count" and fact.unit in _LENGTHS else shown


def _scale_in(fact: Fact, unit: Unit) -> int:
    return printed_scale(fact) if unit in ("usd", "shares", "count") else 1
