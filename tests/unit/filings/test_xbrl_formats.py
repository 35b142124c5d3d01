from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fin_tui.filings.xbrl import parse_boolean, parse_date, parse_duration, parse_number


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("391,035", "ixt:num-dot-decimal", "391035"),
        ("391,035", "ixt:numdotdecimal", "391035"),
        ("1.234.567,5", "ixt:num-comma-decimal", "1234567.5"),
        ("1 234,5", "ixt:numspacecomma", "1234.5"),
        ("—", "ixt:fixed-zero", "0"),
        ("-", "ixt:zerodash", "0"),
        ("5 dollars 30 cents", "ixt:num-unit-decimal", "5.30"),
        ("one hundred and twenty-five", "ixt-sec:numwordsen", "125"),
        ("two million three hundred thousand", "ixt-sec:numwordsen", "2300000"),
        ("no", "ixt-sec:numwordsen", "0"),
        (".52", "", "0.52"),
        ("$ 12", "", "12"),
    ],
)
def test_numbers_in_all_formats(text: str, name: str, value: str) -> None:
    assert parse_number(text, name) == Decimal(value)


@pytest.mark.parametrize(
    ("text", "name"), [("n/a", "ixt:num-dot-decimal"), ("", "ixt:nocontent"), ("many", "ixt-sec:numwordsen")]
)
def test_what_is_no_number_gives_none(text: str, name: str) -> None:
    assert parse_number(text, name) is None


@given(st.decimals(min_value=0, max_value=10**12, places=2))
def test_printed_numbers_come_back_whole(value: Decimal) -> None:
    assert parse_number(f"{value:,}", "ixt:num-dot-decimal") == value
    swapped = f"{value:,}".translate(str.maketrans(",.", ".,"))
    assert parse_number(swapped, "ixt:num-comma-decimal") == value


@given(
    st.text(max_size=40),
    st.sampled_from(["", "ixt:num-dot-decimal", "ixt-sec:numwordsen", "ixt:num-unit-decimal", "ixt-sec:durwordsen"]),
)
def test_no_text_raises(text: str, name: str) -> None:
    number = parse_number(text, name)
    assert number is None or number.is_finite()
    assert parse_duration(text, name) is None or name
    assert parse_date(text, name) is None or any(c.isdigit() for c in text)
    assert parse_boolean(text, name) in (True, False, None)


@pytest.mark.parametrize(
    ("text", "name", "date"),
    [
        ("September 28, 2024", "ixt:date-monthname-day-year-en", dt.date(2024, 9, 28)),
        ("28 September 2024", "", dt.date(2024, 9, 28)),
        ("2024-09-28", "", dt.date(2024, 9, 28)),
        ("9/28/24", "", dt.date(2024, 9, 28)),
        ("28.9.2024", "ixt:date-day-month-year", dt.date(2024, 9, 28)),
        ("February 30, 2024", "", None),
        ("September 28", "", None),
    ],
)
def test_dates(text: str, name: str, date: dt.date | None) -> None:
    assert parse_date(text, name) == date


def test_lengths_of_time_keep_the_unit_they_are_printed_in() -> None:
    assert parse_duration("5", "ixt-sec:duryear") == (Decimal(5), "years")
    assert parse_duration("eighteen months", "ixt-sec:durwordsen") == (Decimal(18), "months")
    assert parse_duration("5", "ixt:num-dot-decimal") is None


def test_flags() -> None:
    assert parse_boolean("☒", "ixt:fixed-true") is True
    assert parse_boolean("no", "ixt:fixed-false") is False
    assert parse_boolean("☐", "ixt-sec:boolballotbox") is False
    assert parse_boolean("true", "") is True
    assert parse_boolean("perhaps", "") is None
