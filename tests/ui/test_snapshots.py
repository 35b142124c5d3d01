"""Two whole screens, compared with the committed pictures."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from textual.color import Color
from textual.pilot import Pilot
from textual.theme import Theme

from fin_tui.config import Settings
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.themes import THEMES
from fin_tui.ui.widgets.prompt import Prompt
from tests.ui.conftest import ask, services_of, until
from tests.ui.fakes import Script, passages

Compare = Callable[..., bool]


def app_with_sources() -> FinTuiApp:
    services = services_of(Script(passages=passages(12), notes=("Vectors are at 40 %: words are searched, meaning is not.",)))
    return FinTuiApp(lambda: services, Settings())


async def answered(pilot: Pilot[Any]) -> None:
    """A question asked and answered, the cursor at rest."""
    app = pilot.app
    assert isinstance(app, FinTuiApp)
    await until(pilot, lambda: bool(app.main.scope.filings) and not [w for w in app.workers if w.is_running])
    app.main.query_one(Prompt).cursor_blink = False
    await ask(app, pilot, "What does Acme say about its dependence on outsourcing partners?")
    await pilot.press("escape")
    await pilot.pause(0.1)


async def light_table(pilot: Pilot[Any]) -> None:
    await answered(pilot)
    pilot.app.theme = "fin-light"
    await pilot.press("2")
    await pilot.pause(0.1)


def test_three_panes_after_an_answer(snap_compare: Compare) -> None:
    assert snap_compare(app_with_sources(), terminal_size=(120, 40), run_before=answered)


def test_a_table_source_on_a_narrow_light_screen(snap_compare: Compare) -> None:
    assert snap_compare(app_with_sources(), terminal_size=(80, 24), run_before=light_table)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_text_stands_out_from_its_background(theme: Theme) -> None:
    background = luminance(theme.background)
    for name in ("foreground", "accent", "warning", "error", "success", "primary", "secondary"):
        light, dark = sorted((luminance(getattr(theme, name)), background), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, name


def luminance(colour: str | None) -> float:
    """Relative luminance of WCAG 2."""
    rgb = Color.parse(colour or "")
    red, green, blue = (_linear(c / 255) for c in (rgb.r, rgb.g, rgb.b))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else math.pow((channel + 0.055) / 1.055, 2.4)
