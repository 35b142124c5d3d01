"""Numbers of sentences: value, unit, and the period that the sentence gives them."""

from __future__ import annotations

import datetime as dt

import pytest

from fin_tui.engine.rank.filing_rows import lacks_scale, numbers_of
from fin_tui.records import Fact

ENDS = {year: dt.date(year, 6, 30) for year in range(2018, 2024)}


def _facts(sentence: str) -> list[Fact]:
    return [one.fact for one in numbers_of(sentence, 100, "Heading", ENDS)]


def test_the_number_of_a_clause_is_no_figure() -> None:
    assert not _facts("4.7 Trustee means whoever holds the plan's assets.")
    assert [fact.value for fact in _facts("2.3 million people work here.")] == [2.3e6]


@pytest.mark.parametrize(
    ("sentence", "value", "unit"),
    [
        ("We had cash of $3.6 billion abroad.", 3.6e9, "usd"),
        ("The average price paid was $124.24 per share.", 124.24, "usd/share"),
        ("The rate on our commercial paper was 5.28%.", 0.0528, "pure"),
        ("We may still buy back 590 million shares.", 590e6, "shares"),
        ("We employ 12,000 people.", 12_000, "count"),
        ("We operate in three segments.", 3, "count"),
        ("We had approximately twenty-four full time employees.", 24, "count"),
        ("Notes are paid within ninety days.", 90, "days"),
        ("The average remaining term was approximately six years.", 6, "years"),
        ("Customers pay within 45 days.", 45, "days"),
    ],
)
def test_value_and_unit(sentence: str, value: float, unit: str) -> None:
    (fact,) = _facts(sentence)
    assert fact.value == pytest.approx(value)
    assert fact.unit == unit


@pytest.mark.parametrize(
    "sentence",
    [
        "We sell the Catalyst 9000 series.",
        "This is Level 3 debt.",
        "We launched the eBook 12 and its stand.",
        "Stock – Section 16 reporting.",
        "See Note 12.",
        "Under Section 404 we report.",
        "The table stands on page 88 of that report.",
    ],
)
def test_a_number_that_belongs_to_a_name_counts_nothing(sentence: str) -> None:
    assert not _facts(sentence)


def test_one_counts_only_where_it_stands_before_what_is_counted() -> None:
    assert not _facts("People use more than one of our products, or one or more others.")
    assert [fact.value for fact in _facts("We report in one segment.")] == [1.0]


def test_the_place_is_that_of_the_number() -> None:
    sentence = "Rent was $5 million."
    (fact,) = _facts(sentence)
    assert sentence[fact.start - 100 : fact.end - 100] == "$5 million"


def test_respectively_gives_each_its_year() -> None:
    facts = _facts("Rent was $5 million, $4 million and $3 million in fiscal 2023, 2022 and 2021, respectively.")
    assert [(fact.value, fact.period_end) for fact in facts] == [(5e6, ENDS[2023]), (4e6, ENDS[2022]), (3e6, ENDS[2021])]


def test_a_number_is_of_the_year_beside_it() -> None:
    facts = _facts("For 2022 the provision was $10.1 million compared to $31.9 million for 2021.")
    assert [fact.period_end for fact in facts] == [ENDS[2022], ENDS[2021]]


def test_years_and_days_are_no_figures() -> None:
    assert _facts("On June 30, 2023 we closed the fiscal year 2023.") == []


@pytest.mark.parametrize(
    ("sentence", "years"),
    [
        ("As of June 30, 2022 and 2021, our workforce was 156,000 and 142,000.", [2022, 2021]),
        ("Backlog was $135.4 billion and $147.1 billion at June 30, 2022 and 2021.", [2022, 2021]),
        ("At June 30, 2022, backlog was $135.4 billion, against $147.1 billion at June 30, 2021.", [2022, 2021]),
    ],
)
def test_as_many_numbers_in_a_row_as_days_are_of_the_days_in_their_order(sentence: str, years: list[int]) -> None:
    assert [fact.period_end.year for fact in _facts(sentence) if fact.period_end] == years


