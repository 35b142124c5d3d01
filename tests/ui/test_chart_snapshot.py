"""A trend with its picture, compared with the committed one, and hidden or shown by key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot

from fin_tui.config import Settings
from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.records import TableCell, TableRow
from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.widgets.evidence_card import ChartView
from fin_tui.ui.widgets.prompt import Prompt
from tests.ui.conftest import ask, running, screen_text, services_of, until
from tests.ui.fake_figures import fact
from tests.ui.fakes import Script


def cell(value: float | None) -> TableCell:
    """A cell in millions; a gap for None."""
    if value is None:
        return {"value": None, "unit": None, "display": None, "citation": None, "fact": None, "gap": "no filing"}
    shown: TableCell = {"display": f"${value:,.0f} million", "citation": None, "fact": None, "gap": None}
    return {"value": value * 1e6, "unit": "usd", **shown}


def trend() -> FigureAnswer:
    """Two companies in four years: a loss, and a gap."""
    values = {"Acme Corp": (120.0, -40.0, 210.0, 260.0), "株式会社ゼニス": (80.0, 95.0, None, 140.0)}
    years = range(2022, 2026)
    facts = tuple(fact("Net income", "260", 260e6, year, 2) for year in years)
    rows: list[TableRow] = [{"label": name, "cells": [cell(value) for value in held]} for name, held in values.items()]
    return FigureAnswer((), (), facts, (), None, None, None, {"columns": [f"FY{year}" for year in years], "rows": rows})


def drawn(app: Any) -> bool:
    return any("┤" in view.render_line(3).text for view in app.screen.query(ChartView))


async def answered(pilot: Pilot[Any]) -> None:
    app = pilot.app
    assert isinstance(app, FinTuiApp)
    await until(pilot, lambda: bool(app.main.scope.filings) and not [w for w in app.workers if w.is_running])
    app.main.query_one(Prompt).cursor_blink = False
    await ask(app, pilot, "How did net income develop from 2022 to 2025?")
    await pilot.press("escape")
    await until(pilot, lambda: drawn(app))
    await pilot.press("G")
    await pilot.pause(0.2)


def test_a_trend_with_its_picture(snap_compare: Callable[..., bool]) -> None:
    services = services_of(Script(figures=trend(), answer="", extract="", sentences=(), tokens=()))
    assert snap_compare(FinTuiApp(lambda: services, Settings()), terminal_size=(160, 48), run_before=answered)


async def test_pictures_are_hidden_and_shown_by_key() -> None:
    async with running(services_of(Script(figures=trend())), (160, 60)) as (app, pilot):
        await ask(app, pilot)
        chart = app.main.query_one(ChartView)
        await until(pilot, lambda: drawn(app))
        await pilot.press("alt+c")
        await until(pilot, lambda: not chart.display or chart.region.height == 0)
        assert "260" in screen_text(app)
        await pilot.press("alt+c")
        await until(pilot, lambda: chart.region.height > 0)
        assert drawn(app)


async def test_there_is_no_picture_where_there_is_no_room() -> None:
    async with running(services_of(Script(figures=trend())), (160, 60)) as (app, pilot):
        await ask(app, pilot)
        chart = app.main.query_one(ChartView)
        await until(pilot, lambda: drawn(app))
        await pilot.resize_terminal(38, 24)
        await until(pilot, lambda: chart.has_class("-empty"))
        assert chart.region.height == 0
