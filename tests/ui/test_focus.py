"""Where typed letters go when the window, or the browser's page, had no focus at first."""

from __future__ import annotations

import pytest
from textual import events
from textual.keys import _character_to_key as name_of
from textual.widgets import OptionList

from fin_tui.config import Settings
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.controllers.letters import LettersController
from fin_tui.ui.screens.adding import AddScreen
from fin_tui.ui.screens.settings import SettingsScreen
from fin_tui.ui.widgets.prompt import Prompt
from fin_tui.ui.widgets.sources import Sources
from tests.ui.conftest import ask, running, services_of, until
from tests.ui.fakes import Script, passages


async def test_letters_go_into_the_prompt_of_a_page_that_was_never_clicked() -> None:
    app = FinTuiApp(services_of, Settings())
    app.set_reactive(FinTuiApp.app_focus, False)
    async with app.run_test() as pilot:
        await until(pilot, lambda: bool(app.main.scope.filings))
        assert app.main.focused is None
        await pilot.press(*"swim")
        assert app.main.query_one(Prompt).text == "swim"
        assert app.screen is app.main


async def test_a_capital_letter_outside_the_prompt_begins_a_question() -> None:
    async with running(services_of()) as (app, pilot):
        await pilot.press("escape")
        assert not app.main.query_one(Prompt).has_focus
        await pilot.press("W", *"hy abcw")
        assert app.main.query_one(Prompt).text == "Why abcw"
        assert app.screen is app.main
        assert not app._notifications


@pytest.mark.parametrize(
    "question", ["what is revenue", "all segments", "june sales", "10 largest risks", "apple?", "plant size"]
)
async def test_letters_typed_in_a_run_outside_the_prompt_are_a_question(question: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LettersController, "PAUSE_SECONDS", 60.0)
    async with running(services_of()) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("escape")
        for letter in question:  # All of them come before any is dealt with, as from a quick hand on a slow line.
            app.post_message(events.Key(name_of(letter), letter))
        await until(pilot, lambda: app.main.query_one(Prompt).text == question)
        assert app.screen is app.main
        assert not app._notifications


async def test_a_letter_that_stands_alone_is_a_command_and_steps_need_no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LettersController, "PAUSE_SECONDS", 0.2)
    async with running(services_of(Script(passages=passages(3)))) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("escape", *"nnp")
        sources = app.main.query_one(Sources)
        await until(pilot, lambda: sources.chosen is not None and sources.chosen.citation.id == 2)
        await pilot.pause(0.3)
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, AddScreen))
        assert not app.main.query_one(Prompt).text


async def test_a_command_with_nothing_to_act_on_is_no_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LettersController, "PAUSE_SECONDS", 0.2)
    async with running(services_of()) as (app, pilot):
        prompt = app.main.query_one(Prompt)
        await ask(app, pilot)
        assert not app.main.scope.has_picks
        await pilot.press("escape", "x")
        await pilot.pause(0.4)
        assert not prompt.has_focus
        await pilot.press("i")
        await until(pilot, lambda: prompt.has_focus)
        assert not prompt.text


@pytest.mark.parametrize("back", [events.AppFocus(), events.Key("down", None)], ids=["focus", "key"])
async def test_a_screen_that_came_up_meanwhile_has_the_focus_afterwards(back: events.Event) -> None:
    async with running(services_of()) as (app, pilot):
        app.post_message(events.AppBlur())
        await until(pilot, lambda: not app.app_focus)
        app.action_open("settings")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
        await pilot.pause()
        assert app.screen.focused is None
        app.post_message(back)
        await until(pilot, lambda: isinstance(app.screen.focused, OptionList))
