"""One cell of a sheet: what it says, how it was computed, and every source, each a key from its filing."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from fin_tui.facts.format import show
from fin_tui.ui.messages import CopyWanted, ReaderWanted
from fin_tui.ui.screens.dialog import Dialog
from fin_tui.ui.text import filing_label, one_line, shorten
from fin_tui.ui.widgets.pick_list import PickList

if TYPE_CHECKING:
    from fin_tui.facts.figures import Unit
    from fin_tui.records import SheetCell

_LONGEST = 2_000


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
        citation = self._cell.citations[at]
        title = f"{filing_label(citation)} · {one_line(citation.form)}"
        self.app.post_message(ReaderWanted(citation.filing, title, citation.start, citation.end))

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
            yield f"  {name} = {item}: {_shown(given['value'], given['unit'])} ({given['period_end']})"
    for fact in cell.candidates:
        yield shorten(one_line(f"candidate: {fact['label']}: {fact['as_reported']} ({fact['period_end']})"), 200)


def _shown(value: float, unit: Unit) -> str:
    """An input in its unit, with all its digits."""
    return show(Decimal(str(value)), unit)
