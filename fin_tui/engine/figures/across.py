"""Cells of several companies or years -> the one asked for: the highest, a difference, how many times, a sum (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import reduce

from fin_tui.engine.figures.cell import Cell
from fin_tui.engine.figures.ground import Grounded
from fin_tui.engine.questions.wanted import Reading
from fin_tui.facts.expression import Binary, CalculationError, Name, Node, rewrite
from fin_tui.facts.figures import Unit

_MOST_GAPS = 0.34
"""The highest of many companies may be told without so many of them, and says of how many it is."""
_SEVERAL = 4


def in_order(reading: Reading, cells: Sequence[Cell]) -> list[Cell]:
    """The cells; of a figure of several companies, of which the highest or all in order are asked for, sorted by size."""
    which = reading.across if reading.across != "each" else reading.over
    of_each = len({cell.company for cell in cells}) == len(cells) > 1
    if len({cell.part for cell in cells}) != 1 or not (which == "ranked" or (of_each and which in ("highest", "lowest"))):
        return list(cells)
    full = [cell for cell in cells if cell.measure is not None]
    empty = [cell for cell in cells if cell.measure is None]
    return [*sorted(full, key=_size, reverse=which != "lowest"), *empty]


def choose(reading: Reading, cells: Sequence[Cell]) -> Cell | None:
    """The cell that answers ``reading``; None when it asks for all of them, or one that is needed is missing."""
    full = [cell for cell in cells if cell.measure is not None]
    complete = len(full) == len(cells)
    if reading.over == "trend" and reading.across == "each":
        whole = [cell for cell in full if cell.back] or full
        return whole[0] if len(whole) == 1 and complete else None
    across = reading.across
    which = across if across in ("highest", "lowest") else reading.over
    if which in ("highest", "lowest"):
        enough = complete or (len(full) >= _SEVERAL and len(cells) - len(full) <= _MOST_GAPS * len(cells))
        if not enough or len({cell.part for cell in full}) != 1:
            return None
        best = max if which == "highest" else min
        return best(full, key=_size, default=None)
    if across in ("difference", "times"):
        return _combined(full, across) if complete and len(full) == 2 else None
    if across == "sum" and len(full) > 1:
        return _combined(full, across) if complete and len({cell.year for cell in full}) == 1 else None
    return full[0] if complete and len(full) == 1 else None


def _size(cell: Cell) -> Decimal:
    return cell.measure.value if cell.measure else Decimal("-Infinity")


def difference(first: Cell, second: Cell) -> Cell | None:
    """What the first of two results is above the second; None where they are not of one kind."""
    return _combined((first, second), "difference")


def _combined(cells: Sequence[Cell], across: str) -> Cell | None:
    """The first company's result less the second's, divided by it, or the sum of all, over the figures of all."""
    grounded = reduce(lambda a, b: _join(a, b, {"difference": "-", "times": "/", "sum": "+"}[across]), (_of(c) for c in cells))
    first = cells[0]
    unit: Unit | None = "ratio" if across == "times" else first.measure.unit if first.measure else None
    try:
        measure = grounded.value(unit)
    except CalculationError:
        return None
    names = [cell.company for cell in cells]
    if across == "sum":
        whose = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) < _SEVERAL else f"{len(names)} companies"
    else:
        whose = f" {'less' if across == 'difference' else 'over'} ".join(names)
    return Cell(first.part, whose, first.year, 0, across, grounded, measure)


def _of(cell: Cell) -> Grounded:
    assert cell.grounded is not None
    return cell.grounded


def _join(first: Grounded, second: Grounded, operator: str) -> Grounded:
    count = len(first.figures)

    def moved(name: Name) -> Node:
        return Name(f"f{int(name.name[1:]) + count}")

    right = rewrite(second.node, moved)
    node = Binary("-" if operator == "-" else "/" if operator == "/" else "+", first.node, right)
    return Grounded(node, [*first.figures, *second.figures], [*first.labels, *second.labels])
