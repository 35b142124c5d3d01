"""Help over the screen: what the focused pane is for, then the keys that act there."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import dedent
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Markdown, Static

from fin_tui.ui.keymap import key_name
from fin_tui.ui.screens.dialog import way_out


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
                yield Static(Content(f"Keys: {place}"), classes="help-place")
                for keys, told in rows:
                    with Horizontal(classes="help-row"):
                        yield Static(Content(keys), classes="help-keys")
                        yield Static(Content(told), classes="help-told")

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
