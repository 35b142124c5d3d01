"""The values that a claim may mean: its figure as first reported, as restated, by another tag that goes by the same everyday
word, by its formula, as the change, growth or share that is claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Protocol

from fin_tui.engine.checking.claims import Claim
from fin_tui.engine.figures.ground import Book, Grounded, Grounder, Missing, over_years, safe_growth
from fin_tui.engine.questions.wanted import Item, Names
from fin_tui.facts.expression import Binary, CalculationError, Measure, Name, Node, Number, names_in, parse
from fin_tui.facts.figures import Figure, Gap, Mention, Metric, Period, Unit, exact
from fin_tui.facts.row_labels import unit_of
from fin_tui.facts.words import camel_words, stems
from fin_tui.records import Fact, Filing

HEADINGS = frozenset(
    stems("revenue revenues income expenses assets liabilities operating costs total consolidated statement cash flows")
)
"""Words of the headings that rows stand under, which name no part of a company."""


def rivals(book: Book, filings: Sequence[Filing], item: Item, year: int) -> Iterator[Figure]:
    """The rows and members beside the one that ``item`` is taken for, whose name holds all the words of its part."""
    if item.metric is None:
        found = book.by_label(item.phrase, filings, year)
    else:
        found = book.dimensioned(item.phrase, item.metric, filings, year)
    asked = set(stems(item.phrase))
    for fact in found.candidates if isinstance(found, Gap) else found.others:
        members = [word for member in fact.dimensions.values() for word in camel_words(member)]
        if asked <= set(stems(" ".join((fact.label, *camel_words(fact.concept), *members)))):
            yield from _figure(fact, filings, item, year)


def rows_as_said(book: Book, filings: Sequence[Filing], item: Item, said: str, year: int) -> Iterator[Figure]:
    """The rows of the whole company whose label is the text's own words: "net sales" where "total revenue" is another row."""
    asked = set(stems(said))
    if not asked or item.metric is None or item.phrase:
        return
    found = book.by_label(said, filings, year)
    for fact in found.candidates if isinstance(found, Gap) else (found.fact,):
        label = set(stems(fact.label))
        if not fact.dimensions and asked <= label and label - asked <= HEADINGS and unit_of(fact) == item.metric.unit:
            yield from _figure(fact, filings, item, year)


def _figure(fact: Fact, filings: Sequence[Filing], item: Item, year: int) -> Iterator[Figure]:
    if fact.value is None or fact.period_end is None or not filings:
        return
    filing = next((one for one in filings if one.fiscal_year == year), filings[0])
    unit = item.metric.unit if item.metric else unit_of(fact)
    value = exact(fact.value) * (100 if unit == "%" and fact.unit == "pure" else 1)
    label = fact.label.rpartition(" > ")[2] or item.label
    yield Figure(label, value, unit, fact, filing, Period(fact.period_end, fact.period_start, f"FY{year}"))


_HALF = Decimal("0.5")
_EITHER_SIGN = ("IncomeExpense", "ExpenseIncome", "IncreaseDecrease")
_NEAR_DAYS = 7
_BASES = ("basic", "diluted")
_WITH_MINORITY = {"net_income": "consolidated_net_income"}
"""What the text may mean by the same name, with the part of minority owners."""


class Figures(Book, Protocol):
    """The book of figures, with the years it covers."""

    def periods(self, filings: Sequence[Filing]) -> tuple[Period, ...]: ...


