"""Settings looked through, changed, refused; keys changed and kept apart; models used or brought."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from fin_tui.config import App, Encoder, Settings
from fin_tui.engine.models.grounding import Grounding
from fin_tui.engine.models.listing import ListedModel
from fin_tui.errors import UsageError
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.keymap import actions_of, clash, key_name, keymap
from fin_tui.ui.keys import PLACES
from fin_tui.ui.screens.dialog import ChooseScreen, KeyScreen
from fin_tui.ui.screens.settings import SettingsScreen, changed_keys, settings_of
from tests.ui.conftest import running, screen_text, until
from tests.ui.fake_rooms import FakeOptions
from tests.ui.fakes import FakeServices

SMALL = ListedModel("small", Path("small.gguf"), 98, 300, "", True, True, grounding=Grounding(1, 20, 54, 30), decode=36.0)
LARGE = ListedModel("large", Path("large.gguf"), 1200, 1900, "", True, False)
AWAY = ListedModel("away", Path("away.gguf"), 2400, 3000, "", False, False)


async def settings_open(app: FinTuiApp, pilot: Pilot[None], words: str) -> SettingsScreen:
    """The settings, narrowed to the lines with these words, the cursor on the first."""
    await pilot.press("alt+s")
    await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
    screen = app.screen
    assert isinstance(screen, SettingsScreen)
    await pilot.press("slash")
    screen.query_one(Input).value = words
    await pilot.pause()
    await pilot.press("enter")
    await until(pilot, lambda: bool(screen.query_one(OptionList).has_focus))
    return screen


def note(app: FinTuiApp) -> str:
    return str(app.screen.query_one("#setting-note").render())


async def test_a_number_is_refused_in_place_and_then_taken() -> None:
    services = FakeServices()
    async with running(services) as (app, pilot):
        screen = await settings_open(app, pilot, "search.k ")
        await pilot.press("enter")
        line = screen.query_one(Input)
        await until(pilot, lambda: line.value == "10" and line.has_focus)
        line.value = "many"
        await pilot.press("enter")
        await until(pilot, lambda: "'many' is no number" in note(app))
        line.value = "0"
        await pilot.press("enter")
        await until(pilot, lambda: ">= 1" in note(app))
        assert services.options.now.search.k == 10
        line.value = "7"
        await pilot.press("enter")
        await until(pilot, lambda: services.options.now.search.k == 7 and screen.query_one(OptionList).has_focus)
        assert not services.closed
        await pilot.press("escape", "escape")
        await until(pilot, lambda: services.closed)


async def test_mode_and_theme_hold_at_once_without_opening_anew() -> None:
    services = FakeServices()
    async with running(services) as (app, pilot):
        await settings_open(app, pilot, "search.mode")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ChooseScreen))
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.main.answering.choice.mode == "sparse")
        app.screen.query_one(Input).value = "app.theme"
        await pilot.pause()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ChooseScreen))
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.theme == "fin-light")
        await pilot.press("d")
        await until(pilot, lambda: app.theme == "fin-dark")
        await pilot.press("escape", "escape")
        await until(pilot, lambda: app.screen is app.main)
        assert not services.closed


async def test_a_key_is_changed_and_a_key_with_another_use_is_refused() -> None:
    services = FakeServices()
    async with running(services) as (app, pilot):
        await settings_open(app, pilot, "search.mode key")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, KeyScreen))
        await pilot.press("r")
        await until(pilot, lambda: "can't be taken" in str(app.screen.query_one("#refused").render()))
        assert "Rerank the passages" in str(app.screen.query_one("#refused").render())
        await pilot.press("f11")
        await until(pilot, lambda: services.options.now.app.keys == {"search.mode": "f11"})
        await pilot.press("escape", "escape")
        await until(pilot, lambda: app.screen is app.main)
        await pilot.press("f11")
        await until(pilot, lambda: app.main.answering.choice.mode == "dense")
        await pilot.press("alt+m")
        assert app.main.answering.choice.mode == "dense"


async def test_models_tell_what_they_are_worth_are_used_or_brought() -> None:
    services = FakeServices(options=FakeOptions(listed=(SMALL, LARGE, AWAY)))
    async with running(services) as (app, pilot):
        await settings_open(app, pilot, "models")
        text = screen_text(app)
        assert "56% of 54 sentences supported: rests · 36 tokens/s" in text
        assert "its sentences were not measured" in text
        await pilot.press("down", "enter")
        await until(pilot, lambda: services.options.now.model.name == "large")
        await pilot.press("down", "enter")
        await until(pilot, lambda: services.work.called == [("pull", "away"), ("try_out", "away")])


async def test_a_setting_of_the_environment_says_so() -> None:
    services = FakeServices(options=FakeOptions(set_by_environment=frozenset({"search.k"})))
    async with running(services) as (app, pilot):
        await settings_open(app, pilot, "search.k ")
        await pilot.press("enter")
        await until(pilot, lambda: "FIN_TUI_SEARCH_K" in note(app))
        assert services.options.now.search.k == Settings().search.k


async def test_a_line_is_changed_by_mouse() -> None:
    services = FakeServices()
    async with running(services) as (app, pilot):
        screen = await settings_open(app, pilot, "search.rerank ")
        await pilot.click(screen.query_one(OptionList), offset=(6, 1))
        await until(pilot, lambda: services.options.now.search.rerank is False)
        assert app.main.answering.choice.rerank is False


async def test_keys_of_the_settings_file_hold_from_the_start() -> None:
    app = FinTuiApp(FakeServices, Settings(app=App(keys={"search.mode": "f11", "no.such": "q"})))
    async with app.run_test() as pilot:
        await until(pilot, lambda: bool(app.main.scope.filings))
        before = app.main.answering.choice.mode
        await pilot.press("f11")
        await until(pilot, lambda: app.main.answering.choice.mode != before)
        assert (before, app.main.answering.choice.mode) == ("hybrid", "dense")


def test_keys_that_share_a_default_are_named_with_the_one_that_moves() -> None:
    moved = keymap(actions_of(PLACES), {"chat.stop": "f11"})
    assert moved["chat.stop"] == "f11"
    assert moved["prompt.leave"] == "escape"


def test_clashes_look_at_what_can_act_together() -> None:
    actions = actions_of(PLACES)
    mode = next(action for action in actions if action.id == "search.mode")
    ask = next(action for action in actions if action.id == "prompt.ask")
    find = next(action for action in actions if action.id == "reader.find")
    assert "Help" in clash(actions, {}, mode, "f1")
    assert "typed text" in clash(actions, {}, ask, "q")
    assert clash(actions, {}, find, "w") == ""
    assert "Rerank" in clash(actions, {}, mode, "r")
    assert clash(actions, {"search.rerank": "f11"}, mode, "r") == ""
    assert key_name("alt+left_square_bracket") == "Alt+["


def test_every_setting_is_a_line_and_a_wrong_number_is_no_value() -> None:
    rows = {setting.key: setting for setting in settings_of(Settings(), ())}
    assert rows["search.mode"].choices == ("dense", "hybrid", "sparse")
    assert rows["search.dense_weight"].parse(" .6 ") == 0.6
    assert rows["search.k"].parse("8") == 8
    with pytest.raises(UsageError):
        rows["search.k"].parse("8.5")
    assert changed_keys(Settings(), Settings(encoder=Encoder(model="x"))) == {"encoder.model"}
