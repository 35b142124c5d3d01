from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fin_tui.facts.figures import Unit, exact, plain, printed_scale, rounded, show, show_fact, show_printed
from fin_tui.records import Fact


def fact(text: str, value: float) -> Fact:
    return Fact("us-gaap:X", "x", value, text, "usd", None, dt.date(2024, 1, 1))


@pytest.mark.parametrize(
    ("text", "value", "scale"),
    [
        ("391,035", 391035e6, 10**6),
        ("(5)", -5e3, 10**3),
        ("2.5", 2.5e9, 10**9),
        ("6.13", 6.13, 1),
        ("—", 0.0, 1),
        ("15,115,823,000", 15115823000.0, 1),
    ],
)
def test_the_scale_that_a_filing_prints_in(text: str, value: float, scale: int) -> None:
    assert printed_scale(fact(text, value)) == scale


@pytest.mark.parametrize(
    ("text", "value", "unit", "shown"),
    [
        ("391,035", 391035e6, "usd", "$391,035 million"),
        ("(315,651)", -315651e3, "usd", "$(315.7) million"),
        ("651", -651e3, "usd", "$(651) thousand"),
        ("15,115,823", 15115823e3, "shares", "15,115.8 million shares"),
        ("2.5", 2.5e9, "shares", "2.5 billion shares"),
        ("6.10", 6.1, "usd/share", "$6.10 per share"),
        ("0", 0.0, "usd", "$0"),
    ],
)
def test_figures_stand_as_the_filing_prints_them(text: str, value: float, unit: Unit, shown: str) -> None:
    assert show_fact(Decimal(str(value)), unit, fact(text, value)) == shown


def test_tables_keep_the_scale_and_the_digits_of_the_filing() -> None:
    assert show_printed(Decimal(-315651000), "usd", fact("(315,651)", -315651e3)) == "$(315,651) thousand"
    assert show_printed(Decimal(391035000000), "usd", fact("391,035", 391035e6)) == "$391,035 million"


def test_other_units_on_request() -> None:
    assert show(Decimal(1832000000), "usd", scale=10**6) == "$1,832 million"
    assert show(Decimal("1234567.5"), "usd", scale=1000, places=1) == "$1,234.6 thousand"
    assert show(Decimal("-4.52"), "%", places=1) == "(4.5)%"
    assert show(Decimal("42.689"), "ratio", places=2) == "42.69"
    assert show(Decimal("0.00004"), "ratio", places=2) == "0.00"


@given(st.decimals(min_value=-(10**12), max_value=10**12, places=4, allow_nan=False))
def test_digits_read_back(value: Decimal) -> None:
    assert Decimal(plain(value).replace(",", "")) == value


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=6, allow_nan=False), st.integers(0, 4))
def test_rounding_is_the_nearest_and_away_from_zero_at_the_half(value: Decimal, places: int) -> None:
    result = rounded(value, places)
    half = Decimal(1).scaleb(-places) / 2
    assert abs(result - value) <= half
    if abs(result - value) == half:
        assert abs(result) > abs(value)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (6.13, "6.13"),
        (2.2 / 100, "0.022"),
        (0.1 + 0.2, "0.3"),
        (416_161e6, "416161000000"),
        (1_234_567_890_123.45, "1234567890123.45"),
    ],
)
def test_a_float_becomes_the_decimal_that_was_meant(value: float, told: str) -> None:
    assert exact(value) == Decimal(told)
    assert show(exact(2.2 / 100) * 100, "%") == "2.2%"


@pytest.mark.parametrize(("unit", "shown"), [("years", "7 years"), ("months", "7 months"), ("count", "7")])
def test_a_length_of_time_is_told_with_its_unit(unit: str, shown: str) -> None:
    told = replace(fact("7", 7.0), unit=unit)
    assert show_fact(Decimal(7), "count", told) == show_printed(Decimal(7), "count", told) == shown
    assert show_printed(Decimal(1), "count", replace(fact("1", 1.0), unit="years")) == "1 year"
