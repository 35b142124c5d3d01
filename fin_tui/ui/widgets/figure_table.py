"""The figures of an answer as a small table, with the calculation and the picture under it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.style import Style
from textual.widgets import Static

from fin_tui.engine.figures.shown import Cell, Figures, Grid
from fin_tui.records import Citation
from fin_tui.ui.charts import chart_of
from fin_tui.ui.text import clean
from fin_tui.ui.widgets.chart import ChartView
from fin_tui.ui.widgets.cited_text import CitedText

_GAP = 2
_INDENT = 2


class FigureTable(Vertical):
    """A row for each figure (or company), the calculation, and notes on restated or missing values."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = Grid((), ())
        self._known: frozenset[int] = frozenset()

    def compose(self) -> ComposeResult:
        yield CitedText(classes="figures")
        yield Static("", markup=False, classes="calculation")
        yield Static("", markup=False, classes="figure-notes")
        yield ChartView()

    def show(self, figures: Figures, citations: Sequence[Citation]) -> None:
        """Fill the table; hidden when there are no figures."""
        self.display = bool(figures)
        if not figures:
            return
        self._grid = figures.grid(citations)
        self._known = frozenset(c.id for c in citations)
        self._draw()
        self._lines(".calculation", figures.calculation_lines)
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

    def _lines(self, selector: str, lines: Sequence[str]) -> None:
        widget = self.query_one(selector, Static)
        widget.update(Content("\n".join(clean(line) for line in lines)))
        widget.display = bool(lines)


def grid_content(grid: Grid, width: int, known: Collection[int]) -> Content:
    """``grid`` for ``width`` cells: labels left, figures right under their headers, or stacked when that is too wide."""
    widths = [max(cell_len(name), *(_size(row[index], known) for row in grid.rows)) for index, name in enumerate(grid.header)]
    if sum(widths) + _GAP * (len(widths) - 1) > width:
        return Content("\n").join(_stacked(grid, known))
    first_figure = len(widths) - 1 if grid.header[0] else 1
    lines = [_line([Cell(name) for name in grid.header], widths, first_figure, ()).stylize("$foreground-muted")]
    lines += [_line(row, widths, first_figure, known) for row in grid.rows]
    return Content("\n").join(lines)


def _stacked(grid: Grid, known: Collection[int]) -> Iterator[Content]:
    for row in grid.rows:
        yield Content(row[0].text)
        names = [f"{name} " if not grid.header[0] else "" for name in grid.header]
        for name, cell in zip(names[1:], row[1:], strict=True):
            yield Content(" " * _INDENT) + Content.styled(name, "$foreground-muted") + _cell(cell, known)


def _line(cells: Sequence[Cell], widths: Sequence[int], first_figure: int, known: Collection[int]) -> Content:
    line = Content("")
    for index, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        room = Content(" " * (width - _size(cell, known)))
        drawn = _cell(cell, known)
        line = line + (room + drawn if index >= first_figure else drawn + room)
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
