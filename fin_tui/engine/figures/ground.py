"""An expression over metric names -> the same expression over figures of one company that were looked up.

What a question calls a figure is found as filings state it: whole, of a part, of a quarter, or due. A metric without a figure of
its own is replaced by its formula, down to figures that filings state. What has neither leaves a gap, and no result.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import combinations
from typing import Protocol

from fin_tui.engine.questions.wanted import EXCLUDING, Item, Names, Part
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
    parse,
    rewrite,
    shift,
)
from fin_tui.facts.figures import Figure, Gap, Metric, Period, Unit
from fin_tui.facts.ranking import Ranking
from fin_tui.records import Filing


def formula_of(metric: Metric) -> Node:
    """The formula of a derived metric; of a percentage as the fraction that it is (``* 100`` taken off)."""
    node = parse(metric.formula)
    match node:
        case Binary(operator="*", left=left, right=Number(value=value)) if metric.unit == "%" and value == 100:
            return left
        case Binary(operator="*", left=Number(value=value), right=right) if metric.unit == "%" and value == 100:
            return right
        case _:
            return node


def at_the_end(node: Node) -> Node:
    """``node`` with each average of balances replaced by the last of them."""
    match node:
        case Call(function="avg", arguments=(last, *_)):
            return last
        case Call(function=function, arguments=arguments):
            return Call(function, tuple(at_the_end(argument) for argument in arguments))
        case Binary(operator=operator, left=left, right=right):
            return Binary(operator, at_the_end(left), at_the_end(right))
        case Negative(of=of):
            return Negative(at_the_end(of))
        case _:
            return node


def has_average(node: Node) -> bool:
    """Whether a quotient of balances is over their averages."""
    match node:
        case Binary(left=left, right=right):
            return any((isinstance(side, Call) and side.function == "avg") or has_average(side) for side in (left, right))
        case Negative(of=of):
            return has_average(of)
        case _:
            return False


def over_years(node: Node, over: str, back: int) -> Node:
    """``node`` of this year against, or together with, the ``back`` years before it."""
    earlier = shift(node, back)
    match over:
        case "change":
            return Binary("-", node, earlier)
        case "growth":
            return Binary("-", Binary("/", node, earlier), Number(Decimal(1)))
        case "contribution" if isinstance(node, Binary):
            return Binary(node.operator, over_years(node.left, "change", back), over_years(node.right, "change", back))
        case "multiple":
            return Binary("/", node, earlier)
        case "cagr":
            exponent = Binary("/", Number(Decimal(1)), Number(Decimal(back)))
            return Binary("-", Binary("^", Binary("/", node, earlier), exponent), Number(Decimal(1)))
        case "average":
            return Call("avg", tuple(shift(node, years) for years in range(back, -1, -1)))
        case "sum":
            return Call("sum", tuple(shift(node, years) for years in range(back, -1, -1)))
        case _:
            return node


_COUNTS = ("count", "shares", "ratio")
"""Units of what is counted; a number without a unit is tagged as a ratio."""


def _whole_of(phrase: str) -> str:
    """``phrase`` without what it leaves out: "Europe" of "Europe (excluding Germany)"."""
    while (out := EXCLUDING.search(phrase)) is not None:
        before = phrase[: out.start()].rstrip().removesuffix("(").removesuffix(",").rstrip()
        behind = phrase[out.end() :]
        stop = min((at for sign in "()" if (at := behind.find(sign)) >= 0), default=len(behind))
        phrase = before + behind[stop:].removeprefix(")")
    return phrase.strip()


class Book(Protocol):
    """Looks figures up; all filings given are of one company."""

    def figure(self, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap: ...
    def quarterly(self, metric: Metric, filings: Sequence[Filing], year: int, number: int) -> Figure | Gap: ...
    def scheduled(self, metric: Metric, filings: Sequence[Filing], year: int) -> Figure | Gap: ...
    def lines(self, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Sequence[Figure]: ...
    def ranked(self, asked: Ranking, filings: Sequence[Filing], year: int) -> Sequence[Figure]: ...
    def series(
        self, metric: Metric, filings: Sequence[Filing], periods: Sequence[Period | int], phrase: str = ""
    ) -> Sequence[Figure | Gap]: ...
    def dimensioned(self, phrase: str, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap: ...
    def by_label(self, phrase: str, filings: Sequence[Filing], period: Period | int) -> Figure | Gap: ...
    def is_on_one_basis(self, one: Figure, other: Figure, filings: Sequence[Filing]) -> bool: ...


class Finding:
    """Looks the figures of one company up."""

    def __init__(self, book: Book, names: Names, *, base: int | None = None, quarter: int = 0) -> None:
        """``base``: the year of the filing that looks ahead. ``quarter``: that of each year in place of the whole of it."""
        self._book = book
        self._names = names
        self._base = base
        self._quarter = quarter

    def find(self, item: Item, filings: Sequence[Filing], year: int, *, trend: bool = False) -> Figure | Gap:
        """The figure of ``year``; in a ``trend`` from the latest filing that covers it, on one basis."""
        if self._quarter:
            return self._of_quarter(item, filings, year)
        if item.metric is None:
            return self._labelled(item, filings, year)
        if self._base is not None and item.metric.ahead and not item.phrase:
            return self._ahead(item.metric, filings, year)
        if not item.phrase and trend:
            return self._book.series(item.metric, filings, [year])[0]
        if not item.phrase:
            return self._whole(item.metric, filings, year)
        phrase = _whole_of(item.phrase) or item.phrase
        if trend and isinstance(latest := self._book.series(item.metric, filings, [year], phrase)[0], Figure):
            return latest
        found = self._book.dimensioned(phrase, item.metric, filings, year)
        bare = phrase.partition("(")[0].strip()
        if isinstance(found, Gap) and bare and bare != phrase:
            found = self._book.dimensioned(bare, item.metric, filings, year)
        return found

    def lines(self, item: Item, filings: Sequence[Filing], year: int) -> Sequence[Figure]:
        """The lines of the balance sheet that a figure of the whole company is the sum of."""
        is_plain = item.metric is not None and not item.phrase and not self._quarter and self._base is None
        return self._book.lines(item.metric, filings, year) if is_plain and item.metric is not None else ()

    def check_basis(self, figures: Sequence[Figure], filings: Sequence[Filing], year: int) -> None:
        """Raises ``Missing`` where shares or per-share data stand on two sides of a stock split."""
        for one, other in combinations((figure for figure in figures if figure.unit in _OF_SHARES), 2):
            if not self._book.is_on_one_basis(one, other, filings):
                why = f"{one.label} of these years can't be compared: a stock split may lie between them."
                raise Missing(Gap(one.label, one.period, why), year)

    def _labelled(self, item: Item, filings: Sequence[Filing], year: int) -> Figure | Gap:
        found = self._book.by_label(item.phrase, filings, year) if item.phrase else Gap(item.label, None, "Not known.")
        if isinstance(found, Figure) and item.is_counted and found.unit not in _COUNTS:
            return Gap(item.label, found.period, f"No number of {item.label} is among the figures.")
        return found

    def _of_quarter(self, item: Item, filings: Sequence[Filing], year: int) -> Figure | Gap:
        """A figure of one quarter: of the whole company only, as no annual report states those of its parts."""
        if item.metric is None or item.phrase:
            return Gap(item.label, Period(dt.date(year, 12, 31)), f"No {item.label} found by quarter.")
        return self._book.quarterly(item.metric, filings, year, self._quarter)

    def _ahead(self, metric: Metric, filings: Sequence[Filing], year: int) -> Figure | Gap:
        """What falls due in ``year`` as the filing of the base year lists it."""
        base = self._base or year
        after = year - base
        if not 0 < after <= len(metric.ahead):
            return Gap(metric.names[0], None, f"No {metric.names[0]} due in {year} found by year.")
        due = replace(metric, concepts=metric.ahead[after - 1 : after], labels=(), formula="", instant=True, said="")
        own = [filing for filing in filings if filing.fiscal_year == base]
        found = self._book.figure(due, own, base)
        if isinstance(found, Gap):
            found = self._book.scheduled(metric, own, year)
        if isinstance(found, Gap):
            return found
        # The label says of which year; the day is that on which it was told. Debts fall due, expenses are expected.
        how = "expected" if metric.statement == "income" else "due"
        return replace(found, label=f"{metric.names[0]} {how} in FY{year}", period=replace(found.period, label=""))

    def _whole(self, metric: Metric, filings: Sequence[Filing], year: int) -> Figure | Gap:
        """A figure of the whole company; one that filings tag as a part of another by its member."""
        found = self._book.figure(metric, filings, year)
        whole = self._names.get(metric.whole) if metric.whole else None
        if isinstance(found, Gap) and whole is not None:
            part = self._book.dimensioned(metric.part, whole, filings, year)
            return found if isinstance(part, Gap) else part
        return found


_DEEPEST = 6
_OF_SHARES = frozenset(("usd/share", "shares"))
"""Units that a stock split changes."""


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
    from_negative: bool = False
    """It is a rate measured by the size of a figure that is negative."""
    balances: str = ""
    """Which balances a formula takes where it may take others: "average", "year-end"."""

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
        self._balances = ""
        self.takes_averages = False
        """Whether a formula took averages of balances, or looked for them."""

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
        found = self._from(node, year, self._filings)
        if len({figure.filing.id for figure in found.figures if figure.unit in _OF_SHARES}) > 1:
            if not trend:  # Of several filings, they are set against each other after the splits between those.
                self._trend = True
                found = self._from(node, year, self._filings)
            self._finding.check_basis(found.figures, self._filings, year)
        return found

    def _from(self, node: Node, year: int, filings: Sequence[Filing]) -> Grounded:
        figures: list[Figure] = []
        self._labels, self._balances = [], ""
        grounded = self._walk(node, year, filings, figures, 0)
        return Grounded(grounded, figures, self._labels, balances=self._balances)

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
                except Missing as missing:
                    if missing.gap.is_open:  # What is not found is not known to be nothing.
                        raise
                    return Number(Decimal(0))
            case Call(function=function, arguments=arguments):
                return Call(function, tuple(inner(argument) for argument in arguments))
            case Number():
                return node

    def _figure(self, name: str, year: int, filings: Sequence[Filing], figures: list[Figure], depth: int) -> Node:
        item = self._items.get(name) or Item(self._names.get(name))
        if item.metric is not None and item.left_out:
            return self._walk(self._without(item.metric, item.left_out), year, filings, figures, depth + 1)
        found = self._finding.find(item, filings, year, trend=self._trend)
        if isinstance(found, Gap):
            if item.metric is not None and (lines := self._finding.lines(item, filings, year)):
                return self._sum(lines, figures)
            if item.metric is None or not item.metric.formula or depth > _DEEPEST:
                raise Missing(found, year)
            try:
                made = self._walk(self._formula(item, item.metric), year, filings, figures, depth + 1)
            except Missing as missing:
                raise Missing(missing.gap if missing.gap.why else found, year) from missing
            if next(names(made), None) is None:
                raise Missing(found, year)  # All that may be left out is: nothing was found, which is not 0.
            return made
        return self._kept(found, item.label, figures)

    def _kept(self, found: Figure, label: str, figures: list[Figure]) -> Name:
        for index, known in enumerate(figures):
            if known.fact == found.fact and known.filing.id == found.filing.id and known.unit == found.unit:
                return Name(f"f{index}")
        figures.append(found)
        self._labels.append(label)
        return Name(f"f{len(figures) - 1}")

    def _sum(self, lines: Sequence[Figure], figures: list[Figure]) -> Node:
        """The lines added up; one alone is a figure of its own."""
        made: Node | None = None
        for line in lines:
            name = self._kept(line, line.label, figures)
            made = name if made is None else Binary("+", made, name)
        assert made is not None
        return made

    def _without(self, metric: Metric, part: str) -> Node:
        """``metric`` of the whole company less that of ``part``; of a quotient both its figures are."""

        is_quotient = bool(metric.formula) and metric.unit in ("%", "ratio")
        whole = formula_of(metric) if is_quotient else Name(metric.id)
        return rewrite(whole, lambda name: Binary("-", name, self._of_part(name, part)))

    def _of_part(self, name: Name, part: str) -> Name:
        """The same figure as ``name``, of a part of the company."""
        key = f"{name.name} of {part}"
        self._items[key] = Item(self._names.get(name.name), part)
        return replace(name, name=key)

    def _formula(self, item: Item, metric: Metric) -> Node:
        """The formula of a metric; of a part of the company each of its figures is that part's."""
        node = formula_of(metric)
        if has_average(node):
            self._balances = "year-end" if self._ending else "average"
            self.takes_averages = not self._ending
        node = at_the_end(node) if self._ending else node
        return rewrite(node, lambda name: self._of_part(name, item.phrase)) if item.phrase else node


