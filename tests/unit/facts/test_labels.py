"""Units of figures that are found by their row label."""

from __future__ import annotations

import datetime as dt

import pytest

from fin_tui.facts.labels import unit_of
from fin_tui.records import Fact

DAY = dt.date(2024, 12, 31)


def fact(label: str, text: str = "1,234", unit: str = "usd", source: str = "table") -> Fact:
    return Fact(f"table:{label}", label, 1234.0, text, unit, None, DAY, source="xbrl" if source == "xbrl" else "table")


@pytest.mark.parametrize(
    "label",
    ["Total cardholders", "Gold Star members", "Stores at the end of the year", "Ending locations", "Customers > Subscribers"],
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
    ],
)
def test_rows_of_amounts_are_money(label: str) -> None:
    assert unit_of(fact(label)) == "usd"


def test_a_dollar_sign_and_a_tag_decide() -> None:
    assert unit_of(fact("Customers", "$ 1,234")) == "usd"
    assert unit_of(fact("Customers", source="xbrl")) == "usd"
