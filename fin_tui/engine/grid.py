"""A reading over companies and years -> computed cells, each with the figures it rests on or why it is empty."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from fin_tui.engine.ground import Book, Grounded, Grounder, Missing, over_years, safe_growth
from fin_tui.engine.plan import Subject
from fin_tui.engine.wanted import Names, Part, Reading
from fin_tui.facts.calculate import Measure
from fin_tui.facts.expression import Binary, CalculationError, Name, Node, rewrite
from fin_tui.facts.figures import Figure, Gap, Period, Unit
from fin_tui.facts.format import rounded

COVER_SHARES = "cover_shares"
"""The metric of the shares that a cover states, at a day of its own."""
_ALONG = frozenset(("change", "growth", "cagr", "average", "sum"))


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
        grounder = Grounder(book, names, reading.items, subject.filings)
        for part in reading.parts:
            cells.extend(_of_subject(reading, part, subject, grounder))
    chosen = _chosen(reading, cells)
    return Grid(reading, tuple(cells), chosen)


def _of_subject(reading: Reading, part: Part, subject: Subject, grounder: Grounder) -> list[Cell]:
    over = reading.over
    if over not in _ALONG:
        trend = len(subject.years) > 1
        return [_cell(reading, part, subject, year, 0, "point", grounder, trend=trend) for year in subject.years]
    if part.unit == "%" and over in ("growth", "cagr"):
        over = "change"  # The growth of a percentage is told in percentage points.
    back = subject.years[-1] - subject.years[0] if len(subject.years) > 1 else 1
    return [_cell(reading, part, subject, subject.years[-1], back, over, grounder)]


def _cell(
    reading: Reading, part: Part, subject: Subject, year: int, back: int, over: str, grounder: Grounder, *, trend: bool = False
) -> Cell:
    unit: Unit | None = "%" if over in ("growth", "cagr") else part.unit
    if reading.instructions.percent and unit in (None, "ratio"):
        unit = "%"
    try:
        grounded = grounder.ground(over_years(part.node, over, back), year, trend=trend)
        if subject.day is not None and part.unit == "shares" and not _is_of(grounded, subject.day):
            grounded = grounder.ground(Name(COVER_SHARES), year)
        if over == "growth":
            grounded = safe_growth(grounded)
        if subject.day is not None and not _is_of(grounded, subject.day):
            raise Missing(Gap(part.label, Period(subject.day), f"No {part.label} is stated for {subject.day}."), year)
        measure = _rounded(grounded.value(unit), reading.instructions.places)
    except Missing as missing:
        return Cell(part, subject.company, year, back, over, gap=missing.gap)
    except CalculationError as error:
        return Cell(part, subject.company, year, back, over, gap=Gap(part.label, None, error.message))
    return Cell(part, subject.company, year, back, over, grounded, measure)


def _is_of(grounded: Grounded, day: dt.date) -> bool:
    return all(figure.fact.period_end == day for figure in grounded.figures)


def _rounded(measure: Measure, places: int | None) -> Measure:
    return measure if places is None or measure.unit == "usd" else Measure(rounded(measure.value, places), measure.unit)


def _chosen(reading: Reading, cells: Sequence[Cell]) -> Cell | None:
    full = [cell for cell in cells if cell.measure is not None]
    which = reading.across if reading.across in ("highest", "lowest") else reading.over
    if which in ("highest", "lowest"):
        if len(full) < len(cells) or len({cell.part for cell in full}) != 1:
            return None
        best = max if which == "highest" else min
        return best(full, key=_size, default=None)
    if reading.across == "difference":
        return _difference(full[0], full[1]) if len(full) == len(cells) == 2 else None
    return full[0] if len(full) == len(cells) == 1 else None


def _size(cell: Cell) -> Decimal:
    return cell.measure.value if cell.measure else Decimal("-Infinity")


def _difference(first: Cell, second: Cell) -> Cell | None:
    """The first company's result less the second's, over the figures of both."""
    if first.grounded is None or second.grounded is None:
        return None
    count = len(first.figures)

    def moved(name: Name) -> Node:
        return Name(f"f{int(name.name[1:]) + count}")

    node = Binary("-", first.grounded.node, rewrite(second.grounded.node, moved))
    labels = [*first.grounded.labels, *second.grounded.labels]
    grounded = Grounded(node, [*first.figures, *second.figures], labels)
    unit = first.measure.unit if first.measure else None
    try:
        measure = grounded.value(unit)
    except CalculationError:
        return None
    return Cell(first.part, f"{first.company} less {second.company}", first.year, 0, "difference", grounded, measure)
