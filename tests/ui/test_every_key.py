"""Every key of every place reaches its action there, past whatever has the focus; what the actions do is tested beside them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from textual.binding import Binding
from textual.dom import DOMNode
from textual.pilot import Pilot
from textual.widgets import Input

from fin_tui.records import SheetCell
from fin_tui.sheets.audit import Audit
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.keys import PLACES
from fin_tui.ui.messages import WhatsNewWanted
from fin_tui.ui.screens import adding
from fin_tui.ui.screens.audit import AuditScreen
from fin_tui.ui.screens.changes import WhatsNewScreen
from fin_tui.ui.screens.changing import ChangeScreen
from fin_tui.ui.screens.fetching import FetchScreen
from fin_tui.ui.screens.figure import FigureScreen
from fin_tui.ui.screens.sheet import SheetCellScreen, SheetScreen
from fin_tui.ui.screens.sheets import SheetsScreen
from fin_tui.ui.widgets.chat import Chat
from fin_tui.ui.widgets.lists import PickList, SheetGrid
from fin_tui.ui.widgets.prompt import Prompt
from tests.ui import test_snapshots_screens as shots
from tests.ui.conftest import running, until
from tests.ui.fake_sheets import FakeSheets
from tests.ui.fakes import ACME, passages

Steps = Callable[[FinTuiApp, Pilot[Any]], Awaitable[None]]


async def prompt(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    await shots.answer(app, pilot)
    app.main.query_one(Prompt).focus()
    await until(pilot, lambda: isinstance(app.focused, Prompt))


async def chat(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    await shots.answer(app, pilot)
    app.main.query_one(Chat).focus()
    await until(pilot, lambda: isinstance(app.focused, Chat))


async def filings(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    await pilot.press("f2")
    await until(pilot, lambda: app.focused is not None and app.focused.id == "tree")


async def news(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    app.post_message(WhatsNewWanted(ACME.id))
    await until(pilot, lambda: isinstance(app.screen, WhatsNewScreen))


async def sources(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    await shots.answer(app, pilot)
    await pilot.press("f4")
    await until(pilot, lambda: app.focused is not None and app.focused.id == "source-list")


async def figure(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    await shots.answer(app, pilot)
    await pilot.press("d")
    await until(pilot, lambda: isinstance(app.screen, FigureScreen))


async def change(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    await shots.answer(app, pilot)
    await pilot.press("q")
    await until(pilot, lambda: isinstance(app.screen, ChangeScreen) and isinstance(app.focused, Input))


async def fetch(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    await pilot.press("alt+g")
    await until(pilot, lambda: isinstance(app.screen, FetchScreen))


async def conversations(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    await shots.answer(app, pilot)
    await pilot.press("f8")
    await until(pilot, lambda: bool(app.screen.query("#conversation-list")))


async def sheets(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    room = FakeSheets()
    room.live.new("test", "EXM:2022-2023", "revenue")
    app.push_screen(SheetsScreen(room))
    await until(pilot, lambda: any(entries.option_count for entries in app.screen.query(PickList).results(PickList)))


async def sheet(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    room = FakeSheets()
    app.push_screen(SheetScreen(room, room.live.new("test", "EXM:2022-2023", "revenue")))
    await until(pilot, lambda: isinstance(app.screen, SheetScreen) and isinstance(app.focused, SheetGrid))


async def cell(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    app.push_screen(SheetCellScreen("found", SheetCell("r", "c", "found", "$1", citations=(passages(1)[0].citation,))))
    await until(pilot, lambda: app.focused is not None and app.focused.id == "cell-sources")


async def audit(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    app.push_screen(AuditScreen(FakeSheets(), Path("model.xlsx"), Audit("model.xlsx", (), ())))
    await until(pilot, lambda: isinstance(app.focused, SheetGrid))


WAYS: dict[str, Sequence[Steps]] = {
    "Everywhere": (prompt, chat, sources, shots.reader),
    "Prompt": (prompt,),
    "Conversation": (prompt, chat),
    "Filings": (filings,),
    "Sources": (sources,),
    "Reader": (shots.reader,),
    "Changes": (shots.changes,),
    "What's new": (news,),
    "Change question": (change,),
    "Figure": (figure,),
    "Notebook": (shots.notebook,),
    "Sheets": (sheets,),
    "Sheet": (sheet,),
    "Cell": (cell,),
    "Audit": (audit,),
    "Conversations": (conversations,),
    "Add filings": (shots.add,),
    "Fetch": (fetch,),
    "Log": (shots.log,),
    "Check": (shots.check,),
    "Settings": (shots.settings,),
}
"""How each place is reached."""


class Press(NamedTuple):
    """A key, and the action it is for."""

    owner: type[DOMNode]
    action: str
    key: str


def test_every_place_is_reached_here() -> None:
    assert list(WAYS) == [place for place, _ in PLACES]


def presses(place: str, steps: Steps) -> Iterator[Press]:
    """What the place's own bindings promise; in the prompt, letters are text."""
    for owner in dict(PLACES)[place]:
        for binding in owner.BINDINGS:
            assert isinstance(binding, Binding)
            for key in binding.key.split(","):
                if steps is not prompt or place == "Prompt" or "+" in key or key[1:].isdigit() or key == "escape":
                    yield Press(owner, binding.action, key)


def record(patch: pytest.MonkeyPatch, press: Press, done: list[str]) -> None:
    """The action only says that it was run; others on the same key are off, as they are when this one applies."""
    name, _, given = press.action.removeprefix("app.").partition("(")
    owner = FinTuiApp if press.action.startswith("app.") else press.owner

    def run(self: DOMNode, *arguments: Any) -> None:
        done.append(f"{name}({', '.join(map(repr, arguments))})" if given else name)

    patch.setattr(owner, f"action_{name}", run)
    others = {b.action for b in press.owner.BINDINGS if isinstance(b, Binding) and press.key in b.key.split(",")} - {press.action}
    patch.setattr(press.owner, "check_action", lambda self, action, parameters: action not in others)


@pytest.mark.parametrize(("place", "steps"), [(place, way) for place, ways in WAYS.items() for way in ways])
async def test_each_key_reaches_its_action(place: str, steps: Steps, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "list_folder", lambda folder: shots.ENTRIES)
    failed = []
    async with running(shots.services()) as (app, pilot):
        app.dialogs.folder = Path("/filings")
        await steps(app, pilot)
        for press in presses(place, steps):
            done: list[str] = []
            with pytest.MonkeyPatch.context() as patch:
                record(patch, press, done)
                await pilot.press(press.key)
            if done != [press.action.removeprefix("app.")]:
                failed.append((press.key, press.action, done))
    assert failed == []
