"""What falls due in later years, by the schedules of filings without tags."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Figure, Gap, Metric
from fin_tui.facts.lookup import FactBook
from fin_tui.paths import Paths
from fin_tui.records import Filing
from fin_tui.store.library import Library
from tests.unit.facts.untagged_filing import add, table

DEBT_ROWS = """
Year ending December 31, | Amount
2010 | $300
2011 | 0
2012 | 250
Thereafter | 900
Total | $1,450
"""
DEBT_COLUMNS = """
 | 2010 | 2011 | 2012
Acme Finance | $200 | $10 | $150
Acme | 100 | 20 | 100
Total | $300 | $30 | $250
"""
LEASES = """
 | Capital Leases | Operating Leases
2010 | $5 | $71
2011 | 4 | 62
Later years | 3 | 36
Total minimum lease payments | $12 | $169
"""
BONDS = """
 | Cost
2010 | $77
2011 | 88
"""
SAID = "Maturities of long-term debt for the next five years are as follows:"
LEASED = "Future minimum lease payments are as follows:"


@pytest.fixture
def library(paths: Paths) -> Iterator[Library]:
    with Library.open(paths) as library:
        yield library


def asked(library: Library, filing: Filing, identifier: str, year: int) -> Figure | Gap:
    metric = vocabulary().get(identifier)
    assert isinstance(metric, Metric)
    return FactBook(library).scheduled(metric, [filing], year)


@pytest.mark.parametrize(
    ("body", "identifier", "year", "value"),
    [
        (table(SAID, DEBT_ROWS), "long_term_debt", 2012, 250e6),
        (table(SAID, DEBT_ROWS), "total_debt", 2010, 300e6),
        (table(SAID, DEBT_COLUMNS), "long_term_debt", 2011, 30e6),
        (table(LEASED, LEASES), "undiscounted_lease_payments", 2011, 62e6),
    ],
)
def test_the_year_stands_in_a_row_or_over_a_column(library: Library, body: str, identifier: str, year: int, value: float) -> None:
    found = asked(library, add(library, body), identifier, year)
    assert isinstance(found, Figure), found
    assert float(found.value) == value


@pytest.mark.parametrize(
    ("body", "identifier", "year"),
    [
        (table(SAID, DEBT_ROWS), "long_term_debt", 2031),
        (table(LEASED, LEASES), "long_term_debt", 2010),
        (table("Maturities of debt securities held as investments are as follows:", BONDS), "long_term_debt", 2010),
        (table(SAID, DEBT_ROWS) + table(SAID, DEBT_ROWS.replace("250", "999")), "long_term_debt", 2012),
    ],
)
def test_other_matters_and_schedules_that_differ_are_no_answer(library: Library, body: str, identifier: str, year: int) -> None:
    assert isinstance(asked(library, add(library, body), identifier, year), Gap)
