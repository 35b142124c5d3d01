"""What the numbers around a cell say of it: percent runs, dilution, dates of balances; and the check against tags."""

from __future__ import annotations

import datetime as dt

import pytest

from fin_tui.facts.from_tables import CrossCheck, TableDates, cross_check, with_warning
from fin_tui.facts.table_reader import TableReader
from fin_tui.filings.html import read_html
from fin_tui.filings.tables import complete_tables
from fin_tui.records import Document, Table


def page(rows: str, above: str = "", below: str = "") -> Document:
    return complete_tables(read_html(f"<html><body>{above}<table>{rows}</table>{below}</body></html>".encode()))


def row(*cells: str) -> str:
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def table_of(document: Document) -> Table:
    return next(block.table for block in document.blocks if block.table is not None)


def read(document: Document, label: str, column: int = 1) -> tuple[float, str]:
    table = table_of(document)
    reader = TableReader(table)
    for number, path in enumerate(table.row_paths):
        if path and path[-1] == label:
            found = reader.read(number, next(cell for cell in table.rows[number] if cell.column == column))
            assert found is not None
            return round(found[0], 6), found[1]
    raise AssertionError(label)


@pytest.mark.parametrize(
    ("label", "printed", "read_as"),
    [
        ("Earnings effect of the closing", "$0.37", (0.37, "usd")),
        ("Share price, high", "87.25", (87.25, "usd/share")),
        ("Dividends", "$.085", (0.085, "usd")),
        ("Bid price, high", "24 1/2", (24.5, "usd/share")),
        ("Earnings effect of the closing", "$0.2", (200_000, "usd")),
        ("Earnings effect of the closing", "$23", (23_000_000, "usd")),
        ("Intrinsic value (in thousands)", "$1,234.56", (1_234_560, "usd")),
    ],
)
def test_what_is_printed_to_the_cent_takes_no_scale(label: str, printed: str, read_as: tuple[float, str]) -> None:
    assert read(page(row("", "2023") + row(label, printed), above="<p>(Dollars in millions)</p>"), label) == read_as


RATES = row("", "2023", "2022") + row("Federal statutory rate", "21.0%", "21.0%") + row("State taxes", "2.8", "(0.4)")
END = row("Effective income tax rate", "23.8%", "20.6%")


def test_a_percent_sign_at_both_ends_of_a_column_speaks_for_what_is_between() -> None:
    document = page(RATES + END, above="<p>(in millions)</p>")
    assert read(document, "State taxes") == (0.028, "pure")
    assert read(document, "State taxes", 2) == (-0.004, "pure")


def test_money_between_two_rates_stays_money() -> None:
    rows = row("", "2023") + row("Gross margin rate", "24.5%") + row("Selling expenses", "1,323.9") + row("Tax rate", "21.2%")
    assert read(page(rows, above="<p>(in millions)</p>"), "Selling expenses") == (1_323_900_000.0, "usd")


def test_whole_numbers_are_percentages_only_in_a_column_of_nothing_else() -> None:
    share = (
        row("", "Revenues", "% of total")
        + row("Americas", "$100", "50%")
        + row("Asia", "60", "30")
        + row("Total", "$200", "100%")
    )
    assert read(page(share, above="<p>(in millions)</p>"), "Asia", 2) == (0.3, "pure")
    assert read(page(share, above="<p>(in millions)</p>"), "Asia", 1) == (60_000_000.0, "usd")
    mixed = row("", "2023") + row("Growth", "5%") + row("Asia", "60") + row("Growth abroad", "7%") + row("Other", "3")
    assert read(page(mixed, above="<p>(in millions)</p>"), "Asia") == (60_000_000.0, "usd")


def test_what_leads_to_diluted_shares_is_shares() -> None:
    rows = (
        row("", "2023") + row("Weighted-average shares, basic", "1,000") + row("Convertible notes", "30")
        + row("Restricted stock units", "12") + row("Weighted-average shares, diluted", "1,042")
    )  # fmt: skip
    document = page(rows, above="<p>(in thousands)</p>")
    assert read(document, "Convertible notes") == (30_000.0, "shares")
    assert read(document, "Weighted-average shares, diluted") == (1_042_000.0, "shares")


def test_rows_that_do_not_add_up_are_not_taken_for_shares() -> None:
    rows = (
        row("", "2023") + row("Weighted-average shares, basic", "1,000") + row("Net income", "30")
        + row("Weighted-average shares, diluted", "1,042")
    )  # fmt: skip
    assert read(page(rows, above="<p>(in thousands)</p>"), "Net income") == (30_000.0, "usd")


def test_shares_of_one_column_have_one_scale() -> None:
    rows = (
        row("Awards", "Shares", "Price")
        + row("Nonvested at start", "280,020", "$23.40")
        + row("Nonvested at end", "3,388", "$28.84")
    )
    document = page(rows, above="<p>(Tabular amounts in millions, except per share amounts)</p>")
    assert read(document, "Nonvested at start") == (280_020.0, "shares")
    assert read(document, "Nonvested at end") == (3_388.0, "shares")


def test_a_footnote_under_the_table_gives_a_column_its_scale() -> None:
    rows = row("Activity", "Restricted Stock (a)", "Fair Value (b)") + row("Granted", "3,960", "$107.95")
    notes = "<p>(a) Represents the number of shares of restricted stock, in thousands.</p><p>(b) Weighted average per unit.</p>"
    document = page(rows, above="<p>(millions, except per share data)</p>", below=notes)
    assert table_of(document).footnotes["(a)"].startswith("Represents the number of shares")
    assert table_of(document).footnotes["(b)"].startswith("Weighted average")
    assert read(document, "Granted") == (3_960_000.0, "shares")


