"""Figures of filings without tags, from the rows of their statements."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import replace

import pytest

from fin_tui.config import Chunking
from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Figure, Gap
from fin_tui.facts.lookup import FactBook
from fin_tui.facts.row_labels import unit_of
from fin_tui.ingest.pipeline import parse
from fin_tui.paths import Paths
from fin_tui.records import Fact
from fin_tui.store.library import Library

INCOME = """
Net sales | $900 | $800
Membership fees | 100 | 90
Total revenues | 1,000 | 890
Cost of sales | (600) | (500)
Interest expense | (20) | (10)
Income before income taxes | 300 | 250
Provision for income taxes | (100) | (80)
Net income | 200 | 170
Less: net income attributable to noncontrolling interests | (5) | (4)
Net income attributable to Acme Corporation | 195 | 166
Basic earnings per share | $1.95 | $1.66
"""
BALANCE = """
Cash and cash equivalents | $50 | $40
Inventories, net of reserves of $3 and $2 | 70 | 60
Property and equipment, at cost | 500 | 450
Property and equipment, net | 300 | 280
 | $420 | $380
Accounts payable | $80 | $70
Retained earnings | 200 | 180
Total Acme stockholders’ equity | 240 | 215
Total stockholders’ equity | 260 | 230
 | $420 | $380
