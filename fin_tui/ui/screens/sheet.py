"""One sheet: figures and answers cell by cell, filled in the background, each opened with its proof."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Input, Static
from textual.worker import Worker, WorkerState, get_current_worker

from fin_tui.ui.keeping import Exported
from fin_tui.ui.messages import ReaderWanted
from fin_tui.ui.screens.sheet_cell import SheetCellScreen
from fin_tui.ui.sheet_lines import SheetView
from fin_tui.ui.sheet_room import SheetRoom
from fin_tui.ui.text import filing_label, one_line
from fin_tui.ui.widgets.chart import ChartView
from fin_tui.ui.widgets.sheet_grid import SheetGrid

if TYPE_CHECKING:
    from fin_tui.records import SheetCell, SheetColumn, SheetRow
    from fin_tui.sheets.desk import OpenSheet
    from fin_tui.store.sheets import CellKey

_TOLD_EVERY = 0.15
"""Seconds between two batches of filled cells: each draws the grid."""
_LOOK_EVERY = 0.3


class SheetScreen(Screen[None]):
    """A grid with a frozen header and frozen row names; the line below says all of the cell under the cursor."""

    CSS_PATH = "sheet.tcss"
    AUTO_FOCUS = "SheetGrid"
    HELP = """\
## Sheet

Rows are companies in fiscal years, or filings; columns are figures, formulas or questions. **r** fills what is empty or stale,
what is on screen first; **Esc** stops, and what was filled stays. **Enter** opens a cell with its proof, **Ctrl+O** its filing.

**p** tries a new column on three rows, **a** adds one for all. **s** sorts, **k** shows ranks, **h** hides the column, **H**
shows all, **c** draws the column, **C** the row, **x** writes a workbook with live formulas.

