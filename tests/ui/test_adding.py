"""Filings chosen on disk: narrowed, marked, pasted, by key and by mouse."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from fin_tui.errors import FinTuiError
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.browse import list_folder, pasted_paths, split_typed
from fin_tui.ui.screens.adding import AddScreen
from tests.ui.conftest import running, screen_text, until
from tests.ui.fakes import FakeServices


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "filings"
    (root / "older").mkdir(parents=True)
    for name in ("acme 2025.htm", "acme-2024.pdf", "zenith.txt", "notes.docx", ".hidden.htm", "older/acme-2020.htm"):
        (root / name).write_text("x")
    return root


async def opened(app: FinTuiApp, pilot: Pilot[None], folder: Path) -> AddScreen:
    app.dialogs.folder = folder
    await pilot.press("escape", "a")
    await until(pilot, lambda: isinstance(app.screen, AddScreen) and app.screen.query_one(OptionList).option_count == 5)
    screen = app.screen
    assert isinstance(screen, AddScreen)
    return screen


async def test_letters_narrow_tab_marks_and_ctrl_s_adds(folder: Path) -> None:
    services = FakeServices()
    async with running(services) as (app, pilot):
        screen = await opened(app, pilot, folder)
        text = screen_text(app)
        assert "older/" in text
        assert "notes.docx" not in text
        assert ".hidden" not in text
        await pilot.press(*"acme")
        await until(pilot, lambda: screen.query_one(OptionList).option_count == 3)
        await pilot.press("tab", "tab")
        await until(pilot, lambda: "2 things marked" in str(screen.query_one("#add-note").render()))
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(services.work.called))
        assert services.work.called == [("add", (folder / "acme 2025.htm", folder / "acme-2024.pdf"))]


async def test_a_path_that_is_not_there_is_said_to_be_none(folder: Path) -> None:
    services = FakeServices()
    async with running(services) as (app, pilot):
        screen = await opened(app, pilot, folder)
        screen.query_one(Input).value = f"{folder}/older/nothing.htm"
        await until(pilot, lambda: screen.query_one(OptionList).option_count == 1)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "No file or folder of that name" in str(screen.query_one("#add-note").render()))
        assert services.work.called == []


async def test_enter_goes_into_a_folder_and_backspace_comes_back(folder: Path) -> None:
    services = FakeServices()
    async with running(services) as (app, pilot):
        screen = await opened(app, pilot, folder)
        await pilot.press("enter")
        await until(pilot, lambda: "acme-2020.htm" in screen_text(app))
        await pilot.press("backspace")
        await until(pilot, lambda: "zenith.txt" in screen_text(app))
        screen.query_one(Input).value = f"{folder}/older/"
        await until(pilot, lambda: "acme-2020.htm" in screen_text(app))
        await pilot.press("up", "enter")
        await until(pilot, lambda: bool(services.work.called))
        assert services.work.called == [("add", (folder / "older",))]


async def test_pasted_paths_are_marked_and_other_words_are_typed(folder: Path) -> None:
    services = FakeServices()
    async with running(services) as (app, pilot):
        screen = await opened(app, pilot, folder)
        line = screen.query_one(Input)
        line.post_message(events.Paste(f"'{folder}/acme 2025.htm' {folder}/zenith.txt\n"))
        await until(pilot, lambda: len(screen.marked) == 2)
        line.post_message(events.Paste("zen"))
        await until(pilot, lambda: line.value == "zen")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)
        assert services.work.called == []


async def test_a_click_chooses_a_file_to_be_marked_and_another_adds_it(folder: Path) -> None:
    services = FakeServices()
    async with running(services) as (app, pilot):
        screen = await opened(app, pilot, folder)
        options = screen.query_one(OptionList)
        await pilot.click(options, offset=(6, 4))
        await until(pilot, lambda: options.highlighted == 4)
        await pilot.press("tab")
        assert list(screen.marked) == [folder / "zenith.txt"]
        await pilot.click(options, offset=(6, 2))
        await until(pilot, lambda: options.highlighted == 2)
        assert services.work.called == []
        await pilot.click(options, offset=(6, 2))
        await until(pilot, lambda: bool(services.work.called))
        assert services.work.called == [("add", (folder / "zenith.txt", folder / "acme 2025.htm"))]


def test_paths_as_file_managers_give_them(folder: Path) -> None:
    spaced = folder / "acme 2025.htm"
    assert pasted_paths(f"{spaced}\n") == (spaced,)
    assert pasted_paths(f'"{spaced}" {folder}/zenith.txt') == (spaced, folder / "zenith.txt")
    assert pasted_paths(f"file://{str(spaced).replace(' ', '%20')}") == (spaced,)
    assert pasted_paths("What were net sales?") == ()
    assert pasted_paths("") == ()


def test_what_is_typed_is_a_folder_where_it_has_a_slash(folder: Path) -> None:
    assert split_typed("acm", folder) == (folder, "acm")
    assert split_typed("older/ac", folder) == (folder / "older", "ac")
    assert split_typed(f"{folder}/", Path("/")) == (folder, "")
    assert split_typed("~/", folder) == (Path.home(), "")


def test_a_folder_that_is_gone_is_told(folder: Path) -> None:
    with pytest.raises(FinTuiError, match="Can't read"):
        list_folder(folder / "nowhere")


async def test_the_whole_path_of_a_file_is_added_without_a_mark(folder: Path) -> None:
    services = FakeServices()
    async with running(services) as (app, pilot):
        screen = await opened(app, pilot, folder)
        screen.query_one(Input).value = f"{folder}/older/acme-2020.htm"
        await until(pilot, lambda: screen.query_one(OptionList).option_count == 2)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(services.work.called))
        assert services.work.called == [("add", (folder / "older" / "acme-2020.htm",))]
