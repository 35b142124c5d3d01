"""Tables as rows: values, units and periods of tagged and untagged cells."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

from fin_tui.facts.from_tables import tables_as_rows
from fin_tui.filings.html import read_html
from fin_tui.filings.tables import complete_tables
from fin_tui.records import Cover, Document, Section
from tests.unit.facts.test_from_tables import PAGE
from tests.unit.facts.untagged_filing import table
from tests.unit.filings.ixbrl import number, page

INDEX = b"<p>Index</p><table><tr><td></td><td>Page</td></tr><tr><td>Balance Sheets</td><td>30</td></tr></table>"


def rows_of(document: Document) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
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
