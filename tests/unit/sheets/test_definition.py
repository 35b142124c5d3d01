"""Rows and columns as a user types them."""

from __future__ import annotations

import pytest

from fin_tui.engine.services import Services
from fin_tui.errors import FinTuiError, NotFound, UsageError
from fin_tui.records import SheetCell, SheetRow
from fin_tui.sheets import (
    MOST_CELLS,
    find_column,
    letter,
    new_sheet,
    read_columns,
    read_rows,
    template,
    templates,
    without,
)
from fin_tui.sheets.view import Scale, sum_text, summary


def test_companies_share_the_years_behind_them(services: Services) -> None:
    rows = read_rows(["EXM,SMPL:2021-2023"], services.corpus.filings())
    assert [row.label for row in rows] == [f"{name} FY{year}" for name in ("EXM", "SMPL") for year in (2021, 2022, 2023)]
    assert len({row.key for row in rows}) == 6


def test_a_company_alone_is_each_of_its_filings(services: Services) -> None:
    rows = read_rows(["SMPL"], services.corpus.filings())
    assert [row.label for row in rows] == ["SMPL FY2022", "SMPL FY2023"]
    assert all(row.filing for row in rows)
    assert len(read_rows(["all"], services.corpus.filings())) == 4
    assert read_rows(["exm-2023.htm"], services.corpus.filings())[0].year == 2023


def test_a_year_may_stand_behind_a_company_without_a_colon(services: Services) -> None:
    rows = read_rows(["EXM, SMPL 2022-2023"], services.corpus.filings())
    assert [row.label for row in rows] == ["EXM FY2022", "EXM FY2023", "SMPL FY2022", "SMPL FY2023"]
    with pytest.raises(NotFound, match=r"holds 4 filings.*") as refused:
        read_rows(["Nobody & Sons"], services.corpus.filings())
    assert "sha256" not in f"{refused.value.message} {refused.value.hint}"


@pytest.mark.parametrize(
    ("text", "error"), [("NOBODY:2023", NotFound), ("EXM:2023-2020", UsageError), ("EXM:1900-2023", UsageError)]
)
def test_rows_that_mean_nothing_are_refused(services: Services, text: str, error: type[FinTuiError]) -> None:
    with pytest.raises(error):
        read_rows([text], services.corpus.filings())


def test_a_text_is_a_figure_a_question_or_a_formula() -> None:
    columns = read_columns(["revenue", "What drove sales?", "tax rate % = C_1 / A", "C_1 = [revenue] * 2"])
    assert [column.kind for column in columns] == ["figure", "question", "formula", "formula"]
    assert (columns[2].name, columns[2].is_percent) == ("tax rate", True)
    assert columns[2].text == "[C_1] / [revenue]"


@pytest.mark.parametrize("formula", ["a = b + 1", "a = [a] + 1", "a = (", "a = __import__('os')", "a = [nothing]", "a ="])
def test_formulas_that_can_not_be_read_are_refused(formula: str) -> None:
    with pytest.raises(UsageError):
        read_columns(["revenue", formula])


def test_balances_of_one_company_are_not_added_and_gaps_are_counted() -> None:
    rows = [SheetRow(f"{company}@{year}", f"{company} FY{year}", company, year) for company in "AB" for year in (2022, 2023)]
    columns = read_columns(["revenue", "total assets"])
    sheet = new_sheet("test", rows, columns)
    start = {columns[0].key: "2022-01-01", columns[1].key: None}
    cells = {
        (row.key, column.key): SheetCell(
            row.key, column.key, "found", "", 5.0, "usd", facts=({"period_start": start[column.key], "period_end": "2022-12-31"},)
        )
        for row in rows[:3]
        for column in columns
    }
    revenue, assets = (summary(sheet, column, cells) for column in columns)
    assert revenue is not None
    assert assets is not None
    assert (revenue.total, assets.total, assets.average) == (15.0, None, 5.0)
    assert sum_text("total", revenue, Scale(1, 0, "$", "usd"), len(rows)) == "15 (3 of 4)"
    assert sum_text("total", assets, Scale(1, 0, "$", "usd"), len(rows)) == ""
    one_each = {key: cell for key, cell in cells.items() if key[0].endswith("2022")}
    assert summary(sheet, columns[1], one_each).total == 10.0  # type: ignore[union-attr]


def test_formulas_in_a_circle_are_refused() -> None:
    with pytest.raises(UsageError, match="rests on itself"):
        read_columns(["x = [y] + 1", "y = [x] + 1"])


def test_a_column_that_a_formula_needs_is_not_dropped(services: Services) -> None:
    rows = read_rows(["EXM:2023"], services.corpus.filings())
    sheet = new_sheet("s", rows, read_columns(["revenue", "net income", "m = B / A"]))
    with pytest.raises(UsageError, match="names no column"):
        without(sheet, columns=["revenue"])
    assert [column.name for column in without(sheet, columns=["m"]).columns] == ["revenue", "net income"]
    assert find_column(sheet, "b").name == "net income"


def test_a_sheet_has_limits(services: Services) -> None:
    rows = read_rows([f"EXM:{1960 + 50 * at}-{2009 + 50 * at}" for at in range(3)], services.corpus.filings())
    columns = read_columns([f"figure {at}" for at in range(MOST_CELLS // len(rows) + 1)])
    with pytest.raises(UsageError, match="at most"):
        new_sheet("s", rows, columns)
    with pytest.raises(UsageError, match="needs rows"):
        new_sheet("s", (), columns)


def test_every_template_reads() -> None:
    for one in templates():
        assert len(read_columns(one.columns)) == len(one.columns) > 3
    with pytest.raises(UsageError, match="no template"):
        template("nothing")


def test_letters() -> None:
    assert [letter(at) for at in (0, 25, 26, 51, 52, 701)] == ["A", "Z", "AA", "AZ", "BA", "ZZ"]
