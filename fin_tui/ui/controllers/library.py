"""The library of the app: opened in the background, warmed up, read from; its conversations listed and changed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from textual.app import App
from textual.screen import Screen
from textual.worker import Worker, get_current_worker

from fin_tui.ui import plotting
from fin_tui.ui.messages import (
    ConversationRemoved,
    ConversationRenamed,
    ConversationResumed,
    ConversationsRead,
    LibraryRead,
    Loading,
    ResumeWanted,
    SectionsRead,
    SectionsWanted,
    ServicesOpened,
    WarmedUp,
)
from fin_tui.ui.process import detached
from fin_tui.ui.screens.conversations import ConversationsScreen
from fin_tui.ui.services import Opener, Services

_RETRY_SECONDS = 0.5
Changed = ResumeWanted | ConversationRenamed | ConversationRemoved


class LibraryController:
    """One library at a time; what is read of it goes to the main screen."""

    def __init__(self, app: App[Any], main: Screen[None], opener: Opener, is_answering: Callable[[], bool]) -> None:
        """``is_answering``: an answer is being made, so that the library must stay open."""
        self.services: Services | None = None
        """What is open."""
        self._app = app
        self._main = main
        self._opener = opener
        self._is_answering = is_answering

    def ready(self) -> Services | None:
        """What is open; the reader is told when nothing is, or not yet."""
        if self.services is None:
            self._app.notify("The library is not open yet.", severity="warning")
        return self.services

    def open(self) -> None:
        """Open the library, as the settings and the weights are now."""
        self._in_background(self._open, "open")

    def reopen(self) -> None:
        """Open the library anew once no answer is being made; all that is shown stays."""
        if self._is_answering():
            self._app.set_timer(_RETRY_SECONDS, self.reopen)
        else:
            self.open()

    def read(self) -> None:
        """Show what the library holds now."""
        if self.services is not None:
            self._in_background(partial(self._post_library, self.services), "library")

    def list_conversations(self) -> None:
        """Show the conversations that are stored."""
        if self.services is not None:
            self._in_background(partial(self._read_conversations, self.services), "conversations")

    def hear(self, event: ServicesOpened | SectionsWanted | ConversationsRead | Changed) -> None:
        """Take a message of the app."""
        match event:
            case ServicesOpened():
                self.services = event.services
                self._in_background(partial(self._prepare, event.services), "prepare")
            case ConversationsRead():
                self._app.push_screen(ConversationsScreen(event.conversations))
            case SectionsWanted():
                if self.services is not None:
                    self._in_background(partial(self._read_sections, self.services, event.filing), "sections", exclusive=False)
            case _:
                if self.services is not None:
                    change = partial(self._change_conversation, self.services, event)
                    self._in_background(change, "conversation", exclusive=False)

    def _in_background(self, act: Callable[[], None], group: str, *, exclusive: bool = True) -> Worker[None]:
        return self._app.run_worker(act, group, group=group, thread=True, exclusive=exclusive, exit_on_error=False)

    def _open(self) -> None:
        before, services = self.services, self._opener()
        self._app.post_message(ServicesOpened(services))
        self._main.post_message(ServicesOpened(services))
        self._post_library(services)
        if before is not None:
            before.close()

    def _prepare(self, services: Services) -> None:
        """Warm up; the reader asks meanwhile."""
        from fin_tui.ui.widgets import turn  # noqa: F401 - so that the first question need not wait for Markdown

        worker = get_current_worker()
        for text in detached(services.warm_up(), lambda: worker.is_cancelled):
            self._main.post_message(Loading(text))
        if worker.is_cancelled:
            return
        self._main.post_message(Loading(""))
        self._post_library(services)
        self._app.post_message(WarmedUp(services))
        plotting.load()

    def _read_sections(self, services: Services, filing: str) -> None:
        self._main.post_message(SectionsRead(filing, services.sections(filing)))

    def _read_conversations(self, services: Services) -> None:
        self._app.post_message(ConversationsRead(services.conversations()))

    def _change_conversation(self, services: Services, event: Changed) -> None:
        match event:
            case ResumeWanted():
                self._main.post_message(ConversationResumed(event.conversation, services.turns(event.conversation)))
            case ConversationRenamed():
                services.rename(event.conversation, event.title)
            case ConversationRemoved():
                services.forget(event.conversation)

    def _post_library(self, services: Services) -> None:
        """From a worker: what the library holds now."""
        self._main.post_message(LibraryRead(services.filings(), services.model(), services.notes(), services.place()))
