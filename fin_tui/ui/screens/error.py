"""One place that shows what went wrong and what to do about it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from fin_tui.ui.screens.dialog import way_out
from fin_tui.ui.text import clean, one_line


class ErrorScreen(ModalScreen[None]):
    """A failed piece of work: title, line, hint. Any of Esc, Enter or q closes it."""

    CSS_PATH = "error.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q", "dismiss", "Close", id="error.close", tooltip="Close this message"),
    ]

    def __init__(self, title: str, message: str, hint: str = "") -> None:
        super().__init__()
        self._title = title
        self._message = message
        self._hint = hint

    def compose(self) -> ComposeResult:
        with Vertical(id="error") as box:
            box.border_title = Content(one_line(self._title))
            box.border_subtitle = way_out("Esc closes", "screen.dismiss")
            yield Static(clean(self._message), markup=False, id="error-message")
            if self._hint:
                yield Static(clean(self._hint), markup=False, id="error-hint")