● found · ƒ computed · ↺ restated · ≈ several · ○ nothing found · ◷ stale · \\* changed by the last run
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Back", id="sheet.close", tooltip="Stop the run, or go back to the sheets"),
        Binding("enter", "cell", "Open cell", id="sheet.cell", tooltip="Open the cell: answer, calculation, sources"),
        Binding("ctrl+o", "filing", "Filing", id="sheet.read", tooltip="Read the filing at the cell's source"),
        Binding("r", "fill", "Run", id="sheet.run", tooltip="Fill the cells that are empty or stale"),
        Binding("p", "column('trial')", "Try column", id="sheet.try", tooltip="Try a new column on three rows"),
        Binding("a", "column('all')", "Add column", id="sheet.add", tooltip="Add a column and fill it"),
        Binding("s", "sort", "Sort", id="sheet.sort", tooltip="Sort by this column: highest first, lowest first, as it was"),
        Binding("k", "ranks", "Ranks", id="sheet.ranks", show=False, tooltip="Show or hide the place of each number"),
        Binding("h", "hide", "Hide", id="sheet.hide", show=False, tooltip="Hide this column"),
        Binding("H", "show_all", "Show all", id="sheet.show-all", show=False, tooltip="Show all hidden columns"),
        Binding("d", "drop", "Delete column", id="sheet.drop", show=False, tooltip="Delete this column; press twice"),
        Binding("c", "chart('column')", "Chart", id="sheet.chart", tooltip="Draw this column, or hide the picture"),
        Binding("C", "chart('row')", "Chart row", id="sheet.chart-row", show=False, tooltip="Draw this row, or hide the picture"),
        Binding("x", "export", "Workbook", id="sheet.export", tooltip="Write the sheet as a workbook with live formulas"),
    ]

    @dataclass
    class Read(Message):
        """The sheet as it is stored; then what is to be filled."""

        opened: OpenSheet
        wanted: Sequence[CellKey] = ()

    @dataclass
    class Filled(Message):
        """Cells were filled."""

        cells: Sequence[SheetCell]

    @dataclass
    class Ended(Message):
        """A run is over."""

        number: int
        is_stopped: bool

    def __init__(self, room: SheetRoom, opened: OpenSheet) -> None:
        super().__init__()
        self._room = room
        self._view = SheetView(opened)
        self._run: Worker[None] | None = None
        self._doomed = ""
        self._adding = "all"
        self._charted = ""
        self._on_screen: Sequence[CellKey] = ()

    def compose(self) -> ComposeResult:
        yield Static("", markup=False, id="sheet-title")
        yield SheetGrid(cursor_type="cell", zebra_stripes=True, fixed_columns=1, header_height=2)
        yield ChartView()
        yield Static("", markup=False, id="sheet-cell")
        yield Input(compact=True, placeholder='a figure, a question ending in "?", or NAME = FORMULA', id="sheet-column")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        self.query_one(Input).display = False
        self._draw()
        self.set_interval(_LOOK_EVERY, self._look)

    @property
    def name_of_sheet(self) -> str:
        return self._view.opened.sheet.name

    @property
    def chosen(self) -> tuple[SheetRow, SheetColumn] | None:
        """Row and column under the cursor; None on the row names and the totals."""
        at = self.query_one(SheetGrid).cursor_coordinate
        if not 0 <= at.row < len(self._view.rows) or not 0 < at.column <= len(self._view.columns):
            return None
        return self._view.rows[at.row], self._view.columns[at.column - 1]

    @property
    def _column(self) -> SheetColumn | None:
        at = self.query_one(SheetGrid).cursor_coordinate.column
        return self._view.columns[at - 1] if 0 < at <= len(self._view.columns) else None

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        """Messages of workers stay where they were started; the app tells what failed."""
        if event.worker is self._run and event.state is WorkerState.ERROR:
            self._run = None
            self._view.running.clear()
            self._draw()
        self.app.post_message(Worker.StateChanged(event.worker, event.state))

    @on(Read)
    def _read(self, event: Read) -> None:
        ranks = self._view.with_ranks
        self._view = SheetView(event.opened)
        self._view.with_ranks = ranks
        self._draw()
        if event.wanted:
            self._start(event.wanted)

    @on(Filled)
    def _filled(self, event: Filled) -> None:
        if self._view.put(event.cells):
            self._draw()
            return
        grid = self.query_one(SheetGrid)
        rows = {row.key: row for row in self._view.rows}
        columns = {column.key: column for column in self._view.columns}
        for cell in event.cells:
            if cell.row in rows and cell.column in columns:
                text = self._view.text(rows[cell.row], columns[cell.column])
                grid.update_cell(cell.row, cell.column, text, update_width=True)
        self._tell()

    @on(Ended)
    def _ended(self, event: Ended) -> None:
        self._run = None
        self._view.running.clear()
        changed = sum(bool(cell.before) for cell in self._view.cells.values())
        end = "Stopped; what was filled stays." if event.is_stopped else "Filled."
        self.notify(f"{end} {event.number} cells{f', {changed} changed (*)' if changed else ''}.", markup=False)
        self._draw()

    @on(DataTable.CellHighlighted)
    def _highlighted(self) -> None:
        self._doomed = ""
        self._tell()

    @on(DataTable.CellSelected)
    def _selected(self, event: DataTable.CellSelected) -> None:
        event.stop()
        self.action_cell()

    @on(Input.Submitted)
    def _named(self, event: Input.Submitted) -> None:
        text = one_line(event.value)
        self._leave_line()
        if text:
            self._add_column(text, is_trial=self._adding == "trial")

    def action_fill(self) -> None:
        from fin_tui.sheets.running import stale

        opened = self._view.opened
        wanted = stale(opened.sheet, self._view.cells, opened.prints)
        if not wanted:
            self.notify("Every cell is filled, and no filing has changed since.")
        elif self._run is None:
            self._start(wanted)

    def action_cell(self) -> None:
        chosen = self.chosen
        cell = self._view.cells.get((chosen[0].key, chosen[1].key)) if chosen else None
        if chosen is not None and cell is not None:
            self.app.push_screen(SheetCellScreen(self._view.line(*chosen), cell))
        elif chosen is not None:
            self.notify("This cell has not been filled; r fills it.")

    def action_filing(self) -> None:
        chosen = self.chosen
        cell = self._view.cells.get((chosen[0].key, chosen[1].key)) if chosen else None
        if cell is None or not cell.citations:
            self.notify("This cell has no source to open.", severity="warning")
            return
        citation = cell.citations[0]
        title = f"{filing_label(citation)} · {one_line(citation.form)}"
        self.app.post_message(ReaderWanted(citation.filing, title, citation.start, citation.end))

    def action_column(self, how: str) -> None:
        self._adding = how
        line = self.query_one(Input)
        line.display = True
        line.value = ""
        line.focus()

    def action_sort(self) -> None:
        if self._column is not None:
            self._view.sort(self._column.key)
            self._draw()

    def action_ranks(self) -> None:
        self._view.with_ranks = not self._view.with_ranks
        self._draw()

    def action_hide(self) -> None:
        column = self._column
        if column is not None and len(self._view.columns) > 1:
            self._change(lambda room: room.hide(self.name_of_sheet, column.key, is_hidden=True))

    def action_show_all(self) -> None:
        keys = [column.key for column in self._view.opened.sheet.columns if column.is_hidden]

        def show(room: SheetRoom) -> None:
            for key in keys:
                room.hide(self.name_of_sheet, key, is_hidden=False)

        self._change(show)

    def action_drop(self) -> None:
        column = self._column
        if column is None:
            return
        if self._doomed != column.key:
            self._doomed = column.key
            self.notify(f"Press d again to delete the column {one_line(column.name)}.", severity="warning", markup=False)
            return
        self._change(lambda room: room.drop_column(self.name_of_sheet, column.key))

    def action_chart(self, what: str) -> None:
        chosen = self.chosen
        if chosen is None:
            return
        wanted = f"{what}:{chosen[1].key if what == 'column' else chosen[0].key}"
        chart = self._view.chart_of_column(chosen[1]) if what == "column" else self._view.chart_of_row(chosen[0])
        if chart is None and self._charted != wanted:
            self.notify("There are not two numbers of one unit to draw.", severity="warning")
        self._charted = wanted if self._charted != wanted and chart is not None else ""
        self.query_one(ChartView).show(chart if self._charted else None, self.size.width - 4)

    def action_export(self) -> None:
        self._export()

    def action_leave(self) -> None:
        if self.query_one(Input).display:
            self._leave_line()
        elif self._run is not None:
            self._run.cancel()
        else:
            self.dismiss()

    def _leave_line(self) -> None:
        self.query_one(Input).display = False
        self.query_one(SheetGrid).focus()

    def _start(self, wanted: Sequence[CellKey]) -> None:
        self._view.running = set(wanted)
        self._draw()
        self._run = self._fill(tuple(wanted))

    def _look(self) -> None:
        """Which cells are on screen: a run fills them first."""
        rows = [self._view.rows[at].key for at in self.query_one(SheetGrid).visible_rows() if at < len(self._view.rows)]
        self._on_screen = [(row, column.key) for row in rows for column in self._view.columns]

    def _draw(self) -> None:
        grid = self.query_one(SheetGrid)
        at, scrolled = grid.cursor_coordinate, grid.scroll_offset
        grid.clear(columns=True)
        grid.add_column(Text(""), key="")
        for column in self._view.columns:
            grid.add_column(self._view.head(column), key=column.key)
        for row in self._view.rows:
            cells = (self._view.text(row, column) for column in self._view.columns)
            grid.add_row(Text(one_line(row.label)), *cells, key=row.key)
        for name, texts in self._view.sums():
            grid.add_row(Text(name, style="dim"), *texts, key=f"={name}")
        across = min(max(at.column, 1), len(self._view.columns))
        grid.move_cursor(row=min(at.row, len(self._view.rows) - 1), column=across, scroll=False)
        grid.scroll_to(scrolled.x, scrolled.y, animate=False)
        self._tell()

    def _tell(self) -> None:
        self.query_one("#sheet-title", Static).update(self._view.title())
        chosen = self.chosen
        self.query_one("#sheet-cell", Static).update(self._view.line(*chosen) if chosen else "")

    @work(thread=True, exclusive=True, group="sheet", exit_on_error=False)
    def _fill(self, wanted: Sequence[CellKey]) -> None:
        worker = get_current_worker()
        waiting: list[SheetCell] = []
        number, told = 0, time.monotonic()
        cells = self._room.fill(self.name_of_sheet, wanted, lambda: worker.is_cancelled, lambda: self._on_screen)
        for cell in cells:
            waiting.append(cell)
            number += 1
            if time.monotonic() - told > _TOLD_EVERY:
                self.post_message(self.Filled(waiting))
                waiting, told = [], time.monotonic()
        self.post_message(self.Filled(waiting))
        self.post_message(self.Ended(number, worker.is_cancelled))

    @work(thread=True, group="sheet-change", exit_on_error=False)
    def _change(self, act: Callable[[SheetRoom], Any]) -> None:
        """Change the sheet, then read it."""
        act(self._room)
        self.post_message(self.Read(self._room.open(self.name_of_sheet)))

    @work(thread=True, group="sheet-change", exit_on_error=False)
    def _add_column(self, text: str, *, is_trial: bool) -> None:
        from fin_tui.sheets.running import trial

        key = self._room.add_column(self.name_of_sheet, text)
        opened = self._room.open(self.name_of_sheet)
        wanted = trial(opened.sheet, key) if is_trial else [(row.key, key) for row in opened.sheet.rows]
        self.post_message(self.Read(opened, wanted))

    @work(thread=True, exclusive=True, group="export", exit_on_error=False)
    def _export(self) -> None:
        self.app.post_message(Exported(self._room.export(self.name_of_sheet)))