@dataclass(frozen=True, slots=True)
class ClaimValue:
    """A value that a claim may mean."""

    value: Decimal
    unit: Unit
    figure: Figure
    """The figure itself, or the first of those it was computed from."""
    accuracy: Decimal = Decimal(0)
    how: str = ""
    """For people: "as restated", "by its formula"; "" for the plain figure."""
    operands: tuple[Figure, ...] = ()
    """All that it was computed from; none of a plain figure."""
    either_sign: bool = False
    only_supports: bool = False
    """One of several rows that go by the name: it can bear a number out, never refute it."""


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

    def of(self, claim: Claim, year: int) -> tuple[ClaimValue, ...]:
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

    def alternatives(self, claim: Claim, year: int) -> Iterator[ClaimValue]:
        """What else a number may mean that fits no plain reading: the row that is called just as the text calls it ("net sales"
        beside "total revenue"), a figure on another basis that the text leaves open, or a computed value with another tag for a
        figure it is computed from.
        """
        if claim.item is None:
            return
        for metric in self._on_other_bases(claim):
            yield from self.of(replace(claim, item=replace(claim.item, metric=metric)), year)
        if claim.role == "level":
            for figure in rows_as_said(self._book, self._filings, claim.item, claim.said, year):
                yield replace(_plain(figure), how=f"as {figure.label}")
            if claim.item.metric is None or not claim.item.metric.formula:
                return
        asked = [item.metric for item in (self._resolved(claim.item, claim, year), claim.whole) if item is not None]
        for metric in [one for one in asked if one is not None] + [part for one in asked if one for part in self._parts(one)]:
            plain = self._book.figure(metric, self._filings, year)
            for concept in metric.concepts if isinstance(plain, Figure) else ():
                other = replace(metric, concepts=(concept,), variants={}, formula="")
                found = self._book.figure(other, self._filings, year)
                if isinstance(found, Figure) and isinstance(plain, Figure) and found.value != plain.value:
                    reader = Reader(self._book, _Instead(self._names, other), self._filings)
                    swapped = replace(claim, item=_swapped(claim.item, other), whole=_swapped(claim.whole, other))
                    yield from (replace(one, how=one.how or f"as {found.label}") for one in reader.of(swapped, year))

    def _on_other_bases(self, claim: Claim) -> Iterator[Metric]:
        """What is called as the text says, where it says no basis, but for a word for one: basic EPS of "EPS"; net income with
        the part of minority owners.
        """
        item = claim.item
        kin = _WITH_MINORITY.get(item.metric.id) if item is not None and item.metric is not None and not item.phrase else None
        if kin is not None and (with_minority := self._names.get(kin)) is not None:
            yield with_minority
        for basis in _BASES if claim.said and not claim.has_basis else ():
            called = f"{basis} {claim.said}"
            whole = [one.metric for one in self._names.find(called) if one.end - one.start == len(called)]
            yield from (metric for metric in whole if claim.item is None or metric != claim.item.metric)

    def _parts(self, metric: Metric) -> list[Metric]:
        """The metrics of a formula."""
        parts = (self._names.get(name) for name in names_in(metric.formula))
        return [part for part in parts if part is not None]

    def levels(self, item: Item, year: int) -> Iterator[ClaimValue]:
        """The figure as first reported, as restated, by other tags, by its formula."""
        plain = self._computed(Name("part"), {"part": item}, self._filings, year, item.metric.unit if item.metric else None)
        if plain is not None:
            yield plain
            yield from _restated(plain)
        metric = item.metric
        if metric is None or item.phrase:
            for figure in rivals(self._book, self._filings, item, year):
                yield replace(_plain(figure), only_supports=True)
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

    def _resolved(self, item: Item, claim: Claim, year: int) -> Item:
        """The item by the name under which it can be found: money told of a margin is its numerator; "services net sales", where
        no line goes by that name, are the net sales of services.
        """
        metric = item.metric
        if metric is None:
            return item
        numerator = _numerator(metric) if metric.unit == "%" and claim.number.kind == "money" else ""
        if numerator and claim.role in ("level", "change"):
            top = self._names.get(numerator)
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
    ) -> ClaimValue | None:
        try:
            grounded = Grounder(self._book, self._names, items, filings).ground(node, year)
            grounded = safe_growth(grounded)
            measure = grounded.value(unit)
        except (Missing, CalculationError):
            return None
        if grounded.single is not None:
            return _plain(grounded.single)
        return _of_several(grounded, measure)


@dataclass(frozen=True, slots=True)
class _Instead:
    """The vocabulary with one metric replaced."""

    names: Names
    metric: Metric

    def find(self, text: str) -> Sequence[Mention]:
        return self.names.find(text)

    def get(self, metric_id: str) -> Metric | None:
        return self.metric if metric_id == self.metric.id else self.names.get(metric_id)


def _swapped(item: Item | None, metric: Metric) -> Item | None:
    return replace(item, metric=metric) if item is not None and item.metric is not None and item.metric.id == metric.id else item


def _numerator(metric: Metric) -> str:
    """The metric that a margin is a share by: of "a / b * 100" it is a; "" where the formula is another."""
    match parse(metric.formula) if metric.formula else None:
        case Binary(operator="*", left=Binary(operator="/", left=Name(name=top), right=Name()), right=Number()):
            return top
    return ""


def _plain(figure: Figure) -> ClaimValue:
    concept = figure.fact.concept
    either = any(name in concept for name in _EITHER_SIGN) or ("Interest" in concept and concept.endswith("Net"))
    return ClaimValue(figure.value, figure.unit, figure, accuracy_of(figure), either_sign=either)


def _restated(reading: ClaimValue) -> Iterator[ClaimValue]:
    figure = reading.figure
    if figure.restated is not None:
        of = f" in the FY{figure.restated_in.fiscal_year} filing" if figure.restated_in and figure.restated_in.fiscal_year else ""
        yield replace(reading, value=figure.restated, how=f"as restated{of}")


def _of_several(grounded: Grounded, measure: Measure) -> ClaimValue:
    """A computed value, known as well as its figures are printed."""
    figures = grounded.figures
    if measure.unit in ("%", "ratio", "days"):
        relative = sum((accuracy_of(figure) / abs(figure.value) for figure in figures if figure.value), Decimal(0))
        base = abs(measure.value) + (100 if measure.unit == "%" else 1)
        accuracy = relative * base
    else:
        accuracy = sum((accuracy_of(figure) for figure in figures), Decimal(0))
    return ClaimValue(measure.value, measure.unit, figures[0], accuracy, how="computed", operands=tuple(figures))


def accuracy_of(figure: Figure) -> Decimal:
    """Half a unit of the last digit that the filing gives of a figure; 0 when it gives all."""
    if figure.fact.decimals is None:
        return Decimal(0)
    percent = 100 if figure.unit == "%" and figure.fact.unit == "pure" else 1
    return _HALF * Decimal(10) ** -figure.fact.decimals * percent