def test_fractions_of_shares_take_the_caption_that_speaks_for_all_tables() -> None:
    rows = (
        row("", "2023")
        + row("Weighted-average common shares", "305.1")
        + row("Anti-dilutive shares:")
        + row("Restricted stock", "2.7")
    )
    document = page(rows, above="<p>(Tabular amounts in millions, except per share amounts)</p><p>7. Earnings Per Share</p>")
    assert read(document, "Weighted-average common shares") == (305_100_000.0, "shares")
    assert read(document, "Restricted stock") == (2_700_000.0, "shares")


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("Balance at beginning of year", (None, dt.date(2022, 12, 31))),
        ("Beginning balance", (None, dt.date(2022, 12, 31))),
        ("Additions", (dt.date(2023, 1, 1), dt.date(2023, 12, 31))),
        ("Revenue recognized that was deferred at the beginning of the year", (dt.date(2023, 1, 1), dt.date(2023, 12, 31))),
        ("Balance at end of year", (None, dt.date(2023, 12, 31))),
        ("Liability as of July 31, 2021", (None, dt.date(2021, 7, 31))),
    ],
)
def test_balances_in_a_table_of_flows_have_their_own_day(label: str, expected: tuple[dt.date | None, dt.date]) -> None:
    rows = row("Year ended December 31,", "2023", "2022") + row("Charges", "4", "5") + row(label, "10", "11")
    table = table_of(page(rows))
    assert TableDates(table).of(len(table.rows) - 1, 1) == expected


def test_a_row_names_its_day_where_its_columns_name_parts() -> None:
    rows = row("In millions", "Optics", "Displays") + row("Balance at December 31, 2022", "4", "5")
    table = table_of(page(rows + row("Balance at December 31, 2023", "10", "11")))
    days = [TableDates(table).of(number, 1) for number in range(table.header_rows, len(table.rows))]
    assert days == [(None, dt.date(2022, 12, 31)), (None, dt.date(2023, 12, 31))]


def test_a_balance_sheet_holds_balances_whatever_is_said_around_it() -> None:
    labels = (
        "Cash",
        "Receivables",
        "Inventories",
        "Total assets",
        "Accounts payable",
        "Debt",
        "Total liabilities",
        "Retained earnings",
    )
    rows = row("Years ended December 31,", "2023", "2022") + "".join(row(label, "10", "11") for label in labels)
    table = table_of(page(rows))
    assert TableDates(table).of(3, 1) == (None, dt.date(2023, 12, 31))


def test_the_check_has_no_rate_to_warn_of_without_tags() -> None:
    check = cross_check(page(RATES + END))
    assert (check.compared, check.warning) == (0, "")


def test_a_low_rate_warns_once() -> None:
    low = CrossCheck(agreeing=90, compared=100)
    assert "90.0%" in low.warning
    assert with_warning(with_warning(("other",), low), low) == ("other", low.warning)
    assert with_warning(("other", low.warning), CrossCheck(100, 100)) == ("other",)


def test_years_in_the_middle_of_a_table_are_no_figures() -> None:
    rows = row("Year ended December 31,", "2022", "2021") + row("Net income", "$5", "$6") + row("Reconciliation", "2022", "2021")
    table = table_of(page(rows))
    assert all(TableReader(table).read(len(table.rows) - 1, cell) is None for cell in table.rows[-1])


@pytest.mark.parametrize("label", ["Average outstanding during year", "Number of shares on which diluted earnings rest"])
def test_a_heading_that_counts_shares(label: str) -> None:
    rows = row("", "1997") + row("Number of shares on which basic earnings per share is calculated") + row(label, "983,286,361")
    assert read(page(rows, above="<p>(Dollars in millions)</p>"), label) == (983_286_361.0, "shares")


_ROOMS = row("", "2023") + row("Casino", "$2,104") + row("Rooms", "2,729") + row("Food", "2,125") + row("", "6,958")


def test_what_comes_to_a_sum_of_money_is_an_amount_whatever_it_is_called() -> None:
    assert read(page(_ROOMS, above="<p>(in thousands)</p>"), "Rooms") == (2_729_000.0, "usd")
    apart = _ROOMS.replace("6,958", "6,957")
    assert read(page(apart, above="<p>(in thousands)</p>"), "Rooms") == (2_729.0, "count")
    of_things = _ROOMS.replace("$", "")
    assert read(page(of_things, above="<p>(in thousands)</p>"), "Rooms") == (2_729.0, "count")


@pytest.mark.parametrize(("title", "unit"), [("STATEMENTS OF CASH FLOWS", "usd"), ("SHARES", "shares")])
def test_a_cash_flow_statement_tells_money_whatever_its_rows_are_called(title: str, unit: str) -> None:
    rows = "".join(
        row(label, *numbers)
        for label, *numbers in (
            ("(In millions)", "2024", "2023"),
            ("Net income", "$300", "$280"),
            ("Depreciation", "40", "38"),
            ("Net cash provided by operating activities", "340", "318"),
            ("Additions to property", "(60)", "(50)"),
            ("Net cash used for investing activities", "(60)", "(50)"),
            ("Common shares repurchased", "(90)", "(80)"),
            ("Dividends paid", "(30)", "(20)"),
            ("Net cash used for financing activities", "(120)", "(100)"),
            ("Net increase in cash", "160", "168"),
        )
    )
    if unit == "shares":  # The same row in a table that is no statement.
        rows = row("(In millions)", "2024", "2023") + row("Common shares repurchased", "(90)", "(80)")
    assert read(page(rows, above=f"<p>{title}</p>"), "Common shares repurchased") == (-90e6, unit)
