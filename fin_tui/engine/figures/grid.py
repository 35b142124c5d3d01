"""A reading over companies and years -> computed cells, each with the figures it rests on or why it is empty.

Of several cells the one asked for is chosen: the highest, a difference, how many times, a sum.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import reduce

from fin_tui.engine.figures.as_text import as_written, lowered, row_name
from fin_tui.engine.figures.ground import Book, Cell, Grounded, Grounder, Missing, over_years, safe_growth
from fin_tui.engine.questions.target import BETWEEN, Subject
from fin_tui.engine.questions.wanted import Item, Names, Part, Reading
from fin_tui.facts.expression import Binary, CalculationError, Measure, Name, Node, rewrite
from fin_tui.facts.figures import Gap, Period, Unit, rounded
from fin_tui.facts.words import spoken_name, stems

_MOST_GAPS = 0.34
"""The highest of many companies may be told without so many of them, and says of how many it is."""
_RATES = ("%", "ratio", "usd/share", "days")
"""Units of results of which the sum over several companies says nothing."""
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
        if any(cell.measure and cell.measure.unit in _RATES for cell in full):
            return None  # "The margin of both" is one of each.
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


COVER_SHARES = "cover_shares"
"""The metric of the shares that a cover states, at a day of its own."""
_MOST_OF_PART = 6
"""Words of a row that names a part of the company."""
_ALONG = BETWEEN | {"average", "sum"}


@dataclass(frozen=True, slots=True)
class Grid:
    """All cells of an answer."""

    reading: Reading
    cells: tuple[Cell, ...]
    chosen: Cell | None = None
    """The cell that the question asks for: the only one, or the highest, lowest, or difference."""


def fill(reading: Reading, subjects: Sequence[Subject], book: Book, names: Names) -> Grid:
    """Compute every cell that the question needs."""
    cells: list[Cell] = []
    for subject in subjects:
        cells.extend(_cells(reading, subject, book, names))
    called = {part: _called(part, [cell for cell in cells if cell.part == part], reading) for part in reading.parts}
    cells = in_order(reading, [_renamed(cell, called[cell.part], reading) for cell in cells])
    reading = replace(reading, parts=tuple(called[part] for part in reading.parts))
    return Grid(reading, tuple(cells), choose(reading, cells))


def _cells(reading: Reading, subject: Subject, book: Book, names: Names) -> list[Cell]:
    """The cells of one company: on average balances, or all on those at the year's end where an average is not known."""

    def of(ending: bool) -> tuple[list[Cell], bool]:
        grounder = Grounder(
            book, names, reading.items, subject.filings, ending=ending, base=subject.base, quarter=subject.quarter
        )
        found = [cell for part in reading.parts for cell in _of_subject(reading, part, subject, grounder)]
        return found, grounder.takes_averages

    found, takes_averages = of(reading.ending)
    gaps = sum(cell.measure is None for cell in found)
    if not (gaps and takes_averages):
        return found
    at_end, _ = of(True)
    return at_end if sum(cell.measure is None for cell in at_end) < gaps else found


def _called(part: Part, cells: Sequence[Cell], reading: Reading) -> Part:
    """``part`` by the filing's own words, where all its figures stand in one row: those of the row that was ranked first, or of
    the segment or place ("Asia Pacific revenue" for "Asia revenue").
    """
    figures = [figure for cell in cells for figure in cell.figures]
    item = _item(part, reading)
    rows, labels = {row_name(figure, part.label) for figure in figures}, {figure.label.strip(" :") for figure in figures}
    label = part.label
    if item is not None and len(rows) == 1 and (row := rows.pop()):
        label = row
    elif item is not None and item.metric is not None and item.phrase and len(labels) == 1:
        own = labels.pop().removeprefix(spoken_name(cells[0].company)).strip()
        says_more = set(stems(item.phrase)) < set(stems(own)) and not set(stems(own)) & set(stems(item.metric.names[0]))
        is_name = own.lower() == item.phrase.lower() and lowered(own) == own
        label = f"{own} {item.metric.names[0]}" if (says_more or is_name) and len(own.split()) <= _MOST_OF_PART else label
    return replace(part, label=as_written(label))


