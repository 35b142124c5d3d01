"""Which paragraphs state a figure that stands elsewhere as well, and what readers' judgements make of a threshold."""

from __future__ import annotations

import numpy as np
import pytest

from fin_tui.engine.searching.find import _REREAD, FIRST
from training.answers import judged
from training.stated import prints
from training.train import DATA, lines
from training.weighing import THRESHOLDS


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
    ],
)
def test_a_number_with_digits_enough_is_the_same_one_where_it_stands_alone(text: str, number: str, *, is_printed: bool) -> None:
    assert prints(text, number) is is_printed


def test_what_readers_judged_has_what_a_threshold_needs() -> None:
    rows = lines(DATA / "judged.jsonl")
    assert {len(row["known"]) for row in rows} == {len(_REREAD)}
    assert len(_REREAD) > FIRST
    told = list(judged(np.array(list(_REREAD.values()))))
    assert len(told) == len(THRESHOLDS)
    assert any(row["misleads"] for row in rows)
    assert not any(row["misleads"] and row["is_full"] and row["kind"] == "none" for row in rows)
