"""Two rankings into one: reciprocal rank fusion, or a weighted sum of normalised scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fin_tui.records import Chunk, Filing
from fin_tui.retrieval.backend import Keys
from fin_tui.retrieval.statements import FIGURE, NAMED, STRONG, WEAK, StatementBoost, best_of, search_words

if TYPE_CHECKING:
    from fin_tui.retrieval.backend import ScopedSearch


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


Found = tuple[int, Chunk, Filing]

CANDIDATES = 24
"""Chunks looked at for each statement: several filings may be in scope, each with a statement of several parts."""
_PLACES = {NAMED: (0, 3), FIGURE: (1, 3), STRONG: (3, 2), WEAK: (4, 1)}
"""Weight of a hint -> position from which pinned chunks stand at the latest, and how many there are at most."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """Chunks to be placed among the first."""

    chunks: tuple[Found, ...] = ()
    place: int = 0
    """Position from 0 that the first of them takes at the latest."""

    def into(self, ranked: Sequence[tuple[Found, int | None]]) -> list[tuple[Found, int | None]]:
        """``ranked`` with each pinned chunk moved up to its place, never down."""
        order = list(ranked)
        for offset, chunk in enumerate(self.chunks):
            at = next((i for i, (found, _) in enumerate(order) if found[0] == chunk[0]), None)
            wanted = self.place + offset
            if at is None:
                order.insert(wanted, (chunk, None))
            elif at > wanted:
                order.insert(wanted, order.pop(at))
        return order


def pin_statements(hint: StatementBoost, query: str, scoped: ScopedSearch) -> Pinned:
    """The best part of each statement that ``hint`` names, by the words of the rows asked for."""
    from fin_tui.retrieval.tokens import tokenize, tokenize_query

    chosen: list[Found] = []
    asked = list(dict.fromkeys([*tokenize_query(query), *tokenize(" ".join(hint.words))]))
    for kind in hint.statements:
        keys, _ = scoped.search_sparse(list(dict.fromkeys(tokenize(search_words(kind)))), CANDIDATES)
        found = {entry[0]: entry for entry in scoped.fetch(keys.tolist())}
        parts = best_of((kind,), ((key, chunk) for key, (_, chunk, _) in found.items()))[kind]
        if not parts:
            continue
        best, _ = scoped.search_among(asked, np.asarray(sorted(parts), np.int64))
        ordered = [*best.tolist(), *(key for key in parts if key not in set(best.tolist()))]
        chosen.append(found[ordered[0]])
    place, most = _PLACES[hint.weight]
    return Pinned(tuple(chosen[:most]), place)
