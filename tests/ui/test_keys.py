"""Every key is named, explained, and reachable without knowing it."""

from __future__ import annotations

from pathlib import Path

from textual import events
from textual._xterm_parser import XTermParser
from textual.binding import Binding
from textual.command import CommandPalette, Hit

from fin_tui.config import Settings
from fin_tui.records import Progress
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.keymap import TaskCommands, actions
from fin_tui.ui.keys import PLACES, key_table
from fin_tui.ui.screens.conversations import ConversationsScreen
from fin_tui.ui.screens.help import HelpScreen
from fin_tui.ui.screens.reader import FindBar, ReaderScreen
from fin_tui.ui.widgets.bars import StatusLine
from fin_tui.ui.widgets.filing_browser import FilingBrowser
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.sources import Sources
from tests.ui.conftest import running, screen_text, services_of, until
from tests.ui.fakes import FakeServices

WITH_KEYS = (*(owner for _, owners in PLACES for owner in owners), FindBar)


def test_each_binding_has_an_id_of_its_own_and_what_is_shown_has_a_tooltip() -> None:
    bindings = [b for owner in WITH_KEYS for b in vars(owner)["BINDINGS"]]
    assert all(isinstance(b, Binding) and b.id for b in bindings)
    ids = [b.id for b in bindings]
    assert len(ids) == len(set(ids))
    assert [b.id for b in bindings if b.show and not b.tooltip] == []


def _read(sequence: str) -> list[str]:
    parser = XTermParser()
    return [event.key for event in (*parser.feed(sequence), *parser.feed("")) if isinstance(event, events.Key)]


def test_keys_with_alt_are_what_terminals_send_for_them() -> None:
    """Escape and the letter, of which some are taken for other keys; digits have keys without Alt."""
    keys = {key for owner in WITH_KEYS for b in vars(owner)["BINDINGS"] for key in b.key.split(",") if key.startswith("alt+")}
    letters = {key: last for key in keys if len(last := key.removeprefix("alt+")) == 1 and last.isalpha()}
    assert [key for key in keys if len(key) == 5 and key not in letters and not key[-1].isdigit()] == []
    sent = {key: _read(f"\x1b{letter}") for key, letter in letters.items()}
    assert {key: got for key, got in sent.items() if got != [key]} == {}
    assert len(sent) > 15


def test_the_readme_holds_the_keys_as_they_are() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    table = readme.partition("<!-- keys: python -m fin_tui.ui.keys -->\n")[2].partition("\n<!-- keys end -->")[0]
    assert table == key_table(), "put the output of python -m fin_tui.ui.keys between the markers"


async def test_the_palette_offers_every_action_and_runs_it() -> None:
    async with running(services_of()) as (app, pilot):
        offered = {command.title.split("  (")[0]: command for command in actions(app.main, {})}
        for wanted in ("Stop", "Mode", "Ask again", "Clear scope", "Scope", "Open filing", "Filings"):
            assert wanted in offered
        app.call_later(offered["Mode"].callback)
        await until(pilot, lambda: app.main.answering.choice.mode == "dense")
        assert app.main.answering.choice.label == "search by meaning"


async def test_f1_shows_help_for_the_focused_pane_and_hides_it() -> None:
    async with running(services_of()) as (app, pilot):
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        assert "companies, years and Items" in screen_text(app)
        assert "Ctrl+J" in screen_text(app)
        assert "Keys: Prompt" in screen_text(app)
        await pilot.press("x", "escape")
        await until(pilot, lambda: app.screen is app.main)
        assert app.main.query_one(Prompt).text == ""
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await pilot.press("f1")
        await until(pilot, lambda: app.screen is app.main)
        assert all(owner.HELP for owner in (FilingBrowser, Prompt, Sources, ReaderScreen))


async def test_help_and_the_palette_open_over_a_dialog() -> None:
    async with running(services_of()) as (app, pilot):
        await pilot.press("f8")
        await until(pilot, lambda: isinstance(app.screen, ConversationsScreen))
        dialog = app.screen
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is dialog)
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette))
        titles = [command.title for command in actions(dialog, {"conversations.rename": "f6"})]
        assert "Rename  (F6)" in titles


