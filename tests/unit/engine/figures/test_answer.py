"""From a question to a numeric answer: figures, what is computed of them, what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from fin_tui.engine.figures.answer import NoFigures, answer_figures, answer_of_one
from fin_tui.facts.figures import Figure, Gap, Metric, Period
from fin_tui.records import Filing, Scope
from tests.unit.engine.figures.book import ACME, ACMES, Book, ask, source, understood


def test_a_figure_is_told_with_its_period_unit_and_row() -> None:
    answer = ask("What was Acme's revenue in fiscal 2024?")
    assert (answer.value, answer.unit) == (120e6, "usd")
    assert answer.sentences[0].text == "Acme's revenue was $120 million in FY2024 (year ended 2024-12-31)."
    assert answer.sentences[0].citations == (1,)
    assert answer.passages[0].citation.quote == "Revenue\t120\t100"
    assert answer.calculation is None
    assert answer.facts[0]["as_reported"] == "120"
    assert answer.plan[0]["operation"] == "lookup"


def test_growth_shows_expression_operands_and_result() -> None:
    answer = ask("By what percentage did Acme's revenue change from fiscal 2023 to fiscal 2024?")
    assert answer.value == pytest.approx(20.0)
    assert answer.calculation == {
        "expression": "a / b - 1",
        "inputs": {
            "a": {"item": "revenue", "value": 120e6, "unit": "usd", "period_end": "2024-12-31", "fact": 0},
            "b": {"item": "revenue", "value": 100e6, "unit": "usd", "period_end": "2023-12-31", "fact": 1},
        },
        "substituted": "120 / 100 - 1",
        "result": 20.0,
        "unit": "%",
        "display": "20.0%",
    }
    assert [sentence.support for sentence in answer.sentences] == ["computed", "grounded", "grounded"]


@pytest.mark.parametrize(
    ("question", "value", "unit"),
    [
        ("How much did Acme's revenue change from 2022 to 2024?", 40e6, "usd"),
        ("What was Acme's average annual revenue over 2022 to 2024?", 100e6, "usd"),
        ("What was Acme's compound annual revenue growth rate from 2022 to 2024?", 22.474487, "%"),
        ("What was Acme's net profit margin in 2024?", 25.0, "%"),
        ("How did Acme's net margin change from 2023 to 2024?", 5.0, "%"),
        ("What was Acme's inventory turnover in 2024?", 5.0, "ratio"),
        ("What was Acme's gross profit in 2024?", 60e6, "usd"),
        ("What share of Acme's revenue came from Rockets in 2024?", 25.0, "%"),
        ("What was Acme's revenue excluding Rockets in 2024?", 90e6, "usd"),
        ("What was Acme's net margin without Rockets in 2024?", 27.777778, "%"),
        ("How much did Acme's net income grow from 2022 to 2023, in percent?", 300.0, "%"),
        ("How much more revenue did Acme make than Globex in 2024?", 60e6, "usd"),
        ("Which company had the higher net margin in 2024, Acme or Globex?", 25.0, "%"),
        ("In which year was Acme's net income the lowest, 2022, 2023 or 2024?", -10e6, "usd"),
        ("What was Acme's total revenue from 2022 to 2024 combined?", 300e6, "usd"),
        (
            "What is Acme's 2024 burn? It is defined as: (net income - revenue) / revenue. Round to two decimal places.",
            -0.75,
            "ratio",
        ),
        ("What was Acme's revenue?", 120e6, "usd"),
        ("What was Acme's revenue the year before?", 100e6, "usd"),
        ("What was Acme's revenue for the year ended December 31, 2023?", 100e6, "usd"),
    ],
)
def test_values(question: str, value: float, unit: str) -> None:
    answer = ask(question)
    assert answer.value == pytest.approx(value, rel=1e-6)
    assert answer.unit == unit


def test_units_and_rounding_on_request() -> None:
    assert "$120,000 thousand" in ask("What was Acme's revenue in 2024, in thousands of dollars?").sentences[0].text
    rounded = ask("What was Acme's revenue growth in 2023? Round to one decimal place.")
    assert rounded.display == "25.0%"


def test_several_years_and_companies_give_a_table_with_its_gaps() -> None:
    answer = ask("Compare the revenue and net income of Acme and Globex in 2023 and 2024")
    assert answer.value is None
    assert answer.table is not None
    assert answer.table["columns"] == ["FY2023", "FY2024"]
    rows = {row["label"]: row["cells"] for row in answer.table["rows"]}
    assert [cell["value"] for cell in rows["Acme Corp. · revenue"]] == [100e6, 120e6]
    missing, held = rows["Globex Inc. · net income"]
    assert (missing["value"], held["value"]) == (None, 12e6)
    assert "FY2023" in str(missing["gap"])


def test_a_trend_takes_each_year_from_the_latest_filing() -> None:
    answer = ask("What was Acme's revenue in 2022, 2023 and 2024?")
    assert {fact["filing"] for fact in answer.facts} == {ACME[2].id}
    assert {fact["filing"] for fact in ask("What was Acme's revenue in 2023?").facts} == {ACME[1].id}


def test_a_verdict_on_yes_or_no() -> None:
    told = "Acme's revenue rose $20 million from FY2023 to FY2024, to $120 million from $100 million."
    assert ask("Did Acme's revenue increase from 2023 to 2024?").sentences[0].text == f"Yes: {told}"
    assert ask("Did Acme's revenue decline from 2023 to 2024?").sentences[0].text == f"No: {told}"


def test_a_restated_value_is_named() -> None:
    class Restating(Book):
        def figure(self, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
            found = super().figure(metric, filings, period)
            return found if isinstance(found, Gap) else replace(found, restated=Decimal(99000000), restated_in=ACME[2])

    text = ask("What was Acme's revenue in fiscal 2023?", book=Restating()).sentences[0].text
    assert text == (
        "Acme's revenue was $100 million in FY2023 (year ended 2023-12-31). Restated as $99 million in the FY2024 filing."
    )


def test_what_no_fact_states_is_no_figure() -> None:
    asked = understood("What was Acme's goodwill in 2024?")
    assert asked.reading is not None
    assert answer_figures(asked.reading, asked.subjects, source()) == NoFigures(("No goodwill for FY2024.",))


def test_a_formula_of_which_nothing_was_found_is_not_zero() -> None:
    asked = understood("What was Acme's cash returned to shareholders in 2024?")
    assert asked.reading is not None
    assert isinstance(answer_figures(asked.reading, asked.subjects, source()), NoFigures)


def test_an_amount_of_money_is_no_count() -> None:
    book = Book({("Acme Corp.", "widgets", 2024): 79e9})
    asked = understood("How many widgets did Acme have in 2024?")
    assert asked.reading is not None
    assert isinstance(answer_figures(asked.reading, asked.subjects, source(book)), NoFigures)
    assert ask("What was the balance of Acme's widgets in 2024?", book=book).value == 79e9


def test_growth_from_a_zero_base_has_no_value() -> None:
    book = Book({("Acme Corp.", "revenue", 2023): 0.0, ("Acme Corp.", "revenue", 2024): 5e6})
    asked = understood("What was Acme's revenue growth in 2024?")
    assert asked.reading is not None
    found = answer_figures(asked.reading, asked.subjects, source(book))
    assert isinstance(found, NoFigures)
    assert "rate" in found.why[0]


def test_no_company_named_and_several_held_is_a_guess_not_made() -> None:
    assert understood("What was the revenue in fiscal 2024?").subjects == ()
    alone = understood("What was the revenue in fiscal 2024?", scope=Scope(filings=(ACME[2].id,)))
    assert [subject.company for subject in alone.subjects] == ["Acme Corp."]


def test_a_segment_tells_its_company() -> None:
    asked = understood("What was the Rockets revenue in 2024?")
    assert asked.reading is not None
    assert asked.subjects == ()
    found = answer_of_one(asked.reading, asked.candidates, source())
    assert found is not None
    assert found.value == 30e6
    both = Book({**ACMES, ("Globex Inc.", "Rockets revenue", 2024): 7e6})
    assert answer_of_one(asked.reading, asked.candidates, source(both)) is None


def test_a_list_of_segments_gives_one_figure_for_each() -> None:
    book = Book({**ACMES, ("Acme Corp.", "Sleds revenue", 2024): 8e6})
    answer = ask("What were Acme's sales of Rockets and Sleds in 2024?", book=book)
    assert answer.table is not None
    assert [row["cells"][0]["value"] for row in answer.table["rows"]] == [30e6, 8e6]
    whole = Book({**ACMES, ("Acme Corp.", "Rockets and Sleds revenue", 2024): 40e6})
    assert ask("What were Acme's sales of Rockets and Sleds in 2024?", book=whole).value == 40e6


def test_a_margin_of_a_segment_is_made_of_the_segments_figures() -> None:
    book = Book({**ACMES, ("Acme Corp.", "Rockets gross_profit", 2024): 12e6})
    answer = ask("What was Acme's Rockets gross margin in 2024?", book=book)
    assert answer.value == pytest.approx(40.0)
    assert [sentence.text.partition(" was ")[0] for sentence in answer.sentences] == [
        "Acme's Rockets gross margin",
        "Acme's Rockets gross profit",
        "Acme's Rockets revenue",
    ]
    assert [sentence.is_detail for sentence in answer.sentences] == [False, True, True]


def test_a_second_half_that_asks_why_leaves_the_figure_standing() -> None:
    assert ask("What was Acme's net income in 2024 and why did it rise?").value == 30e6


def test_the_difference_of_two_metrics_is_not_a_change() -> None:
    assert ask("What is the difference between Acme's revenue and net income in 2024?").value == 90e6


def test_all_companies_in_scope_when_asked_for() -> None:
    subjects = understood("What was the net income of all companies in fiscal 2024?").subjects
    assert {subject.company for subject in subjects} == {"Acme Corp.", "Globex Inc."}
