"""Figures that are the sum of the lines of a balance sheet."""

from __future__ import annotations

import pytest

from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Figure, Gap
from fin_tui.facts.lookup import FactBook
from fin_tui.paths import Paths
from fin_tui.records import Filing
from fin_tui.store.library import Library
from tests.unit.facts.untagged_filing import add, table

SHEET = """
|December 31, 2009|December 31, 2008
Current assets:||
Cash and cash equivalents|$60|$50
Restricted cash|5|5
Marketable securities|40|30
Total current assets|105|85
Non-current assets:||
Marketable securities|25|15
Non-marketable securities|90|90
Total assets|$220|$190
Current liabilities:||
Commercial paper|7|6
Accrued interest on long-term debt|2|2
Notes|11|9
Total current liabilities|{current}|17
Non-current liabilities:||
Term debt|80|70
Derivative debt features|3|3
Total liabilities|103|90
Retained earnings|117|100
Total liabilities and equity|$220|$190
"""


def _filing(library: Library, rows: str) -> Filing:
    return add(library, table("CONSOLIDATED BALANCE SHEETS", rows, "(In millions)"))


def _lines(library: Library, metric_id: str, filing: Filing) -> dict[str, float]:
    metric = vocabulary().get(metric_id)
    assert metric is not None
    return {one.label: float(one.value) for one in FactBook(library).lines(metric, [filing], 2009)}


@pytest.fixture
def library(paths: Paths) -> Library:
    return Library.open(paths)


def test_debt_is_all_that_says_debt_among_the_liabilities(library: Library) -> None:
    with library:
        filing = _filing(library, SHEET.format(current=20))
        assert _lines(library, "total_debt", filing) == {"Commercial paper": 7e6, "Term debt": 80e6}


def test_cash_and_securities_are_of_both_terms_and_told_apart(library: Library) -> None:
    with library:
        filing = _filing(library, SHEET.format(current=20))
        assert _lines(library, "cash_and_securities", filing) == {
            "Cash and cash equivalents": 60e6,
            "Marketable securities (current assets)": 40e6,
            "Marketable securities (non-current assets)": 25e6,
        }


def test_debts_without_what_falls_due_within_a_year_are_not_all(library: Library) -> None:
    with library:
        filing = _filing(library, SHEET.format(current=20).replace("Commercial paper|7|6", "Accrued liabilities|7|6"))
        assert _lines(library, "total_debt", filing) == {}


def test_no_single_line_is_taken_for_their_sum(library: Library) -> None:
    rows = SHEET.format(current=20).replace("Commercial paper", "Debt").replace("Term debt", "Debt")
    metric = vocabulary().get("total_debt")
    assert metric is not None
    with library:
        filing = _filing(library, rows)
        assert isinstance(FactBook(library).figure(metric, [filing], 2009), Gap)
        assert sum(_lines(library, "total_debt", filing).values()) == 87e6


def test_debt_of_one_term_is_none_of_the_other(library: Library) -> None:
    rows = SHEET.format(current=20).replace("Commercial paper|7|6", "Term debt|7|6")
    metric = vocabulary().get("long_term_debt")
    assert metric is not None
    with library:
        found = FactBook(library).figure(metric, [_filing(library, rows)], 2009)
        assert isinstance(found, Figure)
        assert float(found.value) == 80e6


def test_a_metric_without_lines_has_none(library: Library) -> None:
    with library:
        filing = _filing(library, SHEET.format(current=20))
        assert _lines(library, "total_assets", filing) == {}
        metric = vocabulary().get("total_assets")
        assert metric is not None
        assert isinstance(FactBook(library).figure(metric, [filing], 2009), Figure)


STOCKS = """
|December 31, 2009|December 31, 2008
Current assets:||
Cash and cash equivalents|$60|$50
Inventories, net:||
Raw materials|30|25
Finished goods|15|10
{total}Total current assets|105|85
Total assets|$105|$85
Accounts payable|9|8
Total current liabilities|9|8
Total liabilities|9|8
Retained earnings|96|77
Total liabilities and equity|$105|$85
"""


@pytest.mark.parametrize(
    ("total", "lines"), [("", {"Raw materials": 30e6, "Finished goods": 15e6}), ("Total inventories|45|35\n", {})]
)
def test_what_stands_in_lines_under_its_name_alone_is_their_sum(library: Library, total: str, lines: dict[str, float]) -> None:
    with library:
        assert _lines(library, "inventory", _filing(library, STOCKS.format(total=total))) == lines


@pytest.mark.parametrize(("metric_id", "is_open"), [("inventory", True), ("goodwill", False)])
def test_a_row_that_says_all_words_of_a_name_may_be_what_is_not_found(library: Library, metric_id: str, *, is_open: bool) -> None:
    metric = vocabulary().get(metric_id)
    assert metric is not None
    with library:
        found = FactBook(library).figure(
            metric, [_filing(library, STOCKS.format(total="").replace("Raw", "Inventories, raw"))], 2009
        )
        assert isinstance(found, Gap)
        assert found.is_open is is_open
