"""Each controller of the app alone: what it posts, pushes, tells and runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from fin_tui.config import Settings
from fin_tui.engine.exports.file import NameTaken
from fin_tui.errors import FinTuiError
from fin_tui.ui.controllers.dialogs import DialogsController
from fin_tui.ui.controllers.jobs import JobsController
from fin_tui.ui.controllers.keeping import KeepingController
from fin_tui.ui.controllers.library import LibraryController
from fin_tui.ui.controllers.reading import ReadingController
from fin_tui.ui.controllers.scope import ScopeController
from fin_tui.ui.messages import (
    BookmarkWanted,
    ChangesRead,
    ChangesWanted,
    ConversationResumed,
    ConversationsRead,
    Copied,
    CopyWanted,
    Exported,
    ExportWanted,
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
    ReaderWanted,
    ResumeWanted,
    ServicesOpened,
    SettingsRead,
    WarmedUp,
)
from fin_tui.ui.screens.adding import AddScreen
from fin_tui.ui.screens.changes import ChangesScreen
from fin_tui.ui.screens.conversations import ConversationsScreen
from fin_tui.ui.screens.dialog import AskFirstScreen, LookingScreen
from fin_tui.ui.screens.jobs import JobsScreen
from fin_tui.ui.screens.reader import ReaderScreen
from fin_tui.ui.services import Job, JobLine, Missing
from tests.ui.conftest import until
from tests.ui.fakes import ACME, FILINGS, FakeServices
from tests.unit.ui.controllers.alone import Bare, Conversation, Shown, bare, opened, posted


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
        reading.hear(ChangesWanted(ACME.id, "1A", 0))
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
        app.push_screen(LookingScreen("Download", "Looking …"))
        await pilot.pause()
        dialogs.hear(MissingRead(Missing((), ())))
        assert "are here already" in app.told
        await pilot.pause()
        missing = MissingRead(Missing(("answers: small-model, 90 MB",), ("acme.htm",)))
        dialogs.hear(missing)
        await pilot.pause()
        assert not isinstance(app.screen, AskFirstScreen), "the reader has left"
        app.push_screen(LookingScreen("Download", "Looking …"))
        await pilot.pause()
        dialogs.hear(missing)
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
