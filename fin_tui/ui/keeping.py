"""The part of the app that keeps things in the notebook and writes exports, in workers that only post what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import App
from textual.message import Message

from fin_tui.ui.notebook_room import NotebookRoom
from fin_tui.ui.services import Services

if TYPE_CHECKING:
    from fin_tui.engine.exports.file import Taken
    from fin_tui.engine.exports.page import Format


@dataclass
class KeepWanted(Message):
    """Put something into the notebook."""

    what: str
    """For people: "answer", "passage [3]"."""
    keep: Callable[[NotebookRoom], None]
    """Called in a worker."""


@dataclass
class Kept(Message):
    """It is in the notebook."""

    what: str


@dataclass
class ExportWanted(Message):
    """Write a conversation into a file."""

    conversation: str
    form: Format


@dataclass
class Exported(Message):
    """It was written."""

    path: Path


@dataclass
class NameIsTaken(Message):
    """There is a file of that name."""

    path: Path
    again: Callable[[Taken], Path]
    """Writes it all the same; called in a worker."""


class KeepingApp(App[None]):
    """Works on whatever library is open."""

    _services: Services | None = None

    @on(KeepWanted)
    def _keep_wanted(self, event: KeepWanted) -> None:
        if self._services is not None:
            self._keep(self._services, event)

    @on(Kept)
    def _kept(self, event: Kept) -> None:
        self.notify(f"Saved the {event.what} to the notebook (F7).", markup=False)

    @on(ExportWanted)
    def _export_wanted(self, event: ExportWanted) -> None:
        if self._services is not None:
            self._export(self._services, event)

    @on(Exported)
    def _exported(self, event: Exported) -> None:
        self.notify(f"Written: {event.path}", markup=False, timeout=10)

    @work(thread=True, group="keep", exit_on_error=False)
    def _keep(self, services: Services, event: KeepWanted) -> None:
        event.keep(services.notebook)
        self.post_message(Kept(event.what))

    @work(thread=True, group="export", exit_on_error=False)
    def _export(self, services: Services, event: ExportWanted) -> None:
        from fin_tui.engine.exports.file import NameTaken

        write = partial(services.notebook.export_conversation, event.conversation, event.form)
        try:
            self.post_message(Exported(write()))
        except NameTaken as taken:
            self.post_message(NameIsTaken(taken.path, write))

    @on(NameIsTaken)
    def _name_is_taken(self, event: NameIsTaken) -> None:
        """Ask what becomes of the file that is there."""
        from fin_tui.ui.screens.asking_first import AskFirstScreen

        ways: dict[str, Taken] = {"Replace it": "replace", "Keep it, and write another one beside it": "beside"}

        def chosen(way: str | None) -> None:
            if way is not None:
                self._write_again(event, ways[way])

        self.push_screen(AskFirstScreen(f"{event.path.name} exists already", (str(event.path.parent),), tuple(ways)), chosen)

    @work(thread=True, group="export", exit_on_error=False)
    def _write_again(self, event: NameIsTaken, taken: Taken) -> None:
        self.post_message(Exported(event.again(taken)))
