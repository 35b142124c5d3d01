"""Lines of statements and parts of a company in order of size."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Metric
from fin_tui.facts.lookup import FactBook
from fin_tui.facts.ranking import Ranking
from fin_tui.paths import Paths
from fin_tui.records import Fact, Filing
from fin_tui.store.library import Library
from tests.unit.facts.book import fillers, flow, held
from tests.unit.facts.untagged_filing import add, table

BALANCE = """
 | 2009 | 2008
Current assets: | |
Cash | $50 | $40
Receivables, less allowance of $3 | 70 | 60
Total current assets | 120 | 100
Property, at cost | 900 | 800
Less accumulated depreciation | (500) | (450)
Property, net | 400 | 350
Goodwill | 60 | 60
Total assets | $580 | $510
Current liabilities: | |
Accounts payable | $80 | $70
Accrued pay | 90 | 60
Total current liabilities | 170 | 130
Long-term debt | 140 | 150
Total liabilities | 310 | 280
Common stock | 200 | 200
Retained earnings | 70 | 30
Total liabilities and shareholders’ equity | $580 | $510
"""
INCOME = """
Year ended December 31, | 2009 | 2008
Net sales | $900 | $700
Cost of sales | 600 | 500
Gross profit | 300 | 200
Selling and administrative expenses | 120 | 80
Research and development | 50 | 40
Total operating expenses | 170 | 120
Operating income | 130 | 80
Interest expense | 10 | 10
Income taxes | 60 | 25
Net income | 60 | 45
Net income per share | $0.60 | $0.45
"""
SEGMENTS = """
 | North | South | Eliminations | Total
2009 | | | |
Net sales | $600 | $310 | $(10) | $900
Operating income | 20 | 110 | — | 130
"""
BODY = (
    table("CONSOLIDATED BALANCE SHEETS As of December 31,", BALANCE)
    + table("CONSOLIDATED STATEMENTS OF INCOME", INCOME)
    + table("Segment information", SEGMENTS)
)
SEGMENT_AXIS = "us-gaap:StatementBusinessSegmentsAxis"


@pytest.fixture
def library(paths: Paths) -> Iterator[Library]:
    with Library.open(paths) as library:
        yield library


def metric(identifier: str) -> Metric:
    found = vocabulary().get(identifier)
    assert found is not None
    return found


def order(library: Library, filing: Filing, asked: Ranking) -> list[tuple[str, float]]:
    ranked = FactBook(library).ranked(asked, [filing], filing.fiscal_year or 0)
    return [(figure.label, float(figure.value) / 1e6) for figure in ranked]


@pytest.mark.parametrize(
    ("asked", "first", "value"),
    [
        (Ranking("asset"), "Property, net", 400),
        (Ranking("asset", "current"), "Receivables, less allowance of $3", 70),
        (Ranking("asset", lowest=True), "Cash", 50),
        (Ranking("liability"), "Long-term debt", 140),
        (Ranking("liability", "current"), "Accrued pay", 90),
        (Ranking("expense"), "Cost of sales", 600),
        (Ranking("expense", "operating"), "Selling and administrative expenses", 120),
    ],
)
def test_lines_of_a_statement_without_totals_and_gross_amounts(
    library: Library, asked: Ranking, first: str, value: float
) -> None:
    assert order(library, add(library, BODY), asked)[0] == (first, value)


@pytest.mark.parametrize(
    ("identifier", "lowest", "first"),
    [("revenue", False, "North"), ("revenue", True, "South"), ("operating_income", False, "South")],
)
def test_segments_side_by_side(library: Library, identifier: str, lowest: bool, first: str) -> None:
    found = order(library, add(library, BODY), Ranking("segment", metric=metric(identifier), lowest=lowest))
    assert found[0][0] == first
    assert {name for name, _ in found} == {"North", "South"}


BY_ROWS = """
Year ended December 31, | 2009 | 2008
North | $600 | $500
South | 300 | 200
Net sales | $900 | $700
"""


def test_without_a_title_the_words_above_say_that_a_table_is_of_segments(library: Library) -> None:
    above = "The following table is about our reportable segments. Sales between them are not material and not shown in it."
    body = table("CONSOLIDATED STATEMENTS OF INCOME", INCOME) + table(above, BY_ROWS)
    found = order(library, add(library, body), Ranking("segment", metric=metric("revenue")))
    assert found == [("North", 600), ("South", 300)]


def segments(end: int) -> list[Fact]:
    sizes = ((60e6, "x:NorthMember"), (40e6, "x:SouthMember"))
    return [flow("us-gaap:Revenues", value, end, members={SEGMENT_AXIS: member}) for value, member in sizes]


def test_tagged_parts_that_come_to_the_whole_are_ranked_and_others_are_not(library: Library) -> None:
    asked = Ranking("segment", metric=metric("revenue"))
    filing = held(library, 2023, [*fillers(2023), flow("us-gaap:Revenues", 100e6, 2023), *segments(2023)])
    assert order(library, filing, asked) == [("North", 60), ("South", 40)]
    some = held(library, 2022, [*fillers(2022), flow("us-gaap:Revenues", 900e6, 2022), *segments(2022)])
    assert order(library, some, asked) == []
