"""Whole screens, compared with the committed pictures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
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
from tests.ui.fake_figures import five_years, key_figures, parts, segments, side_by_side
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


BY_SEGMENT = (
    "Acme, revenue by segment, FY2025: North America $372,828 million (58.7%), International $151,200 million (23.8%), "
    "Cloud $110,757 million (17.4%); total $634,785 million. [2]"
)
RISKS = (
    "Item 1A of Acme Corp's 10-K for FY2025 has 3 risk headings in 2 groups: Rockets (2), Regulation (1).\n\n"
    "Risks Related to Our Rockets [1]\n1. Our rockets may explode at any time. [1]\n2. Our pads may sink into the sand on which "
    "they stand, and insurers may refuse to pay. [2]\n\nRisks Related to Regulation [3]\n3. New laws may ground us. [3]"
)


OFFICERS = (
    "3 executive officers in Acme Corp's 10-K for FY2025:\n1. Ada Lovelace, 51: President and Chief Executive Officer, since "
    "2014 [1]\n2. Grace Hopper, 49: Executive Vice President and Chief Financial Officer, effective January 1, 2016, before that "
    "Chief Accounting Officer [1]\n3. Alan Turing, 48: Senior Vice President and Controller [2]"
)
DOING = "Acme, FY2025: revenue $416,161 million (up 6.4%); operating margin 32.0% (up 0.5 points). [2]"
COMPARED = "Acme FY2025 vs. Zenith FY2023: revenue $416,161 million vs. $81,288 million; operating margin 32.0% vs. 13.6%. [2]"
SEGMENTS = (
    "Acme's 2 segments, revenue, FY2025: North America $372,828 million (77.1%), Cloud $110,757 million (22.9%). [2]\n"
    "Operating income, FY2025: North America $29,619 million (86.2%), Cloud $4,750 million (13.8%). [2]"
)
TREND = "Acme's revenue rose 13.8% from FY2021 to FY2025, to $416,161 million from $365,817 million. [2]"
PAGES = {
    "parts": Script(extract=BY_SEGMENT, figures=parts()),
    "segments": Script(extract=SEGMENTS, figures=segments()),
    "risks": Script(extract=RISKS),
    "officers": Script(extract=OFFICERS),
    "key-figures": Script(extract=DOING, figures=key_figures()),
    "compare": Script(extract=COMPARED, figures=side_by_side()),
    "trend": Script(extract=TREND, figures=five_years()),
}


@pytest.mark.parametrize("script", PAGES.values(), ids=PAGES)
def test_pages_of_what_is_asked_most(snap_compare: Compare, script: Script) -> None:
    script = replace(script, tokens=(), sentences=(), answer=script.extract)
    services = services_of(script)
    assert snap_compare(FinTuiApp(lambda: services, Settings()), terminal_size=(80, 24), run_before=answered)


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
