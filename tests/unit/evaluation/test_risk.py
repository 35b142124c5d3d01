"""Risk and coverage against a curve drawn by hand."""

from __future__ import annotations

import pytest

from fin_tui.evaluation.risk import curve


def test_four_answers_of_five_questions() -> None:
    # Strongest first: right, wrong, right, wrong -> risks 0, 1/2, 1/3, 1/2. In the best order: 0, 0, 1/3, 1/2.
    found = curve([(0.7, True), (0.9, True), (0.6, False), (0.8, False)], 5)
    assert found is not None
    assert found.area == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 2) / 4)
    assert found.best == pytest.approx((0 + 0 + 1 / 3 + 1 / 2) / 4)
    assert [(point.coverage, point.bound) for point in found.points] == [(0.2, 0.9), (0.4, 0.8), (0.6, 0.7), (0.8, 0.6)]
    assert [point.risk for point in found.points] == pytest.approx([0, 1 / 2, 1 / 3, 1 / 2])


def test_answers_of_one_strength_are_given_together() -> None:
    either = [curve([(0.5, right), (0.5, not right)], 2) for right in (True, False)]
    assert either[0] == either[1]
    assert either[0] is not None
    assert either[0].area == 0.5


def test_an_order_that_knows_which_are_wrong_is_as_good_as_can_be() -> None:
    found = curve([(0.9, True), (0.8, True), (0.1, False)], 3)
    assert found is not None
    assert found.area == found.best == pytest.approx(1 / 9)


def test_without_answers_there_is_no_curve() -> None:
    assert curve([], 3) is None
