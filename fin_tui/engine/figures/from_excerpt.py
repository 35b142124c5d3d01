"""A figure, or a calculation over two, that was read from lines of filings together with the question: computed and told.

What a trained reader points at is never told in its words: the numbers are the filing's own, with unit, scale and period as they
were read there, and the evaluator computes with them.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from fin_tui.candidates import Candidate
from fin_tui.clauses import own_words
from fin_tui.engine.figures.answer import FigureAnswer, Source, answer_of_grid
from fin_tui.engine.figures.as_text import period_of, result, show_figure
from fin_tui.engine.figures.grid import Grid
from fin_tui.engine.figures.ground import Cell, Grounded
from fin_tui.engine.figures.headline import Line, as_said, lines_of
from fin_tui.engine.figures.linked_book import figure_of
from fin_tui.engine.figures.weighed import ROUNDED
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.questions.wanted import Part, Reading
from fin_tui.engine.rank.excerpt import Excerpt
from fin_tui.engine.rank.ranker import Scored
from fin_tui.engine.rank.wanted import Wanted, unit_fits
from fin_tui.facts.expression import Binary, CalculationError, Call, Name, Node, Number
from fin_tui.facts.figures import Figure, Period, Unit
from fin_tui.facts.index import NEAR
from fin_tui.facts.words import spoken_name
from fin_tui.records import Fact, Filing
from fin_tui.retrieval.excerpt_reader import OPERATIONS

_WORDS = 10
"""Words of a sentence that say what its number is."""
_A, _B, _ONE = Name("f0"), Name("f1"), Number(Decimal(1))
_NODES: Mapping[str, Node] = {
    "": _A,
    "ratio": Binary("/", _A, _B),
    "growth": Binary("-", Binary("/", _A, _B), _ONE),
    "diff": Binary("-", _A, _B),
    "sum": Binary("+", _A, _B),
    "prod": Binary("*", _A, _B),
    "avg": Call("avg", (_A, _B)),
    "part": Binary("/", _A, Binary("+", _A, _B)),
}
VALUES: Mapping[str, Callable[[float, float], float]] = {
    "ratio": lambda a, b: a / b,
    "growth": lambda a, b: a / b - 1,
    "diff": lambda a, b: a - b,
    "sum": lambda a, b: a + b,
    "prod": lambda a, b: a * b,
    "avg": lambda a, b: (a + b) / 2,
    "part": lambda a, b: a / (a + b),
}
"""What each of ``OPERATIONS`` comes to; may divide by zero."""
_SIGNS: Mapping[str, str] = {
    "ratio": "{a} / {b}",
    "growth": "{a} / {b} - 1",
    "diff": "{a} - {b}",
    "sum": "{a} + {b}",
    "prod": "{a} * {b}",
    "avg": "({a} + {b}) / 2",
    "part": "{a} / ({a} + {b})",
}
SYMMETRIC = frozenset(("sum", "prod", "avg", "diff"))
"""Operations that are told in one order, whichever way round the numbers are: a difference as what the later period has more than
the earlier one, or the larger figure more than the other.
"""
_OVER: Mapping[tuple[Unit, Unit], Unit] = {
    ("usd", "shares"): "usd/share",
    ("usd", "count"): "usd",
}
_TIMES: Mapping[frozenset[Unit], Unit] = {
    frozenset(("%", "usd")): "usd",
    frozenset(("usd/share", "shares")): "usd",
    frozenset(("usd/share", "count")): "usd",
    frozenset(("%", "count")): "count",
    frozenset(("usd", "count")): "usd",
}
_ADDED: frozenset[Unit] = frozenset(("usd", "count", "shares"))
"""Units of what may be added up; prices, rates and percentages of different things are not."""
_LENGTHS = frozenset(("years", "months", "days"))
"""Units of facts that go with none but themselves, though they are counts, too."""
_MANY = 5
"""A figure of another that is so many times as large is told as a multiple of it."""


@dataclass(frozen=True, slots=True)
class Option:
    """What may be the answer."""

    operation: str
    """One of ``OPERATIONS``; "" for one number as it stands."""
    places: tuple[int, ...]
    """Of its numbers in the excerpt."""
    value: float
    """In base units; percentages as 14.2 for 14.2 %."""
    unit: Unit

    def is_same(self, other: Option) -> bool:
        """Whether both come to one value in one unit, but for sign and rounding."""
        return self.unit == other.unit and math.isclose(abs(self.value), abs(other.value), rel_tol=ROUNDED)


def figures_of(excerpt: Excerpt, years: Mapping[str, Sequence[Period]], frame: Frame) -> list[Figure]:
    """The numbers of an excerpt as figures of their own years, in its order; ``years``: the fiscal years of each filing."""
    return [_figure(one, filing, years.get(filing.id, ()), frame) for one, filing in excerpt.numbers]


def options(figures: Sequence[Figure], first: Sequence[int], frame: Frame) -> Iterator[Option]:
    """Every number as it stands, and each operation that units allow on two numbers of those at the places ``first``: not on two
    that are equal, which may be one thing said twice.
    """
    for place, one in enumerate(figures):
        if one.value and math.isfinite(one.value):
            yield Option("", (place,), float(one.value), one.unit)
    pool = [place for place in first if figures[place].value and math.isfinite(figures[place].value)]
    for a in pool:
        for b in pool:
            if figures[a].value != figures[b].value and _spot(figures[a]) != _spot(figures[b]):
                for operation in OPERATIONS:
                    is_twice = operation in SYMMETRIC and not _is_first(a, b, operation, figures)
                    if not is_twice and (made := _of_two(operation, a, b, figures, frame)) is not None:
                        yield made


def told_of(option: Option, figures: Sequence[Figure], source: Source) -> FigureAnswer | None:
    """``option`` as an answer: the result with its numbers, then the sentence of each, where it stands in one; None where the
    evaluator does not come to it, or the numbers are of several companies.
    """
    operands = [figures[place] for place in option.places]
    if len({one.filing.company_key for one in operands}) != 1:
        return None
    cell = _computed(option, operands)
    if cell is None or cell.measure is None or not math.isclose(cell.measure.value, option.value, rel_tol=ROUNDED):
        return None
    grid = Grid(Reading((cell.part,), {}), (cell,), cell)
    if not option.operation:
        return answer_of_grid(grid, source)
    shown = {name: show_figure(figure) for name, figure in zip("ab", operands, strict=True)}
    when = " and ".join(dict.fromkeys(one.period.label or period_of(one).strip("()") for one in operands))
    of_whom = f"{spoken_name(cell.company)}, {when}"
    lead = f"{of_whom}: {result(cell)} ({_SIGNS[option.operation].format(**shown)})."
    details = {line.text: line for figure in operands for line in _stands(figure, cell)}.values()
    return answer_of_grid(grid, source, [Line(lead, cell.figures), *details])


def _of_two(operation: str, a: int, b: int, figures: Sequence[Figure], frame: Frame) -> Option | None:
    first, second = figures[a], figures[b]
    unit = _unit_of(operation, first.unit, second.unit)
    units = {one.fact.unit for one in (first, second)}
    if unit is None or (len(units) > 1 and units & _LENGTHS):
        return None
    if (operation == "growth" and second.value < 0) or (operation == "part" and (first.value < 0) != (second.value < 0)):
        return None  # A loss that turns into a profit grew by no percentage.
    by = [0.01 if one.unit == "%" and operation == "prod" else 1.0 for one in (first, second)]
    try:
        value = VALUES[operation](float(first.value) * by[0], float(second.value) * by[1])
    except ZeroDivisionError:
        return None
    if operation == "ratio" and unit == "ratio" and first.unit == second.unit and _is_share(value, frame):
        unit = "%"
    value *= 100 if unit == "%" and operation in ("ratio", "growth", "part") else 1
    return Option(operation, (a, b), value, unit) if value and math.isfinite(value) else None


def _is_first(a: int, b: int, operation: str, figures: Sequence[Figure]) -> bool:
    """Whether two numbers are in the order in which they are told."""
    if operation != "diff":
        return a < b
    first, second = figures[a], figures[b]
    if first.period.end != second.period.end:
        return first.period.end > second.period.end
    return first.value > second.value


def _unit_of(operation: str, first: Unit, second: Unit) -> Unit | None:
    """The unit of an operation on figures of two units; None where it makes no sense."""
    match operation:
        case "ratio":
            return _OVER.get((first, second)) if first != second else None if first == "%" else "ratio"
        case "prod":
            return _TIMES.get(frozenset((first, second)))
        case "sum":
            return first if first == second and first in _ADDED else None
        case "diff" | "avg":
            return first if first == second else None
        case _:
            return "%" if first == second != "%" else None


def _is_share(value: float, frame: Frame) -> bool:
    """Whether one figure over another is told in percent."""
    return abs(value) < _MANY and frame.kinds.get("percent", 0.0) >= frame.kinds.get("ratio", 0.0)


def _spot(figure: Figure) -> tuple[str, int]:
    return figure.filing.id, figure.fact.start


def _figure(one: Candidate, filing: Filing, years: Sequence[Period], frame: Frame) -> Figure:
    """The number as a figure of its own year; in a sentence it is called by its clause."""
    kind = "count" if frame.kind == "count" and unit_fits(one, "count") else ""
    year = _period_of(one.fact, filing, years)
    return figure_of([Scored(one, 0.5)], Wanted("", kind, label=_clause(one)), filing, year)


def _period_of(fact: Fact, filing: Filing, years: Sequence[Period]) -> Period:
    """The fiscal year that a figure is dated to, the filing's own where it has no date; else its day."""
    end = fact.period_end
    year = next((year for year in years if end is not None and abs((year.end - end).days) <= NEAR), None)
    if year is not None:
        return year
    own = filing.period_end or dt.date(filing.fiscal_year or dt.MINYEAR, 12, 31)
    is_own = end is None or (filing.period_end is not None and abs((filing.period_end - end).days) <= NEAR)
    return Period(own, None, f"FY{filing.fiscal_year}" if filing.fiscal_year else "") if is_own else Period(end or own)


