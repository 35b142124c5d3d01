"""Small dialogs of the settings: one value of several, and one key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from fin_tui.ui.keymap import key_name
from fin_tui.ui.screens.dialog import way_out
from fin_tui.ui.text import one_line

_NO_KEYS = frozenset({"escape", "ctrl+c", "ctrl+q"})
"""Leave the dialog, or the app."""


class ChooseScreen(ModalScreen[str | None]):
    """Gives the chosen value, or None."""

    CSS_PATH = "choosing.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close", id="choose.close", tooltip="Leave it as it is"),
    ]

    def __init__(self, title: str, values: Sequence[str], now: str) -> None:
        super().__init__()
        self._title = title
        self._values = list(values)
        self._now = now

    def compose(self) -> ComposeResult:
        with Vertical(id="choosing") as box:
            box.border_title = Content(one_line(self._title))
            box.border_subtitle = Content("Enter takes it, ") + way_out("Esc closes", "screen.dismiss")
            yield OptionList(*(Option(Content(value)) for value in self._values), id="values", markup=False, compact=True)

    def on_mount(self) -> None:
        options = self.query_one(OptionList)
        options.highlighted = self._values.index(self._now) if self._now in self._values else 0

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._values[event.option_index])


class KeyScreen(ModalScreen[str | None]):
    """Waits for a key that no other action has, and gives it; None when it was left."""

    CSS_PATH = "choosing.tcss"

    def __init__(self, what: str, refuse: Callable[[str], str]) -> None:
        super().__init__()
        self._what = what
        self._refuse = refuse
        """Why a key can't be taken; empty when it can."""

    def compose(self) -> ComposeResult:
        with Vertical(id="choosing") as box:
            box.border_title = "Press the new key"
            box.border_subtitle = way_out("Esc leaves it as it is", "screen.dismiss")
            yield Static(Content(one_line(self._what)), markup=False)
            yield Static("", markup=False, id="refused")

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        if event.key in _NO_KEYS:
            self.dismiss(None)
            return
        why = self._refuse(event.key)
        if why:
            self.query_one("#refused", Static).update(Content(f"{key_name(event.key)} can't be taken. {why}"))
        else:
            self.dismiss(event.key)
