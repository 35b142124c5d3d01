"""The places where keys act, with the classes that bind them, in the order of the table of keys."""

from __future__ import annotations

from textual.dom import DOMNode

from fin_tui.ui.keymap import EVERYWHERE, MAIN, Places
from fin_tui.ui.screens.adding import AddScreen
from fin_tui.ui.screens.audit import AuditScreen
from fin_tui.ui.screens.changes import ChangesScreen
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
from fin_tui.ui.screens.sheet import SheetScreen
from fin_tui.ui.screens.sheet_cell import SheetCellScreen
from fin_tui.ui.screens.sheets import SheetsScreen
from fin_tui.ui.screens.whats_new import WhatsNewScreen
from fin_tui.ui.widgets.filing_browser import FilingBrowser
from fin_tui.ui.widgets.filing_tree import FilingTree
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
