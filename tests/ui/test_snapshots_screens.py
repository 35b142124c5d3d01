"""Every screen as a whole, in both themes and two sizes, compared with the committed pictures."""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, TextArea

from fin_tui.config import Settings
from fin_tui.records import Progress, Refusal
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.browse import Entry
from fin_tui.ui.scoping import Picks
from fin_tui.ui.screens import adding
from fin_tui.ui.screens.changes import ChangesScreen
from fin_tui.ui.screens.changing import ChangeScreen
from fin_tui.ui.screens.fetching import FetchScreen
from fin_tui.ui.screens.reader import ReaderScreen
from fin_tui.ui.services import Job, JobBoard, JobLine
from fin_tui.ui.widgets.filing_browser import FilingBrowser
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.text_view import TextView
from tests.ui.conftest import ask, screen_text, services_of, until
from tests.ui.fake_figures import growth
from tests.ui.fakes import ACME, EXTRACT, GOOD, FakeServices, Script
from tests.ui.test_changing import ASKED, BEYOND, READ, REFUSED
from tests.ui.test_checking import CHECKED
from tests.ui.test_figure_screen import detail
from tests.ui.test_looking_into import DOUBT, STEPS
from tests.ui.test_settings import AWAY, LARGE, SMALL

NARROW, WIDE = (80, 24), (160, 48)
Size = tuple[int, int]
App = FinTuiApp
ENTRIES = (
    Entry(Path("/filings/older"), True),
    Entry(Path("/filings/acme.htm"), False, 2_100_000),
    Entry(Path("/filings/zenith.txt"), False, 900_000),
)
Steps = Callable[[App, Pilot[Any]], Awaitable[None]]


def services() -> FakeServices:
    """One question with figures, a plan, a sentence that nothing supports."""
    script = Script(
        figures=replace(growth(), plan=STEPS), sentences=(GOOD, DOUBT), extract=f"{EXTRACT}\nNet sales grew by 6.43 %. [2]"
    )
    made = services_of(script)
    made.notebook.details = {text: detail(text) for text in ("416,161", "391,035")}
    made.found_in_check = CHECKED
    made.options.listed = (SMALL, LARGE, AWAY)
    return made


async def welcome(app: App, pilot: Pilot[Any]) -> None:
    await until(pilot, lambda: "Try" in screen_text(app))


async def answer(app: App, pilot: Pilot[Any]) -> None:
    await ask(app, pilot, "How much did Acme's net sales grow?")
    await pilot.press("escape")


async def explain(app: App, pilot: Pilot[Any]) -> None:
    await answer(app, pilot)
    await pilot.press("2", "e")


async def reader(app: App, pilot: Pilot[Any]) -> None:
    await answer(app, pilot)
    await pilot.press("ctrl+o")
    await until(pilot, lambda: isinstance(app.screen, ReaderScreen) and bool(app.screen.query_one(TextView).marked_text))


async def chips(app: App, pilot: Pilot[Any]) -> None:
    answers(app, Script(interpretation=READ))
    await ask(app, pilot, ASKED)
    await pilot.press("escape", "q")
    await until(pilot, lambda: isinstance(app.screen, ChangeScreen))
    for line in app.screen.query(Input):
        line.cursor_blink = False


async def beyond_scope(app: App, pilot: Pilot[Any]) -> None:
    answers(app, Script(interpretation=BEYOND, refusal=REFUSED))
    app.main.query_one(FilingBrowser).pick(Picks(companies=frozenset({ACME.company_key})))
    await ask(app, pilot, BEYOND.text)
    await pilot.press("escape")


def answers(app: App, script: Script) -> None:
    held = app.library.services
    assert isinstance(held, FakeServices)
    held.scripts[:] = [script]


async def changes(app: App, pilot: Pilot[Any]) -> None:
    await reader(app, pilot)
    await pilot.press("g", "D")
    await until(pilot, lambda: isinstance(app.screen, ChangesScreen))
    app.clear_notifications()