def safe_growth(grounded: Grounded) -> Grounded:
    """Growth from a loss is measured against its size: ``a / b - 1`` would turn its sign around."""
    match grounded.node:
        case Binary(operator="-", left=Binary(operator="/", left=late, right=early), right=Number()):
            start = evaluate(early, grounded.measure).value
            if start < 0:
                node = Binary("/", Binary("-", late, early), Call("abs", (early,)))
                return replace(grounded, node=node, from_negative=True)
            if start == 0:
                raise CalculationError("Growth from zero has no rate.")
    return grounded


@dataclass(frozen=True, slots=True)
class Cell:
    """One result: of a company, a figure or expression, and a year (or a span of years)."""

    part: Part
    company: str
    year: int
    back: int = 0
    """Years before ``year`` that the span reaches."""
    over: str = "point"
    grounded: Grounded | None = None
    measure: Measure | None = None
    """The result; None when there is a gap."""
    gap: Gap | None = None

    @property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(self.grounded.figures) if self.grounded else ()

    @property
    def single(self) -> Figure | None:
        """The figure, when the cell is one figure as a filing states it."""
        return self.grounded.single if self.grounded else None

    @property
    def end(self) -> dt.date | None:
        """The last day that the cell's figures reach."""
        return max((figure.period.end for figure in self.figures), default=None)
