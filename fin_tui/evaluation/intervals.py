"""How far a measured share or mean can be trusted: 95 % intervals. The same figures give the same intervals.

scipy and numpy are loaded by the first call.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

LEVEL = 0.95
SEED = 20
RESAMPLES = 2_000


class Interval(NamedTuple):
    """The ends of a 95 % confidence interval."""

    low: float
    high: float


def of_share(hits: int, n: int) -> Interval:
    """Wilson's score interval of ``hits`` out of ``n`` (1927): sound for small n, and for shares of 0 and 1."""
    from scipy.stats import binomtest

    found = binomtest(hits, n).proportion_ci(confidence_level=LEVEL, method="wilson")
    return Interval(float(found.low), float(found.high))


def of_mean(values: Sequence[float]) -> Interval:
    """Percentile bootstrap of the mean (Efron 1979), seeded; one value gives an interval of no width."""
    import numpy as np
    from scipy.stats import bootstrap

    if len(set(values)) < 2:
        return Interval(values[0], values[0])
    rng = np.random.default_rng(SEED)
    sample = (np.asarray(values, dtype=float),)
    found = bootstrap(
        sample, np.mean, n_resamples=RESAMPLES, confidence_level=LEVEL, method="percentile", rng=rng
    ).confidence_interval
    return Interval(float(found.low), float(found.high))


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that ``share`` of all do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
