"""How well a ranked list finds its gold (pure): first rank, recall, reciprocal rank, nDCG."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass

DEPTHS = (1, 3, 5, 10)
DEEPEST = max(DEPTHS)


@dataclass(frozen=True, slots=True)
class Ranking:
    """One list, judged."""

    rank: int | None
    """Rank from 1 of the first hit that is gold; None when none of the first ten is."""
    ndcg: float

    @property
    def reciprocal(self) -> float:
        """1 / rank, 0 without one."""
        return 1 / self.rank if self.rank else 0.0

    def within(self, depth: int) -> float:
        """1 when a gold passage is among the first ``depth``, else 0: any one of several counts."""
        return float(self.rank is not None and self.rank <= depth)


def judge_list(matched: Sequence[Set[int]], golds: int) -> Ranking:
    """``matched`` tells for each hit in order which of the ``golds`` pieces it is; only the first ten count.

    nDCG (Järvelin and Kekäläinen 2002) with a gain of 1 for each piece where it first appears, the ideal list bringing one
    piece a rank; a hit that brings several at once can't make it more than 1.
    """
    seen: set[int] = set()
    rank: int | None = None
    gain = 0.0
    for at, pieces in enumerate(matched[:DEEPEST], start=1):
        if pieces and rank is None:
            rank = at
        gain += len(pieces - seen) / math.log2(1 + at)
        seen |= pieces
    ideal = sum(1 / math.log2(1 + at) for at in range(1, min(golds, DEEPEST) + 1))
    return Ranking(rank, min(1.0, gain / ideal) if ideal else 0.0)
