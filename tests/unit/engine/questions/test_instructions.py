from __future__ import annotations

import pytest

from fin_tui.engine.questions.instructions import read_instructions


def test_a_bare_question_stays_as_it_is() -> None:
    asked = read_instructions("What was Acme's revenue in fiscal 2023?")
    assert asked.text == "What was Acme's revenue in fiscal 2023?"
    assert (asked.definition, asked.places, asked.scale, asked.percent) == ("", None, 0, False)


def test_role_definition_and_rounding_are_told_apart() -> None:
    asked = read_instructions(
        "You are an analyst and may only use the balance sheet. Here's the question: what is Acme's FY2015 cash ratio? "
        "Cash ratio is defined as: cash / total current liabilities. Round your answer to two decimal places."
    )
    assert asked.text == "what is Acme's FY2015 cash ratio?"
    assert asked.definition == "cash / total current liabilities"
    assert asked.places == 2


@pytest.mark.parametrize(
    ("text", "definition"),
    [
        (
            "What was Acme's working capital? Define working capital as current assets less current liabilities.",
            "current assets less current liabilities",
        ),
        ("What is Acme's DSO? DSO = 365 * receivables / revenue", "365 * receivables / revenue"),
        ("What was Acme's leverage (calculated as total debt / total equity) in 2020?", "total debt / total equity"),
        ("What was Acme's ROA (in short, defined as: income / (assets (net) - cash))?", "income / (assets (net) - cash)"),
        ("What was Acme's revenue? It was a good year.", ""),
    ],
)
def test_definitions(text: str, definition: str) -> None:
    assert read_instructions(text).definition == definition


@pytest.mark.parametrize(
    ("text", "scale", "places", "percent"),
    [
        ("What was Acme's revenue in USD millions?", 10**6, None, False),
        ("What was Acme's revenue? Answer in thousands of dollars, to one decimal place.", 10**3, 1, False),
        ("How much did it change, in percent?", 0, None, True),
        ("What was revenue as a percentage of assets?", 0, None, False),
        ("What was Acme's margin, to the nearest whole percent?", 0, 0, False),
    ],
)
def test_units_and_rounding(text: str, scale: int, places: int | None, percent: bool) -> None:
    asked = read_instructions(text)
    assert (asked.scale, asked.places, asked.percent) == (scale, places, percent)


def test_leading_clauses_go() -> None:
    asked = read_instructions(
        "Basing your judgments off of the balance sheet, what is the year end FY2018 accounts payable of Acme?"
    )
    assert asked.text == "what is the year end FY2018 accounts payable of Acme?"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Acme revenue!!! pls", "Acme revenue"),
        ("% of the total?", "% of the total?"),
        ("thx, its growth in %", "its growth in %"),
        ("hi, please: what was Acme's revenue?! thx", "what was Acme's revenue?"),
        ("🚀🚀 Acme revenue 🚀", "Acme revenue"),
        ("thanks!", "thanks!"),
        ("What was Acme's revenue?", "What was Acme's revenue?"),
        ("Acme cost (net)", "Acme cost (net)"),
    ],
)
def test_what_people_say_around_a_question_asks_for_nothing(text: str, read: str) -> None:
    assert read_instructions(text).text == read
