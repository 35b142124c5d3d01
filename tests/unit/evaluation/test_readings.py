"""What a model's second look is worth: found by figures that are known to be right or wrong."""

from __future__ import annotations

import random

import pytest

from fin_tui.engine.models.grounding import Grounding
from fin_tui.evaluation.trial import UnsureFigure, check_reading, fitted, read_all, told_figures, worth
from tests.unit.engine.answering.test_closer import Reader

CHANCE = random.Random(3)
MADE = [
    UnsureFigure(
        f"Question {at}?", f"Row {at}, FY2024 = {at}", 0.3 + 0.3 * CHANCE.random(), at % 3 > 0, at % 2 == 0, f"filing {at % 9}"
    )
    for at in range(90)
]
KNOWING = [(2.0 if one.is_right else -2.0) + CHANCE.random() for one in MADE]


def test_the_figures_are_right_and_wrong_ones_of_several_filings() -> None:
    told = told_figures()
    assert len({(one.question, one.told) for one in told}) == len(told) >= 100
    assert len({one.group for one in told}) >= 10
    assert 0.3 < sum(one.is_right for one in told) / len(told) < 0.7
    assert all(0 < one.share < 1 for one in told)


def test_a_model_that_knows_lets_the_right_figures_stand() -> None:
    with_it, without = worth(MADE, KNOWING), worth(MADE, [0.0] * len(MADE))
    assert (with_it.right, with_it.wrong) == (45, 0)
    assert without.right < 10, "it knows no more than a coin"
    weights = fitted(MADE, KNOWING)
    assert weights.chance(0.4, 2.5, is_computed=True) > 0.9 > 0.1 > weights.chance(0.4, -1.5, is_computed=True)


def test_a_model_that_guesses_weighs_little() -> None:
    guesses = [CHANCE.uniform(-2, 2) for _ in MADE]
    assert abs(fitted(MADE, guesses).said) < abs(fitted(MADE, KNOWING).said) / 3


def test_what_it_is_worth_decides_its_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fin_tui.evaluation.trial.told_figures", lambda: MADE)
    known = Grounding(7, 0, 0, 0)
    monkeypatch.setattr("fin_tui.evaluation.trial.read_all", lambda *_: KNOWING)
    found = check_reading(known, Reader([]), lambda done, total: None)
    assert (found.readings_asked, found.readings_right, found.readings_wrong) == (90, 45, 0)
    assert found.uses == ("reading",)
    monkeypatch.setattr("fin_tui.evaluation.trial.read_all", lambda *_: [0.0] * len(MADE))
    assert check_reading(known, Reader([]), lambda done, total: None).uses == ()
    monkeypatch.setattr("fin_tui.evaluation.trial.read_all", lambda *_: [0.0])
    assert check_reading(known, Reader([]), lambda done, total: None) == known, "it was stopped"


def test_reading_ends_where_it_is_stopped() -> None:
    assert read_all(Reader([], odds=1.0), MADE[:3]) == [1.0] * 3
    assert read_all(Reader([], odds=1.0), MADE[:3], cancelled=lambda: True) == []
