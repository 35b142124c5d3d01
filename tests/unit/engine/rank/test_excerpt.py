"""Lines of filings as they are read together with a question."""

from __future__ import annotations

from fin_tui.engine.rank.excerpt import joined, whole
from tests.unit.engine.figures.test_from_excerpt import FILING, PLANTS, RATE


def test_lines_stand_one_after_the_other_and_what_was_told_is_marked() -> None:
    made = whole([PLANTS, RATE], {(FILING.id, 103)})
    assert made.text == "Of 40 (told) plants we owned 12. \n Some 51% of plants are leased."
    assert [made.text[start:end] for start, end in made.spans] == ["40", "12", "51%"]
    assert [one.fact.value for one, _ in made.numbers] == [40, 12, 0.51]


def test_a_question_is_read_behind_those_before_it() -> None:
    assert joined(("plants?", "owned?"), "FY2031") == "FY2031: plants? ; question: owned?"
    assert joined(("plants?",), "") == "question: plants?"