async def notebook(app: App, pilot: Pilot[Any]) -> None:
    await answer(app, pilot)
    await pilot.press("f")
    await until(pilot, lambda: "Saved the answer" in screen_text(app))
    app.clear_notifications()
    await pilot.press("f7")
    await until(pilot, lambda: "How much did Acme" in screen_text(app) and app.screen is not app.main)


async def check(app: App, pilot: Pilot[Any]) -> None:
    await pilot.press("alt+v")
    await until(pilot, lambda: bool(app.screen.query("#memo")))
    app.screen.query_one(TextArea).load_text("Sales were $416,161 million.")
    await pilot.press("ctrl+r")
    await until(pilot, lambda: bool(app.screen.query_one(OptionList).display))


async def settings(app: App, pilot: Pilot[Any]) -> None:
    await pilot.press("alt+s")
    await until(pilot, lambda: "small" in screen_text(app) and app.screen is not app.main)


async def add(app: App, pilot: Pilot[Any]) -> None:
    app.dialogs.folder = Path("/filings")
    await pilot.press("alt+a")
    await until(pilot, lambda: "zenith.txt" in screen_text(app))
    app.screen.query_one(Input).cursor_blink = False
    await pilot.press("tab", "tab")


async def log(app: App, pilot: Pilot[Any]) -> None:
    app.jobs.board = JobBoard(lambda: dt.datetime(2025, 1, 2, 10, 11))
    told = (JobLine("done", "Acme Corp FY2023 10-K"), JobLine("failed", "bad.pdf has no text", "Run a text recognition first."))
    for title, news in (("Add 2 files", told), ("Bring [qwen]", (Progress("download", 40e6, 491e6),))):
        record = app.jobs.board.add(Job(title, lambda _: iter(())))
        app.jobs.board.has_begun(record)
        for line in news:
            app.jobs.board.tell(record, line)
    app.jobs.board.has_ended(app.jobs.board.records[0], "done")
    await pilot.press("alt+l")
    await until(pilot, lambda: "Run a text recognition first." in screen_text(app))


async def fetch(app: App, pilot: Pilot[Any]) -> None:
    answers(
        app, Script(refusal=Refusal("not_in_library", "No filing of Globex is here.", fetch="fin-tui fetch Globex --year 2023"))
    )
    await ask(app, pilot, "What was Globex's revenue in 2023?")
    await pilot.press("alt+g")
    await until(pilot, lambda: isinstance(app.screen, FetchScreen) and "example.org" in screen_text(app))
    for line in app.screen.query(Input):
        line.cursor_blink = False
    await pilot.press("enter")
    await until(pilot, lambda: "1 filing to download" in screen_text(app))


class Shot(NamedTuple):
    name: str
    steps: Steps
    size: Size
    theme: str = "fin-dark"


SHOTS: Sequence[Shot] = (
    Shot("welcome", welcome, NARROW),
    Shot("answer", answer, WIDE),
    Shot("answer narrow", answer, NARROW, "fin-light"),
    Shot("sources explained", explain, WIDE, "fin-light"),
    Shot("chips", chips, NARROW),
    Shot("beyond scope", beyond_scope, NARROW),
    Shot("reader", reader, NARROW),
    Shot("changes", changes, WIDE),
    Shot("notebook", notebook, NARROW, "fin-light"),
    Shot("check", check, WIDE, "fin-light"),
    Shot("settings", settings, NARROW),
    Shot("adding", add, NARROW),
    Shot("log", log, NARROW, "fin-light"),
    Shot("fetch", fetch, NARROW),
)


@pytest.mark.parametrize("shot", SHOTS, ids=lambda shot: shot.name.replace(" ", "-"))
def test_screen(shot: Shot, snap_compare: Callable[..., bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "list_folder", lambda folder: ENTRIES)
    held = services()

    async def before(pilot: Pilot[Any]) -> None:
        app = pilot.app
        assert isinstance(app, FinTuiApp)
        await until(pilot, lambda: bool(app.main.scope.filings) and not [w for w in app.workers if w.is_running])
        app.theme = shot.theme
        app.main.query_one(Prompt).cursor_blink = False
        await shot.steps(app, pilot)
        await pilot.pause(0.2)

    assert snap_compare(FinTuiApp(lambda: held, Settings()), terminal_size=shot.size, run_before=before)
