"""Intervals against closed forms and against figures worked out by hand."""

from __future__ import annotations

import math

import pytest

from fin_tui.evaluation.intervals import of_mean, of_share, quantile

Z = 1.959963985


@pytest.mark.parametrize(("hits", "n"), [(8, 10), (0, 5), (5, 5), (114, 120)])
def test_wilson_as_in_the_textbook(hits: int, n: int) -> None:
    share = hits / n
    middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    assert of_share(hits, n) == pytest.approx((middle - half, middle + half), abs=1e-9)


def test_wilson_of_eight_in_ten() -> None:
    assert of_share(8, 10) == pytest.approx((0.4901625, 0.9433178), abs=1e-7)


def test_bootstrap_of_two_values_reaches_both() -> None:
    # A resample of {0, 1} has mean 0, 1/2, 1 with probability 1/4, 1/2, 1/4: the outer 2.5 % are the values themselves.
    assert of_mean([0.0, 1.0]) == (0.0, 1.0)


def test_bootstrap_of_many_values_is_near_the_normal_interval() -> None:
    values = [math.sin(at) for at in range(400)]
    mean = sum(values) / 400
    half = Z * math.sqrt(sum((value - mean) ** 2 for value in values) / 400 / 400)
    assert of_mean(values) == pytest.approx((mean - half, mean + half), abs=0.006)


def test_the_same_values_give_the_same_interval() -> None:
    assert of_mean([0.1, 0.4, 0.9, 0.3]) == of_mean([0.1, 0.4, 0.9, 0.3])


def test_equal_values_have_no_width() -> None:
    assert of_mean([0.5, 0.5, 0.5]) == (0.5, 0.5)


def test_quantiles_are_values_that_occurred() -> None:
    values = [5.0, 1.0, 4.0, 2.0, 3.0]
    assert [quantile(values, share) for share in (0.5, 0.95, 0.0, 1.0)] == [3.0, 5.0, 1.0, 5.0]
    assert quantile([float(at) for at in range(1, 101)], 0.95) == 95.0
