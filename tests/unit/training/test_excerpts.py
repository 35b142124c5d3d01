"""What answers a question among the numbers of lines: the operation, and the places of its numbers."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from fin_tui.engine.rank.excerpt import Line
from tests.unit.engine.figures.test_from_excerpt import line
from training.excerpts import Example, Truth, operation_of, truths

PLANTS = line("Of 261 plants we owned 133.", 100, ("261", 261.0, "count"), ("133", 133.0, "count"))
SPENT = line("We bought 20 million shares for $900 million.", 300, ("20 million", 2e7, "shares"), ("$900 million", 9e8, "usd"))
SHARE = line("Some 51% of our plants are owned.", 500, ("51%", 0.51, "pure"))


def _example(operation: str, *spans: tuple[int, int]) -> Example:
    return Example(("how many?",), "FY2031", operation, spans, (), (), (), frozenset(), "people", "training")


@pytest.mark.parametrize(
    ("expression", "operation"),
    [
        ("a", ("single", ("a",))),
        ("a / b * 100", ("ratio", ("a", "b"))),
        ("(a-b)/b*100", ("growth", ("a", "b"))),
        ("b/a-1", ("growth", ("b", "a"))),
        ("b - a", ("diff", ("b", "a"))),
        ("(a + b) / 2", ("avg", ("a", "b"))),
        ("a * b / 100", ("prod", ("a", "b"))),
        ("a/(a+b)", ("part", ("a", "b"))),
        ("a + b + c", None),
        ("a / 12", None),
        ("", None),
    ],
)
def test_an_expression_is_one_operation_on_two_numbers(expression: str, operation: tuple[str, tuple[str, ...]] | None) -> None:
    assert operation_of(expression) == operation


@pytest.mark.parametrize(
    ("example", "found", "right"),
    [
        (_example("single", (103, 106)), [PLANTS], {("single", 0, 0)}),
        (_example("single", (103, 106)), [SPENT, PLANTS], {("single", 2, 2)}),
        (_example("ratio", (332, 344), (310, 320)), [PLANTS, SPENT], {("ratio", 3, 2)}),
        (_example("sum", (103, 106), (123, 126)), [PLANTS], {("sum", 0, 1), ("sum", 1, 0)}),
        (_example("ratio", (123, 126), (103, 106)), [PLANTS, SHARE], {("ratio", 1, 0), ("single", 2, 2)}),
        (_example("ratio", (332, 344), (103, 106)), [SPENT], {("none", 0, 0)}),
    ],
)
def test_what_answers_is_known_by_its_places(example: Example, found: Sequence[Line], right: set[Truth]) -> None:
    assert truths(example, found) == right


def test_what_is_measured_is_read_behind_the_lines_of_the_turn_before_and_trained_on_in_other_orders_too() -> None:
    pytest.importorskip("torch")
    from training.excerpt_reader import composed

    example = replace(_example("single", (103, 106)), right=(PLANTS,), before=(SHARE,), others=(SPENT, PLANTS, SHARE))
    kept, told, year = composed(example, random.Random(1), is_training=False)
    assert (kept, told, year) == ([SHARE, SPENT, PLANTS], frozenset(), "FY2031")
    chance = random.Random(1)
    trained = [tuple(line.text for line in composed(example, chance, is_training=True)[0]) for _ in range(200)]
    assert len(set(trained)) > 5
    assert 0 < sum(PLANTS.text not in texts for texts in trained) < 60
