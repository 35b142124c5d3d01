"""Days and months -> fiscal years, over invented filings whose years end in January."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from fin_tui.engine.questions.periods import find_periods
from fin_tui.engine.questions.question import read_question
from fin_tui.engine.questions.target import filed_around, find_target, with_months, year_ending
from fin_tui.records import Scope
from tests.unit.engine.made import filing

RETAILER = replace(filing("Acme Corp.", 2025), period_end=dt.date(2026, 1, 31))
GLOBEX = filing("Globex Inc.", 2023, ticker="GBX")


def test_a_month_is_the_fiscal_year_that_ends_in_it() -> None:
    asked = find_periods("inventory FYE Jan 2026")
    assert asked.years == (2026,)
    assert with_months(asked, [RETAILER]).years == (2025,)
    assert with_months(find_periods("inventory January 2025"), [RETAILER]).years == (2024,)


def test_a_month_within_a_year_leaves_the_year() -> None:
    assert with_months(find_periods("in March 2023"), [GLOBEX]).years == (2023,)


def test_a_month_after_the_last_year_is_that_of_the_cover() -> None:
    assert with_months(find_periods("shares outstanding February 2024"), [GLOBEX]).years == (2023,)
    assert with_months(find_periods("shares outstanding December 2024"), [GLOBEX]).years == (2024,)


def test_a_day_of_the_cover_is_not_a_period_that_is_lacking() -> None:
    question = read_question("How many shares of Globex were outstanding at January 25, 2024?", [GLOBEX])
    target = find_target(question, Scope(), [GLOBEX])
    assert target.filings == (GLOBEX,)
    assert not target.missing
    assert filed_around(dt.date(2024, 12, 1), [GLOBEX]) is None


def test_the_year_of_a_day_within_a_week_of_its_end() -> None:
    assert year_ending(dt.date(2026, 2, 1), [RETAILER]) == 2025
    assert year_ending(dt.date(2026, 3, 1), [RETAILER]) is None
