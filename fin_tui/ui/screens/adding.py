"""Choosing filings on disk: walk through folders, type to narrow, paste paths, mark several."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from fin_tui.errors import FinTuiError, in_one_line
from fin_tui.language import count
from fin_tui.ui.browse import Entry, list_folder, pasted_paths, split_typed
from fin_tui.ui.messages import FolderRead
from fin_tui.ui.screens.dialog import Dialog
from fin_tui.ui.text import one_line
from fin_tui.ui.widgets.lists import PickList

_MB = 1_000_000


class PathInput(Input):
    """A line that several pasted paths may go into."""

    class Pasted(Message):
        """Paths that exist were pasted."""

        def __init__(self, paths: Sequence[Path]) -> None:
            super().__init__()
            self.paths = tuple(paths)

    def on_paste(self, event: events.Paste) -> None:
        paths = pasted_paths(event.text)
        if paths:
            event.prevent_default()
            event.stop()
            self.post_message(self.Pasted(paths))


class AddScreen(Dialog[tuple[Path, ...] | None]):
    """Gives the chosen files and folders, or None."""

    CSS_PATH = "adding.tcss"
    AUTO_FOCUS = "#path"
    HELP = """\
## Add filings

Type to narrow the list, or type a path with a **/**. **Enter** goes into a folder, or adds the file and all marked ones. **Tab**
marks a file or a folder and goes on. The first line adds all filings of the folder and of those below it.

Paste paths (one a line) to mark them. **Backspace** on an empty line goes one folder up. **Esc** closes.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", id="add.close", tooltip="Add nothing"),
        Binding("enter", "choose", "Open or add", id="add.choose", tooltip="Go into the folder, or add the file and all marked"),
        Binding("tab", "mark", "Mark", priority=True, id="add.mark", tooltip="Mark this file or folder, or no longer"),
        Binding("ctrl+s", "add", "Add marked", id="add.add", tooltip="Add all that is marked"),
        Binding("up", "move(-1)", "Up", show=False, id="add.up"),
        Binding("down", "move(1)", "Down", show=False, id="add.down"),
        Binding("pageup", "move(-10)", "Page up", show=False, id="add.page-up"),
        Binding("pagedown", "move(10)", "Page down", show=False, id="add.page-down"),
        Binding("alt+up", "parent", "Folder up", show=False, id="add.parent", tooltip="Go one folder up"),
    ]

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.marked: dict[Path, None] = {}
        self._entries: tuple[Entry, ...] = ()
        self._shown: list[Entry] = []
        self._listed: Path | None = None

    def compose(self) -> ComposeResult:
        with Vertical(id="adding") as box:
            box.border_title = "Add filings"
            yield PathInput(placeholder="type to narrow, or a path; paste paths here", compact=True, id="path")
            yield Static("", markup=False, id="folder")
            yield PickList(id="entries", markup=False, compact=True)
            yield Static("", markup=False, id="add-note")
            yield Footer(compact=True)

    def on_mount(self) -> None:
        self.query_one(OptionList).can_focus = False
        self._list(self.folder)

    def on_key(self, event: events.Key) -> None:
        """Backspace on an empty line goes up, as in file managers."""
        if event.key == "backspace" and not self.query_one(Input).value:
            self.action_parent()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        folder, _ = split_typed(event.value, self.folder)
        if folder != self._listed:
            self._list(folder)
        else:
            self._fill()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_choose()

    @on(PathInput.Pasted)
    def _pasted(self, event: PathInput.Pasted) -> None:
        self.marked |= dict.fromkeys(path.absolute() for path in event.paths)
        self._fill()

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_choose()

    @on(FolderRead)
    def _read(self, event: FolderRead) -> None:
        if event.folder != self._listed:
            return
        self._entries = tuple(event.entries)
        self._fill(event.problem)

    def action_choose(self) -> None:
        entry, at = self._chosen, self.query_one(OptionList).highlighted
        if at == 0:
            self.marked[self._listed or self.folder] = None
            self.action_add()
        elif entry is None:
            self._note("No file or folder of that name.")
        elif entry.is_folder:
            self._enter(entry.path)
        else:
            self.marked[entry.path] = None
            self.action_add()

    def action_add(self) -> None:
        typed, chosen = split_typed(self.query_one(Input).value, self.folder)[1], self._chosen
        if not self.marked and chosen is not None and chosen.path.name == typed:
            self.marked[chosen.path] = None  # Its whole name says as much as a mark.
        if self.marked:
            self.dismiss(tuple(self.marked))
        elif self._chosen is None and self.query_one(Input).value:
            self._note("No file or folder of that name.")
        else:
            self._note("Nothing is marked: Tab marks a file or a folder.")

    def action_mark(self) -> None:
        entry = self._chosen
        if entry is None:
            return
        if entry.path in self.marked:
            del self.marked[entry.path]
        else:
            self.marked[entry.path] = None
        self._fill()
        self.action_move(1)

    def action_move(self, by: int) -> None:
        options = self.query_one(OptionList)
        if options.option_count:
            options.highlighted = min(max((options.highlighted or 0) + by, 0), options.option_count - 1)

    def action_parent(self) -> None:
        self._enter((self._listed or self.folder).parent)

    def action_close(self) -> None:
        self.dismiss(None)

    @property
    def _chosen(self) -> Entry | None:
        at = self.query_one(OptionList).highlighted
        return self._shown[at - 1] if at is not None and 0 < at <= len(self._shown) else None

    def _enter(self, folder: Path) -> None:
        self.folder = folder
        line = self.query_one(Input)
        if line.value:
            line.value = ""
        else:
            self._list(folder)

    def _list(self, folder: Path) -> None:
        self._listed, self._entries = folder, ()
        self.query_one("#folder", Static).update(Content(one_line(str(folder))))
        self._read_folder(folder)

    @work(thread=True, exclusive=True, group="folder", exit_on_error=False)
    def _read_folder(self, folder: Path) -> None:
        try:
            self.post_message(FolderRead(folder, list_folder(folder)))
        except FinTuiError as error:
            self.post_message(FolderRead(folder, (), in_one_line(error.message, error.hint)))

    def _fill(self, problem: str = "") -> None:
        words = split_typed(self.query_one(Input).value, self.folder)[1].casefold()
        self._shown = [entry for entry in self._entries if words in entry.path.name.casefold()]
        options = self.query_one(OptionList)
        at = options.highlighted
        everything = Option(Content("  all filings in this folder and below"))
        options.set_options([everything, *(Option(self._line(entry)) for entry in self._shown)])
        first = 1 if self._shown and (words or at is None) else 0
        options.highlighted = max(min(at or first, len(self._shown)), first)
        told = f"{count(len(self.marked), 'thing')} marked; Ctrl+S adds them." if self.marked else ""
        self._note(problem or told)

    def _note(self, text: str) -> None:
        self.query_one("#add-note", Static).update(Content(one_line(text)))

    def _line(self, entry: Entry) -> Content:
        mark = ("● ", "bold $accent") if entry.path in self.marked else "  "
        name = one_line(entry.path.name)
        if entry.is_folder:
            return Content.assemble(mark, (f"{name}/", "bold"))
        return Content.assemble(mark, name, (f"  {entry.size / _MB:.1f} MB", "$foreground-muted"))
