"""Two whole screens, compared with the committed pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from fin_tui.config import Settings
from fin_tui.ui.app import FinTuiApp
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
    await until(pilot, lambda: bool(app.main.filings) and not [w for w in app.workers if w.is_running])
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


@pytest.mark.parametrize("theme", ["fin-dark", "fin-light"])
async def test_text_stands_out_from_its_background(theme: str) -> None:
    from textual.color import Color

    from fin_tui.ui.themes import THEMES

    colours = next(t for t in THEMES if t.name == theme)
    background = Color.parse(colours.background or "")
    for name in ("foreground", "accent", "warning", "error", "success", "primary", "secondary"):
        assert background.get_contrast_text(1.0)
        ratio = contrast(Color.parse(getattr(colours, name)), background)
        assert ratio >= 4.5, (name, ratio)


def contrast(one: Any, other: Any) -> float:
    """Contrast ratio of WCAG 2."""

    def luminance(colour: Any) -> float:
        parts = [c / 255 for c in (colour.r, colour.g, colour.b)]
        r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