"""
HIGHLIGHTS = """
Net sales | 999 | 888
Goodwill | 55,000 | 44,000
"""


def _table(title: str, period: str, rows: str) -> str:
    lines = [line.split(" | ") for line in (f"{period} | 2009 | 2008\n{rows.strip(chr(10))}").split("\n")]
    cells = "".join("<tr>" + "".join(f"<td>{cell.strip()}</td>" for cell in line) + "</tr>" for line in lines)
    return f"<p>{title}</p><p>(In millions, except per share data)</p><table>{cells}</table>"


YEARS = "Year ended December 31,"
PAGE = f"""<html><body><p>FORM 10-K</p><p>For the fiscal year ended December 31, 2009</p>
{_table("Selected highlights", YEARS, HIGHLIGHTS)}
{_table("CONSOLIDATED STATEMENTS OF INCOME", YEARS, INCOME)}
{_table("CONSOLIDATED BALANCE SHEETS", "December 31,", BALANCE)}</body></html>"""

PREFERRED = """
Net sales | $900 | $800
Interest (income) expense, net | (20) | (10)
Income before income taxes | 300 | 250
Income taxes | 100 | 80
Net earnings | 200 | 170
Preferred stock dividends | 20 | 20
Net earnings applicable to common shareholders | 180 | 150
Net earnings per share of common stock | $1.80 | $1.50
Net earnings per share of common stock - assuming dilution | $1.75 | $1.45
"""
BANK = """
Cash and due from banks (includes restricted cash of $5 and $4) | $55 | $54
Interest-bearing deposits | 280 | 270
Total cash and cash equivalents | 335 | 324
Loans | 900 | 800
Premises and equipment | 90 | 80
Total assets | 1,325 | 1,204
Deposits | 800 | 700
Total liabilities | 900 | 800
Retained earnings | 400 | 300
Total liabilities and equity | 1,325 | 1,204
"""
OTHER = f"""<html><body><p>FORM 10-K</p><p>For the fiscal year ended December 31, 2009</p>
{_table("CONSOLIDATED STATEMENTS OF EARNINGS", YEARS, PREFERRED)}
{_table("CONSOLIDATED BALANCE SHEETS", "December 31,", BANK)}</body></html>"""


@pytest.fixture
def library(paths: Paths) -> Iterator[Library]:
    with Library.open(paths) as library:
        entry = parse(PAGE.encode(), "acme.htm", Chunking(), force=True)
        filing = replace(entry.filing, company="Acme Corporation", fiscal_year=2009, period_end=dt.date(2009, 12, 31))
        library.add(replace(entry, filing=filing))
        yield library


@pytest.mark.parametrize(
    ("metric", "year", "value"),
    [
        ("revenue", 2009, 1000e6),
        ("revenue", 2008, 890e6),
        ("cost_of_revenue", 2009, 600e6),
        ("interest_expense", 2009, 20e6),
        ("income_tax_expense", 2009, 100e6),
        ("net_income", 2009, 195e6),
        ("eps_basic", 2008, 1.66),
        ("inventory", 2009, 70e6),
        ("ppe", 2009, 300e6),
        ("total_assets", 2008, 380e6),
        ("shareholders_equity", 2009, 240e6),
    ],
)
def test_a_statement_gives_its_lines(library: Library, metric: str, year: int, value: float) -> None:
    wanted = vocabulary().get(metric)
    assert wanted is not None
    found = FactBook(library).figure(wanted, library.filings(), year)
    assert isinstance(found, Figure), found
    assert float(found.value) == value


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("net_income", 200e6),
        ("interest_expense", -20e6),
        ("eps_diluted", 1.75),
        ("cash", 335e6),
    ],
)
def test_lines_that_are_nearly_alike_are_told_apart(paths: Paths, metric: str, value: float) -> None:
    wanted = vocabulary().get(metric)
    assert wanted is not None
    with Library.open(paths) as library:
        entry = parse(OTHER.encode(), "beta.htm", Chunking(), force=True)
        filing = replace(entry.filing, company="Beta Inc.", fiscal_year=2009, period_end=dt.date(2009, 12, 31))
        library.add(replace(entry, filing=filing))
        found = FactBook(library).figure(wanted, library.filings(), 2009)
    assert isinstance(found, Figure), found
    assert float(found.value) == value


def test_a_line_of_some_other_table_is_not_taken_for_the_statements(library: Library) -> None:
    goodwill = vocabulary().get("goodwill")
    assert goodwill is not None
    assert isinstance(FactBook(library).figure(goodwill, library.filings(), 2009), Gap)


def test_the_row_called_as_the_question_says(library: Library) -> None:
    book, revenue = FactBook(library), vocabulary().get("revenue")
    assert revenue is not None
    for said, value in (("net sales", 900e6), ("total revenue", 1_000e6), ("top line", 1_000e6)):
        found = book.figure(replace(revenue, said=said), library.filings(), 2009)
        assert isinstance(found, Figure)
        assert float(found.value) == value


def test_a_rate_that_the_filing_prints_under_the_name_asked_for_goes_before_its_formula(paths: Paths) -> None:
    page = PAGE.replace(
        _table("Selected highlights", YEARS, HIGHLIGHTS), _table("Rates", YEARS, "Gross margin percentage | 11.13% | 9.87%")
    )
    margin = vocabulary().get("gross_margin")
    assert margin is not None
    with Library.open(paths) as library:
        entry = parse(page.encode(), "acme.htm", Chunking(), force=True)
        filing = replace(entry.filing, company="Acme Corp.", fiscal_year=2009, period_end=dt.date(2009, 12, 31))
        library.add(replace(entry, filing=filing))
        found = FactBook(library).figure(replace(margin, said="gross margin"), library.filings(), 2009)
    assert isinstance(found, Figure), found
    assert float(found.value) == 11.13


SUMMARY = """
Net sales | $900 | $700
Interest expense | 20 | 30
Net income | 200 | 90
Cash dividends | 9 | 8
"""


def test_a_year_before_the_statements_own_comes_from_a_summary(paths: Paths) -> None:
    summary = _table("Selected highlights", YEARS, SUMMARY).replace(">2008<", ">2006<")
    page = PAGE.replace(_table("Selected highlights", YEARS, HIGHLIGHTS), summary)
    revenue = vocabulary().get("revenue")
    assert revenue is not None
    with Library.open(paths) as library:
        entry = parse(page.encode(), "acme.htm", Chunking(), force=True)
        filing = replace(entry.filing, company="Acme Corporation", fiscal_year=2009, period_end=dt.date(2009, 12, 31))
        library.add(replace(entry, filing=filing))
        found = FactBook(library).figure(revenue, library.filings(), 2006)
    assert isinstance(found, Figure)
    assert float(found.value) == 700e6


DAY = dt.date(2024, 12, 31)


def fact(label: str, text: str = "1,234", unit: str = "usd", source: str = "table") -> Fact:
    return Fact(
        f"table:{label.partition(' > ')[0]}", label, 1234.0, text, unit, None, DAY, source="xbrl" if source == "xbrl" else "table"
    )


@pytest.mark.parametrize(
    "label",
    [
        "Total cardholders",
        "Gold Star members",
        "Open stores at the end of the year",
        "Ending locations",
        "Customers > Subscribers",
    ],
)
def test_rows_named_after_what_can_be_counted_are_no_money(label: str) -> None:
    assert unit_of(fact(label)) == "count"


@pytest.mark.parametrize(
    "label",
    [
        "Accounts payable",
        "Due from customers",
        "Sales to customers",
        "Store occupancy costs",
        "Inventories",
        "Member rewards payable",
        "Rooms",  # Read as things counted, unless it came to a sum of money.
    ],
)
def test_rows_of_amounts_are_money(label: str) -> None:
    assert unit_of(fact(label)) == "usd"


def test_a_dollar_sign_and_a_tag_decide() -> None:
    assert unit_of(fact("Customers", "$ 1,234")) == "usd"
    assert unit_of(fact("Customers", source="xbrl")) == "usd"
