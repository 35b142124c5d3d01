"""The app's work in the background: each piece in a worker that only posts what it found."""

from __future__ import annotations

import importlib

from textual import on, work
from textual.worker import get_current_worker

from fin_tui.config import Settings
from fin_tui.ui import plotting
from fin_tui.ui.clipboard import BY_TERMINAL, copy
from fin_tui.ui.detached import detached
from fin_tui.ui.keeping import KeepingApp
from fin_tui.ui.messages import (
    ChangesRead,
    ConversationRemoved,
    ConversationRenamed,
    ConversationResumed,
    ConversationsRead,
    Copied,
    CopyWanted,
    LibraryRead,
    Loading,
    ResumeWanted,
    SectionsRead,
    ServicesOpened,
    WarmedUp,
    WhatsNewRead,
)
from fin_tui.ui.screens.conversations import ConversationsScreen
from fin_tui.ui.screens.main import MainScreen
from fin_tui.ui.services import Opener, Services

_RETRY_SECONDS = 0.5


class LibraryApp(KeepingApp):
    """Opens a library and reads from it; never blocks the thread that draws."""

    def __init__(self, opener: Opener, settings: Settings) -> None:
        super().__init__()
        self._opener = opener
        self._services: Services | None = None
        self.main = MainScreen(settings)

    def read_library(self) -> None:
        """Show what the library holds now."""
        if self._services is not None:
            self._read_library(self._services)

    def reopen(self) -> None:
        """Open the library anew, as the settings and the weights are now, once no answer is being made; all shown stays."""
        if self.main.is_answering:
            self.set_timer(_RETRY_SECONDS, self.reopen)
        else:
            self._open()

    def action_conversations(self) -> None:
        if self._services is not None:
            self._read_conversations(self._services)

    @on(ConversationsRead)
    def _conversations_read(self, event: ConversationsRead) -> None:
        self.push_screen(ConversationsScreen(event.conversations))

    @on(ResumeWanted)
    @on(ConversationRenamed)
    @on(ConversationRemoved)
    def _conversation(self, event: ResumeWanted | ConversationRenamed | ConversationRemoved) -> None:
        if self._services is not None:
            self._change_conversation(self._services, event)

    @on(CopyWanted)
    def _copy_wanted(self, event: CopyWanted) -> None:
        self._copy(event.what, event.text)

    @on(Copied)
    def _copied(self, event: Copied) -> None:
        if event.how == BY_TERMINAL:
            self.copy_to_clipboard(event.text)
        where = f" {event.how}" if event.how.startswith("to ") else ""
        self.notify(f"Copied the {event.what}{where}.", markup=False)

    @work(thread=True, exclusive=True, group="open", exit_on_error=False)
    def _open(self) -> None:
        before, services = self._services, self._opener()
        self.post_message(ServicesOpened(services))
        self.main.post_message(ServicesOpened(services))
        self._post_library(services)
        if before is not None:
            before.close()

    @work(thread=True, exclusive=True, group="prepare", exit_on_error=False)
    def _prepare(self, services: Services) -> None:
        """Warm up; the reader asks meanwhile."""
        importlib.import_module("fin_tui.ui.widgets.turn")  # So that the first question need not wait for Markdown.
        worker = get_current_worker()
        for text in detached(services.warm_up(), lambda: worker.is_cancelled):
            self.main.post_message(Loading(text))
        if worker.is_cancelled:
            return
        self.main.post_message(Loading(""))
        self._post_library(services)
        self.post_message(WarmedUp(services))
        plotting.load()

    @work(thread=True, exclusive=True, group="library", exit_on_error=False)
    def _read_library(self, services: Services) -> None:
        self._post_library(services)

    @work(thread=True, group="sections", exit_on_error=False)
    def _read_sections(self, services: Services, filing: str) -> None:
        self.main.post_message(SectionsRead(filing, services.sections(filing)))

    @work(thread=True, exclusive=True, group="compare", exit_on_error=False)
    def _compare(self, services: Services, filing: str, item: str) -> None:
        self.post_message(ChangesRead(services.changes(filing, item)))

    @work(thread=True, exclusive=True, group="compare", exit_on_error=False)
    def _read_whats_new(self, services: Services, filing: str) -> None:
        self.post_message(WhatsNewRead(services.whats_new(filing)))

    @work(thread=True, exclusive=True, group="conversations", exit_on_error=False)
    def _read_conversations(self, services: Services) -> None:
        self.post_message(ConversationsRead(services.conversations()))

    @work(thread=True, group="conversation", exit_on_error=False)
    def _change_conversation(self, services: Services, event: ResumeWanted | ConversationRenamed | ConversationRemoved) -> None:
        match event:
            case ResumeWanted():
                self.main.post_message(ConversationResumed(event.conversation, services.turns(event.conversation)))
            case ConversationRenamed():
                services.rename(event.conversation, event.title)
            case ConversationRemoved():
                services.forget(event.conversation)

    @work(thread=True, exclusive=True, group="copy", exit_on_error=False)
    def _copy(self, what: str, text: str) -> None:
        self.post_message(Copied(what, copy(text), text))

    def _post_library(self, services: Services) -> None:
        """From a worker: what the library holds now."""
        self.main.post_message(LibraryRead(services.filings(), services.model(), services.notes(), services.place()))
