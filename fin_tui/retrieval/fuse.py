"""Two rankings into one: reciprocal rank fusion, or a weighted sum of normalised scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fin_tui.retrieval.corpus import Keys


@dataclass(frozen=True)
class Ranked:
    """One index's answer: keys best first, with its scores (of any scale)."""

    keys: Keys
    scores: NDArray[np.float32]
    floor: float | None = None
    """The score that means "nothing in common": 0 for BM25. None where a scale has no such point, as for cosines."""

    def place(self, key: int) -> int | None:
        """Rank of ``key`` from 1; None when it isn't in the list."""
        found = np.flatnonzero(self.keys == key)
        return int(found[0]) + 1 if len(found) else None


def rrf(lists: Sequence[Ranked], *, k: int = 60, weights: Sequence[float] | None = None) -> dict[int, float]:
    """Key -> sum over lists of weight / (k + rank), best first; ties by key."""
    fused: dict[int, float] = {}
    for ranked, weight in zip(lists, weights or [1.0] * len(lists), strict=True):
        for rank, key in enumerate(ranked.keys.tolist(), start=1):
            fused[key] = fused.get(key, 0.0) + weight / (k + rank)
    return _in_order(fused)


def weighted(lists: Sequence[Ranked], *, weights: Sequence[float]) -> dict[int, float]:
    """Key -> weighted sum of scores, each list's floor (else its lowest score) brought to 0 and its highest to 1; best first.

    A key that a list lacks gets 0 from it. Unlike ranks, scores tell a clear first place from a field of equals.
    """
    fused: dict[int, float] = {}
    for ranked, weight in zip(lists, weights, strict=True):
        for key, score in zip(ranked.keys.tolist(), _normalised(ranked).tolist(), strict=True):
            fused[key] = fused.get(key, 0.0) + weight * score
    return _in_order(fused)


def lift(fused: dict[int, float], alone: Iterable[int], factor: float) -> dict[int, float]:
    """``fused`` with the scores of ``alone`` times ``factor``: what one index can't hold yet is judged by the other."""
    lifted = {key: fused[key] * factor for key in alone if key in fused}
    return _in_order({**fused, **lifted})


def _normalised(ranked: Ranked) -> NDArray[np.float32]:
    scores = ranked.scores
    if not len(scores):
        return scores
    low = float(scores.min()) if ranked.floor is None else ranked.floor
    high = float(scores.max())
    if high - low < 1e-9:
        return np.ones_like(scores)
    return (scores - low) / (high - low)


def _in_order(fused: dict[int, float]) -> dict[int, float]:
    return dict(sorted(fused.items(), key=lambda entry: (-entry[1], entry[0])))
