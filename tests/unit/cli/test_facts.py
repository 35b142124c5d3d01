"""``fin-tui facts`` over a small library made by hand."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from fin_tui.cli import facts as commands
from fin_tui.engine.figures.facts_grid import place_name
from fin_tui.errors import NotFound, UsageError
from fin_tui.paths import Paths
from fin_tui.store.library import Library
from tests.unit.cli.made import Run, invoker
from tests.unit.facts.book import balance, fillers, flow, held

REVENUE = "us-gaap:Revenues"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """The command over two years of a company."""
    paths = Paths(tmp_path / "home")
    with Library.open(paths) as library:
        held(library, 2022, [*fillers(2022), flow(REVENUE, 100e6, 2022, label="=Sales")])
        facts = [flow(REVENUE, 104e6, 2022), flow(REVENUE, 120e6, 2023), flow("us-gaap:OperatingIncomeLoss", 30e6, 2023)]
        held(library, 2023, [*fillers(2022, 2023), *facts, balance("us-gaap:Goodwill", 7e6, 2023)])
    return invoker(commands, paths, "facts")


def test_json_gives_a_fact_for_each_year_with_restatements_and_gaps(run: Run) -> None:
    result = run("revenue", "goodwill", "--years", "2022-2023", "--json")
    assert result.exit_code == 0, result.exception
    cells = {(cell["metric"], cell["fiscal_year"]): cell for cell in json.loads(result.stdout)}
    assert cells["revenue", 2022]["value"] == 100e6
    assert (cells["revenue", 2022]["restated"], cells["revenue", 2022]["restated_in"]) == (104e6, "10-K-2023.htm")
    assert cells["revenue", 2023]["period_end"] == "2023-12-31"
    assert {"concept", "unit", "as_reported", "file", "filing", "page", "source"} <= set(cells["revenue", 2023])
    assert cells["goodwill", 2022]["value"] is None
    assert "goodwill" in cells["goodwill", 2022]["gap"]


def test_formulas_are_computed_from_cited_figures(run: Run) -> None:
    result = run("operating margin", "--year", "2023", "--json")
    (cell,) = json.loads(result.stdout)
    assert (cell["value"], cell["unit"], cell["source"]) == (25.0, "%", "computed")
    assert {entry["concept"] for entry in cell["inputs"]} == {REVENUE, "us-gaap:OperatingIncomeLoss"}


def test_csv_is_safe_to_open_in_a_spreadsheet(run: Run) -> None:
    result = run("revenue", "--years", "2022", "--csv")
    (row,) = csv.DictReader(io.StringIO(result.stdout))
    assert row["value"] == "100000000"
    assert row["label"] == "'=Sales"


def test_a_number_is_found(run: Run) -> None:
    result = run("--value", "120000000", "--json")
    assert [entry["concept"] for entry in json.loads(result.stdout)] == [REVENUE]


@pytest.mark.parametrize("typed", ["120 million", "$120.0 million", "120,000,000", "1.2e8", "(120,000,000)"])
def test_a_number_is_found_however_it_is_typed(run: Run, typed: str) -> None:
    (entry,) = json.loads(run("--value", typed, "--json").stdout)
    assert (entry["concept"], entry["value"]) == (REVENUE, 120e6)


def test_a_number_that_several_filings_state_is_one_figure_with_places(run: Run) -> None:
    printed = run("--value", "100000000").stdout
    assert printed.count(REVENUE) == 1
    assert isinstance(run("--value", "many").exception, UsageError)
    assert isinstance(run("--value", "1 and 2").exception, UsageError)


def test_growth_of_a_metric_is_computed(run: Run) -> None:
    for name in ("revenue growth", "growth in sales", "sales y/y"):
        (cell,) = json.loads(run(name, "--years", "2023", "--json").stdout)
        assert (cell["value"], cell["unit"]) == (pytest.approx(15.384615), "%")
    assert json.loads(run("widget growth", "revenue", "--years", "2023", "--json").stdout)[0]["value"] is None


def test_the_latest_basis_takes_each_year_from_the_latest_filing(run: Run) -> None:
    (cell,) = json.loads(run("revenue", "--years", "2022", "--basis", "latest", "--json").stdout)
    assert (cell["value"], cell["file"]) == (104e6, "10-K-2023.htm")


def test_nothing_found_and_wrong_usage(run: Run) -> None:
    assert isinstance(run("inventory").exception, NotFound)
    assert isinstance(run("--value", "987654321").exception, NotFound)
    assert isinstance(run().exception, UsageError)
    assert isinstance(run("revenue", "--years", "2023-2020").exception, UsageError)
    assert isinstance(run("revenue", "--company", "Nobody").exception, NotFound)


def test_people_see_place_and_restatement(run: Run) -> None:
    result = run("revenue", "--years", "2022")
    assert "FY2022" in result.stdout
    assert "restated" in result.stdout
    assert "10-K-2022.htm" in result.stdout


def test_a_place_is_named_by_its_printed_page() -> None:
    assert place_name(31, "29", "8") == "Item 8, p. 29 (physical page 31)"
    assert place_name(None, None, None) == "cover data"
