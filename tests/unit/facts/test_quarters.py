"""Quarterly tables of untagged filings, and the figures looked up in them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import replace

import pytest

from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Figure, Gap
from fin_tui.facts.index import year_of
from fin_tui.facts.lookup import FactBook
from fin_tui.facts.quarters import quarter_end
from fin_tui.paths import Paths
from fin_tui.records import Filing
from fin_tui.store.library import Library
from tests.unit.facts.book import fillers, flow, held
from tests.unit.facts.untagged_filing import add, table

YEARS_IN_THE_TABLE = """
 | First Quarter | Second Quarter | Third Quarter | Fourth Quarter | Year
2009 | | | | |
Net sales | $210 | $220 | $230 | $240 | $900
Net income | 20 | 21 | (22) | 23 | 42
Diluted earnings per share | $0.20 | $0.21 | $(0.22) | $0.23 | $0.42
2008 | | | | |
Net sales | $110 | $120 | $130 | $140 | $500
Net income | 10 | 11 | 12 | 13 | 46
Diluted earnings per share | $0.10 | $0.11 | $0.12 | $0.13 | $0.46
"""
YEARS_IN_THE_HEADER = """
 | Q1 2009 | Q1 2008 | 2nd Quarter 2009 | 2nd Quarter 2008 | 3Q 2009 | 3Q 2008 | Fourth quarter 2009 | Fourth quarter 2008
Net sales | $210 | $110 | $220 | $120 | $230 | $130 | $240 | $140
Net income | 20 | 10 | 21 | 11 | (22) | 12 | 23 | 13
Diluted earnings per share | $0.20 | $0.10 | $0.21 | $0.11 | $(0.22) | $0.12 | $0.23 | $0.13
"""  # fmt: skip
DAYS = """
2009 For Quarter Ended | December 31 | September 30 | June 30 | March 31
Net sales | $240 | $230 | $220 | $210
Net income | 23 | (22) | 21 | 20
Diluted earnings per share | $0.23 | $(0.22) | $0.21 | $0.20
"""
DAYS_BEFORE = """
2008 For Quarter Ended | December 31 | September 30 | June 30 | March 31
Net sales | $140 | $130 | $120 | $110
Net income | 13 | 12 | 11 | 10
Diluted earnings per share | $0.13 | $0.12 | $0.11 | $0.10
"""
IN_THE_ROWS = """
 | Net sales | Net income | Diluted earnings per share
2009 | | |
First quarter | $210 | $20 | $0.20
Second quarter | 220 | 21 | 0.21
Third quarter | 230 | (22) | (0.22)
Fourth quarter | 240 | 23 | 0.23
2008 | | |
First quarter | $110 | $10 | $0.10
Second quarter | 120 | 11 | 0.11
Third quarter | 130 | 12 | 0.12
Fourth quarter | 140 | 13 | 0.13
"""
SPENT = """
Year ended December 31, | 2009 | 2008 | 2007
Cash paid for interest | $5 | $4 | $3
Purchases of land | 7 | 6 | 5
Rent paid | 9 | 9 | 8
"""
MONTHS = """
 | 2009 | 2009 | 2009 | 2009 | 2008 | 2008 | 2008 | 2008
 | March Quarter | June Quarter | Sept. Quarter | Dec. Quarter | March Quarter | June Quarter | Sept. Quarter | Dec. Quarter
