"""Sheets on the command line."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import openpyxl
import pytest

from fin_tui.cli import notebook, sheet
from fin_tui.errors import FinTuiError, NotFound, UsageError
from fin_tui.paths import Paths
from fin_tui.store.library import Library
from tests.unit.cli.made import Run, invoker
from tests.unit.sheets.conftest import FIRST
from tests.unit.sheets.made import filing_of


@pytest.fixture
def run(paths: Paths) -> Run:
    with Library.open(paths) as library:
        for year in (2022, 2023):
            library.add(filing_of(FIRST, year))
    return invoker(sheet, paths, "sheet")


def made(run: Run) -> None:
    words = ("--column", "revenue", "--column", "operating income", "--column", "margin % = B / A", "--column", "deposits")
    assert run("new", "test", "--rows", "EXM:2022-2023", *words).exit_code == 0


def test_a_sheet_is_made_filled_and_shown(run: Run) -> None:
    made(run)
    assert "not run" in run("show", "test").stdout
    filled = run("run", "test")
    assert filled.exit_code == 0, filled.exception
    assert "8 cells filled" in filled.stdout
    shown = run("show", "test", "--ranks", "--sort", "revenue").stdout
    assert "nothing found ○" in shown
    assert f"{FIRST.values(2023)['Total net sales'] / 1e6:,.0f} #" in shown
    assert "total" in shown
    assert "0 cells filled" in run("run", "test").stdout


def test_one_cell_shows_its_proof(run: Run) -> None:
    made(run)
    run("run", "test")
    told = run("show", "test", "--cell", "EXM FY2023", "A").stdout
    assert "Total net sales" in told
    assert "Example Corp. 10-K FY2023 (2023-09-30), Item 8" in told
    assert isinstance(run("show", "test", "--cell", "NOBODY", "A").exception, UsageError)


def test_json_and_csv(run: Run) -> None:
    made(run)
    run("run", "test", "--try")
    document = json.loads(run("show", "test", "--json").stdout)
    assert {cell["shown"] for cell in document["cells"]} == {"found", "computed", "nothing"}
    rows = list(csv.reader(io.StringIO(run("show", "test", "--csv").stdout)))
    assert rows[1][:2] == ["EXM FY2022", f"{FIRST.values(2022)['Total net sales']:.0f}"]


def test_columns_are_added_hidden_and_dropped(run: Run) -> None:
    made(run)
    assert run("edit", "test", "--column", "goodwill", "--hide", "revenue", "--drop", "deposits").exit_code == 0
    assert "1 rows" not in run("list").stdout
    head = run("show", "test").stdout.splitlines()[0]
    assert "goodwill" in head
    assert "revenue" not in head
    assert isinstance(run("edit", "test", "--drop", "operating income").exception, UsageError)
    run("remove", "test")
    assert isinstance(run("show", "test").exception, NotFound)


def test_a_sheet_is_exported_as_a_workbook(run: Run, paths: Paths, tmp_path: Path) -> None:
    made(run)
    run("run", "test")
    export = invoker(notebook, paths, "export")
    done = export("TEST", "--format", "xlsx", "-o", tmp_path / "x.xlsx")
    assert done.exit_code == 0, done.exception
    assert openpyxl.load_workbook(tmp_path / "x.xlsx")["test"]["A5"].value == "EXM FY2022"
    assert isinstance(export("test", "--format", "xlsx").exception, UsageError)
    assert isinstance(export("nothing", "--format", "xlsx", "-o", tmp_path / "y.xlsx").exception, NotFound)
    assert isinstance(export("test", "--format", "xlsx", "-o", tmp_path / "no" / "y.xlsx").exception, FinTuiError)
