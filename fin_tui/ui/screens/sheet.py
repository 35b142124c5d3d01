"""One sheet: figures and answers cell by cell, filled in the background, each opened with its proof."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Input, OptionList, Static
from textual.widgets.option_list import Option
from textual.worker import Worker, WorkerState, get_current_worker

from fin_tui.facts.figures import show
from fin_tui.ui.messages import CopyWanted, Exported, ReaderWanted
from fin_tui.ui.screens.dialog import Dialog
from fin_tui.ui.services import SheetRoom
from fin_tui.ui.sheet_lines import SheetView
from fin_tui.ui.text import one_line, shorten
from fin_tui.ui.widgets.evidence_card import ChartView
from fin_tui.ui.widgets.lists import PickList, SheetTable

if TYPE_CHECKING:
    from fin_tui.facts.figures import Unit
    from fin_tui.records import SheetCell
    from fin_tui.sheets.filling import OpenSheet
    from fin_tui.store.kept import CellKey

_LONGEST = 2_000
_TOLD_EVERY = 0.15
"""Seconds between two batches of filled cells: each draws the grid."""


class SheetCellScreen(Dialog[None]):
    """Opened from a sheet."""

    CSS_PATH = "sheet_cell.tcss"
    AUTO_FOCUS = "#cell-sources"
    HELP = """\
## Cell

What the cell says, its calculation with every input, and its sources. **Enter** opens the filing at the chosen source, **y**
copies all of this, **Esc** closes it.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", id="sheet-cell.close", tooltip="Back to the sheet"),
        Binding("enter,o", "open", "Open filing", id="sheet-cell.read", tooltip="Read the filing at the chosen source"),
        Binding("y", "copy", "Copy", id="sheet-cell.copy", tooltip="Copy the cell with its calculation and sources"),
    ]

    def __init__(self, line: str, cell: SheetCell) -> None:
        """``line``: all of the cell in one line."""
        super().__init__()
        self._line = line
        self._cell = cell

    def compose(self) -> ComposeResult:
        with Vertical(id="cell"):
            yield Static("\n".join(cell_lines(self._line, self._cell))[:_LONGEST], markup=False, id="cell-text")
            sources = (f"[{c.id}] {one_line(c.reference)}: “{one_line(c.quote)}”" for c in self._cell.citations)
            yield PickList(*(Option(Content(text)) for text in sources), id="cell-sources", markup=False, compact=True)
            yield Footer(compact=True)

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = 0 if self._cell.citations else None

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_open()

    def action_open(self) -> None:
        at = self.query_one(OptionList).highlighted
        if at is None:
            self.notify("This cell has no source to open.", severity="warning")
            return
        self.app.post_message(ReaderWanted.at(self._cell.citations[at]))

    def action_copy(self) -> None:
        sources = [f"[{c.id}] {one_line(c.reference)}: {one_line(c.quote)}" for c in self._cell.citations]
        self.app.post_message(CopyWanted("cell", "\n".join((*cell_lines(self._line, self._cell), *sources))))

    def action_close(self) -> None:
        self.dismiss()


def cell_lines(line: str, cell: SheetCell) -> Iterator[str]:
    """What a cell says, then its calculation with one line for each input."""
    yield line
    for sentence in cell.sentences:
        yield one_line(sentence.text) + "".join(f" [{number}]" for number in sentence.citations)
    if cell.calculation:
        yield f"{cell.calculation['expression']} = {one_line(str(cell.calculation['display']))}"
        for name, given in cell.calculation["inputs"].items():
            item = one_line(str(given["item"]).replace("_", " "))
            yield f"  {name} = {item}: {_shown(given['value'], str(given['unit']))} ({given['period_end']})"
    for fact in cell.candidates:
        yield shorten(one_line(f"candidate: {fact['label']}: {fact['as_reported']} ({fact['period_end']})"), 200)


def _shown(value: float | None, unit: str) -> str:
    """An input in its unit, with all its digits."""
    return show(Decimal(str(value)), cast("Unit", unit))


class ColumnLine(Input):
    """Hidden until it is asked for; says what was typed and leaves again."""

    @dataclass
    class Named(Message):
        """A column was typed."""

        text: str
        is_trial: bool

    def __init__(self, id: str) -> None:
        super().__init__(compact=True, placeholder='a figure, a question ending in "?", or NAME = FORMULA', id=id)
        self._is_trial = False

    def on_mount(self) -> None:
        self.display = False

    def ask(self, *, is_trial: bool) -> None:
        """Show the line, empty."""
        self._is_trial = is_trial
        self.value = ""
        self.display = True
        self.focus()

    def leave(self) -> None:
        """Hide the line; what is typed on it is given up."""
        self.display = False

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        self.leave()
        self.post_message(self.Named(one_line(self.value), self._is_trial))


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