def _renamed(cell: Cell, part: Part, reading: Reading) -> Cell:
    """``cell`` as one of ``part``, its operands too where they are of the same row."""
    item = _item(part, reading)
    if cell.grounded is None or item is None:
        return replace(cell, part=part)
    labels = [part.label if label == item.label else label for label in cell.grounded.labels]
    return replace(cell, part=part, grounded=replace(cell.grounded, labels=labels))


def _item(part: Part, reading: Reading) -> Item | None:
    return reading.items.get(part.node.name) if isinstance(part.node, Name) else None


def _of_subject(reading: Reading, part: Part, subject: Subject, grounder: Grounder) -> list[Cell]:
    over = reading.over
    if over not in _ALONG:
        trend = len(subject.years) > 1
        points = [_cell(reading, part, subject, year, 0, "point", grounder, trend=trend) for year in subject.years]
        return points if over != "trend" or not trend else [*_over_all(reading, part, subject, grounder), *points]
    if part.unit == "%" and over in ("growth", "cagr"):
        over = "change"  # The growth of a percentage is told in percentage points.
    back = subject.years[-1] - subject.years[0] if len(subject.years) > 1 else 1
    return [_cell(reading, part, subject, subject.years[-1], back, over, grounder)]


def _over_all(reading: Reading, part: Part, subject: Subject, grounder: Grounder) -> list[Cell]:
    """What a trend comes to: the growth from its first to its last year, the change where growth says nothing."""
    back = subject.years[-1] - subject.years[0]
    for over in ("growth", "change"):
        if over == "growth" and part.unit == "%":
            continue
        cell = _cell(reading, part, subject, subject.years[-1], back, over, grounder, trend=True)
        if cell.measure is not None and not (cell.grounded is not None and cell.grounded.from_negative):
            return [cell]
    return []


def _cell(
    reading: Reading, part: Part, subject: Subject, year: int, back: int, over: str, grounder: Grounder, *, trend: bool = False
) -> Cell:
    unit: Unit | None = "%" if over in ("growth", "cagr", "contribution") else "ratio" if over == "multiple" else part.unit
    if reading.instructions.percent and unit in (None, "ratio"):
        unit = "%"
    try:
        grounded = grounder.ground(over_years(part.node, over, back), year, trend=trend)
        if subject.day is not None and part.unit == "shares" and not _is_of(grounded, subject.day):
            grounded = grounder.ground(Name(COVER_SHARES), year)
        if over in BETWEEN and _is_of_one_period(grounded):
            raise Missing(Gap(part.label, grounded.figures[0].period, f"No {part.label} of its own found for FY{year}."), year)
        if over == "growth":
            grounded = safe_growth(grounded)
        if subject.day is not None and not _is_of(grounded, subject.day):
            raise Missing(Gap(part.label, Period(subject.day), f"No {part.label} found for {subject.day}."), year)
        measure = _rounded(grounded.value(unit), reading.instructions.places)
    except Missing as missing:
        return Cell(part, subject.company, year, back, over, gap=missing.gap)
    except CalculationError as error:
        gap = Gap(part.label, Period(dt.date(year, 12, 31)), error.message)
        return Cell(part, subject.company, year, back, over, gap=gap)
    return Cell(part, subject.company, year, back, over, grounded, measure)


def _is_of_one_period(grounded: Grounded) -> bool:
    """Whether all figures are one, or of one row and period: what was expected of a year may be found as the year's own. What
    falls due in two years stands in two rows of one date.
    """
    figures = grounded.figures
    is_dated = any(figure.fact.period_end is not None for figure in figures)
    is_one = len({figure.value for figure in figures}) == 1
    is_of_one_row = is_dated and len({figure.row for figure in figures}) == 1
    return len({figure.period.end for figure in figures}) == 1 and (is_of_one_row or is_one)


def _is_of(grounded: Grounded, day: dt.date) -> bool:
    return all(figure.fact.period_end == day for figure in grounded.figures)


def _rounded(measure: Measure, places: int | None) -> Measure:
    return measure if places is None or measure.unit == "usd" else Measure(rounded(measure.value, places), measure.unit)
