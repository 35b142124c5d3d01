"""Maximal marginal relevance: hits that are good and not all the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fin_tui.retrieval.rooms import Room

DEPTH = 50
"""How many of the best candidates the choice is made from, …"""
KEPT = 20
"""… and how many are chosen; the others keep their order behind them."""
LAMBDA = 0.7
"""Share of relevance; the rest is distance from what was already chosen."""


def mmr(
    relevance: Sequence[float], vectors: NDArray[np.float32], k: int, *, balance: float = LAMBDA, floor: float = 0.0
) -> list[int]:
    """Positions of the ``k`` chosen candidates, in the order of choice.

    ``relevance`` may have any scale (it is brought to 0..1); ``vectors`` are L2-normalised rows ``[n, d]``;
    a cosine of ``floor`` counts as nothing in common.
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
        nearest = np.maximum(nearest, (vectors @ vectors[pick] - floor) / (1 - floor))
    return chosen


def spread(fused: Mapping[int, float], encoder: str, room: Room, *, balance: float) -> dict[int, float]:
    """``fused`` (key -> score, best first) in the order of :func:`mmr`; what has no vector yet is taken to be unlike all else."""
    keys = np.fromiter(list(fused)[:DEPTH], np.int64)
    bare = set(room.without_vector(keys).tolist())
    known = [key for key in keys.tolist() if key not in bare]
    if not known:
        return dict(fused)
    rows = room.vectors(encoder, known)
    vectors = np.zeros((len(keys), rows.shape[1]), np.float32)
    vectors[[place for place, key in enumerate(keys.tolist()) if key not in bare]] = rows
    # Even texts that share nothing have a cosine of .7 in some encoders: unlike is what is the least alike here.
    floor = min(float((rows @ rows.T).min()), 0.99)
    chosen = mmr([fused[key] for key in keys.tolist()], vectors, KEPT, balance=balance, floor=floor)
    order = dict.fromkeys([*(int(keys[place]) for place in chosen), *fused])
    return {key: fused[key] for key in order}
