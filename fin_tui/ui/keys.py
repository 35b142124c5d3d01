"""The places where keys act, with the classes that bind them; ``python -m fin_tui.ui.keys`` prints the README's table."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from textual.binding import Binding
from textual.dom import DOMNode

from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.keymap import EVERYWHERE, MAIN, Places, key_names
from fin_tui.ui.screens.adding import AddScreen
from fin_tui.ui.screens.audit import AuditScreen
from fin_tui.ui.screens.changes import ChangesScreen, WhatsNewScreen
from fin_tui.ui.screens.changing import ChangeScreen
from fin_tui.ui.screens.check import CheckScreen
from fin_tui.ui.screens.conversations import ConversationsScreen
from fin_tui.ui.screens.fetching import FetchScreen
from fin_tui.ui.screens.figure import FigureScreen
from fin_tui.ui.screens.jobs import JobsScreen
from fin_tui.ui.screens.main import MainScreen
from fin_tui.ui.screens.notebook import NotebookScreen
from fin_tui.ui.screens.reader import ReaderScreen
from fin_tui.ui.screens.settings import SettingsScreen
from fin_tui.ui.screens.sheet import SheetCellScreen, SheetScreen
from fin_tui.ui.screens.sheets import SheetsScreen
from fin_tui.ui.widgets.filing_browser import FilingBrowser, FilingTree
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.sources import Sources


def places(app: type[DOMNode]) -> Places:
    """Every place; ``app``'s own keys act everywhere."""
    return (
        (EVERYWHERE, (app,)),
        ("Prompt", (Prompt,)),
        (MAIN, (MainScreen,)),
        ("Filings", (FilingTree, FilingBrowser)),
        ("Sources", (Sources,)),
        ("Reader", (ReaderScreen,)),
        ("Changes", (ChangesScreen,)),
        ("What's new", (WhatsNewScreen,)),
        ("Change question", (ChangeScreen,)),
        ("Figure", (FigureScreen,)),
        ("Notebook", (NotebookScreen,)),
        ("Sheets", (SheetsScreen,)),
        ("Sheet", (SheetScreen,)),
        ("Cell", (SheetCellScreen,)),
        ("Audit", (AuditScreen,)),
        ("Conversations", (ConversationsScreen,)),
        ("Add filings", (AddScreen,)),
        ("Fetch", (FetchScreen,)),
        ("Log", (JobsScreen,)),
        ("Check", (CheckScreen,)),
        ("Settings", (SettingsScreen,)),
    )


PLACES = places(FinTuiApp)


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
                    yield (
                        "1 … 99",
                        "Show the source with this number; in the prompt Alt+1 …, where the terminal has a key of its own for it",
                    )
                continue
            yield key_names(binding.key), binding.tooltip.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(f"{key_table()}\n")
