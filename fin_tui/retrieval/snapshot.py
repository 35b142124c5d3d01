"""What one search sees of the indexes: segments of words and parts of vectors, with what the library still holds of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fin_tui.retrieval import dense, sparse
from fin_tui.retrieval.corpus import Keys
from fin_tui.retrieval.generation import Vectors

Found = tuple[Keys, NDArray[np.float32]]


@dataclass(frozen=True)
class Snapshot:
    """What one search sees; never changes. Safe to search from several threads."""

    alive: Keys
    segments: tuple[sparse.Segment, ...] = ()
    vectors: tuple[Vectors, ...] = ()
    _masks: tuple[sparse.Mask, ...] = field(default=())
    with_vector: Keys | None = None
    """The chunks that have a vector in the library; None where all of ``alive`` may."""

    def search_sparse(self, tokens: Sequence[str] | Mapping[str, float], allowed: Keys | None, k: int) -> Found:
        """BM25 within ``allowed`` (None for all): keys and scores, best first; only chunks that share a token."""
        masks = (
            self._masks
            if allowed is None
            else [m & np.isin(s.keys, allowed) for s, m in zip(self.segments, self._masks, strict=True)]
        )
        return sparse.search(self.segments, tokens, masks, k)

    def search_dense(self, query: NDArray[np.float32], allowed: Keys | None, k: int) -> Found:
        """Cosines within ``allowed`` (None for all): keys and scores, best first."""
        found = [self._near(part, there, query, allowed, k) for part, there in zip(self.vectors, self._there, strict=True)]
        keys = np.concatenate([keys for keys, _ in found]) if found else np.empty(0, np.int64)
        scores = np.concatenate([scores for _, scores in found]) if found else np.empty(0, np.float32)
        return dense.best(keys, scores, k)

    @cached_property
    def _there(self) -> tuple[sparse.Mask, ...]:
        """For each part of ``vectors``, true where the library still holds the vector: found once, not with every search."""
        return tuple(np.isin(part.keys, self.held) for part in self.vectors)

    @property
    def held(self) -> Keys:
        """The chunks whose vectors count."""
        return self.alive if self.with_vector is None else self.with_vector

    def _near(self, part: Vectors, there: sparse.Mask, query: NDArray[np.float32], allowed: Keys | None, k: int) -> Found:
        wanted = there if allowed is None else there & np.isin(part.keys, allowed)
        if allowed is None and part.graph is not None:
            keys, scores = part.graph.search(query, k + min(k, int((~there).sum())))
            kept = there[np.searchsorted(part.keys, keys)]
            if kept.sum() >= min(k, int(there.sum())):
                return keys[kept][:k], scores[kept][:k]
        rows = None if wanted.all() else np.flatnonzero(wanted)
        return dense.exact(query, part.keys, part.matrix, k, rows)

    def without_vector(self, keys: Keys) -> Keys:
        """Those of ``keys`` that have no vector yet."""
        for part, there in zip(self.vectors, self._there, strict=True):
            keys = keys[~np.isin(keys, part.keys[there])]
        return keys

    def embedded(self, allowed: Keys | None) -> int:
        """How many of ``allowed`` (None for all) have a vector."""
        if allowed is None:
            return sum(int(there.sum()) for there in self._there)
        return sum(int(np.isin(part.keys[there], allowed).sum()) for part, there in zip(self.vectors, self._there, strict=True))
