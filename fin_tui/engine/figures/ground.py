"""An expression over metric names -> the same expression over figures that were looked up.

A metric without a figure of its own is replaced by its formula, down to figures that filings state. What has neither leaves a
gap, and no result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from fin_tui.engine.figures.finding import Book, Finding
from fin_tui.engine.figures.formulas import at_the_end, formula_of
from fin_tui.engine.questions.wanted import Item, Names
from fin_tui.facts.expression import (
    Binary,
    CalculationError,
    Call,
    Measure,
    Name,
    Negative,
    Node,
    Number,
    evaluate,
    names,
    rewrite,
)
from fin_tui.facts.figures import Figure, Gap, Metric, Unit
from fin_tui.records import Filing

_DEEPEST = 6


class Missing(Exception):
    """A figure that an expression needs is not there."""

    def __init__(self, gap: Gap, year: int) -> None:
        super().__init__(gap.why)
        self.gap = gap
        self.year = year


@dataclass(slots=True)
class Grounded:
    """An expression over the figures that it rests on."""

    node: Node
    """Names are "f0", "f1", …: places in ``figures``."""
    figures: list[Figure] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    """What each figure is called."""

    @property
    def single(self) -> Figure | None:
        """The figure, when the expression is nothing but one figure."""
        return self.figures[0] if isinstance(self.node, Name) else None

    def value(self, unit: Unit | None) -> Measure:
        """The result; raises ``CalculationError``."""
        if self.single is not None and (self.single.unit == "count" or (self.single.unit == "%" and unit is None)):
            return Measure(self.single.value, self.single.unit)
        return evaluate(self.node, self.measure, unit=unit)

    def measure(self, name: Name) -> Measure:
        """What a name of ``node`` stands for."""
        figure = self.figures[int(name.name[1:])]
        return Measure(figure.value, figure.unit)


class Grounder:
    """Looks up what an expression needs, for one company."""

    def __init__(
        self,
        book: Book,
        names: Names,
        items: Mapping[str, Item],
        filings: Sequence[Filing],
        *,
        ending: bool = False,
        base: int | None = None,
        quarter: int = 0,
    ) -> None:
        """``ending``: formulas take the balances at the year's end where they have averages. ``base``: the year of the filing
        that looks ahead to the year asked about. ``quarter``: that of each year in place of the whole of it.
        """
        self._finding = Finding(book, names, base=base, quarter=quarter)
        self._ending = ending
        self._names = names
        self._items = dict(items)
        self._filings = filings
        self._labels: list[str] = []
        self._trend = False

    def ground(self, node: Node, year: int, *, trend: bool = False) -> Grounded:
        """``node`` with ``year`` as the year asked about. Raises ``Missing``.

        In a ``trend`` each figure comes from the latest filing that covers its year, per-share data on one basis. Otherwise
        an expression over several years or figures is read from the filing of that year when it states them all, so that they
        are on one basis; else each from its own filing.
        """
        self._trend = trend
        own = [filing for filing in self._filings if filing.fiscal_year == year]
        if not trend and own and len(own) < len(self._filings) and not isinstance(node, Name):
            try:
                return self._from(node, year, own)
            except Missing:
                pass
        return self._from(node, year, self._filings)

    def _from(self, node: Node, year: int, filings: Sequence[Filing]) -> Grounded:
        figures: list[Figure] = []
        self._labels = []
        grounded = self._walk(node, year, filings, figures, 0)
        return Grounded(grounded, figures, self._labels)

    def _walk(self, node: Node, year: int, filings: Sequence[Filing], figures: list[Figure], depth: int) -> Node:
        def inner(part: Node) -> Node:
            return self._walk(part, year, filings, figures, depth)

        match node:
            case Name(name=name, back=back):
                return self._figure(name, year - back, filings, figures, depth)
            case Negative(of=of):
                return Negative(inner(of))
            case Binary(operator=operator, left=left, right=right):
                return Binary(operator, inner(left), inner(right))
            case Call(function="opt", arguments=(of,)):
                try:
                    return inner(of)
                except Missing:
                    return Number(Decimal(0))
            case Call(function=function, arguments=arguments):
                return Call(function, tuple(inner(argument) for argument in arguments))
            case Number():
                return node

    def _figure(self, name: str, year: int, filings: Sequence[Filing], figures: list[Figure], depth: int) -> Node:
        item = self._items.get(name) or Item(self._names.get(name))
        found = self._finding.find(item, filings, year, trend=self._trend)
        if isinstance(found, Gap):
            if item.metric is None or not item.metric.formula or depth > _DEEPEST:
                raise Missing(found, year)
            try:
                made = self._walk(self._formula(item, item.metric), year, filings, figures, depth + 1)
            except Missing as missing:
                raise Missing(missing.gap if missing.gap.why else found, year) from missing
            if next(names(made), None) is None:
                raise Missing(found, year)  # All that may be left out is: nothing was found, which is not 0.
            return made
        for index, known in enumerate(figures):
            if known.fact == found.fact and known.filing.id == found.filing.id and known.unit == found.unit:
                return Name(f"f{index}")
        figures.append(found)
        self._labels.append(item.label)
        return Name(f"f{len(figures) - 1}")

    def _formula(self, item: Item, metric: Metric) -> Node:
        """The formula of a metric; of a part of the company each of its figures is that part's."""
        node = at_the_end(formula_of(metric)) if self._ending else formula_of(metric)
        if not item.phrase:
            return node

        def of_part(name: Name) -> Node:
            key = f"{name.name} of {item.phrase}"
            self._items[key] = Item(self._names.get(name.name), item.phrase)
            return replace(name, name=key)

        return rewrite(node, of_part)


def safe_growth(grounded: Grounded) -> Grounded:
    """Growth from a loss is measured against its size: ``a / b - 1`` would turn its sign around."""
    match grounded.node:
        case Binary(operator="-", left=Binary(operator="/", left=late, right=early), right=Number()):
            start = evaluate(early, grounded.measure).value
            if start < 0:
                return Grounded(Binary("/", Binary("-", late, early), Call("abs", (early,))), grounded.figures, grounded.labels)
            if start == 0:
                raise CalculationError("Growth from zero has no rate.")
    return grounded
