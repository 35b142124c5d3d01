"""Figures stand in a table with their calculation, and copy as one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.figures.shown import Cell, Figures, Grid, grouped, period, printed
from fin_tui.records import Answer, FactRecord, TableCell, TableRecord, TableRow
from fin_tui.ui.widgets.evidence_card import ChartView, EvidenceCard, FigureTable, grid_content
from fin_tui.ui.widgets.sources import Sources
from tests.ui.conftest import ask, running, screen_text, services_of, until
from tests.ui.fake_figures import comparison, fact, growth
from tests.ui.fakes import Script, passages


async def test_figures_calculation_and_restated_values_stand_in_the_card() -> None:
    async with running(services_of(Script(figures=growth())), (220, 50)) as (app, pilot):
        await ask(app, pilot)
        assert "416,161" not in screen_text(app)
        await pilot.press("alt+h")
        await until(pilot, lambda: "restated later" in screen_text(app) and "year to 2025" in screen_text(app))
        text = screen_text(app)
        assert "Total net sales year to 2025-09-27 $416,161 million [2]" in text
        assert "$391,035 million ® [2]" in text
        assert "= (416,161 - 391,035) / 391,035" in text
        assert "= 6.4%, exactly 6.43%" in text
        assert "® restated later as $391,100 million" in text


async def test_a_table_that_is_shown_anew_in_the_size_it_had_is_drawn() -> None:
    async with running(services_of(Script(figures=growth())), (220, 50)) as (app, pilot):
        await ask(app, pilot)
        card = app.main.query_one(EvidenceCard)
        card.display = False
        await pilot.pause()
        table = card.query_one(FigureTable)
        table.show(Figures(comparison().facts, None, comparison().table), [p.citation for p in passages()])
        card.display = True
        await until(pilot, lambda: "Zenith [Holdings] Inc." in screen_text(app))


async def test_a_figure_that_a_second_look_bore_out_takes_the_place_of_the_first_card_and_its_caution() -> None:
    script = Script(later=growth(), caution="No exact figure found; closest passages below.", tokens=(), sentences=())
    async with running(services_of(script), (220, 50)) as (app, pilot):
        await ask(app, pilot)
        card = app.main.query_one(EvidenceCard)
        await until(pilot, lambda: card.query_one(FigureTable).display)
        await pilot.press("alt+h")
        await until(pilot, lambda: "= (416,161 - 391,035) / 391,035" in screen_text(app))
        assert "No exact figure found" not in screen_text(app)


async def test_a_comparison_has_a_row_for_each_company_and_says_what_is_missing() -> None:
    async with running(services_of(Script(figures=comparison())), (220, 50)) as (app, pilot):
        await ask(app, pilot)
        table = app.main.query_one(FigureTable)
        lines = [table.query_one(".figures").render_line(y).text.split() for y in range(3)]
        assert lines[0] == ["$", "million", "FY2024", "FY2025"]
        assert lines[1] == ["Acme", "Corp", "391,035", "[2]", "416,161", "[2]"]
        assert lines[2] == ["Zenith", "[Holdings]", "Inc.", "–", "416,161", "[2]"]
        assert "– Zenith [Holdings] Inc., FY2024: no filing of FY2024" in screen_text(app)


async def test_a_click_on_a_figure_shows_its_passage() -> None:
    async with running(services_of(Script(figures=comparison())), (160, 50)) as (app, pilot):
        await ask(app, pilot)
        widget = app.main.query_one(FigureTable).query_one(".figures")
        region = widget.content_region
        row = next(y for y in range(region.height) if "[2]" in widget.render_line(y).text)
        column = widget.render_line(row).text.index("[2]") + 1
        await pilot.click(offset=(region.x + column, region.y + row))
        chosen = app.main.query_one(Sources)
        await until(pilot, lambda: chosen.chosen != passages()[0])
        assert chosen.chosen == passages()[1]


async def test_without_figures_there_is_no_table() -> None:
    async with running(services_of()) as (app, pilot):
        await ask(app, pilot)
        assert not app.main.query_one(EvidenceCard).query_one(FigureTable).display


def test_figures_copy_as_tab_separated_text() -> None:
    citations = [p.citation for p in passages(2)]
    found = growth()
    grid = Figures(found.facts, found.calculation).page_grid(citations)
    assert grid.tsv.splitlines()[:2] == ["Figure\tPeriod\tAs printed", "Total net sales\tyear to 2025-09-27\t$416,161 million"]
    compared = Figures(table=comparison().table).grid(citations)
    assert compared.tsv.splitlines()[2] == "Zenith [Holdings] Inc.\t–\t416,161"
    answer = Answer("?", "answered", "", facts=found.facts, calculation=found.calculation)
    assert Figures.of(answer).calculation_lines == (
        "(revenue (2025-09-27) - revenue (2024-09-27)) / revenue (2024-09-27)",
        "= (416,161 - 391,035) / 391,035",
        "= 6.4%, exactly 6.43%",
    )


def test_a_figure_is_shown_as_printed_with_its_unit_and_period() -> None:
    assert printed(fact("Loss", "(1,234)", -1234e3, 2025, 1)) == "$(1,234) thousand"
    assert printed(fact("EPS", "6.13", 6.13, 2025, 1, unit="usd/share")) == "$6.13 per share"
    assert printed(fact("Margin", "46.2 %", 46.2, 2025, 1, unit="%")) == "46.2 %"
    assert printed(fact("Shares", "15,115,823", 15_115_823_000, 2025, 1, unit="shares")) == "15,115,823 thousand shares"
    assert printed(fact("None", "", 0.0, 2025, 1)) == "–"
    assert printed(fact("Loss", "2,968", -2_968e6, 2025, 1)) == "$(2,968) million"  # The brackets stand around its tag.
    assert printed(fact("Loss", "-2,968", -2_968e6, 2025, 1)) == "$-2,968 million"
    assert period(fact("Cash", "1", 1, 2025, 1, period_start=None)) == "at 2025-09-27"
    assert period(fact("Short", "1", 1, 2025, 1, period_start="2025-07-01")) == "2025-07-01 to 2025-09-27"


def test_a_table_too_wide_for_its_pane_breaks_labels_and_is_stacked_last() -> None:
    grid = Figures(table=comparison().table).grid([])
    wide = grid_content(grid, 80, ()).plain.splitlines()
    assert wide[0].split() == ["$", "million", "FY2024", "FY2025"]
    assert len({len(line) for line in wide}) == 1
    assert [line.rstrip() for line in grid_content(grid, 32, ()).plain.splitlines()[2:]] == [
        "Zenith                –  416,161", "  [Holdings]", "  Inc.",
    ]  # fmt: skip
    narrow = grid_content(grid, 20, ()).plain.splitlines()
    assert narrow[:3] == ["Acme Corp", "  FY2024 391,035", "  FY2025 416,161"]


def test_a_single_figure_over_many_years_stands_upright_where_it_is_too_wide() -> None:
    years = [f"FY{year}" for year in range(2021, 2026)]
    ends = tuple(Cell(f"{year}-12-31") for year in range(2021, 2026))
    figures = tuple(Cell(f"{365_000 + at}", at + 1) for at in range(5))
    grid = Grid(("Acme, $ million", *years), ((Cell("period end"), *ends), (Cell("revenue"), *figures)), has_ends=True)
    marks = range(1, 6)
    assert len(grid_content(grid, 90, marks).plain.splitlines()) == 3
    upright = grid_content(grid, 70, marks).plain.splitlines()
    assert upright[0].split() == ["Acme,", "$", "million", "period", "end", "revenue"]
    assert upright[1].split() == ["FY2021", "2021-12-31", "365000", "[1]"]
    assert len(upright) == 6


def test_the_days_on_which_periods_end_leave_the_columns_before_the_cells_are_stacked() -> None:
    ends = tuple(Cell(f"{year}-12-31") for year in range(2021, 2026))
    rows = [(Cell(name), *(Cell("365,000", 1) for _ in range(5))) for name in ("revenue", "operating income")]
    grid = Grid(("$ million", *(f"FY{year}" for year in range(2021, 2026))), ((Cell("period end"), *ends), *rows), has_ends=True)
    lines = grid_content(grid, 65, (1,)).plain.splitlines()
    assert [line.split()[0] for line in lines] == ["$", "revenue", "operating", "Periods"]
    assert lines[-1].startswith("Periods end 2021-12-31, 2022-12-31")


def test_companies_with_a_year_of_their_own_have_its_end_beside_them() -> None:
    cells: list[TableCell] = [
        {"value": 1e6 * n, "display": f"${n} million", "period_end": f"20{n}-12-31", "gap": None} for n in (10, 20)
    ]
    rows: list[TableRow] = [
        {"label": f"{name} · revenue", "cells": [cell]}
        for name, cell in zip(("Acme FY2010", "Globex FY2020"), cells, strict=True)
    ]
    grid = Figures(table={"columns": ["revenue"], "rows": rows}).grid([])
    assert grid.header == ("", "period end", "revenue, $ million")
    assert [[cell.text for cell in row] for row in grid.rows] == [
        ["Acme FY2010", "2010-12-31", "10"], ["Globex FY2020", "2020-12-31", "20"],
    ]  # fmt: skip
    assert not grid.notes
    alone: TableRow = {"label": "Acme · earnings per share", "cells": [{"display": "$2.04 per share", "gap": None}] * 2}
    assert Figures(table={"columns": ["FY2023", "FY2024"], "rows": [alone]}).grid([]).header[0] == "Acme, $"


def test_marks_of_sources_go_before_labels_are_broken_into_short_lines() -> None:
    rows = [
        (Cell(f"Greater China: {figure}"), Cell("66,952", 12), Cell("64,377", 13)) for figure in ("revenue", "operating income")
    ]
    grid = Grid(("$ million", "FY2024", "FY2025"), tuple(rows))
    lines = grid_content(grid, 45, (12, 13)).plain.splitlines()
    assert [line.split("  ")[0] for line in lines[1:3]] == ["Greater China: revenue", "Greater China: operating"]
    assert lines[3].strip() == "income"
    assert "[12]" not in lines[1]
    assert "[12]" in grid_content(grid, 60, (12, 13)).plain


def test_figures_of_several_parts_stand_under_a_heading_each() -> None:
    labels = ("North: revenue", "South: revenue", "total revenue", "North: income", "South: income", "other")
    grid = Grid(("$ million", "FY2024"), tuple((Cell(label), Cell(str(at), 1)) for at, label in enumerate(labels)))
    shown = grouped(grid)
    assert [row[0].text for row in shown.rows] == [
        "revenue", "  North", "  South", "  total", "income", "  North", "  South", "other",
    ]  # fmt: skip
    assert [row[1].text for row in shown.rows] == ["", "0", "1", "2", "", "3", "4", "5"]
    assert "[1]" in grid_content(shown, 30, (1,)).plain
    single = Grid(grid.header, grid.rows[:3])
    assert grouped(single) is single


async def test_figures_of_a_row_on_another_basis_are_marked_and_explained_under_it() -> None:
    first, own = growth().facts[1], growth().facts[0]
    later: FactRecord = {**own, "note": "from the FY2025 filing; restated; first reported as $410,000 million"}
    cells: list[TableCell] = [
        {
            "value": one["value"],
            "unit": "usd",
            "display": f"${one['as_reported']} million",
            "citation": 2,
            "fact": at,
            "gap": None,
        }
        for at, one in enumerate((first, later))
    ]
    computed: TableCell = {"value": 6.4, "unit": "%", "display": "6.4%", "citation": 2, "fact": 0, "gap": None}
    table: TableRecord = {
        "columns": ["FY2024", "FY2025"],
        "rows": [{"label": "net sales", "cells": cells}, {"label": "growth", "cells": [computed, computed]}],
    }
    told = FigureAnswer((), (), (first, later), (), None, None, None, table)
    grid = Figures(told.facts, None, table).grid(())
    assert [cell.text for cell in grid.rows[0]] == ["net sales, $ million", "391,035 ®", "416,161"]
    assert [cell.text for cell in grid.rows[1]] == ["growth", "6.4%", "6.4%"]
    assert grid.notes == (
        "® restated later as $391,100 million: net sales, FY2024",
        "net sales, FY2025: restated; first reported as $410,000 million",
    )
    async with running(services_of(Script(figures=told)), (160, 50)) as (app, pilot):
        await ask(app, pilot)
        await until(pilot, lambda: "® restated later as $391,100 million: net sales, FY2024" in screen_text(app))


async def test_notes_of_operands_are_folded_with_them_but_a_restated_one_is_told() -> None:
    made = growth()
    noted = replace(made, facts=tuple({**one, "note": "read from an untagged table"} for one in made.facts))
    async with running(services_of(Script(figures=noted, passages=passages(2))), (220, 50)) as (app, pilot):
        await ask(app, pilot)
        text = screen_text(app)
        assert "® restated later" in text
        assert "no XBRL tags" not in text
        await pilot.press("alt+h")
        await until(pilot, lambda: "read from a table that has no XBRL tags" in screen_text(app))


async def test_a_picture_is_not_drawn_again_for_a_scroll_bar_that_comes_later(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    monkeypatch.setattr(ChartView, "_draw", lambda self, chart, width: drawn.append(width))
    async with running(services_of(Script(figures=comparison())), (160, 50)) as (app, pilot):
        await ask(app, pilot)
        view = app.main.query_one(ChartView)
        drawn.clear()
        chart = view._chart
        assert chart is not None
        view.show(chart, 80)
        view.fit(79)
        assert drawn == [79]
        view.fit(60)
        assert drawn == [79, 59]
