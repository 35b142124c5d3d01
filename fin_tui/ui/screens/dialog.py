"""Dialogs over a screen: those that only ask or tell, and the help with what the focused pane is for and its keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from textwrap import dedent
from typing import Any, ClassVar, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Markdown, OptionList, Static
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


_KEY_CELLS = 18


class HelpScreen(ModalScreen[None]):
    """Closed by Esc, F1 or q; nothing that is typed meanwhile reaches the screen under it."""

    CSS_PATH = "help.tcss"
    AUTO_FOCUS = "#help"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,q", "dismiss", "Close", id="help.close", tooltip="Close the help"),
        Binding("j", "scroll(1)", show=False),
        Binding("k", "scroll(-1)", show=False),
    ]

    def __init__(self, text: str, keys: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> None:
        """``text``: Markdown of the house; ``keys``: where they act, then key and what it does."""
        super().__init__()
        self._text = text
        self._keys = keys

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help") as box:
            box.border_title = "Help"
            box.border_subtitle = way_out("Esc closes", "screen.dismiss")
            if self._text:
                yield Markdown(self._text, open_links=False, id="help-text")
            for place, rows in self._keys:
                yield Static(Content(place), classes="help-place")
                yield Static(Content("\n").join(_rows(rows)), classes="help-keys")

    def action_scroll(self, by: int) -> None:
        self.query_one("#help", VerticalScroll).scroll_relative(y=by, animate=False)


def help_of(screen: Screen[Any]) -> HelpScreen:
    """The help for what has the focus on ``screen``."""
    nodes = screen.focused.ancestors_with_self if screen.focused is not None else (screen,)
    text = next((node.HELP for node in nodes if isinstance(node, Widget) and node.HELP), "")
    places: dict[str, dict[tuple[str, str], list[str]]] = {}
    for node, binding, enabled, tooltip in screen.active_bindings.values():
        told = tooltip or binding.tooltip
        if binding.system or not enabled or not told or binding.action.startswith("digit("):
            continue
        place = node.BINDING_GROUP_TITLE or ("Everywhere" if node is screen.app else "This screen")
        places.setdefault(place, {}).setdefault((binding.action, told), []).append(key_name(binding.key))
    listed = [(place, [(", ".join(keys), told) for (_, told), keys in rows.items()]) for place, rows in places.items()]
    return HelpScreen(dedent(text).strip(), listed)


def _rows(rows: Sequence[tuple[str, str]]) -> Iterator[Content]:
    for keys, told in rows:
        yield Content.assemble((keys.ljust(_KEY_CELLS) + " ", "bold"), (told, "$foreground-muted"))
