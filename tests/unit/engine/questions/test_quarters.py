"""Quarters that questions name."""

from __future__ import annotations

import datetime as dt

import pytest

from fin_tui.engine.questions.periods import find_periods, find_quarter, period_spans, quarter_ending
from fin_tui.engine.questions.target import Subject, subjects
from fin_tui.engine.questions.understanding import Request, understand
from fin_tui.facts import vocabulary
from tests.unit.engine.made import filing

HELD = tuple(filing("Acme Corp.", year) for year in (2022, 2023))


@pytest.mark.parametrize(
    ("text", "number", "years"),
    [
        ("revenue in the fourth quarter of 2022", 4, (2022,)),
        ("Q3 FY23 revenue", 3, (2023,)),
        ("revenue for 2Q22", 2, (2022,)),
        ("first-quarter 2023 sales", 1, (2023,)),
        ("the last quarter of fiscal 2022", 4, (2022,)),
        ("What was revenue in quarter 2 of 2022?", 2, (2022,)),
        ("the first and second quarters of 2022", 0, (2022,)),
        ("Q1 and Q2 2022", 0, (2022,)),
        ("revenue of 2022, quarterly", 0, (2022,)),
    ],
)
def test_the_quarter_named(text: str, number: int, years: tuple[int, ...]) -> None:
    assert (find_quarter(text), find_periods(text).years) == (number, years)


@pytest.mark.parametrize(
    "text", ["sales of the quarter ended June 30, 2022", "sales in the quarter to June 2022", "sales, April-June quarter of 2022"]
)
def test_a_quarter_is_named_by_its_last_day_or_month(text: str) -> None:
    found = find_periods(text)
    assert (found.dates, found.years, found.by_quarter) == ((dt.date(2022, 6, 30),), (), True)


def test_the_words_of_one_quarter_are_accounted_for_and_those_of_two_are_not() -> None:
    one, two = "sales of the third quarter of 2022", "sales of the first quarter and the third quarter"
    assert any(one[a:b].strip() == "the third quarter" for a, b in period_spans(one))
    assert not period_spans(two)


@pytest.mark.parametrize(
    ("date", "expected"),
    [((2023, 12, 31), (0, 4)), ((2023, 9, 30), (0, 3)), ((2022, 4, 2), (1, 1)), ((2023, 2, 14), None)],
)
def test_a_day_is_the_end_of_a_quarter_of_the_companys_year(date: tuple[int, int, int], expected: object) -> None:
    assert quarter_ending(dt.date(*date), dt.date(2023, 12, 31)) == expected


def asked(*turns: str) -> Subject:
    *before, last = turns
    understood = understand(Request(last, history=tuple(before)), HELD, vocabulary())
    assert understood.reading is not None
    return subjects(understood.question, understood.reading, understood.target, understood.request.scope, HELD)[0]


@pytest.mark.parametrize(
    ("turns", "quarter", "years"),
    [
        (("What was Acme's revenue in the second quarter of 2022?",), 2, (2022,)),
        (("What was Acme's revenue for the quarter ended September 30, 2022?",), 3, (2022,)),
        (("What was Acme's revenue in Q2 2022?", "And in the third quarter?"), 3, (2022,)),
        (("What was Acme's revenue in Q2 2022?", "What about net income?"), 2, (2022,)),
        (("What was Acme's revenue in the April-June quarter of 2023?", "And the same quarter the year before?"), 2, (2022,)),
        (("What was Acme's revenue in Q2 2022?", "And in 2023?"), 2, (2023,)),
        (("What was Acme's revenue in Q2 2022?", "And the same quarter of 2023?"), 2, (2023,)),
        (("What was Acme's revenue in Q2 2022?", "And net income by quarter in 2023?"), 0, (2023,)),
        (("What was Acme's revenue in Q2 2022?", "And in 2023?", "By how much did it change?"), 2, (2022, 2023)),
        (("What was Acme's revenue in Q2 2022?", "And for the full year?"), 0, (2022,)),
    ],
)
def test_follow_ups_keep_the_quarter_until_they_name_another_or_the_year(
    turns: tuple[str, ...], quarter: int, years: tuple[int, ...]
) -> None:
    found = asked(*turns)
    assert (found.quarter, found.years) == (quarter, years)


def test_the_year_of_the_filing_to_look_in_is_not_asked_about() -> None:
    assert asked("What was Acme's revenue in 2022, per its 2023 10-K?").years == (2022,)
    assert asked("What was Acme's revenue in the 2023 10-K?").years == (2023,)


def test_a_part_of_it_named_in_capitals_is_a_part_of_the_company_before() -> None:
    before = "What was Acme's revenue in 2022?"
    understood = understand(Request("How much of it came from Global Rockets?", history=(before,)), HELD, vocabulary())
    assert [named.name for named in understood.question.companies] == ["Acme Corp."]
    assert not understood.question.unknown
