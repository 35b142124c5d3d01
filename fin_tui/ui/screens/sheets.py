"""The sheets there are: opened, made, deleted; and the way to the audit of a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option
from textual.worker import Worker

from fin_tui.ui.screens.audit import AuditScreen
from fin_tui.ui.screens.sheet import SheetScreen
from fin_tui.ui.services import SheetRoom
from fin_tui.ui.text import one_line
from fin_tui.ui.widgets.lists import PickList

if TYPE_CHECKING:
    from fin_tui.sheets.audit import Audit
    from fin_tui.sheets.filling import OpenSheet
    from fin_tui.store.kept import SheetSummary

_FIELDS = {
    "sheet-name": "name of the new sheet",
    "sheet-rows": "rows: companies and years, or a company, or all",
    "sheet-columns": "columns: revenue; net margin; a question?; X = A / B; or a template such as margins",
}


class SheetsScreen(Screen[None]):
    """A list of sheets by name."""

    CSS_PATH = "sheets.tcss"
    AUTO_FOCUS = "#sheets"
    HELP = """\
## Sheets

Grids of companies and years, or filings, against figures, formulas and questions. **Enter** opens one, **n** makes one, **d**
twice deletes it. **m** audits a workbook of your own: every typed number is looked up, and it is never changed.

Templates for columns: income, balance, cash-flow, margins, returns, leverage, per-share, segments, banks.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Back", id="sheets.close", tooltip="Back to the conversation"),
        Binding("enter,o", "open", "Open", id="sheets.open", tooltip="Open this sheet"),
        Binding("n", "new", "New", id="sheets.new", tooltip="Make a sheet: its name, rows and columns"),
        Binding("m", "audit", "Audit a model", id="sheets.audit", tooltip="Audit a workbook of your own"),
        Binding("d", "delete", "Delete", id="sheets.delete", tooltip="Delete this sheet; press twice"),
    ]

    @dataclass
    class Read(Message):
        """The sheets as they are now."""

        sheets: Sequence[SheetSummary]
        example: str
        """Rows as they can be typed."""

    @dataclass
    class Opened(Message):
        """A sheet to be shown."""

        opened: OpenSheet

    @dataclass
    class Audited(Message):
        """A workbook was audited."""

        path: Path
        audit: Audit

    def __init__(self, room: SheetRoom) -> None:
        super().__init__()
        self._room = room
        self._sheets: Sequence[SheetSummary] = ()
        self._doomed = ""

    def compose(self) -> ComposeResult:
        yield Static("Sheets", markup=False, id="sheets-title")
        yield Static("No sheet yet: n makes one. m audits a workbook of your own.", markup=False, id="no-sheets")
        yield PickList(id="sheets", markup=False, compact=True)
        for name, words in _FIELDS.items():
            yield Input(compact=True, placeholder=words, id=name, classes="sheet-field")
        yield Input(compact=True, placeholder="the workbook: model.xlsx", id="model-path", classes="sheet-field")
        yield Static("", markup=False, id="sheets-state")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        self._leave_lines()
        self._do(lambda room: None)

    def on_screen_resume(self) -> None:
        self.query_one("#sheets-state", Static).update("")
        self._do(lambda room: None)

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        """Messages of workers stay where they were started; the app tells what failed."""
        self.app.post_message(Worker.StateChanged(event.worker, event.state))

    @on(Read)
    def _read(self, event: Read) -> None:
        self._sheets = event.sheets
        if event.example:
            self.query_one("#sheet-rows", Input).placeholder = f"rows: {event.example}, or a company, or all"
        sheets = self.query_one("#sheets", OptionList)
        at = sheets.highlighted or 0
        sheets.set_options([Option(Content(_line(one))) for one in event.sheets])
        sheets.highlighted = min(at, len(event.sheets) - 1) if event.sheets else None
        self.query_one("#no-sheets").display = not event.sheets

    @on(Opened)
    def _opened(self, event: Opened) -> None:
        self.app.push_screen(SheetScreen(self._room, event.opened))

    @on(Audited)
    def _audited(self, event: Audited) -> None:
        self.query_one("#sheets-state", Static).update("")
        self.app.push_screen(AuditScreen(self._room, event.path, event.audit))

    @on(OptionList.OptionHighlighted)
    def _highlighted(self) -> None:
        self._doomed = ""

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_open()

    @on(Input.Submitted, "#model-path")
    def _model(self, event: Input.Submitted) -> None:
        path = Path(event.value.strip()).expanduser()
        self._leave_lines()
        if event.value.strip():
            self.query_one("#sheets-state", Static).update(f"Auditing {one_line(path.name)} …")
            self._audit(path)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        names = list(_FIELDS)
        if event.input.id not in names:
            return
        at = names.index(event.input.id)
        if at + 1 < len(names):
            self.query_one(f"#{names[at + 1]}", Input).focus()
            return
        name, rows, columns = (one_line(self.query_one(f"#{field}", Input).value) for field in names)
        self._leave_lines()
        self._make(name, rows, columns)

    @property
    def chosen(self) -> SheetSummary | None:
        """The sheet under the cursor."""
        at = self.query_one("#sheets", OptionList).highlighted
        return self._sheets[at] if at is not None and at < len(self._sheets) else None

    def action_open(self) -> None:
        chosen = self.chosen
        if chosen is not None:
            self._open(chosen.name)

    def action_new(self) -> None:
        for name in _FIELDS:
            self.query_one(f"#{name}", Input).display = True
        self.query_one("#sheet-name", Input).focus()

    def action_audit(self) -> None:
        line = self.query_one("#model-path", Input)
        line.display = True
        line.focus()

    def action_delete(self) -> None:
        chosen = self.chosen
        if chosen is None:
            return
        if self._doomed != chosen.name:
            self._doomed = chosen.name
            self.notify(f"Press d again to delete {one_line(chosen.name)}.", severity="warning", markup=False)
            return
        self._do(lambda room: room.remove(chosen.name))

    def action_close(self) -> None:
        if any(field.display for field in self.query(".sheet-field")):
            self._leave_lines()
        else:
            self.dismiss()

    def _leave_lines(self) -> None:
        for field in self.query(".sheet-field"):
            field.display = False
        self.query_one("#sheets").focus()

    @work(thread=True, group="sheets", exit_on_error=False)
    def _do(self, act: Callable[[SheetRoom], Any]) -> None:
        """Do something to the sheets, then read them."""
        act(self._room)
        self.post_message(self.Read(self._room.all(), self._room.example()))

    @work(thread=True, exclusive=True, group="sheet-open", exit_on_error=False)
    def _open(self, name: str) -> None:
        self.post_message(self.Opened(self._room.open(name)))

    @work(thread=True, group="sheet-new", exit_on_error=False)
    def _make(self, name: str, rows: str, columns: str) -> None:
        self.post_message(self.Opened(self._room.new(name, rows, columns)))

    @work(thread=True, exclusive=True, group="audit", exit_on_error=False)
    def _audit(self, path: Path) -> None:
        self.post_message(self.Audited(path, self._room.audit(path)))


def _line(sheet: SheetSummary) -> str:
    filled = f"{sheet.cells} of {sheet.rows * sheet.columns} filled"
    return one_line(f"{sheet.name} · {sheet.rows} rows · {sheet.columns} columns · {filled}")
