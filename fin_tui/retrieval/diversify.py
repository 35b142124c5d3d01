"""Maximal marginal relevance: hits that are good and not all the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LAMBDA = 0.7
"""Share of relevance; the rest is distance from what was already chosen."""


def mmr(relevance: Sequence[float], vectors: NDArray[np.float32], k: int, *, balance: float = LAMBDA) -> list[int]:
    """Positions of the ``k`` chosen candidates, in the order of choice.

    ``relevance`` may have any scale (it is brought to 0..1); ``vectors`` are L2-normalised rows ``[n, d]``.
    """
    values = np.asarray(relevance, np.float64)
    if not len(values):
        return []
    spread = values.max() - values.min()
    values = (values - values.min()) / spread if spread > 0 else np.ones_like(values)
    nearest = np.zeros(len(values))
    left = np.ones(len(values), bool)
    chosen: list[int] = []
    while len(chosen) < min(k, len(values)):
        gain = np.where(left, balance * values - (1 - balance) * nearest, -np.inf)
        pick = int(np.argmax(gain))
        chosen.append(pick)
        left[pick] = False
        nearest = np.maximum(nearest, vectors @ vectors[pick])
    return chosen
