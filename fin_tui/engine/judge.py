"""A claim against the figures of the library: supported, contradicted, or unknown, with the figure and the reason.

A number is contradicted only when its figure, company and year are identified beyond doubt and every reading of them gives
another value. Readings are: as first reported, as restated, by another tag that goes by the same everyday word, by the formula.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, Protocol

from fin_tui.engine.claims import Claim
from fin_tui.engine.compare import Match, compare_bounded
from fin_tui.engine.ground import Book, Grounded, Grounder, Missing, over_years, safe_growth
from fin_tui.engine.wanted import Item, Names
from fin_tui.facts.calculate import Measure
from fin_tui.facts.choose import exact
from fin_tui.facts.expression import Binary, CalculationError, Name, Node
from fin_tui.facts.figures import Figure, Gap, Metric, Period, Unit
from fin_tui.facts.labels import unit_of
from fin_tui.facts.words import camel_words, stems
from fin_tui.records import Filing

Status = Literal["supported", "contradicted", "unknown"]
_HALF = Decimal("0.5")
_EITHER_SIGN = re.compile(r"IncomeExpense|ExpenseIncome|IncreaseDecrease|Interest\w*Net$")
_TURNS = re.compile(r"income|earnings|profit|equity|cash flow|per share|result|book value|ebitda|oci|tax", re.I)
"""Figures that are negative when they are told as a loss, a deficit, cash used or a tax benefit."""
_LOOSE = re.compile(r"\b(?:opt|avg|prior)\(")
"""A formula with these is one of several ways to define its figure."""
_NUMERATOR = re.compile(r"^\s*(\w+)\s*/\s*\w+\s*\*\s*100\s*$")
_POINT = Decimal("0.1")
"""Points told as the difference of two rounded percentages are this far off."""
_NEAR_DAYS = 7


class Figures(Book, Protocol):
    """The book of figures, with the years it covers."""

    def periods(self, filings: Sequence[Filing]) -> tuple[Period, ...]: ...


@dataclass(frozen=True, slots=True)
class Reading:
    """A value that a claim may mean."""

    value: Decimal
    unit: Unit
    figure: Figure
    """The figure itself, or the first of those it was computed from."""
    accuracy: Decimal = Decimal(0)
    how: str = ""
    """For people: "as restated", "by its formula"; "" for the plain figure."""
    either_sign: bool = False
    only_supports: bool = False
    """One of several rows that go by the name: it can bear a number out, never refute it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found of a claim."""

    status: Status
    why: str
    reading: Reading | None = None
    stated: Decimal | None = None
    """The value that was compared, its sign as the words tell it."""


class Reader:
    """The readings of an item, for one company."""

    def __init__(self, book: Figures, names: Names, filings: Sequence[Filing]) -> None:
        self._book = book
        self._names = names
        self._filings = filings

    def year_of(self, claim: Claim) -> int | None:
        """The fiscal year that ``claim`` is of; None when nothing says, or no year ends on its day."""
        when = claim.when
        if when.year is not None:
            return when.year - when.earlier
        if when.day is None:
            return None
        for period in self._book.periods(self._filings):
            if abs((period.end - when.day).days) <= _NEAR_DAYS and period.label.startswith("FY"):
                return int(period.label[2:]) - when.earlier
        return None

    def years(self) -> tuple[int, ...]:
        """Fiscal years covered, latest first."""
        return tuple(int(period.label[2:]) for period in self._book.periods(self._filings) if period.label.startswith("FY"))

    def of(self, claim: Claim, year: int) -> tuple[Reading, ...]:
        """What ``claim`` may mean in ``year``."""
        if claim.item is None:
            return ()
        item = self._resolved(claim.item, claim, year)
        if claim.role == "level":
            return tuple(self.levels(item, year))
        items = {"part": item, "whole": claim.whole or item}
        unit: Unit | None = None if claim.role == "change" else "%"
        over = {"growth": "growth", "change": "change", "points": "change", "cagr": "cagr"}.get(claim.role, "point")
        node: Node = over_years(Name("part"), over, claim.when.back)
        if claim.role == "share":
            node = Binary("/", Name("part"), Name("whole"))
        elif claim.role == "points":
            unit = "%"
        elif claim.role == "multiple":
            node, unit = Binary("/", Name("part"), Name("part", claim.when.back)), "ratio"
        own = [filing for filing in self._filings if filing.fiscal_year == year]
        found = [self._computed(node, items, filings, year, unit) for filings in (self._filings, own) if filings]
        return tuple(reading for reading in found if reading is not None)

    def levels(self, item: Item, year: int) -> Iterator[Reading]:
        """The figure as first reported, as restated, by other tags, by its formula."""
        plain = self._computed(Name("part"), {"part": item}, self._filings, year, item.metric.unit if item.metric else None)
        if plain is not None:
            yield plain
            yield from _restated(plain)
        metric = item.metric
        if metric is None or item.phrase:
            yield from self._rivals(item, year)
            return
        if plain is None:
            return
        for concept in metric.concepts:
            other = self._book.figure(replace(metric, concepts=(concept,), variants={}, formula=""), self._filings, year)
            if isinstance(other, Figure) and other.value != plain.value:
                yield replace(_plain(other), how=f"as {other.label or concept}")
        if metric.formula and plain.figure.metric == metric.id:
            bare = replace(metric, concepts=(), labels=(), variants={})
            computed = self._computed(Name("part"), {"part": Item(bare)}, self._filings, year, metric.unit)
            if computed is not None:
                yield replace(computed, how="by its formula")

    def _rivals(self, item: Item, year: int) -> Iterator[Reading]:
        """Other rows and members whose name holds all the words of the item's."""
        if item.metric is None:
            found = self._book.by_label(item.phrase, self._filings, year)
        else:
            found = self._book.dimensioned(item.phrase, item.metric, self._filings, year)
        facts = found.candidates if isinstance(found, Gap) else found.others
        filing = next((one for one in self._filings if one.fiscal_year == year), self._filings[0]) if self._filings else None
        asked = set(stems(item.phrase))
        for fact in facts:
            named = " ".join(
                (
                    fact.label,
                    *camel_words(fact.concept),
                    *(word for member in fact.dimensions.values() for word in camel_words(member)),
                )
            )
            if filing is not None and fact.value is not None and fact.period_end is not None and asked <= set(stems(named)):
                unit = item.metric.unit if item.metric else unit_of(fact)
                value = exact(fact.value) * (100 if unit == "%" and fact.unit == "pure" else 1)
                period = Period(fact.period_end, fact.period_start, f"FY{year}")
                label = fact.label.rpartition(" > ")[2] or item.label
                yield replace(_plain(Figure(label, value, unit, fact, filing, period)), only_supports=True)

    def _resolved(self, item: Item, claim: Claim, year: int) -> Item:
        """The item by the name under which it can be found: money told of a margin is its numerator; "services net sales", where
        no line goes by that name, are the net sales of services.
        """
        metric = item.metric
        if metric is None:
            return item
        numerator = _NUMERATOR.match(metric.formula) if metric.unit == "%" and claim.number.kind == "money" else None
        if numerator is not None and claim.role in ("level", "change"):
            top = self._names.get(numerator[1])
            return Item(top, item.phrase) if top is not None else item
        if item.phrase:
            held = self._book.dimensioned(item.phrase, metric, self._filings, year)
        else:
            held = self._book.figure(metric, self._filings, year)
        if metric.formula or isinstance(held, Figure):
            return item
        said = (claim.said or metric.names[0]).split()
        for count in range(1, len(said)):
            rest = " ".join(said[count:])
            found = self._names.find(rest)
            if len(found) == 1 and found[0].end - found[0].start == len(rest):
                return Item(found[0].metric, " ".join((item.phrase, *said[:count])).strip())
        return item

    def _computed(
        self, node: Node, items: dict[str, Item], filings: Sequence[Filing], year: int, unit: Unit | None
    ) -> Reading | None:
        try:
            grounded = Grounder(self._book, self._names, items, filings).ground(node, year)
            grounded = safe_growth(grounded)
            measure = grounded.value(unit)
        except (Missing, CalculationError):
            return None
        if grounded.single is not None:
            return _plain(grounded.single)
        return _of_several(grounded, measure)


