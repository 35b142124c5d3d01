"""Segments side by side: columns that are no periods, and columns that share one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Figure, Gap
from fin_tui.facts.lookup import FactBook
from fin_tui.paths import Paths
from fin_tui.records import Filing
from fin_tui.store.library import Library
from tests.unit.facts.untagged_filing import add, table

SPENT = """
Year ended December 31, | 2009 | 2008 | 2007
Cash paid for interest | $5 | $4 | $3
Purchases of land | 7 | 6 | 5
Rent paid | 9 | 9 | 8
"""
UNDER_YEARS = """
 | Northern Operations | Southern | Total
For the year ended December 31, 2009 | | |
Segment net sales | $600 | $300 | $900
Cost of sales | 400 | 250 | 650
Operating income (loss) | 90 | (10) | 80
Total assets | 500 | 200 | 700
For the year ended December 31, 2008 | | |
Segment net sales | $500 | $200 | $700
Cost of sales | 350 | 180 | 530
Operating income (loss) | 70 | 5 | 75
Total assets | 450 | 150 | 600
"""
OF_ONE_YEAR = """
 | 2009 Northern | 2009 Southern | 2009 Consolidated
Net sales | $600 | $300 | $900
Operating income | 90 | (10) | 80
Total assets | 500 | 200 | 700
"""
LAYOUTS = {"under years": table("Segment information", UNDER_YEARS), "of one year": table("Segment information", OF_ONE_YEAR)}


@pytest.fixture
def library(paths: Paths) -> Iterator[Library]:
    with Library.open(paths) as library:
        yield library


def asked(library: Library, filing: Filing, phrase: str, metric: str, year: int) -> Figure | Gap:
    found = vocabulary().get(metric)
    assert found is not None
    return FactBook(library).dimensioned(phrase, found, [filing], year)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("phrase", "metric", "value"),
    [
        ("Northern", "revenue", 600e6),
        ("Southern segment", "operating_income", -10e6),
        ("Northern", "total_assets", 500e6),
    ],
)
def test_a_column_is_the_part_and_its_row_the_metric(
    library: Library, layout: str, phrase: str, metric: str, value: float
) -> None:
    filing = add(library, table("What was spent", SPENT) + LAYOUTS[layout])
    found = asked(library, filing, phrase, metric, 2009)
    assert isinstance(found, Figure), found
    assert float(found.value) == value


def test_rows_under_another_year_are_of_that_year(library: Library) -> None:
    filing = add(library, table("What was spent", SPENT) + LAYOUTS["under years"])
    found = asked(library, filing, "Southern", "revenue", 2008)
    assert isinstance(found, Figure)
    assert found.value == 200_000_000


TWO_YEARS = """
 | 2009 Northern | 2009 Southern | 2009 Total
Net sales | $600 | $300 | $900
Year ended December 31, 2008 | | |
Net sales | $500 | $200 | $700
"""


def test_rows_under_another_year_than_their_columns_are_of_that_year(library: Library) -> None:
    filing = add(library, table("What was spent", SPENT) + table("Segment information", TWO_YEARS))
    values = [asked(library, filing, "Northern", "revenue", year) for year in (2009, 2008)]
    assert [float(found.value) for found in values if isinstance(found, Figure)] == [600e6, 500e6]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_column_of_all_keeps_the_rows_own_label(library: Library, layout: str) -> None:
    filing = add(library, table("What was spent", SPENT) + LAYOUTS[layout])
    labels = {fact.text: fact.label for fact in library.facts.find(filings=(filing.id,))}
    assert labels["$900"].endswith("et sales")
    assert labels["$600"].endswith("> Northern Operations") or labels["$600"].endswith("> Northern")


def test_a_table_without_a_unit_is_no_figure_where_the_statements_are_in_millions(library: Library) -> None:
    statement = """
Year ended December 31, | 2009 | 2008
Net sales | $900 | $700
Cost of sales | 650 | 530
Gross profit | 250 | 170
Selling expense | 100 | 60
Operating income | 150 | 110
Interest expense | 10 | 10
Income taxes | 60 | 25
Net income | 80 | 75
Net income per share | $0.80 | $0.75
"""
    by_product = (
        "Year ended December 31, | 2009 | 2008\nSleds | $55,700 | $40,100\nKites | 33,000 | 20,000\nNet sales | $88,700 | $60,100"
    )
    body = table("CONSOLIDATED STATEMENTS OF INCOME", statement)
    filing = add(library, table("Sales by product", by_product, caption="By kind:") + body)
    assert isinstance(asked(library, filing, "Sleds", "revenue", 2009), Gap)
    other = add(library, body + table("Sales by product", by_product, caption="(In thousands)"), company="Globex Inc.")
    found = asked(library, replace(other), "Sleds", "revenue", 2009)
    assert isinstance(found, Figure)
    assert found.value == 55_700_000
