"""A question before something is done that the reader may not want: one line for each thing, a key for each way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from fin_tui.ui.screens.dialog import Dialog, way_out
from fin_tui.ui.text import one_line
from fin_tui.ui.widgets.pick_list import PickList


class AskFirstScreen(Dialog[str | None]):
    """Gives the chosen one of ``ways``, or None."""

    CSS_PATH = "choosing.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close", id="ask-first.close", tooltip="Do nothing"),
    ]

    def __init__(self, title: str, lines: Sequence[str], ways: Sequence[str]) -> None:
        super().__init__()
        self._title = title
        self._lines = lines
        self._ways = list(ways)

    def compose(self) -> ComposeResult:
        with Vertical(id="choosing") as box:
            box.border_title = Content(one_line(self._title))
            box.border_subtitle = Content("Enter does it, ") + way_out("Esc closes", "screen.dismiss")
            yield Static(Content("\n".join(one_line(line) for line in self._lines)), markup=False, classes="told")
            yield PickList(*(Option(Content(way)) for way in self._ways), id="ways", markup=False, compact=True)

    def on_mount(self) -> None:
        self.query_one(PickList).highlighted = 0

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._ways[event.option_index])
