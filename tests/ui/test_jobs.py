"""Long work in the background: told, cancelled, failed, done again; typing goes on meanwhile."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import OptionList, Static

from fin_tui.engine.models.listing import ListedModel, Offer
from fin_tui.errors import MissingAsset
from fin_tui.records import Progress
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.screens.adding import AddScreen
from fin_tui.ui.screens.changes import WhatsNewScreen
from fin_tui.ui.screens.dialog import AskFirstScreen, ErrorScreen, LookingScreen
from fin_tui.ui.screens.jobs import JobsScreen
from fin_tui.ui.screens.reader import ReaderScreen
from fin_tui.ui.services import Job, JobBoard, JobLine, JobRecord, Lane, Missing, progress_text
from fin_tui.ui.widgets.prompt import Prompt
from tests.ui.conftest import running, screen_text, until
from tests.ui.fake_rooms import FakeOptions, FakeWork
from tests.ui.fakes import ACME, FakeServices

DONE = JobLine("done", "Acme Corp FY2023 10-K (old.htm)")
BROKEN = JobLine("failed", "bad.pdf has no text", "Run a text recognition first.")


def state(app: FinTuiApp) -> str:
    return str(app.main.query_one("#state").render())


def job(app: FinTuiApp, title: str) -> JobRecord:
    return next(record for record in app.jobs.board.records if record.job.title == title)


async def choose_file(app: FinTuiApp, pilot: Pilot[None], folder: Path) -> None:
    """Add the one file that the folder holds."""
    app.dialogs.folder = folder
    await pilot.press("alt+a")
    await until(pilot, lambda: isinstance(app.screen, AddScreen) and app.screen.query_one(OptionList).option_count == 2)
    await pilot.press("enter")
    await until(pilot, lambda: app.screen is app.main)


async def test_a_file_is_added_in_the_background_and_the_library_shows_it(tmp_path: Path) -> None:
    (tmp_path / "old.htm").write_text("x")
    services = FakeServices(work=FakeWork(news=(Progress("parse", 0, 1, "old.htm"), DONE), hold=threading.Event()))
    async with running(services) as (app, pilot):
        await choose_file(app, pilot, tmp_path)
        await until(pilot, lambda: "Add old.htm: 0 of 1 · old.htm" in state(app))
        await pilot.press(*"typed")
        assert app.main.query_one(Prompt).text == "typed"
        services.held = (*services.held, replace(ACME, id="new", fiscal_year=2023))
        assert services.work.hold is not None
        services.work.hold.set()
        await until(pilot, lambda: len(app.main.scope.filings) == 4)
        await until(pilot, lambda: "4 filings" in state(app))
        assert services.work.called == [("add", (tmp_path / "old.htm",))]


async def test_failures_stand_in_the_log_with_a_hint_and_do_not_stop_the_rest(tmp_path: Path) -> None:
    (tmp_path / "x.htm").write_text("x")
    services = FakeServices(work=FakeWork(news=(BROKEN, DONE)))
    async with running(services) as (app, pilot):
        await choose_file(app, pilot, tmp_path)
        await until(pilot, lambda: bool(app.screen.query("Toast")))
        await pilot.press("escape", "l")
        await until(pilot, lambda: isinstance(app.screen, JobsScreen))
        await pilot.pause()
        text = screen_text(app)
        assert "Add x.htm: done (1 done, 1 failed)" in text
        assert "✗ bad.pdf has no text" in text
        assert "Run a text recognition first." in text
        assert "✓ Acme Corp FY2023" in text
        await pilot.press("r")
        await until(pilot, lambda: len(services.work.called) == 2)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)


async def test_a_job_is_cancelled_from_the_log(tmp_path: Path) -> None:
    (tmp_path / "x.htm").write_text("x")
    services = FakeServices(work=FakeWork(news=(DONE, DONE), hold=threading.Event()))
    async with running(services) as (app, pilot):
        await choose_file(app, pilot, tmp_path)
        await pilot.press("alt+l")
        await until(pilot, lambda: isinstance(app.screen, JobsScreen) and bool(app.jobs.board.running))
        await pilot.press("c")
        await until(pilot, lambda: "Add x.htm: cancelled (1 done)" in screen_text(app))
        assert (job(app, "Add x.htm").state, app.jobs.board.running) == ("cancelled", [])


async def test_what_set_up_can_not_bring_is_told_and_the_library_opened_anew() -> None:
    work = FakeWork(news=(), error=MissingAsset("The hub can't be reached.", "Put the file in place by hand."))
    services = FakeServices(work=work)
    async with running(services) as (app, pilot):
        await pilot.press("f12")
        await until(pilot, lambda: isinstance(app.screen, AskFirstScreen))
        assert "sample filing: acme.htm" in screen_text(app)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)
        assert work.called == []
        await pilot.press("f12")
        await until(pilot, lambda: isinstance(app.screen, AskFirstScreen))
        await pilot.press("enter")
        await until(pilot, lambda: services.closed)
        assert job(app, "Set up").state == "failed"
        assert job(app, "Set up").failures[0].hint == "Put the file in place by hand."
        assert work.called == [("set_up", False)]


async def test_escape_ends_the_looking_and_nothing_opens_later() -> None:
    work = FakeWork(hold=threading.Event())
    async with running(FakeServices(work=work)) as (app, pilot):
        await pilot.press("f12")
        await until(pilot, lambda: isinstance(app.screen, LookingScreen))
        await pilot.press("enter", "escape")
        await until(pilot, lambda: app.screen is app.main)
        assert work.hold is not None
        work.hold.set()
        await app.workers.wait_for_complete()
        await pilot.pause(0.1)
        assert app.screen is app.main
        assert work.called == []


async def test_f12_offers_a_model_and_downloads_tries_and_uses_it_only_once_it_is_chosen() -> None:
    best = ListedModel("qwen", Path("qwen.gguf"), 1107, 1900, "Apache-2.0", False, False, parameters=1_700_000_000)
    kept = replace(best, name="smaller", place="LM Studio")
    options = FakeOptions(offered=(Offer(best, 14.2, 9.0), Offer(kept, 30.0, 0.0)))
    services = FakeServices(options=options, work=FakeWork(lacking=Missing()))
    async with running(services, (80, 24)) as (app, pilot):
        await pilot.press("f12")
        await until(pilot, lambda: isinstance(app.screen, AskFirstScreen))
        text = screen_text(app)
        for told in (
            "1,107 MB to download, 3 min at 50 Mbit/s",
            "Apache-2.0",
            "about 14 tokens/s, first word after 9 s",
            "Use smaller",
        ):
            assert told in text
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)
        assert services.work.called == []
        await pilot.press("f12")
        await until(pilot, lambda: isinstance(app.screen, AskFirstScreen))
        await pilot.press("enter")
        await until(pilot, lambda: services.closed)
        assert services.work.called == [("pull", "qwen"), ("try_out", "qwen")]
        assert any("qwen writes answers from now on." in notice.message for notice in app._notifications)


async def test_f12_says_so_where_nothing_is_to_be_done() -> None:
    async with running(FakeServices(work=FakeWork(lacking=Missing()))) as (app, pilot):
        await pilot.press("f12")
        await until(pilot, lambda: any("No model that writes runs" in notice.message for notice in app._notifications))
        assert app.screen is app.main


async def test_f12_says_at_once_that_nothing_may_be_downloaded() -> None:
    lacking = Missing(("encoder: small, 30 MB",), (), "Downloading needs the network, and offline mode is on. Unset it.")
    async with running(FakeServices(work=FakeWork(lacking=lacking))) as (app, pilot):
        await pilot.press("f12")
        await until(pilot, lambda: isinstance(app.screen, ErrorScreen))
        text = screen_text(app)
        assert "offline mode is on" in text
        assert "encoder: small" in text


def test_jobs_of_a_lane_take_turns_and_lanes_run_side_by_side() -> None:
    board = JobBoard()
    lanes: tuple[Lane, ...] = ("library", "library", "download")
    first, second, other = (board.add(Job("x", lambda _: iter(()), lane=lane)) for lane in lanes)
    assert board.next() == [first, other]
    for record in board.next():
        board.has_begun(record)
    assert board.next() == []
    board.has_ended(first, "done")
    assert board.next() == [second]


def test_a_job_of_which_everything_failed_has_failed() -> None:
    board = JobBoard()
    record = board.add(Job("Add", lambda _: iter(())))
    board.tell(record, BROKEN)
    board.has_ended(record, "done")
    assert (record.state, record.counts) == ("failed", "1 failed")


def test_progress_is_told_in_its_own_measure() -> None:
    board = JobBoard()
    record = board.add(Job("Bring qwen", lambda _: iter(())))
    board.has_begun(record)
    board.tell(record, Progress("download", 40e6, 491e6, "qwen"))
    assert progress_text(record) == "Bring qwen: 40 of 491 MB · qwen"
    board.tell(record, Progress("embed", 32, 960))
    assert progress_text(record) == "Bring qwen: 32 of 960 passages"


async def test_a_long_hint_stands_whole_in_the_log_and_not_over_the_screen(tmp_path: Path) -> None:
    (tmp_path / "old.htm").write_text("x")
    told = JobLine("failed", "model is missing.", "Put in place " + "a file of many words, " * 40 + "then go on.")
    async with running(FakeServices(work=FakeWork(news=(told,)))) as (app, pilot):
        await choose_file(app, pilot, tmp_path)
        await until(pilot, lambda: bool(app.screen.query("Toast")))
        (toast,) = app.screen.query("Toast")
        await until(pilot, lambda: 0 < toast.region.height < 12)
        await pilot.press("alt+l")
        await until(pilot, lambda: isinstance(app.screen, JobsScreen) and "then go on." in screen_text(app))
        assert not app.screen.query("Toast")


async def test_a_filing_without_a_company_is_told_over_the_screen(tmp_path: Path) -> None:
    (tmp_path / "old.htm").write_text("x")
    told = JobLine("done", "old.htm FY2023 10-K", "No company was found in it: fin-tui edit 12ab --company NAME adds it.")
    async with running(FakeServices(work=FakeWork(news=(told,)))) as (app, pilot):
        await choose_file(app, pilot, tmp_path)
        await until(pilot, lambda: bool(app.screen.query("Toast")) and "12ab" in screen_text(app))


async def test_what_a_filing_changed_is_one_key_from_the_line_that_it_came_in_by() -> None:
    came = JobLine("done", "Acme Corp FY2023 10-K (new.htm)", filing=ACME.id)
    services = FakeServices(work=FakeWork(news=(came, DONE)))
    async with running(services) as (app, pilot):
        app.jobs.begin(Job("Add 2 files", lambda cancelled: services.work.add([], cancelled), changes="library"))
        await until(pilot, lambda: bool(app.jobs.board.records) and app.jobs.board.records[0].is_over)
        await pilot.press("alt+l")
        await until(pilot, lambda: isinstance(app.screen, JobsScreen))
        await pilot.press("n")
        assert isinstance(app.screen, JobsScreen)  # The job's own line names no filing.
        await pilot.press("down", "down", "n")
        await until(pilot, lambda: isinstance(app.screen, WhatsNewScreen))
        assert ACME.company in str(app.screen.query_one("#news-title", Static).render())
        assert "We depend on suppliers [one]." in screen_text(app)
        await pilot.press("end", "enter")
        await until(pilot, lambda: isinstance(app.screen, ReaderScreen))
