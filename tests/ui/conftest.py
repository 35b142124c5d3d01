"""The app on a scripted library; helpers that poll, never sleep."""

from __future__ import annotations

import html
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from fin_tui.config import Settings
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.controllers.letters import LettersController
from fin_tui.ui.widgets.prompt import Prompt
from tests.ui.fakes import FakeServices, Script

_CELL_WIDTH = 12.2
"""Of a character in the exported picture."""
QUESTION = "What does Acme say about outsourcing?"


@pytest.fixture(autouse=True)
def _steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same screen everywhere: no animation, colours as drawn; a letter that is a command waits for no other."""
    monkeypatch.setattr(LettersController, "PAUSE_SECONDS", 0.0)
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.delenv("NO_COLOR", raising=False)


def services_of(*scripts: Script) -> FakeServices:
    return FakeServices(list(scripts) or [Script()])


async def until(pilot: Pilot[None], true: Callable[[], bool], tries: int = 1500) -> None:
    """Let the app run until ``true``; fails when that never comes."""
    for _ in range(tries):
        if true():
            await pilot.pause()
            return
        await pilot.pause(0.01)
    raise AssertionError("the app never got there")


@asynccontextmanager
async def running(services: FakeServices, size: tuple[int, int] = (120, 40)) -> AsyncIterator[tuple[FinTuiApp, Pilot[None]]]:
    """The app with its library open."""
    app = FinTuiApp(lambda: services, Settings())
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(pilot, lambda: bool(app.main.scope.filings) or not services.held)
        await until(pilot, lambda: not [w for w in app.workers if w.is_running])
        yield app, pilot


async def ask(app: FinTuiApp, pilot: Pilot[None], question: str = QUESTION) -> None:
    """Put a question into the prompt, press Enter, and wait for the end of the answer."""
    before = app.main.answering.turn
    prompt = app.main.query_one(Prompt)
    prompt.focus()
    prompt.recall(question)
    await pilot.press("enter")
    await until(pilot, lambda: app.main.answering.turn is not before and not app.main.answering.is_answering)


def screen_text(app: FinTuiApp) -> str:
    """Every character on screen, as a terminal shows it; runs of spaces as one."""
    pieces = re.findall(r'<text [^>]*? x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>', app.export_screenshot())
    lines: dict[float, str] = {}
    for x, y, text in pieces:
        column = round(float(x) / _CELL_WIDTH)
        lines[float(y)] = lines.get(float(y), "").ljust(column) + html.unescape(text)
    return "\n".join(" ".join(line.split()) for _, line in sorted(lines.items()))
