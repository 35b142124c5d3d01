from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fin_tui.engine.questions.periods import (
    Periods,
    find_periods,
    is_set_against_before,
    of_newest_year,
    opening,
    read_period,
    with_whole_years,
    years_long,
)


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
        ("in the year before fiscal 2024", (2023,)),
        ("in the prior year to 2023", (2022,)),
        ("two years before fiscal 2025", (2023,)),
        ("capex in 24", (2024,)),
        ("capex '23 vs the year before", (2023,)),
        ("stores in 46 states", ()),
    ],
)
def test_years(text: str, years: tuple[int, ...]) -> None:
    assert find_periods(text).years == years


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("cash at the start of 2023", (2022,)),
        ("orders at the start of December 2023", (2023,)),
        ("orders at the start of dec 2023", (2023,)),
        ("backlog at the beginning of fiscal year 2023", (2022,)),
        ("cash raised since the start of 2023", (2023,)),
        ("from the beginning of 2021 through 2023", (2021, 2022, 2023)),
        ("cash at the start of 2022 and at the end of 2023", (2022, 2023)),
    ],
)
def test_what_there_was_at_the_start_of_a_year_is_of_the_year_before(text: str, years: tuple[int, ...]) -> None:
    assert opening(find_periods(text), text).years == years


def test_a_date_is_a_date_and_not_a_year() -> None:
    periods = find_periods("for the year ended September 28, 2024")
    assert periods.dates == (dt.date(2024, 9, 28),)
    assert periods.years == ()


def test_words_for_periods() -> None:
    assert find_periods("in the latest fiscal year").latest
    assert find_periods("over the past three years").past == find_periods("last 3 yrs").past == 3
    assert find_periods("February 30, 2024").dates == ()


@given(st.text(max_size=200))
def test_never_raises_and_stays_in_range(text: str) -> None:
    assert all(1900 <= year <= 2099 for year in find_periods(text).years)


def test_years_up_to_the_latest() -> None:
    assert find_periods("since 2021").since
    assert find_periods("from fiscal 2021 to date").since
    assert find_periods("from FY2021 onwards").since
    assert not find_periods("from 2021 to 2023").since


def test_numbers_of_past_years() -> None:
    said = ("the last three years", "the three most recent fiscal years", "the past few years", "recent years")
    assert [find_periods(text).past for text in said] == [3, 3, 3, 3]
    assert find_periods("over the past 10 years").past == 10


def test_years_ago() -> None:
    assert find_periods("revenue two years ago").back == 2
    assert find_periods("revenue the year before").back == 1
    assert find_periods("revenue two yrs ago").back == 2
    assert find_periods("revenue the yr before").back == find_periods("prior yr").back == 1
    assert find_periods("and a yr later?").back == -1
    assert find_periods("than the yr before 2024").back == 0
    assert find_periods("the yr before 2024").years == find_periods("the year before 2024").years
    assert find_periods("than the year before 2024").back == 0
    assert find_periods("and a year later?").back == find_periods("year later").back == find_periods("and yr after?").back == -1
    assert find_periods("years later").back == find_periods("staff in the year after the fire").back == 0
    assert find_periods("and in each year after?").back == find_periods("every year later").back == 0
    assert find_periods("two years later").back == -2
    assert find_periods("what rent next year?").back == find_periods("in the coming year, next fiscal yr").back == -1
    assert find_periods("rent over the next year").back == find_periods("next year 2024").back == 0
    assert find_periods("the year after 2024").back == 0


@pytest.mark.parametrize(
    ("name", "years", "dates"),
    [
        ("end-2020", (2020,), ()),
        ("YE97", (1997,), ()),
        ("CY20", (2020,), ()),
        ("2020/21", (2021,), ()),
        ("Dec-21", (2021,), ()),
        ("31.12.22", (), (dt.date(2022, 12, 31),)),
        ("12-31-21", (), (dt.date(2021, 12, 31),)),
        ("31 Dec 22", (), (dt.date(2022, 12, 31),)),
        ("Dec 31", (), ()),
        ("at June 30", (), ()),
        ("next 12 months", (), ()),
        ("last 12m", (), ()),
        ("31.31.22", (), ()),
    ],
)
def test_words_known_to_name_a_period_are_read_however_they_are_written(
    name: str, years: tuple[int], dates: tuple[dt.date]
) -> None:
    read = read_period(name)
    assert (read.years, read.dates) == (years, dates)


@pytest.mark.parametrize(
    "length", ["12 months", "the next 24 months", "12-month", "months 13 to 36", "52 weeks", "90 days", "the last 30 days"]
)
def test_a_number_of_units_of_time_is_no_year(length: str) -> None:
    assert read_period(length) == Periods()


def test_a_decimal_is_no_year() -> None:
    assert read_period("2.31") == Periods()
    assert read_period("31.12.22").named


def test_what_a_length_of_time_ends_with_is_a_period() -> None:
    assert read_period("the 52 weeks to Dec 23").years == (2023,)


@pytest.mark.parametrize(
    ("name", "years"), [("3-year", 3), ("3 year", 3), ("three-year", 3), ("over 5 years", 5), ("4 yrs", 4), ("12 months", 0)]
)
def test_how_many_years_a_span_has(name: str, years: int) -> None:
    assert years_long(name) == years


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("margin 2031 vs 30", "margin 2031 vs 2030"),
        ("margin fy31 v. '30?", "margin fy31 vs 2030?"),
        ("margin 31 against 30", "margin 2031 vs 2030"),
        ("margin at end 31 v 30", "margin at end 2031 vs 2030"),
        ("plants 12 vs 45", "plants 12 vs 45"),
        ("plants year-end '31", "plants year-end 2031"),
        ("plants 97?", "plants 1997?"),
        ("top 20 plants", "top 20 plants"),
        ("plants Dec 31, vs dec-30", "plants Dec 2031, vs dec-2030"),
        ("plants on Dec 31 2031", "plants on Dec 31 2031"),
        ("plants on dec 31 30 in all", "plants on dec 31 2030 in all"),
        ("plants on Dec 31, 2031", "plants on Dec 31, 2031"),
        ("a return of 12.5 vs 11.5", "a return of 12.5 vs 11.5"),
        ("sales 1999 and 98", "sales 1999 and 1998"),
        ("costs of 25 and 30?", "costs of 25 and 30?"),
        ("2031 and 22 plants", "2031 and 22 plants"),
        ("2031 vs 2030", "2031 vs 2030"),
        ("sales 2031 and 50", "sales 2031 and 50"),
    ],
)
def test_a_year_in_two_digits_gets_all_of_them_where_only_a_year_can_stand(text: str, whole: str) -> None:
    assert with_whole_years(text) == whole


@pytest.mark.parametrize(
    ("text", "newest"),
    [
        ("staff 2031 vs 2030", "staff 2031"),
        ("staff 2030 and 2031", "staff 2031"),
        ("staff 2031 and the year before", "staff 2031"),
        ("staff 2029 to 2031", ""),
        ("staff 2031", ""),
        ("staff in 2031, and pay in 2030", ""),
    ],
)
def test_of_two_years_side_by_side_the_newest_may_be_asked_alone(text: str, newest: str) -> None:
    assert of_newest_year(text).strip() == newest


@pytest.mark.parametrize(
    ("text", "is_set"),
    [
        ("sales 2031 vs the prior year", True),
        ("sales against a year ago", True),
        ("sales and the year before", True),
        ("and the year before?", False),
        ("sales of the prior year", False),
    ],
)
def test_the_year_before_may_be_set_against_another(text: str, *, is_set: bool) -> None:
    assert is_set_against_before(text) is is_set
