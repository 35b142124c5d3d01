"""Sheets and audits in the app: made, filled, opened to their proof, charted, exported; a model audited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openpyxl
from textual.pilot import Pilot
from textual.widgets import Input, Static

from fin_tui.ui.app import FinTuiApp
from fin_tui.ui.screens.audit import AuditScreen
from fin_tui.ui.screens.dialog import ErrorScreen
from fin_tui.ui.screens.sheet import SheetCellScreen, SheetScreen
from fin_tui.ui.screens.sheets import SheetsScreen
from fin_tui.ui.widgets.evidence_card import ChartView
from fin_tui.ui.widgets.lists import SheetGrid, SheetTable
from tests.ui.conftest import running, until
from tests.ui.fake_sheets import COMPANIES
from tests.ui.fakes import FakeServices

COLUMNS = "revenue; operating income; margin % = B / A; deposits"


async def open_sheets(app: FinTuiApp, pilot: Pilot[Any]) -> None:
    await until(pilot, lambda: app.library.services is not None)
    await pilot.press("f6")
    await until(pilot, lambda: isinstance(app.screen, SheetsScreen))


async def make_sheet(app: FinTuiApp, pilot: Pilot[Any], columns: str = COLUMNS) -> SheetScreen:
    await open_sheets(app, pilot)
    await pilot.press("n")
    for value in ("test", "EXM,SMPL:2022-2023", columns):
        await until(pilot, lambda: isinstance(app.focused, Input))
        assert isinstance(app.focused, Input)
        app.focused.value = value
        await pilot.press("enter")
    await until(pilot, lambda: isinstance(app.screen, SheetScreen))
    screen = app.screen
    assert isinstance(screen, SheetScreen)
    return screen


def text(screen: SheetScreen, row: int, column: int) -> str:
    return str(screen.query_one(SheetGrid).get_cell_at((row, column)))  # type: ignore[arg-type]


async def fill(pilot: Pilot[Any], screen: SheetScreen) -> None:
    await pilot.press("r")
    await until(pilot, lambda: not screen._view.running and len(screen._view.cells) >= 4 * len(screen._view.columns))


async def test_a_sheet_is_made_filled_and_opened_to_its_proof() -> None:
    services = FakeServices()
    async with running(services) as (app, pilot):
        screen = await make_sheet(app, pilot)
        assert text(screen, 0, 1) == "not run ·"
        await fill(pilot, screen)
        sales = COMPANIES[0].values(2022)["Total net sales"] / 1e6
        assert text(screen, 0, 1) == f"{sales:,.0f} ●"
        assert text(screen, 0, 3).endswith("ƒ")
        assert text(screen, 0, 4) == "nothing found ○"
        assert text(screen, 4, 0) == "total"
        assert "● found · EXM FY2022 · revenue" in str(screen.query_one("#sheet-cell", Static).render())
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, SheetCellScreen))
        await pilot.press("enter")
        # The scripted library shows one filing alone; that this one was asked for is what its refusal says.
        filing = services.sheets.services.library.sheets.cells("test")[f"cik:{COMPANIES[0].cik}@2022", "c1"].citations[0].filing
        await until(pilot, lambda: filing in str([widget.render() for widget in app.screen.query(Static)]))


async def test_sorting_ranking_hiding_and_charts() -> None:
    async with running(FakeServices()) as (app, pilot):
        screen = await make_sheet(app, pilot)
        await fill(pilot, screen)
        await pilot.press("s", "k")
        values = sorted((c.values(y)["Total net sales"] for c in COMPANIES for y in (2022, 2023)), reverse=True)
        assert text(screen, 0, 1) == f"{values[0] / 1e6:,.0f} #1 ●"
        assert text(screen, 3, 1) == f"{values[3] / 1e6:,.0f} #4 ●"
        await pilot.press("c")
        assert not screen.query_one(ChartView).has_class("-empty")
        await pilot.press("c")
        assert screen.query_one(ChartView).has_class("-empty")
        await pilot.press("h")
        await until(pilot, lambda: len(screen._view.columns) == 3)
        await pilot.press("H")
        await until(pilot, lambda: len(screen._view.columns) == 4)


async def test_a_column_is_tried_on_three_rows_then_filled() -> None:
    async with running(FakeServices()) as (app, pilot):
        screen = await make_sheet(app, pilot, "revenue")
        await pilot.press("p")
        await until(pilot, lambda: isinstance(app.focused, Input))
        assert isinstance(app.focused, Input)
        app.focused.value = "goodwill"
        await pilot.press("enter")
        await until(pilot, lambda: len(screen._view.cells) == 3 and not screen._work.is_running)
        assert len(screen._view.columns) == 2
        assert text(screen, 3, 2) == "not run ·"
        await pilot.press("r")
        await until(pilot, lambda: len(screen._view.cells) == 8 and not screen._work.is_running)
        assert text(screen, 3, 2).endswith("●")


async def test_what_is_on_screen_is_known_for_a_run() -> None:
    async with running(FakeServices(), size=(60, 24)) as (app, pilot):
        screen = await make_sheet(app, pilot, "revenue; operating income; goodwill; net income; total assets; total liabilities")
        grid = screen.query_one(SheetTable)
        await until(pilot, lambda: bool(grid.on_screen))
        first = {column for _, column in grid.on_screen}
        assert "c1" in first
        assert "c6" not in first
        await pilot.press(*["right"] * 5)
        await until(pilot, lambda: "c6" in {column for _, column in grid.on_screen})
        assert "c1" not in {column for _, column in grid.on_screen}
        assert len({row for row, _ in grid.on_screen}) == 4


async def test_a_workbook_is_written() -> None:
    services = FakeServices()
    async with running(services) as (app, pilot):
        screen = await make_sheet(app, pilot)
        await fill(pilot, screen)
        await pilot.press("x")
        await until(pilot, lambda: bool(list((services.sheets.home / "exports").glob("test*.xlsx"))))
    (path,) = (services.sheets.home / "exports").glob("test*.xlsx")
    assert openpyxl.load_workbook(path)["test"]["A5"].value == "EXM FY2022"


async def test_a_model_is_audited_and_a_marked_copy_written(tmp_path: Path) -> None:
    services = FakeServices()
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for place, value in {
        "A1": "Example Corp.",
        "A2": "$ in millions",
        "B3": "FY2023",
        "A4": "Net income",
        "A5": "Goodwill",
    }.items():
        sheet[place] = value
    sheet["B4"] = COMPANIES[0].values(2023)["Net income"] / 1e6
    sheet["B5"] = -COMPANIES[0].values(2023)["Goodwill"] / 1e6
    book.save(tmp_path / "model.xlsx")
    async with running(services) as (app, pilot):
        await open_sheets(app, pilot)
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.focused, Input))
        assert isinstance(app.focused, Input)
        app.focused.value = str(tmp_path / "model.xlsx")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, AuditScreen))
        screen = app.screen
        title = str(screen.query_one("#audit-title", Static).render())
        assert "1 supported, 1 contradicted, 0 unknown" in title
        assert "the sign differs" in str(screen.query_one("#audit-why", Static).render())
        await pilot.press("v", "v")
        await until(pilot, lambda: "showing supported" in str(screen.query_one("#audit-title", Static).render()))
        await pilot.press("x")
        await until(pilot, lambda: bool(list((services.sheets.home / "exports").glob("model-audited*.xlsx"))))


async def test_what_fails_is_told_and_the_screen_stays() -> None:
    async with running(FakeServices()) as (app, pilot):
        await open_sheets(app, pilot)
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.focused, Input))
        assert isinstance(app.focused, Input)
        app.focused.value = "/nowhere/model.xlsx"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ErrorScreen))
        assert "There is no file" in str(app.screen.query_one("#error-message", Static).render())
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, SheetsScreen))
        assert str(app.screen.query_one("#sheets-state", Static).render()) == ""
