"""The figures of an answer as a small table, with the calculation and the picture under it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.style import Style
from textual.widgets import Collapsible, Static

from fin_tui.engine.figures.shown import Cell, Figures, Grid
from fin_tui.records import Citation
from fin_tui.ui.charts import chart_of
from fin_tui.ui.text import clean, shorten
from fin_tui.ui.widgets.chart import ChartView
from fin_tui.ui.widgets.cited_text import CitedText

_GAP = 2
_INDENT = 2
_LEAST_LABEL = 12
"""Cells by which a company or a figure is known again."""


class FigureTable(Vertical):
    """A row for each figure (or company), the calculation, and notes on restated or missing values."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = self._operands = Grid((), ())
        self._known: frozenset[int] = frozenset()

    def compose(self) -> ComposeResult:
        yield CitedText(classes="figures")
        yield ChartView()
        yield Calculation()
        yield Static("", markup=False, classes="figure-notes")

    def show(self, figures: Figures, citations: Sequence[Citation]) -> None:
        """Fill the table; hidden when there are no figures."""
        self.display = bool(figures)
        if not figures:
            return
        self._grid = figures.grid(citations)
        self._known = frozenset(c.id for c in citations)
        self._operands = figures.operands(citations) if figures.calculation else Grid((), ())
        self.query_one(".figures").display = bool(self._grid.rows)
        self.query_one(Calculation).show(figures.calculation_lines)
        self._draw()
        self._lines(".figure-notes", self._grid.notes)
        self.query_one(ChartView).show(chart_of(figures, citations), self.content_region.width)

    def on_resize(self, event: events.Resize) -> None:
        self._draw()
        self.query_one(ChartView).fit(self.content_region.width)

    def _draw(self) -> None:
        """Columns where they fit, else a row's cells one under the other."""
        width = self.content_region.width
        if width and self._grid.rows:
            self.query_one(".figures", CitedText).update(grid_content(self._grid, width, self._known))
        if width and self._operands.rows:
            self.query_one(Calculation).draw(grid_content(self._operands, width - _INDENT, self._known))

    def _lines(self, selector: str, lines: Sequence[str]) -> None:
        widget = self.query_one(selector, Static)
        widget.update(Content("\n".join(clean(line) for line in lines)))
        widget.display = bool(lines)


class Calculation(Collapsible):
    """How the result was computed, and from what: folded away until someone looks."""

    def __init__(self) -> None:
        self._operands = CitedText(classes="operands")
        self._formula = Static("", markup=False)
        super().__init__(self._operands, self._formula, title="Calculation (h)", collapsed=True, classes="plan")
        self.display = False

    def show(self, lines: Sequence[str]) -> None:
        """Fill it with the formula; hidden when nothing was computed."""
        self.display = bool(lines)
        self._formula.update(Content("\n".join(clean(line) for line in lines)))

    def draw(self, operands: Content) -> None:
        """The figures it rests on."""
        self._operands.update(operands)

    def toggle(self) -> None:
        """Fold it out or away."""
        self.collapsed = not self.collapsed


def grid_content(grid: Grid, width: int, known: Collection[int]) -> Content:
    """``grid`` for ``width`` cells: labels left, figures right under their headers.

    Where that is too wide, first the labels are cut, then the marks of the sources left out; only then the cells are stacked.
    """
    for marks, least in ((known, None), (known, _LEAST_LABEL), ((), None), ((), _LEAST_LABEL)):
        widths = _widths(grid, marks)
        over = sum(widths) + _GAP * (len(widths) - 1) - width
        if over > 0 and least is not None and widths[0] - over >= least:
            widths[0] -= over
            over = 0
        if over <= 0:
            header = _line([Cell(name) for name in grid.header], widths, grid.labels, ())
            lines = [header.stylize("$foreground-muted"), *(_line(row, widths, grid.labels, marks) for row in grid.rows)]
            return Content("\n").join(lines)
    return Content("\n").join(_stacked(grid, known))


def _widths(grid: Grid, known: Collection[int]) -> list[int]:
    return [max(cell_len(name), *(_size(row[index], known) for row in grid.rows)) for index, name in enumerate(grid.header)]


def _stacked(grid: Grid, known: Collection[int]) -> Iterator[Content]:
    for row in grid.rows:
        yield Content(row[0].text)
        for name, cell in zip(grid.header[1:], row[1:], strict=True):
            lead = Content.styled(f"{name} " if grid.labels == 1 else "", "$foreground-muted")
            yield Content(" " * _INDENT) + lead + _cell(cell, known)


def _line(cells: Sequence[Cell], widths: Sequence[int], labels: int, known: Collection[int]) -> Content:
    line = Content("")
    for index, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        if not index:
            cell = replace(cell, text=shorten(clean(cell.text), width))
        room = Content(" " * (width - _size(cell, known)))
        drawn = _cell(cell, known)
        line = line + (room + drawn if index >= labels else drawn + room)
        if index < len(widths) - 1:
            line = line + Content(" " * _GAP)
    return line


def _cell(cell: Cell, known: Collection[int]) -> Content:
    text = Content(clean(cell.text))
    if cell.fact is not None and text.plain:
        text = text.stylize(Style.from_meta({"@click": f"figure({cell.fact})"}))
    if cell.citation not in known:
        return text
    return text + Content(" ") + Content.styled(f"[{cell.citation}]", Style.from_meta({"@click": f"cite({cell.citation})"}))


def _size(cell: Cell, known: Collection[int]) -> int:
    return _cell(cell, known).cell_length
