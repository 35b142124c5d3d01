"""Dialogs over a screen, and those that only ask or tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.style import Style
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from fin_tui.ui.keymap import key_name
from fin_tui.ui.text import clean, one_line
from fin_tui.ui.widgets.lists import PickList

Result = TypeVar("Result")


class Dialog(ModalScreen[Result]):
    """The app's own keys end at a dialog, so these two are bound again; by their ids the settings change them here, too."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "app.help", "Help", show=False, id="app.help", tooltip="Help for this dialog, with its keys"),
        Binding(
            "ctrl+p", "app.command_palette", "Commands", show=False, id="app.commands", tooltip="Find any command by its name"
        ),
    ]


def way_out(words: str, action: str) -> Content:
    """``words`` about the key that closes, which a click on them does as well."""
    return Content.styled(words, Style.from_meta({"@click": action}))


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


class LookingScreen(Dialog[None]):
    """Stands until what is looked for is known: it must not open over another screen later, and Esc ends the waiting."""

    CSS_PATH = "choosing.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close", id="looking.close", tooltip="Don't wait for it"),
    ]

    def __init__(self, title: str, told: str) -> None:
        super().__init__()
        self._title = title
        self._told = told

    def compose(self) -> ComposeResult:
        with Vertical(id="choosing") as box:
            box.border_title = Content(one_line(self._title))
            box.border_subtitle = way_out("Esc closes", "screen.dismiss")
            yield Static(Content(one_line(self._told)), markup=False, classes="told")


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
