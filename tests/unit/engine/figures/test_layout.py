from __future__ import annotations

from typing import cast

import pytest

from fin_tui.engine.figures.layout import lay_out, lines_of
from fin_tui.engine.figures.shown import Cell, Grid, _basis, _gaps
from fin_tui.records import FactRecord, TableCell, TableRecord


def grid(header: tuple[str, ...], *rows: tuple[str, ...]) -> Grid:
    return Grid(header, tuple(tuple(map(Cell, row)) for row in rows))


def test_words_stand_left_and_figures_right() -> None:
    people = (("Ann Lee", "62", "Chief Executive Officer"), ("Bo Xu", "7", "Treasurer"))
    rows = tuple(tuple(Cell(text) for text in row) for row in people)
    assert lines_of(Grid(("", "Age", "Position"), rows), 60) == (
        "         Age  Position",
        "Ann Lee   62  Chief Executive Officer",
        "Bo Xu      7  Treasurer",
    )


def test_names_of_columns_are_broken_before_labels() -> None:
    wide = grid(("In millions", "Operating Leases", "Finance Leases"), ("2024", "$1,066", "$122"), ("Thereafter", "2,428", "45"))
    assert lines_of(wide, 60)[0] == "In millions  Operating Leases  Finance Leases"
    narrow = lines_of(wide, 34)
    assert [line.split() for line in narrow[:2]] == [["Operating", "Finance"], ["In", "millions", "Leases", "Leases"]]
    assert max(map(len, narrow)) <= 34
    assert narrow[2].split() == ["2024", "$1,066", "$122"]


def test_years_set_against_each_other_are_not_broken_apart() -> None:
    narrow = lines_of(grid(("", "% change 21 vs. 20", "20 vs. 19"), ("Net sales and other income", "25", "(2)")), 48)
    assert "21 vs. 20" in " ".join(narrow)
    assert "20 vs. 19" in " ".join(narrow)


def test_rows_become_columns_where_only_that_fits() -> None:
    names = [f"Segment number {number}" for number in range(6)]
    wide = grid(("In millions", *names), ("Sales:", *[""] * 6), ("  Third party", *(f"{number},000" for number in range(6))))
    lines = lines_of(wide, 40)
    assert lines[0].split() == ["In", "millions", "Sales:", "Third", "party"]
    assert lines[1].split() == ["Segment", "number", "0", "0,000"]
    assert len(lines) == 7


def test_columns_that_find_no_room_stand_under_the_others_with_all_labels() -> None:
    names = [f"Segmentation{number}" for number in range(6)]
    wide = grid(("", *names), *((f"row {number}", *["1,000"] * 6) for number in range(7)))
    bands = lay_out(wide, 60)
    assert [len(band.widths) for band in bands] == [4, 4]
    lines = lines_of(wide, 60)
    assert max(map(len, lines)) <= 60
    assert sum(line.startswith("row 0") for line in lines) == 2


def test_long_words_in_cells_are_broken_and_figures_never() -> None:
    wide = grid(("", "Maturity", "Due"), ("Notes", "September 2025 to the end of June 2035", "4,329"))
    lines = lines_of(wide, 36)
    assert max(map(len, lines)) <= 36
    assert lines[1].endswith("4,329")
    assert " ".join(part for line in lines[1:] for part in line.replace("Notes", "").replace("4,329", "").split()) == (
        "September 2025 to the end of June 2035"
    )


def test_the_days_on_which_periods_end_give_way_before_the_marks_of_sources_do() -> None:
    years = tuple(f"FY{year}" for year in range(2019, 2025))
    ends = (Cell("period end"), *(Cell(f"{year[2:]}-12-31") for year in years))
    rows = tuple((Cell(label), *(Cell("100", 1) for _ in years)) for label in ("revenue", "assets"))
    wide = Grid(("$ million", *years), (ends, *rows), has_ends=True)
    assert lay_out(wide, 100, {1})[0].ends == ""
    (narrow,) = lay_out(wide, 70, {1})
    assert narrow.ends.startswith("2019-12-31, 2020-12-31")
    assert narrow.marks == {1}


@pytest.mark.parametrize(
    ("note", "told"),
    [
        ("a stock split may lie between FY2018 and FY2021", {"EPS: a stock split may lie between FY2018 and FY2021"}),
        (
            "restated; first reported as 3",
            {"EPS, 2018: restated; first reported as 3", "EPS, 2021: restated; first reported as 3"},
        ),
    ],
)
def test_that_a_split_may_lie_between_years_is_said_once_for_all_of_them(note: str, told: set[str]) -> None:
    facts = cast("list[FactRecord]", [{"value": 1.0, "note": note}, {"value": 2.0, "note": note}])
    cells = cast("list[TableCell]", [{"value": 1.0, "fact": 0}, {"value": 2.0, "fact": 1}])
    assert {_basis(cell, facts, "EPS", year) for cell, year in zip(cells, ("2018", "2021"), strict=True)} == told


def test_rows_that_lack_a_column_for_one_reason_share_a_note() -> None:
    empty: dict[str, object] = {"value": None, "display": None, "gap": "No filing in the library covers fiscal 2031"}
    full: dict[str, object] = {"value": 3.0, "display": "3", "gap": None}
    names = ("revenue", "net income", "total assets")
    cells = {"revenue": [empty, full], "net income": [empty, full], "total assets": [full, full]}
    rows = [{"label": name, "cells": cells[name]} for name in names]
    table = cast("TableRecord", {"columns": ["Globex FY2031", "Initech FY2031"], "rows": rows})
    told = "– {}Globex FY2031: No filing in the library covers fiscal 2031".format
    assert _gaps(names, table) == [told("revenue, net income, ")]
    cells["total assets"][0] = empty
    assert _gaps(names, table) == [told("")]
