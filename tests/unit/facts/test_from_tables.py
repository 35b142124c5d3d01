"""Cells, units and facts of tables without tags."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal

import pytest

from fin_tui.facts.from_tables import RowDocument, TableDocument, facts_from_tables, tables_as_rows, with_table_facts
from fin_tui.facts.table_reader import read_cell, unit_of
from fin_tui.filings.html import read_html
from fin_tui.filings.tables import complete_tables
from fin_tui.records import Cover, Document, Section
from tests.unit.facts.untagged_filing import table
from tests.unit.filings.ixbrl import number, page

PAGE = b"""<html><body><p>CONSOLIDATED STATEMENTS OF OPERATIONS</p><p>(In millions, except per share data)</p>
<table><tr><td>Year ended December 31,</td><td>2009</td><td>2008</td></tr>
<tr><td>Net sales</td><td>$1,234</td><td>$1,100</td></tr>
<tr><td>Income tax benefit</td><td>(56)</td><td>&#8212;</td></tr>
<tr><td>Effective tax rate</td><td>21.5%</td><td>20.0%</td></tr>
<tr><td>Net income per share - basic</td><td>$1.05</td><td>$.98</td></tr>
<tr><td>Weighted average shares outstanding</td><td>310.5</td><td>n/a</td></tr></table></body></html>"""


@pytest.mark.parametrize(
    ("text", "value", "percent"),
    [
        ("391,035", "391035", False),
        ("(2,446)", "-2446", False),
        ("$(1.07)", "-1.07", False),
        ("$ .98", "0.98", False),
        ("—", "0", False),
        ("(2.4)%", "-2.4", True),
        ("12 1/2", "12.5", False),
        ("-7", "-7", False),
    ],
)
def test_printed_numbers(text: str, value: str, percent: bool) -> None:
    reading = read_cell(text)
    assert reading is not None
    assert (reading.value, reading.percent) == (Decimal(value), percent)


@pytest.mark.parametrize("text", ["", "n/a", "Total", "0.1%–2.0%", "Note 4", "September 28, 2024", "3-7"])
def test_what_is_no_number(text: str) -> None:
    assert read_cell(text) is None


@pytest.mark.parametrize(
    ("path", "header", "units", "scale", "text", "expected"),
    [
        (["Net sales"], [], "(in millions)", 1_000_000, "391", ("usd", 1_000_000)),
        (["Earnings per share", "Basic"], [], "(in millions)", 1_000_000, "6.11", ("usd/share", 1)),
        (
            ["Shares used", "Basic"],
            [],
            "(In millions, except number of shares, which are reflected in thousands)",
            1_000_000,
            "15,343,783",
            ("shares", 1_000),
        ),
        (["Shares used to compute net income per share"], [], "(in thousands)", 1_000, "498,764", ("shares", 1_000)),
        (["Cash dividends paid ($0.16 per share)"], [], "(in millions)", 1_000_000, "(399)", ("usd", 1_000_000)),
        (["3.50% Notes due 2040"], [], "(in millions)", 1_000_000, "998", ("usd", 1_000_000)),
        (["Granted"], ["Weighted-Average Grant-Date Fair Value Per RSU"], "(in thousands)", 1_000, "$150.87", ("usd/share", 1)),
        (["Common stock, $.01 par value; 5,000,000 shares issued"], [], "(in millions)", 1_000_000, "50", ("usd", 1_000_000)),
        (["Effective tax rate"], [], "(in millions)", 1_000_000, "14.7", ("pure", 1)),
        (["Number of employees"], [], "(in millions)", 1_000_000, "1,200", ("count", 1)),
        (["Average fee per card (dollars)(a)"], [], "(Millions, except percentages)", 1_000_000, "$82", ("usd", 1)),
        (["Revenue per Available Room (REVPAR)"], [], "(Dollars in millions)", 1_000_000, "$203", ("usd", 1)),
        (["Average Daily Rate (ADR)"], [], "(Dollars in millions)", 1_000_000, "$229", ("usd", 1)),
        (["Revenue per employee (in thousands)"], [], "(in millions)", 1_000_000, "$229", ("usd", 1_000)),
        (["Average sales per store"], [], "(in thousands)", 1_000, "$4,100", ("usd", 1_000)),
        (["Balance"], ["Aggregate Fair Value (in millions)"], "(in thousands)", 1_000, "$37,204", ("usd", 1_000_000)),
    ],
)
def test_units(path: list[str], header: list[str], units: str, scale: int, text: str, expected: tuple[str, int]) -> None:
    reading = read_cell(text)
    assert reading is not None
    assert unit_of(path, header, units, scale, reading) == expected


def test_facts_of_an_untagged_statement() -> None:
    document = read_html(PAGE)
    facts = {
        (fact.label, fact.period_end.year if fact.period_end else 0): (fact.value, fact.unit)
        for fact in facts_from_tables(document)
    }
    assert facts["Net sales", 2009] == (1_234_000_000.0, "usd")
    assert facts["Net sales", 2008] == (1_100_000_000.0, "usd")
    assert facts["Income tax benefit", 2009] == (-56_000_000.0, "usd")
    assert facts["Income tax benefit", 2008] == (0.0, "usd")
    assert facts["Effective tax rate", 2009] == (0.215, "pure")
    assert facts["Net income per share - basic", 2008] == (0.98, "usd/share")
    assert facts["Weighted average shares outstanding", 2009] == (310_500_000.0, "shares")
    assert ("Weighted average shares outstanding", 2008) not in facts


def test_each_fact_stands_where_it_says() -> None:
    document = read_html(PAGE)
    facts = facts_from_tables(document)
    assert facts
    for fact in facts:
        assert document.text[fact.start : fact.end] == fact.text
        assert fact.concept.startswith("table:")
        assert fact.source == "table"


def test_adding_them_twice_changes_nothing() -> None:
    once = with_table_facts(read_html(PAGE))
    twice = with_table_facts(once)
    assert once.facts == twice.facts


def test_a_total_per_share_is_told_from_the_income_it_is_called_like() -> None:
    def row(label: str, *amounts: str, indent: int = 0) -> str:
        cells = "".join(f"<td>{amount}</td>" for amount in amounts)
        return f'<tr><td style="padding-left:{indent}pt">{label}</td>{cells}</tr>'

    rows = (
        row("", "2009", "2008"),
        row("Net sales", "$1,234", "$1,100"),
        row("Cost of sales", "800", "700"),
        row("Income before taxes", "434", "400"),
        row("Provision for income taxes", "100", "90"),
        row("Net income attributable to common shareholders", "$334", "$310"),
        row("Earnings per common share - basic:"),
        row("Income from continuing operations", "$1.20", "$1.10", indent=10),
        row("Net income attributable to common shareholders", "$1.10", "$1.05"),
        row("Earnings per common share - diluted:"),
        row("Income from continuing operations", "$1.15", "$1.05", indent=10),
        row("Net income attributable to common shareholders", "$1.05", "$1.00"),
        row("Weighted-average shares - diluted", "318", "310"),
    )
    head = "<p>CONSOLIDATED STATEMENTS OF INCOME</p><p>(In millions, except per share data)</p><p>Year ended December 31,</p>"
    page = f"<html><body>{head}<table>{''.join(rows)}</table></body></html>"
    facts = facts_from_tables(read_html(page.encode()))
    told = [(fact.label, fact.text, fact.unit) for fact in facts if "2009" in str(fact.period_end)]
    assert ("Net income attributable to common shareholders", "$334", "usd") in told
    assert ("Earnings per common share - basic", "$1.10", "usd/share") in told
    assert ("Earnings per common share - diluted", "$1.05", "usd/share") in told


INDEX = b"<p>Index</p><table><tr><td></td><td>Page</td></tr><tr><td>Balance Sheets</td><td>30</td></tr></table>"


def rows_of(document: Document) -> tuple[TableDocument, dict[str, RowDocument]]:
    sections = [Section("II", "8", "Item 8", 0, len(document.text), 1, 0.9)]
    (found,) = tables_as_rows(document, sections)
    return found, {row["label"]: row for row in found["rows"]}


def test_a_statement_as_rows() -> None:
    statement, rows = rows_of(read_html(PAGE))
    assert statement["title"] == "CONSOLIDATED STATEMENTS OF OPERATIONS"
    told = [statement[key] for key in ("table", "item", "page", "unit", "scale")]
    assert told == [1, "8", 1, "usd", 1_000_000]
    sales = rows["Net sales"]["cells"]
    assert [cell["value"] for cell in sales] == [1_234_000_000.0, 1_100_000_000.0]
    assert (sales[0]["period_start"], sales[0]["period_end"], sales[0]["unit"]) == ("2009-01-01", "2009-12-31", "usd")
    assert sales[0]["header"][-1] == "2009"
    assert (sales[0]["source"], sales[0]["concept"]) == ("table", None)
    shares = rows["Weighted average shares outstanding"]["cells"]
    assert (shares[0]["value"], shares[0]["unit"]) == (310_500_000.0, "shares")
    assert (shares[1]["text"], shares[1]["value"], shares[1]["unit"]) == ("n/a", None, None)


def test_a_tagged_cell_gives_what_its_tag_states() -> None:
    body = (
        "<p>(in millions)</p><table><tr><td></td><td>2024</td></tr>"
        f"<tr><td>Cost of sales</td><td>({number('210', 'us-gaap:CostOfRevenue')})</td></tr></table>"
    )
    _, rows = rows_of(complete_tables(read_html(page(body))))
    (cell,) = rows["Cost of sales"]["cells"]
    assert (cell["text"], cell["value"], cell["unit"], cell["source"]) == ("(210)", 210_000_000.0, "usd", "xbrl")
    assert (cell["concept"], cell["period_start"], cell["period_end"]) == ("us-gaap:CostOfRevenue", "2023-10-01", "2024-09-28")


def test_page_numbers_are_no_amounts() -> None:
    _, rows = rows_of(read_html(INDEX))
    (cell,) = rows["Balance Sheets"]["cells"]
    assert (cell["value"], cell["unit"]) == (30.0, None)


def test_quarters_have_their_own_periods() -> None:
    known = Cover(period_end=dt.date(2009, 9, 30), fiscal_year=2009)
    lines = (
        " | First quarter | Second quarter | Third quarter | Fourth quarter",
        "2009 | | | |",
        "Net sales | $1 | $2 | $3 | $4",
    )
    html = table("QUARTERLY DATA", "\n".join(lines))
    document = replace(read_html(f"<html><body>{html}</body></html>".encode()), cover=known)
    _, rows = rows_of(document)
    assert [cell["period_end"] for cell in rows["Net sales"]["cells"]] == ["2008-12-31", "2009-03-31", "2009-06-30", "2009-09-30"]


SOLD = """
|2009|2008
Net sales by product||
Rockets|$900|$800
Anvils|100|90
Unit sales by product||
Rockets|45|40
"""


def test_a_caption_of_two_scales_tells_units_from_money() -> None:
    body = table("Year ended December 31,", SOLD, "(dollars in millions and units in thousands)")
    facts = facts_from_tables(read_html(f"<html><body>{body}</body></html>".encode()))
    told = {(fact.label, fact.value, fact.unit) for fact in facts if "2009" in str(fact.period_end)}
    assert ("Net sales by product > Rockets", 900e6, "usd") in told
    assert ("Unit sales by product > Rockets", 45e3, "count") in told


DUE = """
|2009|2008
Parent company|$5|$4
Rocket finance|3|2
|$8|$6
Fees|(1)|(1)
|9|9
"""


def test_a_sum_without_a_label_is_the_total_of_the_rows_above_it() -> None:
    body = table("Notes outstanding as of December 31,", DUE, "(in millions)")
    facts = facts_from_tables(read_html(f"<html><body>{body}</body></html>".encode()))
    assert [(fact.label, fact.value) for fact in facts if fact.label == "Total"] == [("Total", 8e6), ("Total", 6e6)]
