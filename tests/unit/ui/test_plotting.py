"""Which figures draw, and what plotext makes of them: the real thing, read back from the picture."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from fin_tui.engine.figures.shown import Figures
from fin_tui.records import TableCell
from fin_tui.ui.plotting import NARROWEST, Chart, Series, chart_of, draw, thinned, tick_label, ticks
from tests.ui.fake_figures import comparison, fact, growth
from tests.ui.fakes import passages

CITATIONS = [p.citation for p in passages(2)]
YEARS = ("FY2021", "FY2022", "FY2023", "FY2024")


def cell(value: float | None, unit: str = "usd") -> TableCell:
    return {"value": value, "unit": unit if value is not None else None}


def table(*rows: tuple[str, list[TableCell]], columns: tuple[str, ...] = YEARS) -> Figures:
    return Figures(table={"columns": list(columns), "rows": [{"label": label, "cells": cells} for label, cells in rows]})


def lines_of(chart: Chart, width: int = 70) -> list[str]:
    return draw(chart, width).plain.split("\n")


def trend(*values: float | None, name: str = "Acme") -> Chart:
    return Chart("line", YEARS[: len(values)], (2021.0, 2022.0, 2023.0, 2024.0)[: len(values)], (Series(name, values),), "%")


def bars(*named: tuple[str, float]) -> Chart:
    return Chart("bar", ("FY2024",), (2024.0,), tuple(Series(name, (value,)) for name, value in named), "$ million")


def test_companies_side_by_side_are_never_joined_by_a_line() -> None:
    of_each = table(("revenue", [cell(1e9), cell(2e9), cell(4e9)]), columns=("Acme FY2024", "Globex FY2024", "Zenith FY2023"))
    chart = chart_of(of_each, ())
    assert chart is not None
    assert chart.kind == "bar"


def test_three_years_make_a_line_and_fewer_make_bars() -> None:
    chart = chart_of(table(("Acme · revenue", [cell(1e9), cell(2e9), cell(None), cell(4e9)])), ())
    assert chart is not None
    assert (chart.kind, chart.unit, chart.series[0].values) == ("line", "$ billion", (1.0, 2.0, None, 4.0))
    assert chart.positions == (2021.0, 2022.0, 2023.0, 2024.0)
    compared = chart_of(Figures(table=comparison().table), ())
    assert compared is not None
    assert (compared.kind, len(compared.values)) == ("bar", 3)
    assert chart_of(Figures(growth().facts, growth().calculation), CITATIONS) is None  # Two values are read faster.


def test_single_values_and_parts_of_a_sum_draw_nothing() -> None:
    assert chart_of(Figures((fact("Sales", "1", 1e6, 2025, 2),)), CITATIONS) is None
    parts = (fact("Sales", "1", 1e6, 2025, 2), fact("Costs", "2", 2e6, 2025, 2, concept="us-gaap:Costs"))
    assert chart_of(Figures(parts), CITATIONS) is None
    assert chart_of(table(("Acme", [cell(None)] * 4)), ()) is None
    assert chart_of(Figures(), ()) is None


def test_rows_of_another_unit_are_named_and_not_drawn() -> None:
    rows = [("Revenue", [cell(1e6)] * 4), ("Margin", [cell(40.0, "%")] * 4)]
    chart = chart_of(table(*rows), ())
    assert chart is not None
    assert [series.name for series in chart.series] == ["Revenue"]
    assert lines_of(chart)[-1] == "not drawn: Margin"


def test_what_all_rows_share_is_said_once() -> None:
    chart = chart_of(table(("Acme · revenue", [cell(1e6)] * 4), ("Zen · revenue", [cell(2e6)] * 4)), ())
    assert chart is not None
    assert [series.name for series in chart.series] == ["Acme", "Zen"]
    assert lines_of(chart)[0] == "revenue, in $ million   ● Acme   ▲ Zen"


def test_bars_are_as_long_as_their_values() -> None:
    _, first, second, third, *_ = lines_of(bars(("Acme", 400.0), ("Zenith", 100.0), ("None", 0.0)))
    assert first.startswith("  Acme┤")
    assert abs(first.count("█") - 4 * second.count("█")) <= 4
    assert third.count("█") == 0


def test_negative_bars_stand_left_of_zero() -> None:
    _, gain, loss, *_ = lines_of(bars(("Gain", 50.0), ("Loss", -50.0)))
    assert loss.rindex("█") <= gain.index("█")
    assert loss.index("█") < gain.index("█")


def test_a_line_breaks_at_a_gap_and_marks_each_year() -> None:
    def ink(chart: Chart) -> str:
        return "".join(c for c in draw(chart, 70).plain if "\u2800" < c <= "\u28ff")

    whole, broken = trend(1.0, 2.0, 3.0, 4.0), trend(1.0, 2.0, None, 4.0)
    assert "\n".join(lines_of(broken)[1:]).count("●") == 3
    assert "\n".join(lines_of(whole)[1:]).count("●") == 4
    assert len(ink(broken)) < len(ink(whole)) / 2


def test_the_last_year_is_always_named() -> None:
    years = tuple(f"FY{year}" for year in range(2005, 2026))
    values = tuple(float(at) for at in range(len(years)))
    chart = Chart("line", years, tuple(float(y[2:]) for y in years), (Series("Acme", values),), "%")
    assert lines_of(chart, NARROWEST)[-1].rstrip().endswith("FY2025")
    assert thinned(years, 1000) == tuple(range(21))


@pytest.mark.parametrize("name", ["Acme", "株式会社トヨタ自動車", "Société Générale", "a" * 60])
def test_every_line_is_as_wide_as_the_picture_whatever_the_script(name: str) -> None:
    for width in (NARROWEST, 61, 100):
        rows = lines_of(bars((name, 3.0), ("Zenith", 5.0)), width)[1:-1]
        assert {cell_len(row) for row in rows} == {width}


def test_too_narrow_draws_nothing() -> None:
    assert draw(trend(1.0, 2.0), NARROWEST - 1).plain == ""


def test_styles_are_theme_variables_and_no_escape_is_left() -> None:
    content = draw(Chart("line", YEARS, (1.0, 2.0, 3.0, 4.0), (Series("A", (1.0,) * 4), Series("B", (2.0,) * 4)), "%"), 60)
    assert "\x1b" not in content.plain
    assert {str(span.style) for span in content.spans} == {"$primary", "$accent", "$foreground", "$foreground-muted"}


def test_series_differ_without_colour() -> None:
    two = Chart("line", YEARS, (1.0, 2.0, 3.0, 4.0), (Series("A", (1.0,) * 4), Series("B", (2.0,) * 4)), "%")
    text = draw(two, 60).plain
    assert text.count("●") == text.count("▲") == 5


@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=8), st.booleans())
def test_ticks_are_few_round_and_hold_every_value(values: list[float], from_zero: bool) -> None:
    marks = ticks(values, from_zero=from_zero)
    room = 1e-6 * max(abs(mark) for mark in marks)
    assert 2 <= len(marks) <= 5
    assert marks[0] <= min(values) + room
    assert max(values) - room <= marks[-1]
    assert not from_zero or any(abs(mark) <= room for mark in marks)


def test_tick_labels_share_their_decimals() -> None:
    assert [tick_label(mark, (0.0, 2.5, 5.0)) for mark in (0.0, 2.5, 5.0)] == ["0.0", "2.5", "5.0"]
    assert tick_label(1500.0, (0.0, 1500.0)) == "1,500"


def test_a_total_is_no_line_beside_its_parts() -> None:
    parts = [("North", [cell(1e9), cell(2e9), cell(3e9), cell(None)]), ("South", [cell(2e9), cell(2e9), cell(4e9), cell(None)])]
    chart = chart_of(table(*parts, ("total revenue", [cell(3e9), cell(4e9), cell(7e9), cell(None)])), ())
    assert chart is not None
    assert [series.name for series in chart.series] == ["North", "South"]
    assert chart.left_out == ("total revenue",)
    others = chart_of(table(*parts, ("net income", [cell(3e9), cell(4e9), cell(6e9), cell(None)])), ())
    assert others is not None
    assert len(others.series) == 3


def test_parts_of_one_figure_are_named_without_it() -> None:
    three = [cell(1e9), cell(2e9), cell(3e9), cell(4e9)]
    chart = chart_of(table(("North: revenue", three), ("South: revenue", three)), ())
    assert chart is not None
    assert ([series.name for series in chart.series], chart.what) == (["North", "South"], "revenue")
    mixed = chart_of(table(("North: revenue", three), ("North: income", three)), ())
    assert mixed is not None
    assert [series.name for series in mixed.series] == ["North: revenue", "North: income"]


def test_a_long_legend_breaks_between_names() -> None:
    named = tuple(Series(name, (1.0, 2.0, 3.0, 4.0)) for name in ("Windows Division", "Business Division", "Online Services"))
    lines = draw(Chart("line", YEARS, (1.0, 2.0, 3.0, 4.0), named, "%"), 44).plain.split("\n")
    assert lines[:2] == ["in %   ● Windows Division", "▲ Business Division   ■ Online Services"]


def test_bars_whose_names_begin_alike_are_told_apart_by_how_they_end() -> None:
    names = ("Hatches and other rooms North America", "Hatches and other rooms Asia Pacific", "Widgets")
    chart = Chart("bar", ("FY2024",), (2024.0,), tuple(Series(name, (3.0,)) for name in names), "$ million")
    lines = "\n".join(lines_of(chart))
    assert "…North America" in lines or "…rooms North America" in lines
    assert "Asia Pacific" in lines
    assert "Widgets" in lines
