"""The first line over a grid of which no one cell is the answer, and the grid's shape."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import cast

import pytest

from fin_tui.engine.figures.as_json import table_json, years_apart
from fin_tui.engine.figures.as_text import figure_sentence, own_label, result, substituted, with_label
from fin_tui.engine.figures.grid import Grid, in_order
from fin_tui.engine.figures.ground import Cell, Grounded
from fin_tui.engine.figures.headline import computed, lines_of
from fin_tui.engine.figures.shown import Figures, printed
from fin_tui.engine.questions.wanted import Part, Reading
from fin_tui.facts.expression import Measure, Name, parse
from fin_tui.facts.figures import Figure, Gap, Period, Unit
from fin_tui.records import Fact, FactRecord, TableCell, TableRecord, TableRow
from tests.unit.engine.made import filing

REVENUE, INCOME = Part(Name("revenue"), "revenue", "usd"), Part(Name("net_income"), "net income", "usd")
MARGIN, EPS = Part(Name("margin"), "margin", "%"), Part(Name("eps"), "diluted earnings per share", "usd/share")
Given = tuple[Part, str, int, float]


def _grid(cells: Sequence[Given]) -> Grid:
    parts = tuple(dict.fromkeys(part for part, *_ in cells))
    made = tuple(
        Cell(part, company, year, measure=Measure(Decimal(str(value)), part.unit or "usd"))
        for part, company, year, value in cells
    )
    return Grid(Reading(parts, {}), made)


def _line(*cells: Given) -> str:
    return lines_of(_grid(cells))[0].text


def test_a_row_of_years_is_told_by_how_far_it_moved() -> None:
    revenue = [
        (REVENUE, "Acme", year, value) for year, value in zip(range(2020, 2025), (100e6, 90e6, 80e6, 95e6, 110e6), strict=True)
    ]
    assert _line(*revenue) == "Acme's revenue rose 10.0% from FY2020 to FY2024, to $110,000,000 from $100,000,000."
    margin = [(MARGIN, "Acme", year, value) for year, value in zip(range(2020, 2025), (30, 29, 28, 27.5, 26), strict=True)]
    assert _line(*margin) == "Acme's margin fell 4.0 percentage points from FY2020 to FY2024, to 26.0% from 30.0%."


def test_through_a_loss_no_percentage_is_told() -> None:
    told = _line(*[(INCOME, "Acme", 2020 + at, value) for at, value in enumerate((-5.0, 1.0, 2.0, 3.0, 4.0))])
    assert "%" not in told


def test_a_growth_from_a_negative_figure_is_told_without_a_percentage() -> None:
    figures = []
    for year, value in ((2023, -2.0), (2024, 4.0)):
        end = dt.date(year, 12, 31)
        fact = Fact("c", "Income", value, f"{value:g}", "usd", dt.date(year, 1, 1), end)
        figures.append(
            Figure("Income", Decimal(str(value)), "usd", fact, filing(), Period(end, dt.date(year, 1, 1), f"FY{year}"))
        )
    part = Part(Name("growth"), "net income", "%")
    cell = Cell(part, "Acme", 2024, 1, "growth", Grounded(Name("f0"), figures, ["a", "b"]), Measure(Decimal(300), "%"))
    assert computed(cell) == (
        "Acme's net income rose from FY2023 to FY2024, to $4 from $(2); from a negative figure no percentage says by how much."
    )


def test_a_share_of_one_figure_in_another_is_told_with_both() -> None:
    end = dt.date(2024, 12, 31)
    figures = [
        Figure(
            name,
            Decimal(value),
            "usd",
            Fact("c", name, value, f"{value}", "usd", None, end),
            filing(),
            Period(end, None, "FY2024"),
        )
        for name, value in (("Fees", 30), ("Income", 120))
    ]
    part = Part(Name("ratio"), "fees / income", "%")
    cell = Cell(part, "Acme", 2024, grounded=Grounded(parse("f0 / f1"), figures, ["a", "b"]), measure=Measure(Decimal(25), "%"))
    assert computed(cell) == "Acme's fees were 25.0% of income in FY2024: $30 of $120."


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (
            [(EPS, "Acme", year, 10) for year in (2022, 2023)],
            "Acme's diluted earnings per share: FY2022 $10.00; FY2023 $10.00.",
        ),
        (
            [(REVENUE, "Acme", 2024, 10), (REVENUE, "Globex", 2013, 20)],
            "Revenue: Acme $10 in FY2024; Globex $20 in FY2013.",
        ),
        (
            [(MARGIN, name, year, 10 + at) for name in ("Acme", "Globex") for at, year in enumerate((2022, 2023, 2024))],
            "Margin, FY2022 to FY2024: Acme 10.0% to 12.0%; Globex 10.0% to 12.0%.",
        ),
        (
            [(part, "Acme", year, 10) for part in (MARGIN, EPS) for year in (2022, 2023, 2024)],
            "Acme, FY2024: margin 10.0%; diluted earnings per share $10.00.",
        ),
        (
            [(part, name, 2024, 10) for name in ("Acme", "Globex") for part in (MARGIN, EPS)],
            "Acme vs. Globex, FY2024: margin 10.0% vs. 10.0%; diluted earnings per share $10.00 vs. $10.00.",
        ),
        (
            [(MARGIN, "Acme", 2024, 10), (MARGIN, "Globex", 2013, 20), (EPS, "Acme", 2024, 1), (EPS, "Globex", 2013, 2)],
            "Acme FY2024 vs. Globex FY2013: margin 10.0% vs. 20.0%; diluted earnings per share $1.00 vs. $2.00.",
        ),
    ],
)
def test_a_grid_of_several_is_told_in_its_first_line(cells: list[Given], told: str) -> None:
    assert _line(*cells) == told


@pytest.mark.parametrize("years", [(2024, 2024), (2024, 2023)])
def test_a_grid_of_changes_is_not_named_by_the_figure_alone(years: tuple[int, int]) -> None:
    made = _grid([(REVENUE, "Acme", years[0], 25.0), (REVENUE, "Bolt", years[1], -3.9)])
    cells = tuple(replace(cell, over="growth", measure=replace(cell.measure, unit="%")) for cell in made.cells if cell.measure)
    table = table_json(replace(made, cells=cells), {0: (), 1: ()}, ())
    assert table is not None
    assert all(row["label"].endswith("change in revenue") for row in table["rows"])
    assert table["columns"] == (["FY2024"] if years[0] == years[1] else ["change in revenue"])


def test_what_a_label_says_is_not_said_again() -> None:
    assert with_label("diluted earnings per share", "$2.04 per share vs. $6.08 per share") == (
        "diluted earnings per share $2.04 vs. $6.08"
    )
    assert with_label("book value", "$2.04 per share") == "book value $2.04 per share"


def test_a_ranking_is_sorted_and_its_first_line_names_who_leads() -> None:
    names = ("Hooli", "Umbrella", "Wonka")
    cells = [(MARGIN, "Acme", 2024, 10), (MARGIN, "Globex", 2023, 30), (MARGIN, "Initech", 2024, 20)]
    cells += [(MARGIN, name, 2024, 5 - at) for at, name in enumerate(names)]
    grid = _grid(cells)
    ranked = replace(grid.reading, across="ranked")
    ordered = Grid(ranked, tuple(in_order(ranked, grid.cells)))
    assert [cell.company for cell in ordered.cells] == ["Globex", "Initech", "Acme", *names]
    told = "Globex had the highest margin of the 6 stated: 30.0% in FY2023; then Initech 20.0% in FY2024, Acme 10.0% in FY2024."
    assert lines_of(ordered)[0].text == told
    lowest = in_order(replace(ranked, across="lowest"), [*grid.cells, Cell(MARGIN, "Acme Two", 2024)])
    assert [cell.company for cell in lowest] == [*reversed(names), "Acme", "Initech", "Globex", "Acme Two"]
    years = _grid([(MARGIN, "Acme", year, year % 5) for year in (2021, 2022, 2024)])
    assert in_order(replace(ranked, across="highest"), years.cells) == list(years.cells)


def test_amounts_of_several_companies_stand_in_one_scale() -> None:
    shown = [
        ("Acme", 112e9, "$112,000 million"),
        ("Globex", 40e9, "$40,000 million"),
        ("Initech", 1473093e3, "$1,473,093 thousand"),
    ]
    rows: list[TableRow] = [
        {"label": f"{name} · revenue", "cells": [{"value": value, "unit": "usd", "display": display}]}
        for name, value, display in [*shown, ("Hooli", -27e3, "$(27) thousand"), ("Umbrella", None, None)]
    ]
    grid = Figures(table={"columns": ["revenue"], "rows": rows}).grid([])
    assert grid.header == ("", "revenue, $ million")
    assert [row[1].text for row in grid.rows] == ["112,000", "40,000", "1,473.1", "(0.027)", "–"]


def test_each_figure_of_several_companies_stands_in_one_scale_of_its_own() -> None:
    def cells(*shown: tuple[float, str]) -> list[dict[str, object]]:
        return [{"value": value, "unit": "usd", "display": display} for value, display in shown]

    rows = [
        {"label": "revenue", "cells": cells((9_680_140e3, "$9,680,140 thousand"), (3_930e6, "$3,930 million"))},
        {"label": "fees", "cells": cells((31e3, "$31 thousand"), (4e3, "$4 thousand"))},
    ]
    grid = Figures(table=cast("TableRecord", {"columns": ["Acme FY2021", "Globex FY2021"], "rows": rows})).grid([])
    assert [[cell.text for cell in row] for row in grid.rows] == [
        ["revenue, $ million", "9,680.1", "3,930"], ["fees, $ thousand", "31", "4"],
    ]  # fmt: skip


def _printed(company: str, year: int, value: float, text: str) -> Cell:
    """A cell of one figure that its filing prints as ``text``."""
    fact = Fact("us-gaap:Revenues", "Revenue", value, text, "usd", dt.date(year, 1, 1), dt.date(year, 12, 31))
    figure = Figure(
        "Revenue", Decimal(str(value)), "usd", fact, filing(company, year), Period(dt.date(year, 12, 31), None, f"FY{year}")
    )
    return Cell(REVENUE, company, year, 0, "point", Grounded(Name("f0"), [figure], ["revenue"]), Measure(figure.value, "usd"))


def test_amounts_side_by_side_in_a_line_have_one_scale() -> None:
    cells = (_printed("Acme", 2024, 13_127_485e3, "13,127,485"), _printed("Globex", 2024, 3_930e6, "3,930"))
    (line, *_) = lines_of(Grid(Reading((REVENUE,), {}), cells))
    assert line.text == "Revenue, FY2024: Acme $13,127.5 million; Globex $3,930 million."
    (alone, *_) = lines_of(Grid(Reading((REVENUE,), {}), cells[:1]))
    assert "$13,127.5 million" in alone.text
    same = (cells[1], _printed("Initech", 2024, 20e6, "20"))
    assert lines_of(Grid(Reading((REVENUE,), {}), same))[0].text.endswith("Globex $3,930 million; Initech $20 million.")


def test_a_figure_beside_which_nothing_was_found_is_told_as_if_alone() -> None:
    gap = Cell(REVENUE, "Globex", 2024, gap=Gap("revenue", None, "Not in the library."))
    (line, *_) = lines_of(Grid(Reading((REVENUE,), {}), (_printed("Acme", 2024, 3_930e6, "3,930"), gap)))
    assert line.text == "Acme's revenue was $3,930 million in FY2024 (year ended 2024-12-31)."


def test_gaps_of_a_row_for_one_reason_are_one_note() -> None:
    gaps = [{"gap": f"No filing covers fiscal {year}; covered: FY2009-FY2013."} for year in (2021, 2024)]
    rows = [
        {"label": "Acme · revenue", "cells": [{"display": "$1 million", "gap": None}] * 2},
        {"label": "Globex · revenue", "cells": gaps},
    ]
    notes = Figures(table=cast("TableRecord", {"columns": ["FY2021", "FY2024"], "rows": rows})).grid([]).notes
    assert notes == ("– Globex, FY2021, FY2024: No filing covers these years; covered: FY2009-FY2013.",)
    gaps[1] = {"gap": "No revenue found."}
    notes = Figures(table=cast("TableRecord", {"columns": ["FY2021", "FY2024"], "rows": rows})).grid([]).notes
    assert notes == (
        "– Globex, FY2021: No filing covers fiscal 2021; covered: FY2009-FY2013.",
        "– Globex, FY2024: No revenue found.",
    )


def _table(*cells: Given) -> tuple[list[str], list[str]]:
    grid = _grid(cells)
    table = table_json(grid, dict.fromkeys(range(len(grid.cells)), ()), ())
    assert table is not None
    assert all(cell["gap"] is None for row in table["rows"] for cell in row["cells"])
    return table["columns"], [row["label"] for row in table["rows"]]


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ({"Acme": "2024-09-28", "Globex": "2024-09-30"}, ""),
        ({"Acme": "2024-09-28", "Globex": None}, ""),
        ({"Acme": "2024-09-28", "Globex": "2024-06-30"}, "Fiscal years end up to 3 months apart: 2024-06-30 and 2024-09-28."),
        (
            {"Acme": "2025-09-27", "Globex": "2013-06-30"},
            "The periods set against each other end 12.2 years apart: 2013-06-30 and 2025-09-27.",
        ),
    ],
)
def test_companies_whose_periods_end_far_apart_are_remarked_on(ends: dict[str, str | None], said: str) -> None:
    days = [(company, dt.date.fromisoformat(end) if end else None) for company, end in ends.items()]
    earlier = ("Acme", dt.date(2001, 9, 30))  # Of a trend only the last years are set against each other.
    assert years_apart([*days, earlier]) == said


def test_what_holds_for_all_figures_of_a_row_is_noted_once() -> None:
    read, late = "read from an untagged table", "from the FY2022 filing"
    facts: list[FactRecord] = [
        {"label": "Backlog", "value": 4e6, "as_reported": "4", "unit": "usd", "period_end": f"{year}-12-31", "note": note}
        for year, note in ((2022, read), (2021, f"{read}; {late}"))
    ]
    notes = Figures(tuple(facts), {"expression": "a - b"}).operands([]).notes
    assert notes == ("Backlog: read from a table that has no XBRL tags", f"Backlog, at 2021-12-31: {late}")


def test_what_a_table_remarks_on_stands_under_its_grid() -> None:
    cell: TableCell = {"value": 1.0, "unit": "usd", "display": "$1 million"}
    rows: list[TableRow] = [{"label": f"{name} · revenue", "cells": [cell]} for name in ("Acme", "Globex")]
    assert Figures(table={"columns": ["FY2024"], "rows": rows, "notes": ["Far apart."]}).grid([]).notes == ("Far apart.",)


def test_companies_of_a_year_each_leave_no_cell_that_nobody_asked_for() -> None:
    assert _table((REVENUE, "Acme", 2024, 10), (REVENUE, "Globex", 2013, 20)) == (
        ["revenue"],
        ["Acme FY2024 · revenue", "Globex FY2013 · revenue"],
    )
    both = [(part, name, year, 10.0) for part in (REVENUE, INCOME) for name, year in (("Acme", 2024), ("Globex", 2013))]
    assert _table(*both) == (["Acme FY2024", "Globex FY2013"], ["revenue", "net income"])


def _figures(*given: tuple[str, float, Unit, int]) -> list[Figure]:
    made = []
    for name, value, unit, year in given:
        end = dt.date(year, 12, 31)
        fact = Fact("c", name, value, f"{value / 1e6:g}" if value >= 1e6 else f"{value:g}", unit, None, end)
        made.append(Figure(name, Decimal(str(value)), unit, fact, filing(), Period(end, None, f"FY{year}")))
    return made


def test_a_change_of_what_is_computed_is_told_with_both_ends() -> None:
    figures = _figures(("Income", 30e6, "usd", 2024), ("Sales", 120e6, "usd", 2024), ("Income", 10e6, "usd", 2023))
    figures += _figures(("Sales", 100e6, "usd", 2023))
    grounded = Grounded(parse("f0 / f1 - f2 / f3"), figures, ["a", "b", "c", "d"])
    cell = Cell(MARGIN, "Acme", 2024, 1, "change", grounded, Measure(Decimal(15), "%"))
    assert computed(cell) == "Acme's margin rose 15.0 percentage points from FY2023 to FY2024, to 25.0% from 10.0%."


def test_millions_over_people_come_to_dollars() -> None:
    figures = _figures(("Income", 3e6, "usd", 2024), ("Employees", 40.0, "count", 2024))
    grounded = Grounded(parse("f0 / f1"), figures, ["a", "b"])
    cell = Cell(Part(Name("x"), "income per employee"), "Acme", 2024, grounded=grounded, measure=Measure(Decimal(75_000), "usd"))
    assert (result(cell), substituted(cell)) == ("$75,000", "3,000,000 / 40")


def test_the_higher_of_two_is_told_with_the_difference() -> None:
    cells = []
    for name, value in (("Acme", 7e6), ("Globex", 4e6)):
        grounded = Grounded(Name("f0"), _figures(("Income", value, "usd", 2024)), ["a"])
        cells.append(Cell(INCOME, name, 2024, grounded=grounded, measure=Measure(Decimal(str(value)), "usd")))
    reading = replace(Reading((INCOME,), {}), across="highest")
    told = lines_of(Grid(reading, tuple(cells), cells[0]))[0].text
    assert told == (
        "Acme had the higher net income: $7 million in FY2024, vs. $4 million at Globex in FY2024, a difference of $3 million."
    )


def test_how_a_figure_was_read_is_no_part_of_its_sentence_and_a_vague_row_takes_the_figures_name() -> None:
    single = _printed("Acme", 2024, 3_930e6, "3,930").single
    assert single is not None
    capitals = replace(single, label="NET INCOME ATTRIBUTABLE TO ACME")
    assert figure_sentence("Acme", capitals, "net income").startswith("Acme's net income attributable to Acme was")
    read = replace(single, note="read from an untagged table; without noncontrolling interests")
    assert figure_sentence("Acme", read, "revenue").endswith("(year ended 2024-12-31; without noncontrolling interests).")
    vague = replace(single, label="Diluted", metric="eps_diluted")
    assert own_label(vague) == "diluted earnings per share"
    assert own_label(replace(vague, metric="")) == "Diluted"


@pytest.mark.parametrize(("text", "shown"), [("$2.5 billion", "$2.5 billion"), ("2.5", "$2.5 billion")])
def test_a_scale_that_the_sentence_says_is_not_said_twice(text: str, shown: str) -> None:
    fact = cast("FactRecord", {"as_reported": text, "value": 2.5e9, "unit": "usd"})
    assert printed(fact) == shown


def test_a_change_of_a_quarter_is_told_as_one() -> None:
    figures = _figures(("Sales", 120e6, "usd", 2024), ("Sales", 100e6, "usd", 2023))
    quarters = [replace(one, period=replace(one.period, label=f"Q4 {one.period.label}")) for one in figures]
    grounded = Grounded(parse("(f0 - f1) / f1"), quarters, ["sales", "sales"])
    cell = Cell(replace(MARGIN, label="sales"), "Acme", 2024, 1, "growth", grounded, Measure(Decimal(20), "%"))
    assert computed(cell).startswith("Acme's sales rose 20.0% from Q4 FY2023 to Q4 FY2024")
    of_years = replace(cell, grounded=replace(grounded, figures=figures))
    assert computed(of_years).startswith("Acme's sales rose 20.0% from FY2023 to FY2024")
