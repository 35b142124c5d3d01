"""An app, and a screen with the widgets of a conversation, that do nothing by themselves: where a controller is tested alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot
from textual.screen import Screen

from fin_tui.config import Settings
from fin_tui.records import Progress
from fin_tui.ui.controllers.answering import AnsweringController
from fin_tui.ui.controllers.library import LibraryController
from fin_tui.ui.controllers.scope import ScopeController
from fin_tui.ui.controllers.sources import Panes, SourcesController
from fin_tui.ui.messages import (
    ConversationResumed,
    EngineEvent,
    ServicesOpened,
)
from fin_tui.ui.themes import MARK_DEFAULTS
from fin_tui.ui.widgets.bars import PaneTabs, ScopeChips, StatusLine
from fin_tui.ui.widgets.chat import Chat
from fin_tui.ui.widgets.filing_browser import FilingBrowser
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.sources import Sources
from tests.ui.conftest import until
from tests.ui.fakes import FILINGS, FakeServices, Script


class Bare(App[None]):
    """Keeps the messages that a controller posts, and hands them over only when a test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.posted: list[Message] = []
        self.told = ""
        """What was notified."""

    def post_message(self, message: Message) -> bool:
        if _is_ours(message):
            self.posted.append(message)
            return True
        return super().post_message(message)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(MARK_DEFAULTS)

    def notify(self, message: str, **_: Any) -> None:
        self.told += f"{message}\n"


class Conversation(Screen[None]):
    """The widgets of a conversation, without a key or a handler."""

    def __init__(self) -> None:
        super().__init__()
        self.posted: list[Message] = []
        self.panes = Panes(self)
        self.scope = ScopeController(self)
        self.sources = SourcesController(self, self.panes)
        self.answering = AnsweringController(self, self.scope, self.sources, Settings())

    def compose(self) -> ComposeResult:
        yield PaneTabs(id="tabs")
        yield FilingBrowser(id="filings")
        yield Chat(id="chat")
        yield ScopeChips(id="scope")
        yield Prompt(id="prompt")
        yield Sources(id="sources")
        yield StatusLine(id="status-line")

    def post_message(self, message: Message) -> bool:
        if _is_ours(message):
            self.posted.append(message)
            return True
        return super().post_message(message)

    async def hand_over(self) -> None:
        """Give the controller of answers what was posted for it since."""
        waiting, self.posted[:] = [m for m in self.posted if isinstance(m, EngineEvent | ConversationResumed)], []
        for message in waiting:
            await self.answering.hear(message)

    def say(self, name: str) -> str:
        return str(self.query_one(StatusLine).query_one(name).render())


def _is_ours(message: Message) -> bool:
    return type(message).__module__ == "fin_tui.ui.messages"


class Shown:
    """Where jobs are named."""

    def __init__(self) -> None:
        self.jobs: list[str] = []
        self.vectors: list[Progress] = []

    def show_jobs(self, text: str) -> None:
        self.jobs.append(text)

    def show_vectors(self, progress: Progress) -> None:
        self.vectors.append(progress)


@asynccontextmanager
async def bare() -> AsyncIterator[tuple[Bare, Pilot[None]]]:
    app = Bare()
    async with app.run_test() as pilot:
        yield app, pilot


@asynccontextmanager
async def conversation(*scripts: Script) -> AsyncIterator[tuple[Conversation, Pilot[None], FakeServices]]:
    """A conversation whose library is open."""
    async with bare() as (app, pilot):
        screen = Conversation()
        await app.push_screen(screen)
        services = FakeServices(list(scripts) or [Script()])
        await screen.answering.hear(ServicesOpened(services))
        screen.scope.show(FILINGS)
        yield screen, pilot, services


async def posted(pilot: Pilot[None], where: Bare | Conversation, kind: type[Message]) -> Any:
    """The first message of a kind, once it is there."""
    await until(pilot, lambda: any(isinstance(message, kind) for message in where.posted))
    return next(message for message in where.posted if isinstance(message, kind))


async def ask(screen: Conversation, pilot: Pilot[None], question: str = "What?", *, alone: bool = False) -> None:
    """Ask, and take what the worker posts until the answer is done."""
    await screen.answering.ask(question, alone=alone)
    await ended(screen, pilot)


async def ended(screen: Conversation, pilot: Pilot[None]) -> None:
    """Take what the worker posts until the answer is done."""
    for _ in range(1500):
        await screen.hand_over()
        if not screen.answering.is_answering:
            return
        await pilot.pause(0.01)
    raise AssertionError("there was no end to it")


def opened(app: Bare, services: FakeServices | None = None) -> LibraryController:
    """A library that is open already."""
    library = LibraryController(app, Conversation(), FakeServices, lambda: False)
    library.services = services or FakeServices()
    return library