Net sales | $210 | $220 | $230 | $240 | $110 | $120 | $130 | $140
Net income | 20 | 21 | (22) | 23 | 10 | 11 | 12 | 13
Diluted earnings per share | $0.20 | $0.21 | $(0.22) | $0.23 | $0.10 | $0.11 | $0.12 | $0.13
"""
MONTHS_IN_THE_ROWS = """
Quarter ended | Net sales | Net income | Diluted earnings per share
2009 | | |
March | $210 | $20 | $0.20
June | 220 | 21 | 0.21
September | 230 | (22) | (0.22)
December | 240 | 23 | 0.23
2008 | | |
March | $110 | $10 | $0.10
June | 120 | 11 | 0.11
September | 130 | 12 | 0.12
December | 140 | 13 | 0.13
"""
TITLE = "SELECTED QUARTERLY FINANCIAL DATA (UNAUDITED)"
COVERED = table("What was spent", SPENT)
LAYOUTS = {
    "years as rows": table(TITLE, YEARS_IN_THE_TABLE),
    "years in the header": table(TITLE, YEARS_IN_THE_HEADER),
    "last days": table(TITLE, DAYS) + table(TITLE, DAYS_BEFORE),
    "quarters as rows": table(TITLE, IN_THE_ROWS),
    "last months": table(TITLE, MONTHS),
    "last months as rows": table(TITLE, MONTHS_IN_THE_ROWS),
}


@pytest.fixture
def library(paths: Paths) -> Iterator[Library]:
    with Library.open(paths) as library:
        yield library


def asked(library: Library, filing: Filing, metric: str, year: int, number: int) -> Figure | Gap:
    found = vocabulary().get(metric)
    assert found is not None
    return FactBook(library).quarterly(found, [filing], year, number)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("metric", "year", "number", "value"),
    [
        ("revenue", 2009, 1, 210e6),
        ("revenue", 2009, 4, 240e6),
        ("revenue", 2008, 3, 130e6),
        ("net_income", 2009, 3, -22e6),
        ("net_income", 2008, 2, 11e6),
        ("eps_diluted", 2009, 3, -0.22),
    ],
)
def test_every_layout_gives_the_figure_of_the_quarter(
    library: Library, layout: str, metric: str, year: int, number: int, value: float
) -> None:
    filing = add(library, COVERED + LAYOUTS[layout])
    found = asked(library, filing, metric, year, number)
    assert isinstance(found, Figure), found
    assert (float(found.value), found.period.label) == (value, f"Q{number} FY{year}")
    assert found.fact.period_end == quarter_end(dt.date(year, 12, 31), number)


def test_a_quarter_is_no_figure_of_its_year(library: Library) -> None:
    filing = add(library, LAYOUTS["years in the header"])
    revenue = vocabulary().get("revenue")
    assert revenue is not None
    assert isinstance(FactBook(library).figure(revenue, [filing], 2009), Gap)


def test_what_no_table_states_by_quarter_is_a_gap_that_says_so(library: Library) -> None:
    filing = add(library, LAYOUTS["years as rows"])
    found = asked(library, filing, "goodwill", 2009, 2)
    assert isinstance(found, Gap)
    assert "second quarter" in found.why


def test_years_of_weeks_count_thirteen_weeks_to_a_quarter(library: Library) -> None:
    filing = add(library, table(TITLE, YEARS_IN_THE_TABLE), end=dt.date(2009, 9, 26))
    found = asked(library, filing, "revenue", 2009, 1)
    assert isinstance(found, Figure)
    assert found.fact.period_end == dt.date(2008, 12, 27)


def test_facts_tagged_for_three_months_come_first(library: Library) -> None:
    tagged = replace(flow("us-gaap:Revenues", 77e6, 2023), period_start=dt.date(2023, 10, 1), period_end=dt.date(2023, 12, 31))
    filing = held(library, 2023, [*fillers(2023), flow("us-gaap:Revenues", 300e6, 2023), tagged])
    found = asked(library, filing, "revenue", 2023, 4)
    assert isinstance(found, Figure)
    assert found.value == 77_000_000
    assert isinstance(asked(library, filing, "revenue", 2023, 3), Gap)


SEPTEMBER = {
    "numbers": YEARS_IN_THE_TABLE,
    "days": """
 | December 26 | March 27 | June 26 | September 25
Fiscal 2009 | | | |
Net sales | $210 | $220 | $230 | $240
Remarks on 2008 and the costs of moving the plant in that year | | | |
Net income | 20 | 21 | (22) | 23
Fiscal 2008 | | | |
Net sales | $110 | $120 | $130 | $140
Net income | 10 | 11 | 12 | 13
""",
    "months": """
 | Fiscal 2009 | Fiscal 2009 | Fiscal 2009 | Fiscal 2009 | Fiscal 2008 | Fiscal 2008 | Fiscal 2008 | Fiscal 2008
 | Dec. quarter | March quarter | June quarter | Sept. quarter | Dec. quarter | March quarter | June quarter | Sept. quarter
Net sales | $210 | $220 | $230 | $240 | $110 | $120 | $130 | $140
Net income | 20 | 21 | (22) | 23 | 10 | 11 | 12 | 13
""",
}


@pytest.mark.parametrize("layout", SEPTEMBER)
def test_the_first_quarter_of_a_year_to_september_is_of_that_year(library: Library, layout: str) -> None:
    covered = COVERED.replace("December 31", "September 25")
    filing = add(library, covered + table(TITLE, SEPTEMBER[layout]), end=dt.date(2009, 9, 25))
    for year, value, end in ((2009, 210e6, dt.date(2008, 12, 26)), (2008, 110e6, dt.date(2007, 12, 28))):
        found = asked(library, filing, "revenue", year, 1)
        assert isinstance(found, Figure), found
        assert (float(found.value), found.period.label) == (value, f"Q1 FY{year}")
        assert found.fact.period_end is not None
        assert abs((found.fact.period_end - end).days) <= 5
        assert year_of(filing, found.fact.period_end) == year
    income = asked(library, filing, "net_income", 2009, 3)
    assert isinstance(income, Figure)
    assert income.value == -22_000_000


def test_months_of_one_quarter_are_no_quarters(library: Library) -> None:
    bought = """
Quarter ended December 31 | Shares purchased | Net sales
2009 | |
October | 210 | $20
November | 220 | 21
December | 230 | 22
"""
    filing = add(library, COVERED + table("PURCHASES IN THE QUARTER", bought))
    assert isinstance(asked(library, filing, "revenue", 2009, 4), Gap)


@pytest.mark.parametrize(
    ("day", "year"),
    [
        (dt.date(2009, 9, 25), 2009),
        (dt.date(2008, 12, 26), 2009),
        (dt.date(2008, 9, 27), 2008),
        (dt.date(2008, 9, 20), 2008),
        (dt.date(1999, 9, 30), 1999),
        (dt.date(2009, 10, 30), 2010),
    ],
)
def test_a_day_is_of_the_fiscal_year_that_it_falls_in(library: Library, day: dt.date, year: int) -> None:
    assert year_of(add(library, COVERED, end=dt.date(2009, 9, 25)), day) == year
