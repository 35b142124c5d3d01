"""FinQA's notation: trees, exact results, what can't be read."""

from __future__ import annotations

from decimal import Decimal

import pytest

from fin_tui.evaluation.sets import read_program, run_program, same_result
from fin_tui.facts.expression import Binary, CalculationError, Number

TABLE = (
    ("", "2025", "2024", "2023"),
    ("net sales", "$ 5,829", "5735", "$ 5,000.5"),
    ("cash used in ( provided by ) financing, net", "$ -21 ( 21 )", "(30)", "12%"),
    ("notes", "n/a", "1", "2"),
    ("empty",),
)


@pytest.mark.parametrize(
    ("program", "result"),
    [
        ("add(1, 2)", "3"),
        ("subtract(5829, 5735)", "94"),
        ("multiply(2.5, const_100)", "250"),
        ("divide(1, 8)", "0.125"),
        ("exp(1.1, 2)", "1.21"),
        ("subtract(5829, 5735), divide(#0, 94), add(#1, #0)", "95"),
        ("subtract(61%, 54%)", "0.07"),
        ("add($ 5,829, const_m1)", "5828"),
        ("subtract(5,829, 5,735)", "94"),
        ("multiply(-3, const_1000000)", "-3000000"),
        ("add(0.1, 0.2)", "0.3"),
        ("table_max(net sales, none)", "5829"),
        ("table_min(net sales, none)", "5000.5"),
        ("table_sum(Net  Sales, none)", "16564.5"),
        ("table_average(net sales, none), divide(#0, 5521.5)", "1"),
        ("table_min(cash used in ( provided by ) financing, net, none)", "-30"),
        ("table_sum(cash used in ( provided by ) financing, net, none)", "-50.88"),
        ("60.94", "60.94"),
        ("14.2%", "0.142"),
    ],
)
def test_results_are_exact(program: str, result: str) -> None:
    assert run_program(program, TABLE) == Decimal(result)


def test_a_step_becomes_a_tree_over_earlier_steps() -> None:
    subtract = Binary("-", Number(Decimal(5829)), Number(Decimal(5735)))
    assert read_program("subtract(5829, 5735), divide(#0, 5735)").root == Binary("/", subtract, Number(Decimal(5735)))


def test_a_comparison_is_yes_or_no() -> None:
    assert run_program("greater(5829, 5735)") == "yes"
    assert run_program("subtract(1, 2), greater(#0, 0)") == "no"
    assert run_program("greater(2, 2.0)") == "no"


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("divide(1, 0)", "divides by zero"),
        ("add(1)", "two arguments"),
        ("add(1, 2, 3)", "two arguments"),
        ("power(2, 3)", "Unknown step 'power'"),
        ("add(#0, 1)", "no earlier step"),
        ("greater(1, 2), add(#0, 1)", "is a comparison"),
        ("table_sum(gross sales, none)", "no row"),
        ("table_sum(notes, none)", "is no number"),
        ("table_sum(empty, none)", "is empty"),
        ("add(1, 2", "never closed"),
        ("add(1, 2) and more", "Can't read"),
        ("add(one, 2)", "is no number"),
        ("add(nan, 2)", "is no finite number"),
        ("", "is no number"),
    ],
)
def test_what_can_not_be_read_or_computed_says_why(program: str, says: str) -> None:
    with pytest.raises(CalculationError) as caught:
        run_program(program, TABLE)
    assert says in caught.value.message


def test_references_can_not_make_a_tree_without_end() -> None:
    program = ", ".join(["add(1, 1)", *(f"add(#{at}, #{at})" for at in range(40))])
    with pytest.raises(CalculationError, match="too large"):
        read_program(program)


def test_results_are_the_same_to_five_places() -> None:
    assert same_result(Decimal(94) / Decimal(5735), 0.01639)
    assert not same_result(Decimal(94) / Decimal(5735), 0.01641)
    assert same_result(Decimal("123456789012.5"), 123456789012.5)
    assert same_result(Decimal("0.07"), "7%")
    assert same_result("yes", "Yes")
    assert not same_result("no", "yes")
    assert not same_result(Decimal(1), "yes")
