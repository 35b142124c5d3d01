"""One result of a grid (pure)."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from fin_tui.engine.figures.ground import Grounded
from fin_tui.engine.questions.wanted import Part
from fin_tui.facts.expression import Measure
from fin_tui.facts.figures import Figure, Gap


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
