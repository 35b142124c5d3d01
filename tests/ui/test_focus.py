"""Where typed letters go when the window, or the browser's page, had no focus at first."""

from __future__ import annotations

import pytest
from textual import events
from textual.widgets import OptionList

from fin_tui.config import Settings
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.screens.settings import SettingsScreen
from fin_tui.ui.widgets.prompt import Prompt
from tests.ui.conftest import running, services_of, until


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
