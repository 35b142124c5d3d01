"""Which figures a number is: facts that state it, in base units or as printed, with every place where the same figure stands."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from fin_tui.facts.figures import exact, printed_scale
from fin_tui.facts.index import FilingFacts
from fin_tui.records import Fact, Filing

_ROUNDED = Decimal("0.0005")
"""A figure this near, as a share of the number, is what the number rounds."""
_SCALES = (1_000, 1_000_000, 1_000_000_000)
_Order = tuple[float, int, int, bool, bool]
_Key = tuple[str, dt.date | None, dt.date | None, tuple[tuple[str, str], ...], float | None]
_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A number as somebody typed it."""

    value: Decimal
    """With its scale word applied; percentages as 14.2 for 14.2 %."""
    accuracy: Decimal
    """Half of its last digit."""
    percent: bool = False
    scaled: bool = False
    """It came with a scale word, so that its digits alone say nothing."""


@dataclass(frozen=True, slots=True)
class Place:
    """A fact in a filing."""

    filing: Filing
    fact: Fact


@dataclass(frozen=True, slots=True)
class FoundFigure:
    """One figure of a company and period."""

    best: Place
    others: tuple[Place, ...]
    """Where else it is stated: further tables, later filings."""
    as_printed: bool
    """The number was matched with the digits in a table, whose scale makes them another value."""


def find_value(held: Iterable[FilingFacts], wanted: Wanted, *, most: int = 20) -> tuple[FoundFigure, ...]:
    """The figures that ``wanted`` is, nearest first; ``held`` comes latest filing first.

    The order: equal in base units, then the same digits as printed, then what rounds to it; statements before notes.
    """
    found: list[tuple[_Order, Place]] = []
    for facts in held:
        for fact in facts.numeric:
            order = _order(wanted, fact)
            if order is not None:
                stands = fact.block is not None and fact.block in facts.statements
                found.append(((*order, len(fact.dimensions), not stands, fact.block is None), Place(facts.filing, fact)))
    found.sort(key=lambda entry: entry[0])
    return tuple(_grouped(found))[:most]


def _order(wanted: Wanted, fact: Fact) -> tuple[float, int] | None:
    """(distance, 1 when only the printed digits agree); None when the fact is another number."""
    if fact.value is None or (wanted.percent and fact.unit != "pure"):
        return None
    size = abs(wanted.value)
    value = abs(exact(fact.value))
    values = [value] if fact.unit != "pure" else [value * 100] if wanted.percent else [value, value * 100]
    if size in values:
        return 0.0, 0
    if not wanted.scaled and not wanted.percent and size and _printed(fact) == size and value in [size * s for s in _SCALES]:
        return 0.0, 1
    near = min(abs(candidate - size) for candidate in values)
    if size and near <= (wanted.accuracy if wanted.scaled or wanted.percent else _ROUNDED * size):
        return float(near / size), 0
    return None


def _printed(fact: Fact) -> Decimal | None:
    match = _DIGITS.search(fact.text)
    return Decimal(match.group().replace(",", "")) if match and printed_scale(fact) > 1 else None


def _key(place: Place) -> _Key:
    fact = place.fact
    return place.filing.company_key, fact.period_start, fact.period_end, tuple(sorted(fact.dimensions.items())), fact.value


def _grouped(found: Sequence[tuple[_Order, Place]]) -> Iterator[FoundFigure]:
    """A row without a tag is the tagged figure of the same company, value and period, when there is one."""
    tagged: dict[_Key, str] = {}
    for _, place in found:
        if place.fact.source == "xbrl":
            tagged.setdefault(_key(place), place.fact.concept)
    groups: dict[tuple[_Key, str], list[tuple[_Order, Place]]] = {}
    for order, place in found:
        key, concept = _key(place), place.fact.concept
        groups.setdefault((key, concept if place.fact.source == "xbrl" else tagged.get(key, concept)), []).append((order, place))
    for entries in groups.values():
        # The tag says more than the row: it goes before it.
        first = next((place for _, place in entries if place.fact.source == "xbrl"), entries[0][1])
        others = tuple(place for _, place in entries if place is not first)
        yield FoundFigure(first, others, entries[0][0][1] == 1)