def _clause(one: Candidate) -> str:
    """The words of a sentence that say what its number is: "we owned 133"; of a row its label."""
    fact = one.fact
    if fact.source != "text":
        return one.path[-1] if one.path else fact.label
    at = fact.label.find(fact.text)
    left, right = own_words(fact.label, at, at + len(fact.text)) if at >= 0 else ("", "")
    before, behind = left.split()[-_WORDS // 2 :], right.split()[: _WORDS // 2]
    return " ".join((*before, fact.text, *behind))


def _computed(option: Option, figures: Sequence[Figure]) -> Cell | None:
    """The result by the evaluator; None where it has no unit."""
    node = _NODES[option.operation]
    grounded = Grounded(node, list(figures), [one.label for one in figures])
    asked = option.unit if option.operation else None
    try:
        measure = grounded.value(asked)
    except CalculationError:
        return None
    first = figures[0]
    named = first.period.label.removeprefix("FY")
    year = int(named) if named.isdigit() else first.period.end.year
    is_points = option.operation == "diff" and option.unit == "%"
    part = Part(node, " and ".join(dict.fromkeys(one.label for one in figures)), asked)
    return Cell(part, first.filing.company, year, 0, "difference" if is_points else "point", grounded, measure)


def _stands(figure: Figure, cell: Cell) -> list[Line]:
    """The sentence of an operand; its row as a detail, which the calculation shows as well."""
    if figure.fact.source == "text":
        return [Line(as_said(figure), (figure,), "grounded")]
    alone = replace(cell, part=Part(_A, figure.label), grounded=Grounded(_A, [figure], [figure.label]), over="point")
    grid = Grid(Reading((alone.part,), {}), (alone,), alone)
    return [replace(line, is_detail=True) for line in lines_of(grid)]