class SheetWork:
    """What a sheet's screen does in the background: fill cells, change rows and columns, write the workbook; a run at a time.

    Workers belong to the screen and tell it by messages; the screen alone touches widgets.
    """

    def __init__(self, screen: Screen[Any], room: SheetRoom, name: str) -> None:
        """``name`` is that of the sheet."""
        self._screen = screen
        self._room = room
        self._name = name
        self._run: Worker[None] | None = None

    @property
    def is_running(self) -> bool:
        return self._run is not None

    def start(self, wanted: Sequence[CellKey], first: Callable[[], Sequence[CellKey]]) -> None:
        """Fill ``wanted``, what ``first`` names at that moment before others; ``Filled`` by batches, then ``Ended``."""
        self._run = self._in_background(lambda: self._fill(tuple(wanted), first), "sheet", exclusive=True)

    def stop(self) -> None:
        """End the run behind the cell that is being made."""
        if self._run is not None:
            self._run.cancel()

    def ended(self, worker: Worker[Any] | None = None) -> bool:
        """Take note that the run is over; False when ``worker`` is another one than the run."""
        if worker is not None and worker is not self._run:
            return False
        self._run = None
        return True

    def hide(self, keys: Sequence[str], *, is_hidden: bool) -> None:
        """Hide or show columns; ``Read`` follows."""

        def hide() -> None:
            for key in keys:
                self._room.hide(self._name, key, is_hidden=is_hidden)

        self._change(hide)

    def drop(self, key: str) -> None:
        """Delete a column; ``Read`` follows."""
        self._change(lambda: self._room.drop_column(self._name, key))

    def add(self, text: str, *, is_trial: bool) -> None:
        """Add a column; ``Read`` follows, with the cells to fill: all of it, or those of a trial."""
        self._in_background(lambda: self._add(text, is_trial=is_trial), "sheet-change")

    def export(self) -> None:
        """Write the workbook; the app is told where it is."""
        self._in_background(lambda: self._screen.app.post_message(Exported(self._room.export(self._name))), "export")

    def _in_background(self, act: Callable[[], Any], group: str, *, exclusive: bool = False) -> Worker[Any]:
        return self._screen.run_worker(act, group=group, thread=True, exclusive=exclusive, exit_on_error=False)

    def _change(self, act: Callable[[], Any]) -> None:
        def changed() -> None:
            act()
            self._screen.post_message(Read(self._room.open(self._name)))

        self._in_background(changed, "sheet-change")

    def _add(self, text: str, *, is_trial: bool) -> None:
        from fin_tui.sheets.filling import trial

        key = self._room.add_column(self._name, text)
        opened = self._room.open(self._name)
        wanted = trial(opened.sheet, key) if is_trial else [(row.key, key) for row in opened.sheet.rows]
        self._screen.post_message(Read(opened, wanted))

    def _fill(self, wanted: Sequence[CellKey], first: Callable[[], Sequence[CellKey]]) -> None:
        worker = get_current_worker()
        waiting: list[SheetCell] = []
        number, told = 0, time.monotonic()
        for cell in self._room.fill(self._name, wanted, lambda: worker.is_cancelled, first):
            waiting.append(cell)
            number += 1
            if time.monotonic() - told > _TOLD_EVERY:
                self._screen.post_message(Filled(waiting))
                waiting, told = [], time.monotonic()
        self._screen.post_message(Filled(waiting))
        self._screen.post_message(Ended(number, worker.is_cancelled))


