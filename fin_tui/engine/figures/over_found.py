"""An expression over figures that were looked up one by one, told as what it is: a growth, a share, a difference of two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from fin_tui.engine.figures.answer import FigureAnswer, Source, answer_of_grid
from fin_tui.engine.figures.grid import fill
from fin_tui.engine.figures.linked_book import Linked, LinkedBook
from fin_tui.engine.figures.prose import WithProse
from fin_tui.engine.questions.target import Subject
from fin_tui.engine.questions.wanted import Item, Over, Part, Reading
from fin_tui.facts.expression import Binary, Name, Node, Number, rewrite, write
from fin_tui.facts.figures import Figure, Unit
from fin_tui.facts.words import stems

_HUNDRED, _ONE = Decimal(100), Decimal(1)


def told_over(node: Node, figures: Sequence[Figure], source: Source, linked: Linked) -> FigureAnswer | None:
    """What ``node`` comes to over ``figures`` (its "a" is the first, "b" the second, …), with a sentence that says what that is;
    None where it can't be computed from them. All are of one company.
    """
    node, unit = _in_percent(node)
    if isinstance(node, Name) or len({one.filing.company_key for one in figures}) != 1:
        return None
    newest = max((one.filing for one in figures), key=lambda one: (one.fiscal_year or 0, one.id))
    years = [one.year for one in figures]
    over = _over_years(node, figures, unit)
    if over is not None:
        label = figures[0].label
        reading = Reading((Part(Name("x0"), label, "%" if figures[0].unit == "%" else None),), {"x0": Item(None, label)}, over)
        by_year = {year: replace(one, label=label) for year, one in zip(years, figures, strict=True)}
        whose = Subject(newest.company, (newest,), tuple(sorted(by_year)))
        book = LinkedBook(source.book, {}, linked, by_year=by_year)
    else:
        called = _called(figures)
        part = Part(rewrite(node, lambda one: Name(f"x{_place(one)}")), write(node, lambda one: called[_place(one)]), unit)
        reading = Reading((part,), {f"x{at}": Item(None, words) for at, words in enumerate(called)})
        given = {words: replace(one, label=words) for words, one in zip(called, figures, strict=True)}
        whose = Subject(newest.company, (newest,), (max(years),))
        book = LinkedBook(source.book, {}, linked, given=given)
    grid = fill(reading, (whose,), WithProse(book, source.chunks), source.names)
    return answer_of_grid(grid, source) if all(cell.measure for cell in grid.cells) else None


def _in_percent(node: Node) -> tuple[Node, Unit | None]:
    """``node`` without a last "* 100", which makes a percentage of it."""
    match node:
        case Binary("*", inner, Number(factor)) | Binary("*", Number(factor), inner) if factor == _HUNDRED:
            return inner, "%"
        case Binary("/", Binary("*", part, Number(factor)), whole) if factor == _HUNDRED:
            return Binary("/", part, whole), "%"
    return node, None


def _over_years(node: Node, figures: Sequence[Figure], unit: Unit | None) -> Over | None:
    """How one row moved between years, where that is what ``node`` says; None for anything else."""
    years = [one.year for one in figures]
    alike = {frozenset(stems(one.label)) for one in figures}
    if len(set(years)) < len(years) or len(alike) > 1 or len({one.unit for one in figures}) > 1:
        return None
    first, second = Name("a"), Name("b")
    is_later = years[0] > years[-1]
    match node:
        case Binary("/", Binary("-", one, other), base) if unit == "%" and (one, other, base) == (first, second, second):
            return "growth" if is_later and figures[0].unit != "%" else None
        case Binary("-", Binary("/", one, other), Number(number)) if (one, other) == (first, second) and number == _ONE:
            return "growth" if unit == "%" and is_later and figures[0].unit != "%" else None
        case Binary("-", Binary("^", Binary("/", one, other), Binary("/", Number(), Number(back))), Number()):
            is_span = (one, other) == (first, second) and back == years[0] - years[-1]
            return "cagr" if unit == "%" and is_span else None
        case Binary("-", one, other) if (one, other) == (first, second) and unit is None:
            return "change" if is_later else None
        case Binary("/", one, other) if (one, other) == (first, second) and unit is None:
            return "multiple" if is_later else None
        case Binary("/", summed, Number(count)) if count == len(figures) and _is_sum(summed, len(figures)):
            return "average" if max(years) - min(years) == len(years) - 1 else None
    return None


def _is_sum(node: Node, count: int) -> bool:
    """Whether ``node`` adds up the first ``count`` figures."""
    match node:
        case Binary("+", left, Name() as last):
            return _place(last) == count - 1 and _is_sum(left, count - 1)
        case Name():
            return count == 1 and _place(node) == 0
    return False


def _called(figures: Sequence[Figure]) -> list[str]:
    """What each figure is called: with its period where another one has the same name."""
    labels = [one.label for one in figures]
    whole = [f"{one.label} {one.period.label}".strip() if labels.count(one.label) > 1 else one.label for one in figures]
    return [words if whole.count(words) == 1 else f"{words} ({at + 1})" for at, words in enumerate(whole)]


def _place(name: Name) -> int:
    return ord(name.name) - ord("a")