def test_years_and_numbers_that_take_turns_are_a_schedule() -> None:
    said = "Maturities in millions of dollars: 2024, $2,948; 2025, $2,766; 2026, $4,213; 2027 and beyond, $4,389."
    assert [(fact.value, fact.period_end) for fact in _facts(said)] == [
        (2_948e6, dt.date(2024, 6, 30)), (2_766e6, dt.date(2025, 6, 30)), (4_213e6, dt.date(2026, 6, 30)),
        (4_389e6, dt.date(2027, 6, 30)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "said",
    [
        "We expect $38 million in 2023; $36 million in 2024; and $21 million in 2025.",
        "As of June 30, 2022, rent is due as follows: $38 million in 2023; $36 million in 2024; and $21 million in 2025.",
    ],
)
def test_years_of_a_schedule_may_stand_behind_their_numbers(said: str) -> None:
    found = [(fact.value, fact.period_end.year) for fact in _facts(said) if fact.period_end]
    assert found == [(38e6, 2023), (36e6, 2024), (21e6, 2025)]


@pytest.mark.parametrize(
    ("sentence", "day"),
    [
        ("In 2022, costs rose $171 million compared to 2021.", None),
        ("In 2022, costs were $5 million compared to $4 million in 2021.", dt.date(2022, 6, 30)),
        ("In 2022, costs were $5 million, and freight, which had been lower in 2021 and before, was $4 million.", None),
    ],
)
def test_the_only_number_among_several_years_may_be_of_any_of_them(sentence: str, day: dt.date | None) -> None:
    assert _facts(sentence)[0].period_end == day


def test_what_moves_from_one_number_to_another_is_of_the_years_in_their_order() -> None:
    moved = _facts("The rate rose from 17.2% to 18.9% from 2020 to 2021.")
    assert [one.period_end for one in moved] == [ENDS[2020], ENDS[2021]]
    compared = _facts("The rate rose from 17.2% to 18.9% in 2021 compared to 2020.")
    assert compared[1].period_end == ENDS[2021]
    assert compared[0].period_end != ENDS[2021]


def test_a_small_amount_is_one_of_the_scale_that_the_filing_leaves_unsaid() -> None:
    sentence = "We paid $36 in cash, $24,150 in notes and $300,000,000 in all."
    assert [one.fact.value for one in numbers_of(sentence, 0, "", ENDS, loose=1_000_000)] == [36e6, 24_150e6, 300e6]
    assert [one.fact.value for one in numbers_of(sentence, 0, "", ENDS)] == [24_150, 300e6]


@pytest.mark.parametrize(
    ("sentence", "lacks"),
    [
        ("We spent $36 on ovens.", True),
        ("Ovens brought in $(1,317).", True),
        ("We spent $36 million on ovens.", False),
        ("An oven is $640 per unit, and lasts 12 years.", False),
        ("We spent $0 on ovens.", False),
        ("We own 36 ovens.", False),
    ],
)
def test_whether_a_reader_needs_the_scale_of_a_sentence(sentence: str, lacks: bool) -> None:
    assert lacks_scale(sentence) == lacks


def test_an_amount_with_cents_and_what_one_of_something_costs_are_in_full() -> None:
    sentence = "We paid $36 in cash, $21 per year, an average of $12.75, and $640 per visit; the retainer is $75,000."
    assert [one.fact.value for one in numbers_of(sentence, 0, "", ENDS, loose=1_000_000)] == [36e6, 21e6, 12.75, 640]
    assert [one.fact.value for one in numbers_of(sentence, 0, "", ENDS)] == [12.75, 640, 75_000]


def test_an_amount_has_the_scale_of_the_one_that_it_is_listed_with() -> None:
    for between in ("and", "to"):
        sentence = f"Spending was $1.25 {between} $1.50 billion."
        assert [one.fact.value for one in numbers_of(sentence, 0, "", ENDS)] == [1.5e9]