class SheetScreen(Screen[None]):
    """A grid with a frozen header and frozen row names; the line below says all of the cell under the cursor."""

    CSS_PATH = "sheet.tcss"
    AUTO_FOCUS = "SheetGrid"
    HELP = """\
## Sheet

Rows are companies in fiscal years, or filings; columns are figures, formulas or questions. **r** fills what is empty or stale,
what is on screen first; **Esc** stops, and what was filled stays. **Enter** opens a cell with its proof, **Ctrl+O** its filing.

**p** tries a new column on three rows, **a** adds one for all. **s** sorts, **k** shows ranks, **h** hides the column, **H**
shows all, **c** draws the column, **C** what in the row has the same unit, **x** writes a workbook with live formulas.

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
        Binding("h", "hide('column')", "Hide", id="sheet.hide", show=False, tooltip="Hide this column"),
        Binding("H", "hide('none')", "Show all", id="sheet.show-all", show=False, tooltip="Show all hidden columns"),
        Binding("d", "drop", "Delete column", id="sheet.drop", show=False, tooltip="Delete this column; press twice"),
        Binding("c", "chart('column')", "Chart", id="sheet.chart", tooltip="Draw this column, or hide the picture"),
        Binding("C", "chart('row')", "Chart row", id="sheet.chart-row", show=False, tooltip="Draw this row, or hide the picture"),
        Binding("x", "export", "Workbook", id="sheet.export", tooltip="Write the sheet as a workbook with live formulas"),
    ]

    def __init__(self, room: SheetRoom, opened: OpenSheet) -> None:
        super().__init__()
        self._view = SheetView(opened)
        self._work = SheetWork(self, room, opened.sheet.name)
        self._doomed = ""
        self._charted = ""

    def compose(self) -> ComposeResult:
        yield Static("", markup=False, id="sheet-title")
        yield SheetTable()
        yield ChartView()
        yield Static("", markup=False, id="sheet-cell")
        yield ColumnLine(id="sheet-column")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        self._draw()

    @property
    def _grid(self) -> SheetTable:
        return self.query_one(SheetTable)

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        """Messages of workers stay where they were started; the app tells what failed."""
        if event.state is WorkerState.ERROR and self._work.ended(event.worker):
            self._view.running.clear()
            self._draw()
        self.app.post_message(Worker.StateChanged(event.worker, event.state))

    @on(Read)
    def _read(self, event: Read) -> None:
        self._view = self._view.reopened(event.opened)
        self._draw()
        if event.wanted:
            self._start(event.wanted)

    @on(Filled)
    def _filled(self, event: Filled) -> None:
        if self._view.put(event.cells):
            self._draw()
            return
        self._grid.put(event.cells)
        self._tell()

    @on(Ended)
    def _ended(self, event: Ended) -> None:
        self._work.ended()
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

    @on(ColumnLine.Named)
    def _named(self, event: ColumnLine.Named) -> None:
        self._grid.focus()
        if event.text:
            self._work.add(event.text, is_trial=event.is_trial)

    def action_fill(self) -> None:
        from fin_tui.sheets.filling import stale

        opened = self._view.opened
        wanted = stale(opened.sheet, self._view.cells, opened.prints)
        if not wanted:
            self.notify("Every cell is filled, and no filing has changed since.")
        elif not self._work.is_running:
            self._start(wanted)

    def action_cell(self) -> None:
        chosen, cell = self._grid.chosen, self._grid.cell
        if chosen is not None and cell is not None:
            self.app.push_screen(SheetCellScreen(self._view.line(*chosen), cell))
        elif chosen is not None:
            self.notify("This cell has not been filled; r fills it.")

    def action_filing(self) -> None:
        cell = self._grid.cell
        if cell is None or not cell.citations:
            self.notify("This cell has no source to open.", severity="warning")
            return
        self.app.post_message(ReaderWanted.at(cell.citations[0]))

    def action_column(self, how: str) -> None:
        self.query_one(ColumnLine).ask(is_trial=how == "trial")

    def action_sort(self) -> None:
        column = self._grid.column_here
        if column is not None:
            self._view.sort(column.key)
            self._draw()

    def action_ranks(self) -> None:
        self._view.with_ranks = not self._view.with_ranks
        self._draw()

    def action_hide(self, what: str) -> None:
        column = self._grid.column_here
        if what == "none":
            self._work.hide([one.key for one in self._view.opened.sheet.columns if one.is_hidden], is_hidden=False)
        elif column is not None and len(self._view.columns) > 1:
            self._work.hide([column.key], is_hidden=True)

    def action_drop(self) -> None:
        column = self._grid.column_here
        if column is None:
            return
        if self._doomed != column.key:
            self._doomed = column.key
            self.notify(f"Press d again to delete the column {one_line(column.name)}.", severity="warning", markup=False)
            return
        self._work.drop(column.key)

    def action_chart(self, what: str) -> None:
        chosen = self._grid.chosen
        if chosen is None:
            return
        wanted = f"{what}:{chosen[1].key if what == 'column' else chosen[0].key}"
        chart = self._view.chart_of_column(chosen[1]) if what == "column" else self._view.chart_of_row(*chosen)
        if chart is None and self._charted != wanted:
            self.notify("There are not two numbers of one unit to draw.", severity="warning")
        self._charted = wanted if self._charted != wanted and chart is not None else ""
        self.query_one(ChartView).show(chart if self._charted else None, self.size.width - 4)

    def action_export(self) -> None:
        self._work.export()

    def action_leave(self) -> None:
        line = self.query_one(ColumnLine)
        if line.display:
            line.leave()
            self._grid.focus()
        elif self._work.is_running:
            self._work.stop()
        else:
            self.dismiss()

    def _start(self, wanted: Sequence[CellKey]) -> None:
        grid = self._grid
        self._view.running = set(wanted)
        self._draw()
        self._work.start(wanted, lambda: grid.on_screen)

    def _draw(self) -> None:
        self._grid.show(self._view)
        self._tell()

    def _tell(self) -> None:
        self.query_one("#sheet-title", Static).update(self._view.title())
        chosen = self._grid.chosen
        self.query_one("#sheet-cell", Static).update(self._view.line(*chosen) if chosen else "")
