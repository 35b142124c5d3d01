"""What the heads learn from a question written for a calculation."""

from __future__ import annotations

import pytest

from training.asked import calculation_asked, turn_asked


def _row(expression: str, unit: str = "usd", **words: str) -> dict[str, object]:
    return {"question": "a question", "expression": expression, "unit": unit, "words": words}


@pytest.mark.parametrize(
    ("expression", "unit", "operation"),
    [
        ("a / b * 100", "%", "share"), ("a / b", "ratio", "ratio"), ("a/b", "usd", "per_unit"), ("a/b*365", "days", "ratio"),
        ("(a-b)/b*100", "%", "growth"), ("(a/b-1)*100", "%", "growth"), ("((a/b)**(1/2)-1)*100", "%", "cagr"),
        ("(a-b)/(c-d)*100", "%", "contribution"), ("a-b", "usd", "difference"), ("a+b+c", "usd", "sum"),
        ("(a+b+c)/3", "usd", "average"), ("n*p", "usd", "product"),
        ("a*b/100", "usd", "product"), ("a/100*b", "usd", "product"), ("a*(100-b)/100", "usd", None), ("a*b/12", "usd", None),
    ],
)  # fmt: skip
def test_the_expression_says_what_is_done(expression: str, unit: str, operation: str | None) -> None:
    assert calculation_asked(_row(expression, unit))["operation"] == operation


def test_operands_stand_in_the_order_of_the_calculation() -> None:
    assert calculation_asked(_row("b/a", a="shops", b="gadget sales"))["operand"] == ["gadget sales", "shops"]
    assert calculation_asked(_row("a-b", a="2023", b="2022"))["operand"] is None
    assert calculation_asked(_row("(a+b)/c", a="rent", b="wages", c="sales"))["operand"] is None


def test_a_follow_up_takes_an_operand_from_the_question_before() -> None:
    row = {
        **_row("a/b*100", "%", b="all sales"),
        "turns": ["gadget sales?", "as part of all sales"],
        "before": "first",
        "leans": True,
    }
    asked = calculation_asked(row)
    assert (asked["question"], asked["follow_up_of"]) == ("as part of all sales", "gadget sales?")
    assert (asked["operand"], asked["before"], asked["carry"]) == (["", "all sales"], "first", "before")


def test_a_turn_of_a_dialogue_says_what_it_does_and_which_kind_of_figure_it_wants() -> None:
    asked = turn_asked({"turns": ["rent in 2023?", "how many shops is that for?"], "expression": "a", "unit": "count"})
    assert (asked["follow_up_of"], asked["operation"], asked["answer"]) == ("rent in 2023?", "lookup", "count")
    asked = turn_asked({"turns": ["rent in 2023?", "up how much?"], "expression": "(a-b)/b*100", "unit": "%"})
    assert (asked["operation"], asked["answer"]) == ("growth", "percent")
