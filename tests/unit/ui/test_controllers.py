"""Each controller alone, on an app or a screen that does nothing by itself: what it posts, pushes, tells and runs."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot
from textual.screen import Screen

from fin_tui.config import Settings
from fin_tui.engine.exports.file import NameTaken
from fin_tui.errors import FinTuiError
from fin_tui.records import Progress, Refusal
from fin_tui.ui.controllers.answering import AnsweringController
from fin_tui.ui.controllers.dialogs import DialogsController
from fin_tui.ui.controllers.jobs import JobsController
from fin_tui.ui.controllers.keeping import KeepingController
from fin_tui.ui.controllers.library import LibraryController
from fin_tui.ui.controllers.overview import OverviewController
from fin_tui.ui.controllers.preview import PreviewController
from fin_tui.ui.controllers.reading import ReadingController
from fin_tui.ui.controllers.scope import ScopeController
from fin_tui.ui.controllers.sources import Panes, SourcesController
from fin_tui.ui.controllers.turns import Look, ReaskingController, TurnsController
from fin_tui.ui.messages import (
    BookmarkWanted,
    ChangesRead,
    ChangesWanted,
    ConversationResumed,
    ConversationsRead,
    Copied,
    CopyWanted,
    EngineEvent,
    Exported,
    ExportWanted,
    FetchWanted,
    JobCancelled,
    JobEnded,
    JobTold,
    JobWanted,
    KeepWanted,
    Kept,
    LibraryRead,
    Loading,
    MissingRead,
    NameIsTaken,
    PreviewRead,
    ReaderWanted,
    ResumeWanted,
    ServicesOpened,
    SettingsRead,
    WarmedUp,
)
from fin_tui.ui.screens.adding import AddScreen
from fin_tui.ui.screens.changes import ChangesScreen
from fin_tui.ui.screens.conversations import ConversationsScreen
from fin_tui.ui.screens.dialog import AskFirstScreen
from fin_tui.ui.screens.jobs import JobsScreen
from fin_tui.ui.screens.reader import ReaderScreen
from fin_tui.ui.services import Job, JobLine, Missing, ModelState
from fin_tui.ui.themes import MARK_DEFAULTS
from fin_tui.ui.widgets.bars import PaneTabs, ScopeChips, StatusLine
from fin_tui.ui.widgets.chat import Chat
from fin_tui.ui.widgets.filing_browser import FilingBrowser
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.sources import Sources
from tests.ui.conftest import until
from tests.ui.fakes import ACME, FILINGS, FakeServices, Script, passages


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
    return type(message).__module__ in ("fin_tui.ui.messages", "fin_tui.ui.messages")


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


async def ask(screen: Conversation, pilot: Pilot[None], question: str = "What?") -> None:
    """Ask, and take what the worker posts until the answer is done."""
    await screen.answering.ask(question)
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


async def test_a_library_is_opened_read_and_warmed_up() -> None:
    async with bare() as (app, pilot):
        main, services = Conversation(), FakeServices()
        library = LibraryController(app, main, lambda: services, lambda: False)
        assert library.ready() is None
        assert "not open yet" in app.told
        library.open()
        event = await posted(pilot, app, ServicesOpened)
        read = await posted(pilot, main, LibraryRead)
        assert [filing.id for filing in read.filings] == [filing.id for filing in FILINGS]
        library.hear(event)
        assert library.ready() is services
        await posted(pilot, app, WarmedUp)
        assert [message.text for message in main.posted if isinstance(message, Loading)][-1] == ""


async def test_a_library_is_not_closed_under_an_answer() -> None:
    async with bare() as (app, pilot):
        busy = [True]
        before = FakeServices()
        library = LibraryController(app, Conversation(), FakeServices, lambda: busy[0])
        library.services = before
        library.reopen()
        await pilot.pause(0.6)
        assert not app.posted
        busy[0] = False
        await posted(pilot, app, ServicesOpened)
        await until(pilot, lambda: before.closed)


async def test_conversations_are_listed_and_gone_on_with() -> None:
    async with bare() as (app, pilot):
        library = opened(app, FakeServices(kept={"c1": []}, titles={"c1": "Before?"}))
        library.list_conversations()
        library.hear(await posted(pilot, app, ConversationsRead))
        assert isinstance(app.screen, ConversationsScreen)
        library.hear(ResumeWanted("c1"))
        main: Any = library._main
        assert (await posted(pilot, main, ConversationResumed)).conversation == "c1"


async def test_jobs_of_one_lane_run_one_after_the_other_and_failures_are_told() -> None:
    async with bare() as (app, pilot):
        shown, gate = Shown(), threading.Event()
        jobs = JobsController(app, opened(app), shown)
        began: list[str] = []

        def first(cancelled: Callable[[], bool]) -> Any:
            began.append("first")
            gate.wait(5)
            if gate.is_set():
                raise FinTuiError("It broke.", "Mend it.")
            yield JobLine("done", "in vain")

        def second(cancelled: Callable[[], bool]) -> Any:
            began.append("second")
            yield JobLine("done", "a.htm")

        jobs.hear(JobWanted(Job("First", first)))
        jobs.begin(Job("Second", second))
        assert shown.jobs[-1] == "First · 1 waiting"
        await until(pilot, lambda: bool(began))
        gate.set()
        assert began == ["first"]
        await _drained(pilot, app, jobs, lambda: all(record.is_over for record in jobs.board.records))
        assert began == ["first", "second"]
        assert [record.state for record in jobs.board.records] == ["failed", "done"]
        assert "It broke.\nMend it." in app.told
        jobs.open_log()
        await pilot.pause()
        assert isinstance(app.screen, JobsScreen)


async def test_a_job_that_waits_is_cancelled_before_it_begins_and_another_follows_where_it_was_done() -> None:
    async with bare() as (app, pilot):
        services = FakeServices()
        jobs = JobsController(app, opened(app, services), Shown())
        after = Job("After", lambda _: iter((JobLine("done", "after"),)), lane="trial", is_announced=True)
        jobs.begin(Job("Before", lambda _: iter((JobLine("done", "before"),)), then=after))
        jobs.begin(Job("Never", lambda _: iter(())))
        jobs.hear(JobCancelled(jobs.board.records[1]))
        await _drained(pilot, app, jobs, lambda: [r.state for r in jobs.board.records] == ["done", "cancelled", "done"])
        assert "after" in app.told
        assert jobs.work is services.work


async def _drained(pilot: Pilot[None], app: Bare, jobs: JobsController, end: Callable[[], bool]) -> None:
    for _ in range(1500):
        waiting, app.posted[:] = [m for m in app.posted if isinstance(m, JobTold | JobEnded)], []
        for message in waiting:
            jobs.hear(message)
        if end():
            return
        await pilot.pause(0.01)
    raise AssertionError("the jobs never ended")


async def test_a_filing_is_opened_and_marked_and_an_unfilled_reader_closes() -> None:
    async with bare() as (app, pilot):
        services = FakeServices()
        reading = ReadingController(app, opened(app, services))
        reading.hear(ReaderWanted(ACME.id, "Acme", 0, 4))
        reader = app.screen
        assert isinstance(reader, ReaderScreen)
        await until(pilot, lambda: reader.is_filled)
        reading.close_unfilled()
        assert app.screen is reader
        reading.hear(BookmarkWanted(ACME.id, 7))
        await until(pilot, lambda: [mark.start for mark in services.shelf.bookmarks(ACME.id)] == [7])
        reading.hear(ChangesWanted(ACME.id, "1A"))
        reading.hear(await posted(pilot, app, ChangesRead))
        assert isinstance(app.screen, ChangesScreen)


async def test_what_is_kept_and_written_is_told_and_a_file_that_is_there_is_asked_about(tmp_path: Path) -> None:
    async with bare() as (app, pilot):
        services = FakeServices()
        keeping = KeepingController(app, opened(app, services))
        done: list[str] = []
        keeping.hear(KeepWanted("answer", lambda room: done.append("kept")))
        keeping.hear(await posted(pilot, app, Kept))
        assert done == ["kept"]
        assert "Saved the answer to the notebook" in app.told
        keeping.hear(NameIsTaken(tmp_path / "a.md", lambda taken: tmp_path / taken))
        await pilot.pause()
        assert isinstance(app.screen, AskFirstScreen)
        await pilot.press("enter")
        keeping.hear(await posted(pilot, app, Exported))
        assert str(tmp_path / "replace") in app.told
        keeping.hear(CopyWanted("table", "1\t2"))
        keeping.hear(await posted(pilot, app, Copied))
        assert "Copied the table" in app.told


async def test_an_export_never_writes_over_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bare() as (app, pilot):
        services = FakeServices()

        def taken(conversation: str, form: str, taken: object = None) -> Path:
            raise NameTaken(tmp_path / "a.md")

        monkeypatch.setattr(services.notebook, "export_conversation", taken)
        KeepingController(app, opened(app, services)).hear(ExportWanted("c1", "md"))
        assert (await posted(pilot, app, NameIsTaken)).path == tmp_path / "a.md"


async def test_dialogs_open_once_the_library_is_there_and_begin_what_was_agreed_to(tmp_path: Path) -> None:
    async with bare() as (app, pilot):
        library = opened(app)
        services, library.services = library.services, None
        jobs = JobsController(app, library, Shown())
        dialogs = DialogsController(app, library, jobs, ScopeController(Conversation()), lambda: ())
        dialogs.open("add")
        assert "not open yet" in app.told
        assert not isinstance(app.screen, AddScreen)
        library.services = services
        dialogs.folder = tmp_path
        dialogs.open("add")
        await pilot.pause()
        assert isinstance(app.screen, AddScreen)
        app.screen.dismiss((tmp_path / "a.htm",))
        await until(pilot, lambda: [record.job.title for record in jobs.board.records] == ["Add a.htm"])
        assert dialogs.folder == tmp_path
        dialogs.open("settings")
        assert (await posted(pilot, app, SettingsRead)).settings == Settings()


async def test_set_up_asks_before_it_brings_anything_and_asks_nothing_where_all_is_here() -> None:
    async with bare() as (app, pilot):
        library = opened(app)
        jobs = JobsController(app, library, Shown())
        dialogs = DialogsController(app, library, jobs, ScopeController(Conversation()), lambda: ())
        dialogs.hear(MissingRead(Missing((), ())))
        assert "are here already" in app.told
        dialogs.hear(MissingRead(Missing(("answers: small-model, 90 MB",), ("acme.htm",))))
        await pilot.pause()
        assert isinstance(app.screen, AskFirstScreen)
        assert jobs.board.records == []


async def test_settings_that_need_it_open_the_library_anew_once_they_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    from msgspec import structs

    async with bare() as (app, pilot):
        library = opened(app)
        dialogs = DialogsController(
            app, library, JobsController(app, library, Shown()), ScopeController(Conversation()), lambda: ()
        )
        before = Settings()
        for after, reopens in (
            (structs.replace(before, search=structs.replace(before.search, rerank=not before.search.rerank)), False),
            (structs.replace(before, search=structs.replace(before.search, k=before.search.k + 1)), True),
        ):
            dialogs.settings_changed(before, after)
            dialogs.hear(SettingsRead(after, frozenset(), ()))
            await pilot.pause()
            app.screen.dismiss(None)
            await until(pilot, lambda: len(app.screen_stack) == 1)
            assert ("Opening the library anew" in app.told) is reopens


async def test_a_question_is_answered_event_by_event_and_stored() -> None:
    async with conversation() as (screen, pilot, services):
        await ask(screen, pilot)
        turn = screen.answering.turn
        assert turn is not None
        assert turn.answer is not None
        assert turn.answer.status == "answered"
        assert screen.query_one(Sources).passages == turn.passages
        await until(pilot, lambda: len(services.kept) == 1)
        assert screen.answering.conversation.id in services.kept


async def test_a_question_asked_early_waits_for_the_library_and_can_be_stopped() -> None:
    async with bare() as (app, pilot):
        screen = Conversation()
        await app.push_screen(screen)
        await screen.answering.ask("Early?")
        first = screen.answering.turn
        await screen.answering.stop()
        assert first is not None
        assert first.is_done
        assert first.answer is None
        await screen.answering.ask("Again?")
        services = FakeServices()
        await screen.answering.hear(ServicesOpened(services))
        await until(pilot, lambda: [asked.question for asked in services.asked] == ["Again?"])


async def test_a_stored_conversation_takes_the_place_of_this_one() -> None:
    async with conversation() as (screen, pilot, services):
        await ask(screen, pilot, "First?")
        await until(pilot, lambda: bool(services.kept))
        (stored,) = services.kept
        screen.answering.begin_anew()
        await screen.hand_over()
        assert not screen.query_one(Chat).turns
        await screen.answering.hear(ConversationResumed(stored, services.turns(stored)))
        turn = screen.answering.turn
        assert turn is not None
        assert (turn.question, turn.is_done) == ("First?", True)


async def test_how_is_searched_stands_in_the_status_line() -> None:
    async with conversation() as (screen, _, _):
        screen.answering.choose("mode")
        assert screen.answering.choice.mode == "dense"
        screen.answering.choose("model")
        assert screen.answering.choice.writes == "where needed"
        screen.answering.model = ModelState("scripted-135m")
        screen.answering.choose("model")
        assert "search by meaning · model always" in screen.say("#made-with")


async def test_sources_are_walked_through_and_named_by_two_digits() -> None:
    async with conversation(Script(passages=passages(12))) as (screen, pilot, _):
        assert not screen.sources.has_any
        await ask(screen, pilot)
        screen.sources.press(1)
        screen.sources.press(2)
        assert _chosen(screen) == 12
        screen.sources.go("next")
        assert _chosen(screen) == 1
        screen.sources.go("previous")
        assert _chosen(screen) == 12


def _chosen(screen: Conversation) -> int:
    chosen = screen.sources.pane.chosen
    return chosen.citation.id if chosen is not None else 0


async def test_the_scope_is_what_was_picked() -> None:
    async with conversation() as (screen, _, _):
        assert not screen.scope.has_picks
        screen.query_one(FilingBrowser).pick(screen.query_one(FilingBrowser).picks.toggle_company(ACME.company_key))
        screen.scope.picked()
        assert screen.scope.scope().companies == (ACME.company_key,)
        assert "Acme" in " ".join(screen.scope.labels)
        assert screen.query_one(ScopeChips).display
        screen.scope.clear()
        assert not screen.scope.has_picks


async def test_only_a_warm_engine_searches_what_is_typed_and_only_what_still_stands_is_shown() -> None:
    async with conversation() as (screen, pilot, services):
        services.found = passages(2)
        preview = PreviewController(screen, screen.answering, screen.sources)
        screen.query_one(Prompt).recall("supply chain risk")
        preview._look()
        assert services.previewed == []
        preview.hear(Loading(""))
        preview._look()
        event = await posted(pilot, screen, PreviewRead)
        preview.hear(PreviewRead("another question", services.found))
        assert not screen.sources.has_any
        preview.hear(event)
        assert screen.sources.pane.is_preview


async def test_the_newest_answer_is_looked_into_kept_and_copied() -> None:
    async with conversation() as (screen, pilot, _):
        app: Any = screen.app
        turns = TurnsController(screen, screen.answering)
        nothing_yet: tuple[Look, ...] = ("copy", "copy-table", "figure", "reasons", "plan")
        for what in nothing_yet:
            turns.look(what)
        assert (len(app.told.splitlines()), screen.posted) == (5, [])
        await ask(screen, pilot)
        turns.look("copy")
        assert (await posted(pilot, screen, CopyWanted)).text.startswith("**What?**")
        turns.look("file")
        assert (await posted(pilot, app, KeepWanted)).what == "answer"


async def test_what_a_refusal_misses_can_be_fetched_and_the_question_asked_again() -> None:
    refusal = Refusal("not_in_library", "No filing of Globex is here.", fetch="fin-tui fetch Globex --year 2023")
    async with conversation(Script(refusal=refusal), Script()) as (screen, pilot, services):
        app: Any = screen.app
        reasking = ReaskingController(screen, screen.answering, screen.scope)
        assert reasking.missing == ""
        await ask(screen, pilot)
        assert reasking.missing == refusal.fetch
        reasking.fetch()
        assert "Globex" in str((await posted(pilot, app, FetchWanted)).words)
        await reasking.again()
        await until(pilot, lambda: [asked.question for asked in services.asked] == ["What?", "What?"])


async def test_what_the_library_holds_is_shown_and_a_failure_where_a_new_reader_looks() -> None:
    async with conversation() as (screen, _, _):
        overview = OverviewController(screen, screen.scope, screen.answering)
        overview.begin()
        overview.hear(LibraryRead(FILINGS, ModelState("scripted-135m"), ()))
        overview.hear(Loading(""))
        assert "3 filings · 320 passages" in screen.say("#state")
        assert screen.answering.model.name == "scripted-135m"
        overview.show_jobs("Add 2 files")
        assert "Add 2 files" in screen.say("#state")
        overview.hear(LibraryRead((), ModelState(), ()))
        overview.failed("It broke.")
        assert "It broke." in str(screen.query_one("#welcome").render())
