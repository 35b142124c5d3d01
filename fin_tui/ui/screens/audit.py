"""A workbook of the reader's own, audited: its numbers by verdict, each opened at the place that bears on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Static
from textual.worker import Worker

from fin_tui.ui.messages import Exported, ReaderWanted
from fin_tui.ui.services import SheetRoom
from fin_tui.ui.text import one_line, shorten
from fin_tui.ui.widgets.lists import SheetGrid

if TYPE_CHECKING:
    from fin_tui.records import Citation
    from fin_tui.sheets.audit import Audit

_GLYPHS = {"contradicted": "✗", "check": "!", "unknown": "?", "supported": "✓"}
_HEADS = ("", "cell", "label", "period", "typed", "slip", "why")
_TYPED = 3
_SHOWN = (("contradicted", "check"), ("unknown",), ("supported",), ("contradicted", "check", "unknown", "supported"))


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the grid."""

    kind: str
    texts: Sequence[str]
    why: str
    citation: Citation | None = None


class AuditScreen(Screen[None]):
    """What is contradicted and what checks found first; the line below says all of the row under the cursor."""

    CSS_PATH = "audit.tcss"
    AUTO_FOCUS = "SheetGrid"
    HELP = """\
## Audit

Every typed number of the workbook: ✗ contradicted with the likely slip, ? unknown, ✓ supported; and ! what is odd about its
sums and formulas. **Enter** opens the filing at the place that states the figure, **v** shows other verdicts, **x** writes
a copy of the workbook with colours and notes. The workbook itself is never changed.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Back", id="audit.close", tooltip="Back to the sheets"),
        Binding("enter,o", "open", "Open filing", id="audit.read", tooltip="Read the filing where it states the figure"),
        Binding("v", "verdicts", "Verdicts", id="audit.verdicts", tooltip="Contradicted, unknown, supported, or all"),
        Binding("x", "copy", "Marked copy", id="audit.copy", tooltip="Write a copy of the workbook with colours and notes"),
    ]

    def __init__(self, room: SheetRoom, path: Path, audit: Audit) -> None:
        super().__init__()
        self._room = room
        self._path = path
        self._audit = audit
        self._turn = 0
        self._rows: list[_Row] = []

    def compose(self) -> ComposeResult:
        yield Static("", markup=False, id="audit-title")
        yield SheetGrid(cursor_type="row", zebra_stripes=True)
        yield Static("", markup=False, id="audit-why")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        if not any(self._of(_SHOWN[0])):
            self._turn = len(_SHOWN) - 1
        self._draw()

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        """Messages of workers stay where they were started; the app tells what failed."""
        self.app.post_message(Worker.StateChanged(event.worker, event.state))

    @on(DataTable.RowHighlighted)
    def _highlighted(self) -> None:
        self._tell()

    @on(DataTable.RowSelected)
    def _selected(self, event: DataTable.RowSelected) -> None:
        event.stop()
        self.action_open()

    def action_verdicts(self) -> None:
        self._turn = (self._turn + 1) % len(_SHOWN)
        self._draw()

    def action_open(self) -> None:
        row = self._chosen
        if row is None or row.citation is None:
            self.notify("No place in a filing bears on this.", severity="warning")
            return
        self.app.post_message(ReaderWanted.at(row.citation))

    def action_copy(self) -> None:
        self._copy()

    def action_close(self) -> None:
        self.dismiss()

    @property
    def _chosen(self) -> _Row | None:
        at = self.query_one(SheetGrid).cursor_row
        return self._rows[at] if 0 <= at < len(self._rows) else None

    def _of(self, kinds: Sequence[str]) -> list[_Row]:
        found = []
        for cell in self._audit.cells:
            if cell.status in kinds:
                slip = cell.slip if cell.slip and cell.slip != "other" else ""
                place = f"{cell.sheet}!{cell.cell}"
                texts = (place, cell.label, cell.period_end or "", f"{cell.typed:,.10g}", slip, cell.why)
                found.append(_Row(cell.status, texts, cell.why, cell.citation))
        if "check" in kinds:
            checks = self._audit.checks
            found += [_Row("check", (f"{c.sheet}!{c.cell}", c.kind, "", "", "", c.why), c.why) for c in checks]
        return found

    def _draw(self) -> None:
        kinds = _SHOWN[self._turn]
        self._rows = self._of(kinds)
        grid = self.query_one(SheetGrid)
        grid.clear(columns=True)
        for head in _HEADS:
            grid.add_column(Text(head))
        for row in self._rows:
            texts = (
                Text(shorten(one_line(text), 48), justify="right" if at == 3 else "left") for at, text in enumerate(row.texts)
            )
            grid.add_row(Text(_GLYPHS[row.kind]), *texts)
        told = ", ".join(f"{number} {status}" for status, number in self._audit.counts.items())
        checks = f", {len(self._audit.checks)} checks" if self._audit.checks else ""
        shown = "all" if len(kinds) > 2 else " and ".join(kinds)
        self.query_one("#audit-title", Static).update(f"Audit of {one_line(self._audit.file)}: {told}{checks} · showing {shown}")
        self._tell()

    def _tell(self) -> None:
        row = self._chosen
        place = f" {row.citation.reference}: “{row.citation.quote}”" if row and row.citation else ""
        self.query_one("#audit-why", Static).update(one_line(f"{row.kind}. {row.why}{place}") if row else "")

    @work(thread=True, exclusive=True, group="export", exit_on_error=False)
    def _copy(self) -> None:
        self.app.post_message(Exported(self._room.marked_copy(self._path, self._audit)))
