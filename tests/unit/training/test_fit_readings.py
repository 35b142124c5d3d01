"""Which questions the weights of readings are fitted on, and what fitting all of them, or one alone, makes of filled readings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from fin_tui.engine.figures.weighed import FEATURES
from training.fit_readings import STRENGTH, Asked, fitted, fitted_alone, loss, sampled


def _row(name: int, expression: str, unit: str = "usd", *, is_calculation: bool = True) -> dict[str, object]:
    return {"question": name, "expression": expression, "unit": unit, "calculation": is_calculation}


def _asked(right: Sequence[bool], **features: Sequence[float]) -> Asked:
    """A question whose readings have these features, one number a reading; the others are 0."""
    of_all = np.array([features.get(name, [0.0] * len(right)) for name in FEATURES]).T
    none, zeros = np.zeros(len(right), np.bool_), np.zeros(len(right))
    return Asked("a question", "a filing", True, False, of_all, zeros, zeros, np.array(right), none, none)


_ASKED = (
    _asked([True, False], left=[1.0, 0.0], count=[0.0, 1.0]),
    _asked([True, False], left=[2.0, 1.0], count=[1.0, 1.0]),
    _asked([False, True], left=[1.0, 0.0], count=[2.0, 0.0]),
    _asked([False], left=[0.5], count=[1.0]),
)
"""Mostly the reading with more of ``left`` is right, and the one with less of ``count``; of the last none is."""


def test_every_nth_row_of_an_operation_is_asked_and_all_of_a_rare_one() -> None:
    differences = [_row(number, "a-b") for number in range(200)]
    rare = [_row(number, "a/b*100", "%") for number in range(1000, 1199)]
    mixed = [row for pair in zip(differences, rare, strict=False) for row in pair] + differences[199:]
    assert sampled(mixed, 7) == differences[::7] + rare


def test_single_figures_are_one_kind_however_they_are_written() -> None:
    single = [_row(number, "a-b" if number % 2 else "a", is_calculation=False) for number in range(200)]
    few = [_row(number, "a-b") for number in range(200, 203)]
    assert sampled(single + few, 50) == [*single[::50], *few]


def test_each_row_is_asked_where_every_one_is_wanted() -> None:
    rows = [_row(number, "a-b") for number in range(205)]
    assert sampled(rows, 1) == rows


def test_what_is_fitted_makes_the_right_readings_likelier() -> None:
    weights = dict(zip(FEATURES, fitted(_ASKED), strict=True))
    assert weights.pop("left") > 0.1
    assert weights.pop("count") < -0.1
    assert list(weights.values()) == pytest.approx([0.0] * len(weights))


def test_weights_stay_near_those_of_before() -> None:
    before = np.zeros(len(FEATURES))
    before[FEATURES.index("unused")] = -0.7
    weights = dict(zip(FEATURES, fitted(_ASKED, before), strict=True))
    assert weights["unused"] == pytest.approx(-0.7)
    assert weights["left"] > 0.1


def test_a_question_without_a_right_reading_makes_all_of_its_readings_less_likely() -> None:
    assert fitted([_asked([False, False], bias=[1.0, 1.0])])[FEATURES.index("bias")] < -1
    assert fitted([_asked([True, False], bias=[1.0, 1.0])])[FEATURES.index("bias")] > 1


def test_the_loss_is_that_of_the_chance_with_its_slope() -> None:
    weights = np.zeros(len(FEATURES))
    weights[FEATURES.index("left")] = 2.0
    told, slope = loss([_asked([True, False], left=[1.0, 0.0])], weights)
    assert told == pytest.approx(-np.log(np.exp(2.0) / (np.exp(2.0) + 2)) + 4 * STRENGTH)
    for place in range(len(FEATURES)):
        step = np.where(np.arange(len(FEATURES)) == place, 1e-6, 0.0)
        after, before = (loss(_ASKED, weights + sign * step)[0] for sign in (1, -1))
        assert loss(_ASKED, weights)[1][place] == pytest.approx((after - before) / 2e-6, abs=1e-6)
    assert slope.shape == weights.shape


def test_a_weight_that_is_fitted_alone_is_the_best_beside_those_held() -> None:
    held = {"count": -0.4, "left": 5.0}
    found = fitted_alone(_ASKED, held, ["left"])
    place = FEATURES.index("left")
    assert {name: weight for name, weight in zip(FEATURES, found, strict=True) if weight and name != "left"} == {"count": -0.4}
    others = (np.where(np.arange(len(FEATURES)) == place, weight, found) for weight in np.linspace(-8, 8, 161))
    assert all(loss(_ASKED, found)[0] <= loss(_ASKED, weights)[0] for weights in others)
    assert held == {"count": -0.4, "left": 5.0}


def test_fitting_one_weight_alone_finds_it_again_beside_those_fitted_together() -> None:
    together = fitted(_ASKED)
    held = {name: float(weight) for name, weight in zip(FEATURES, together, strict=True) if name != "left"}
    assert fitted_alone(_ASKED, held, ["left"]) == pytest.approx(together, abs=1e-3)
    assert fitted_alone(_ASKED, {}, ["left", "count"]) == pytest.approx(together, abs=1e-3)
