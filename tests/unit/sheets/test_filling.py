"""A sheet is filled: values against the books they were made from, what is stale, what stopping leaves, what changed."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.services import Services
from fin_tui.errors import NotFound, UsageError
from fin_tui.records import FactRecord, SheetCell
from fin_tui.sheets import new_sheet, read_columns, read_rows
from fin_tui.sheets.filling import Filler, open_run, open_sheet, stale, trial
from tests.unit.sheets.conftest import FIRST, SECOND
from tests.unit.sheets.made import Company, filing_of

COLUMNS = ("revenue", "operating income", "margin % = B / A", "growth % = A / prior(A) - 1", "goodwill")


def make(services: Services, *, rows: str = "EXM,SMPL:2022-2023", columns: tuple[str, ...] = COLUMNS) -> None:
    read = read_rows([rows], services.corpus.filings())
    services.library.sheets.add(new_sheet("s", read, read_columns(columns)))


def run(services: Services, *, stop_after: int = 10_000) -> list[SheetCell]:
    work, opened = open_run(services, "s")
    made: list[SheetCell] = []
    for cell in work.fill(stale(opened.sheet, opened.cells, opened.prints), lambda: len(made) >= stop_after):
        made.append(cell)
    return made


def test_cells_say_what_the_books_say(services: Services) -> None:
    make(services)
    run(services)
    opened = open_sheet(services, "s")
    checked = 0
    for company in (FIRST, SECOND):
        for year in (2022, 2023):
            books, row = company.values(year), f"cik:{company.cik}@{year}"
            for column, label in (("c1", "Total net sales"), ("c2", "Operating income"), ("c5", "Goodwill")):
                cell = opened.cells[row, column]
                assert (cell.state, cell.value, cell.unit) == ("found", books[label], "usd")
                assert cell.citations[0].quote.startswith(label)
                assert cell.period_end == f"{year}-09-30"
                checked += 1
            margin = opened.cells[row, "c3"]
            assert margin.value == pytest.approx(100 * books["Operating income"] / books["Total net sales"], rel=1e-9)
    assert checked == 12
    growth = opened.cells[f"cik:{FIRST.cik}@2023", "c4"]
    assert growth.value == pytest.approx(
        100 * (FIRST.values(2023)["Total net sales"] / FIRST.values(2022)["Total net sales"] - 1), rel=1e-9
    )
    assert opened.cells[f"cik:{FIRST.cik}@2022", "c4"].note == "The sheet has no row of FY2021."


def test_only_rows_of_a_company_whose_filings_changed_are_stale(services: Services) -> None:
    make(services)
    run(services)
    assert run(services) == []
    services.library.add(filing_of(SECOND, 2024))
    opened = open_sheet(services, "s")
    assert {key[0] for key in stale(opened.sheet, opened.cells, opened.prints)} == {f"cik:{SECOND.cik}@{y}" for y in (2022, 2023)}


def test_what_changed_is_marked_and_a_restatement_named(services: Services) -> None:
    make(services)
    run(services)
    services.library.add(filing_of(SECOND, 2024, restated={(2023, "Goodwill"): 777e6}))
    run(services)
    cell = open_sheet(services, "s").cells[f"cik:{SECOND.cik}@2023", "c5"]
    assert cell.state == "restated"
    assert "777,000,000" in cell.note
    assert cell.value == SECOND.values(2023)["Goodwill"]


def test_another_figure_than_before_is_marked(services: Services) -> None:
    make(services, columns=("goodwill",))
    run(services)
    key = (f"cik:{FIRST.cik}@2023", "c1")
    cell = open_sheet(services, "s").cells[key]
    services.library.sheets.put("s", [replace(cell, line="$1 million", fingerprint="old")])
    run(services)
    assert open_sheet(services, "s").cells[key].before == "$1 million"


def test_stopping_keeps_what_there_is(services: Services) -> None:
    make(services)
    assert len([cell for cell in run(services, stop_after=5) if cell.column in ("c1", "c2", "c5")]) == 5
    assert sum(cell.column in ("c1", "c2", "c5") for cell in open_sheet(services, "s").cells.values()) == 5


def test_what_is_visible_comes_first(services: Services) -> None:
    make(services)
    work, opened = open_run(services, "s")
    first = (f"cik:{SECOND.cik}@2023", "c5")
    made = work.fill(stale(opened.sheet, opened.cells, opened.prints), first=lambda: [first])
    one = next(made)
    assert (one.row, one.column) == first


def test_a_trial_is_of_three_rows(services: Services) -> None:
    make(services)
    assert len(trial(open_sheet(services, "s").sheet, "c1")) == 3


def test_years_without_a_filing_are_nothing_found(services: Services) -> None:
    make(services, rows="EXM:2015", columns=("revenue",))
    (cell,) = run(services)
    assert (cell.state, cell.value) == ("nothing", None)
    assert "No filing in the library covers fiscal 2015" in cell.note


def test_a_figure_of_another_period_or_company_is_no_answer(services: Services) -> None:
    """Whatever the engine understands, a cell holds figures of its own row alone."""
    make(services)
    sheet = services.library.sheets.get("s")

    class Wrong:
        def __init__(self, **changes: object) -> None:
            self.changes = changes

        def understand(self, request: object, among: object = None) -> object:
            return services.engine.understand(request, among)  # type: ignore[arg-type]

        def look_up(self, understood: object) -> object:
            found = services.engine.look_up(understood)  # type: ignore[arg-type]
            assert isinstance(found, FigureAnswer)
            return replace(found, facts=tuple(cast("FactRecord", {**fact, **self.changes}) for fact in found.facts))

    for changes, why in (({"period_end": "2021-09-30"}, "another period"), ({"filing": "sha256:other"}, "another company")):
        filler = Filler(Wrong(**changes), services.corpus.filings())  # type: ignore[arg-type]
        cell = filler.fill(sheet.rows[1], sheet.columns[0])
        assert cell is not None
        assert (cell.state, cell.value) == ("nothing", None)
        assert why in cell.note


def test_a_column_names_no_other_company(services: Services) -> None:
    """ "cost" is the ticker of a company held beside, and a word of the figure."""
    services.library.add(filing_of(Company("Wholesale Corporation", "COST", "0000000099", 3), 2023))
    make(services, rows="EXM:2023", columns=("cost of revenue",))
    (cell,) = run(services)
    assert (cell.state, cell.value) == ("found", FIRST.values(2023)["Cost of sales"])


def test_names_are_unique_and_unknown_ones_told(services: Services) -> None:
    make(services)
    with pytest.raises(UsageError, match="There is a sheet"):
        make(services)
    services.library.sheets.remove("S")
    with pytest.raises(NotFound, match="no sheet"):
        services.library.sheets.get("s")