def _plain(figure: Figure) -> Reading:
    either = bool(_EITHER_SIGN.search(figure.fact.concept))
    return Reading(figure.value, figure.unit, figure, accuracy_of(figure), either_sign=either)


def _restated(reading: Reading) -> Iterator[Reading]:
    figure = reading.figure
    if figure.restated is not None:
        of = f" in the FY{figure.restated_in.fiscal_year} filing" if figure.restated_in and figure.restated_in.fiscal_year else ""
        yield replace(reading, value=figure.restated, how=f"as restated{of}")


def _of_several(grounded: Grounded, measure: Measure) -> Reading:
    """A computed value, known as well as its figures are printed."""
    figures = grounded.figures
    if measure.unit in ("%", "ratio", "days"):
        relative = sum((accuracy_of(figure) / abs(figure.value) for figure in figures if figure.value), Decimal(0))
        base = abs(measure.value) + (100 if measure.unit == "%" else 1)
        accuracy = relative * base
    else:
        accuracy = sum((accuracy_of(figure) for figure in figures), Decimal(0))
    return Reading(measure.value, measure.unit, figures[0], accuracy, how="computed")


def accuracy_of(figure: Figure) -> Decimal:
    """Half a unit of the last digit that the filing gives of a figure; 0 when it gives all."""
    if figure.fact.decimals is None:
        return Decimal(0)
    percent = 100 if figure.unit == "%" and figure.fact.unit == "pure" else 1
    return _HALF * Decimal(10) ** -figure.fact.decimals * percent


def is_loose(item: Item | None, names: Names) -> bool:
    """Whether a figure, or one that it is computed from, is defined in several ways, so that another value proves nothing."""
    metric = item.metric if item is not None else None
    return metric is not None and not metric.concepts and _is_loose(metric, names)


def _is_loose(metric: Metric, names: Names) -> bool:
    if _LOOSE.search(metric.formula):
        return True
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