async def test_history_comes_back_at_the_edges_and_the_draft_with_it() -> None:
    async with running(services_of()) as (app, pilot):
        prompt = app.main.query_one(Prompt)
        for question in ("one", "two"):
            await pilot.press(*question, "enter")
        await pilot.press(*"dra", "ctrl+j", *"ft", "up")
        assert prompt.text == "dra\nft"
        await pilot.press("up")
        assert prompt.text == "two"
        await pilot.press("up", "up")
        assert prompt.text == "one"
        await pilot.press("down", "down")
        assert prompt.text == "dra\nft"


async def test_an_empty_question_asks_nothing() -> None:
    services = services_of()
    async with running(services) as (app, pilot):
        await pilot.press("enter", "space", "enter")
        assert app.main.answering.turn is None
    assert services.asked == []


async def test_the_status_line_tells_how_far_the_vectors_are() -> None:
    services = FakeServices(progress=(Progress("embed", 40, 100), Progress("embed", 41, 100)))
    async with running(services) as (app, pilot):
        state = app.main.query_one(StatusLine).query_one("#state")
        await until(pilot, lambda: "indexing 41%" in str(state.render()))
        assert "3 filings · 320 passages" in str(state.render())


async def test_without_a_model_the_status_line_says_so() -> None:
    from fin_tui.ui.services import ModelState

    async with running(FakeServices(model_state=ModelState())) as (app, _):
        assert "own words" in str(app.main.query_one("#made-with").render())


async def test_a_library_that_cannot_open_is_explained_and_the_app_stays() -> None:
    from fin_tui.errors import LibraryBusy
    from fin_tui.ui.screens.dialog import ErrorScreen

    def opener() -> FakeServices:
        raise LibraryBusy("Another process (12) holds the library.", "Wait for it, or end it.")

    app = FinTuiApp(opener, Settings())
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ErrorScreen))
        assert "holds the library" in str(app.screen.query_one("#error-message").render())
        assert "Wait for it" in str(app.screen.query_one("#error-hint").render())
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)
        assert "holds the library" in str(app.main.query_one("#welcome").render())


async def test_background_work_that_fails_is_told_without_taking_the_keyboard() -> None:
    from collections.abc import Callable, Iterator

    class Broken(FakeServices):
        def embed(self, cancelled: Callable[[], bool]) -> Iterator[Progress]:
            raise OSError("no [space] left")

    async with running(Broken()) as (app, pilot):
        await until(pilot, lambda: bool(app.screen.query("Toast")))
        await pilot.press(*"still")
        assert app.main.query_one(Prompt).text == "still"
        assert app.screen is app.main


async def test_the_palette_finds_an_action_by_the_words_of_its_task() -> None:
    async with running(services_of()) as (app, _):
        provider = TaskCommands(app.main)
        for words, wanted in (
            ("compare", "Open filing"),
            ("export", "Notebook"),
            ("csv", "Notebook"),
            ("excel", "Sheets"),
            ("search filings", "Filter"),
        ):
            hits = [hit async for hit in provider.search(words)]
            assert any(wanted in str(hit.text) for hit in hits if isinstance(hit, Hit)), words


async def test_whole_words_of_a_task_go_before_scattered_letters_of_a_name() -> None:
    async with running(services_of()) as (app, _):
        hits = [hit async for hit in TaskCommands(app.main).search("export") if isinstance(hit, Hit)]
        assert {hit.help for hit in hits} >= {
            "Go on with a stored conversation, or export it",
            "What was saved: arrange, note, export as Markdown, HTML or CSV",
        }
        names = [name for name, *_ in app.get_system_commands(app.screen)]
        matcher = TaskCommands(app.main).matcher("export")
        assert min(hit.score for hit in hits) > max(map(matcher.match, names)) > 0
        with_name = [hit async for hit in TaskCommands(app.main).search("notebook") if isinstance(hit, Hit)]
        assert all(hit.score < matcher.match("export") for hit in with_name)
