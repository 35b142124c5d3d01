"""Filings from EDGAR in the app: nothing goes online but what was agreed to."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Button, Input, OptionList, Static

from fin_tui.config import Settings, load_settings
from fin_tui.errors import FinTuiError, UsageError
from fin_tui.ingest.fetch_plan import Plan, Problem, Wish, Words, words_of_command
from fin_tui.paths import Paths
from fin_tui.records import Refusal
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.live import open_live
from fin_tui.ui.live_rooms import LiveFetching, LiveOptions
from fin_tui.ui.process import start_process_tracker
from fin_tui.ui.screens.fetching import FetchScreen, terms_line
from fin_tui.ui.services import FetchTerms
from fin_tui.ui.widgets.turn import Turn
from tests.edgar_server import EdgarServer, edgar
from tests.ui.conftest import ask, running, screen_text, services_of, until
from tests.ui.fake_fetch import FakeFetching, listed
from tests.ui.fakes import ACME, FakeServices, Script
from tests.unit.filings.edgar.made import widgets

COMMAND = "fin-tui fetch 'Globex Corp' --year 2021 --year 2022"
REFUSAL = Refusal("not_in_library", "No filing of Globex is in the library.", fetch=COMMAND)


async def opened(app: FinTuiApp, pilot: Pilot[None]) -> FetchScreen:
    await pilot.press("escape", "b")
    await until(pilot, lambda: isinstance(app.screen, FetchScreen) and bool(said(app.screen, "#terms")))
    screen = app.screen
    assert isinstance(screen, FetchScreen)
    return screen


def said(screen: FetchScreen, selector: str) -> str:
    return str(screen.query_one(selector, Static).render())


async def test_enter_asks_and_shows_the_plan_enter_again_fetches() -> None:
    services = FakeServices()
    services.fetching.made = Plan((listed("Acme [Corp]", 2023),), ((listed("Acme [Corp]", 2025), ACME),), free=9_000_000_000)
    async with running(services) as (app, pilot):
        screen = await opened(app, pilot)
        await pilot.press(*"ACM", "tab", *"2023-2025")
        await until(pilot, lambda: said(screen, "#held") == "In the library: Acme Corp FY2025 10-K, Acme Corp FY2024 10-K/A")
        assert services.fetching.planned == []
        assert "www.example.org as A Test test@example.org" in said(screen, "#terms")
        await pilot.press("enter")
        await until(pilot, lambda: bool(screen.query_one(OptionList).option_count))
        text = screen_text(app)
        assert "+ Acme [Corp] 10-K, period to 2023-09-27 at most 4.2 MB" in text
        assert "= Acme [Corp] 10-K, period to 2025-09-27 in the library as acme.htm" in text
        assert "1 filing to download, at most 4 MB; 9,000 MB are free." in text
        assert services.fetching.planned == [Words("ACM", "2023-2025")]
        assert services.fetching.ran == []
        await pilot.press("enter")
        await until(pilot, lambda: services.fetching.ran == [services.fetching.made])
        await until(pilot, lambda: any(r.job.title == "Fetch ACM 2023" and r.state == "done" for r in app.jobs.board.records))


async def test_by_mouse() -> None:
    services = FakeServices()
    async with running(services) as (app, pilot):
        screen = await opened(app, pilot)
        screen.query_one("#companies", Input).value = "ACM"
        await until(pilot, lambda: screen.query_one(Button).region.height > 0)
        await pilot.click(Button)
        await until(pilot, lambda: str(screen.query_one(Button).label) == "Fetch 1 filing")
        # A button takes no second click while it still shows the first.
        await until(pilot, lambda: not screen.query_one(Button).has_class("-active"))
        assert services.fetching.ran == []
        await pilot.click(Button)
        await until(pilot, lambda: bool(services.fetching.ran))
        assert services.fetching.ran == [services.fetching.made]


async def test_other_words_undo_the_plan_and_escape_fetches_nothing() -> None:
    services = FakeServices()
    async with running(services) as (app, pilot):
        screen = await opened(app, pilot)
        await pilot.press(*"ACM", "enter")
        await until(pilot, lambda: screen.query_one(OptionList).option_count == 1)
        await pilot.press("x")
        await until(pilot, lambda: not screen.query_one(OptionList).option_count)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)
        assert services.fetching.ran == []
        assert app.jobs.board.records == [r for r in app.jobs.board.records if r.job.lane == "vectors"]


async def test_who_asks_is_asked_once() -> None:
    services = FakeServices(fetching=FakeFetching(FetchTerms("www.example.org")))
    async with running(services) as (app, pilot):
        screen = await opened(app, pilot)
        assert "who asks" in said(screen, "#terms")
        await pilot.press(*"ACM", "tab", "tab", *"Some One", "tab", *"nonsense", "enter")
        await until(pilot, lambda: "is no e-mail address" in said(screen, "#fetch-note"))
        assert services.fetching.planned == []
        screen.query_one("#email", Input).value = "one@example.org"
        await pilot.press("enter")
        await until(pilot, lambda: bool(services.fetching.planned))
        await until(pilot, lambda: not screen.query_one("#email").display)
        assert "as Some One one@example.org" in said(screen, "#terms")


async def test_offline_is_said_and_enter_does_nothing() -> None:
    services = FakeServices(fetching=FakeFetching(FetchTerms("www.example.org", "A B a@b.org", "Offline mode is on.")))
    async with running(services) as (app, pilot):
        screen = await opened(app, pilot)
        assert said(screen, "#terms") == "Offline mode is on."
        await pilot.press(*"ACM", "enter")
        await pilot.pause()
        assert services.fetching.planned == []
        assert not screen.query_one(Button).display


async def test_what_cannot_be_had_is_told_in_the_dialog() -> None:
    services = FakeServices()
    services.fetching.made = Plan((), problems=(Problem(Wish("Nobody"), "EDGAR lists no company 'Nobody'.", "Give its CIK."),))
    async with running(services) as (app, pilot):
        screen = await opened(app, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "Nothing to fetch yet" in said(screen, "#fetch-note"))
        await pilot.press(*"Nobody", "enter")
        await until(pilot, lambda: "EDGAR lists no company 'Nobody'. Give its CIK." in screen_text(app))
        assert "Nothing to download." in said(screen, "#fetch-note")
        services.fetching.error = FinTuiError("EDGAR did not answer.", "Try later.")
        await pilot.press("enter")
        await until(pilot, lambda: said(screen, "#fetch-note") == "✗ EDGAR did not answer. Try later.")


async def test_closing_stops_the_asking() -> None:
    services = FakeServices(fetching=FakeFetching(hold=threading.Event()))
    async with running(services) as (app, pilot):
        await opened(app, pilot)
        await pilot.press(*"ACM", "enter")
        await until(pilot, lambda: bool(services.fetching.planned))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)
        await until(pilot, lambda: not [w for w in app.workers if w.is_running])
        assert services.fetching.ran == []


async def test_a_refusal_offers_the_fetch_that_would_mend_it() -> None:
    services = services_of(Script(refusal=REFUSAL), Script())
    async with running(services) as (app, pilot):
        await ask(app, pilot, "What was Globex's revenue in 2021?")
        turn = app.main.query(Turn).last()
        assert "b (Alt+G) downloads it" in str(turn.query_one(".refusal", Static).render())
        assert COMMAND in str(turn.query_one(".refusal", Static).render())
        await pilot.press("alt+g")
        await until(pilot, lambda: isinstance(app.screen, FetchScreen))
        assert app.screen.query_one("#companies", Input).value == "Globex Corp"
        assert app.screen.query_one("#years", Input).value == "2021, 2022"
        await pilot.press("escape")
        await ask(app, pilot, "What does Acme say?")
        await pilot.press("alt+g")
        await until(pilot, lambda: isinstance(app.screen, FetchScreen))
        assert app.screen.query_one("#companies", Input).value == ""


@pytest.fixture
def server() -> Iterator[EdgarServer]:
    with edgar(widgets()) as found:
        yield found


async def test_the_real_fetcher_brings_a_filing_from_a_stand_in(
    server: EdgarServer, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIN_TUI_EDGAR_ARCHIVES", server.address)
    monkeypatch.setenv("FIN_TUI_EDGAR_DATA", server.address)
    monkeypatch.setenv("FIN_TUI_ENCODER_MODEL", "none")
    start_process_tracker()
    app = FinTuiApp(lambda: open_live(paths, load_settings(paths.settings)), Settings())
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.library.services is not None)
        screen = await opened(app, pilot)
        await pilot.press(*"EXW", "tab", *"2", "tab", *"A Test", "tab", *"test@example.org")
        assert server.requests == []
        await pilot.press("enter")
        await until(pilot, lambda: screen.query_one(OptionList).option_count == 2, 2000)
        assert server.asked("/Archives/") == 0
        await pilot.press("enter")
        await until(pilot, lambda: {f.fiscal_year for f in app.main.scope.filings} == {2024, 2023}, 4000)
        await until(pilot, lambda: any(r.job.title == "Fetch 2 filings" and r.state == "done" for r in app.jobs.board.records))
    assert server.agents == {"A Test test@example.org"}
    assert load_settings(paths.settings).edgar.email == "test@example.org"


@pytest.mark.parametrize(
    ("companies", "names"),
    [
        ("AAPL, MSFT", ("AAPL", "MSFT")),
        ("Alphabet, Inc.; Target Corp", ("Alphabet, Inc.", "Target Corp")),
        (" , ", ()),
        ("Halcyon  Mills", ("Halcyon Mills",)),
    ],
)
def test_companies_in_one_line(companies: str, names: tuple[str, ...]) -> None:
    assert Words(companies).names == names


@pytest.mark.parametrize(
    ("text", "newest", "years"),
    [
        ("", 1, ()),
        ("3", 3, ()),
        ("2022-2024", 0, (2022, 2023, 2024)),
        ("FY2021, 2023", 0, (2021, 2023)),
        ("2022 – 2023 2025", 0, (2022, 2023, 2025)),
    ],
)
def test_years_as_people_write_them(text: str, newest: int, years: tuple[int, ...]) -> None:
    (wish,) = Words("ACM", text).wishes()
    assert (wish.selection.newest, wish.selection.years) == (newest, years)


@pytest.mark.parametrize("text", ["soon", "2024-2022", "1200", "20245"])
def test_what_is_no_year_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no year"):
        Words("ACM", text).wishes()


def test_an_accession_number_is_no_company() -> None:
    (wish,) = Words("0000004242-25-000010").wishes()
    assert (wish.company, wish.accession) == ("", "0000004242-25-000010")


def test_the_command_of_a_refusal() -> None:
    assert words_of_command(COMMAND) == Words("Globex Corp", "2021, 2022")
    assert words_of_command("fin-tui fetch EXW") == Words("EXW")
    assert words_of_command("rm -rf 'x") == Words()
    assert words_of_command("") == Words()


def test_offline_mode_is_known_before_anything_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fin_tui.ui.live_rooms import LiveFetching, LiveOptions

    monkeypatch.setenv("FIN_TUI_OFFLINE", "1")
    paths = Paths(tmp_path)
    assert "offline mode is on" in LiveFetching(paths, LiveOptions(paths)).terms().forbidden


def test_settings_that_the_environment_overrides_are_named(monkeypatch: pytest.MonkeyPatch, paths: Paths) -> None:
    terms = FetchTerms("www.example.org", "A Test test@example.org")
    assert "environment" not in terms_line(terms)
    assert terms_line(replace(terms, overriding=("FIN_TUI_EDGAR_NAME",))).endswith("Set by the environment: FIN_TUI_EDGAR_NAME.")
    monkeypatch.setenv("FIN_TUI_EDGAR_EMAIL", "test@example.org")
    monkeypatch.setenv("FIN_TUI_EDGAR_NAME", "A Test")
    assert set(LiveFetching(paths, LiveOptions(paths)).terms().overriding) == {"FIN_TUI_EDGAR_NAME", "FIN_TUI_EDGAR_EMAIL"}
