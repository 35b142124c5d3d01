"""Which paragraphs state a figure that stands elsewhere as well, and what readers' judgements make of a threshold."""

from __future__ import annotations

import numpy as np
import pytest

from fin_tui.engine.searching.find import _REREAD, TOLD
from training.answers import judged
from training.stated import prints


@pytest.mark.parametrize(
    ("text", "number", "is_printed"),
    [
        ("It cost $1,250 in all.", "1,250", True),
        ("It cost $1,250.", "1,250", True),
        ("It cost $1,250.5 in all.", "1,250", False),
        ("It cost $1,250,000 in all.", "1,250", False),
        ("Of 25 plants 20 are ours.", "25", False),
        ("They cost 500,000 dollars.", "500,000", False),
        ("It cost $1,350 in all.", "1,250", False),
        ("It cost $11,250 in all.", "1,250", False),
        ("It cost $1,250,000, of which $1,250 are paid.", "1,250", True),
        ("Sales fell in 2023.", "2023", False),
    ],
)
def test_a_number_with_digits_enough_is_the_same_one_where_it_stands_alone(text: str, number: str, *, is_printed: bool) -> None:
    assert prints(text, number) is is_printed


def test_what_readers_judged_is_worth_what_the_threshold_says() -> None:
    told = list(judged(np.array(list(_REREAD.values()))))
    assert f"  judged, from {TOLD}: told 193 of 288, in full 153, misleading 13" in told
