from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fin_tui.engine.periods import find_periods


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("in fiscal 2023", (2023,)),
        ("in FY23 and FY2024", (2023, 2024)),
        ("fiscal year '22", (2022,)),
        ("from 2021 to 2023", (2021, 2022, 2023)),
        ("2021-2023", (2021, 2022, 2023)),
        ("2021–23", (2021, 2022, 2023)),
        ("between 2021 and 2023", (2021, 2023)),
        ("2019 and 2020", (2019, 2020)),
        ("the 2029 Notes", ()),
        ("$2,023 million", ()),
        ("2023.5", ()),
        ("item 2024/01", ()),
        ("no year at all", ()),
    ],
)
def test_years(text: str, years: tuple[int, ...]) -> None:
    assert find_periods(text).years == years


def test_a_date_is_a_date_and_not_a_year() -> None:
    periods = find_periods("for the year ended September 28, 2024")
    assert periods.dates == (dt.date(2024, 9, 28),)
    assert periods.years == ()


def test_words_for_periods() -> None:
    assert find_periods("in the latest fiscal year").latest
    assert find_periods("over the past three years").past == 3
    assert find_periods("February 30, 2024").dates == ()


@given(st.text(max_size=200))
def test_never_raises_and_stays_in_range(text: str) -> None:
    assert all(1900 <= year <= 2099 for year in find_periods(text).years)
