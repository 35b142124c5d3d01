"""``python -m fin_tui.ui.keys``: the table of keys as Markdown, made from the bindings that the app itself uses."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from textual.binding import Binding
from textual.dom import DOMNode

from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.screens.changes import ChangesScreen
from fin_tui.ui.screens.conversations import ConversationsScreen
from fin_tui.ui.screens.main import MainScreen
from fin_tui.ui.screens.reader import ReaderScreen
from fin_tui.ui.widgets.filing_browser import FilingBrowser
from fin_tui.ui.widgets.filing_tree import FilingTree
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.sources import Sources

PLACES: tuple[tuple[str, tuple[type[DOMNode], ...]], ...] = (
    ("Everywhere", (FinTuiApp,)),
    ("Prompt", (Prompt,)),
    ("Conversation", (MainScreen,)),
    ("Filings", (FilingTree, FilingBrowser)),
    ("Sources", (Sources,)),
    ("Reader", (ReaderScreen,)),
    ("Changes", (ChangesScreen,)),
    ("Conversations", (ConversationsScreen,)),
)
_NAMES = {
    "slash": "/",
    "escape": "Esc",
    "enter": "Enter",
    "space": "Space",
    "tab": "Tab",
    "backspace": "Backspace",
    "up": "Up",
    "down": "Down",
}


def key_table() -> str:
    """A Markdown table of every key with a tooltip, by the place it acts in."""
    lines = ["| where | key | what it does |", "|---|---|---|"]
    for place, owners in PLACES:
        shown = place
        for keys, what in _rows(owners):
            lines.append(f"| {shown} | {keys} | {what} |")
            shown = ""
    return "\n".join(lines)


def _rows(owners: tuple[type[DOMNode], ...]) -> Iterator[tuple[str, str]]:
    for owner in owners:
        for binding in owner.BINDINGS:
            if not isinstance(binding, Binding) or not binding.tooltip:
                continue
            if binding.action.startswith("digit("):
                if binding.action == "digit(1)":
                    yield "1 … 99, Alt+1 …", "Show the source with this number"
                continue
            yield ", ".join(_name(key) for key in binding.key.split(",")), binding.tooltip.replace("|", "\\|")


def _name(key: str) -> str:
    """ "alt+n" as people read it: "Alt+N"; a capital on its own needs Shift."""
    *modifiers, last = key.split("+")
    name = _NAMES.get(last, last.upper() if modifiers or (last[:1] == "f" and last[1:].isdigit()) else last)
    return "+".join([*(modifier.capitalize() for modifier in modifiers), name])


if __name__ == "__main__":
    sys.stdout.write(f"{key_table()}\n")
