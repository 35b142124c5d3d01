"""Lines of filings as they are read together with a question."""

from __future__ import annotations

from typing import Any, cast

from fin_tui.engine.rank.excerpt import Excerpts, enough, joined, whole
from tests.unit.engine.figures.test_from_excerpt import BOUGHT, FILING, PLANTS, RATE, line


def test_lines_stand_one_after_the_other_and_what_was_told_is_marked() -> None:
    made = whole([PLANTS, RATE], {(FILING.id, 103)})
    assert made.text == "Of 40 (told) plants we owned 12. \n Some 51% of plants are leased."
    assert [made.text[start:end] for start, end in made.spans] == ["40", "12", "51%"]
    assert [one.fact.value for one, _ in made.numbers] == [40, 12, 0.51]


def test_a_question_is_read_behind_those_before_it() -> None:
    assert joined(("plants?", "owned?"), "FY2031") == "FY2031: plants? ; question: owned?"
    assert joined(("plants?",), "") == "question: plants?"


def test_lines_of_the_turn_before_stand_before_the_nearest_and_each_stands_once() -> None:
    nothing = cast(Any, None)
    made = Excerpts(nothing, nothing).of([], [RATE], [], [], near=[BOUGHT, RATE, PLANTS])
    assert made.lines == (RATE, BOUGHT, PLANTS)


def test_lines_without_numbers_and_long_ones_are_left_out_until_there_are_enough() -> None:
    bare, long = line("We own plants.", 900), line(f"{'Many words ' * 60} of 40.", 900, ("40", 40.0, "count"))
    assert list(enough([bare, long, PLANTS, RATE, BOUGHT], 10)) == [PLANTS, RATE]
