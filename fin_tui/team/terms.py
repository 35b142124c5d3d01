"""Words as sparse vectors: what of BM25 belongs to a passage is stored with it, what belongs to a scope comes with the query.

The inner product of the two is the score of ``fin_tui.retrieval.sparse``: a passage's vector holds its damped word frequencies,
the question's the inverse document frequencies within the scope. For those each filing carries in how many of its passages a
word stands, told apart by the Items that the passages belong to.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from fin_tui.records import Chunk, Section
from fin_tui.retrieval import sparse
from fin_tui.store import codec
from fin_tui.team.schema import NO_TERM, term_id


class _Packed(msgspec.Struct, frozen=True):
    """Arrays as little-endian bytes."""

    groups: tuple[tuple[str, ...], ...]
    sizes: tuple[int, ...]
    terms: bytes
    group: bytes
    passages: bytes


@dataclass(frozen=True)
class WordCounts:
    """In how many passages of one filing each word stands. The last three arrays are parallel, ordered by word."""

    groups: tuple[tuple[str, ...], ...]
    """The sets of Items that passages belong to."""
    sizes: NDArray[np.int64]
    """Passages of each group."""
    terms: NDArray[np.uint32]
    """Words, as :func:`fin_tui.team.schema.term_id` numbers them."""
    group: NDArray[np.uint16]
    passages: NDArray[np.uint32]

    def total(self, items: Sequence[str] = ()) -> int:
        """Passages in these Items, all when none is named."""
        return int(self.sizes[self._chosen(items)].sum())

    def holding(self, terms: NDArray[np.uint32], items: Sequence[str] = ()) -> NDArray[np.int64]:
        """Passages in these Items that hold each of ``terms``."""
        chosen = self._chosen(items)
        first, end = np.searchsorted(self.terms, terms, "left"), np.searchsorted(self.terms, terms, "right")
        spans = (slice(int(a), int(b)) for a, b in zip(first, end, strict=True))
        return np.array([int(self.passages[span][chosen[self.group[span]]].sum()) for span in spans], np.int64)

    def words(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Each word once, ascending, with the passages that hold it."""
        terms, place = np.unique(self.terms, return_inverse=True)
        return terms, np.bincount(place, weights=self.passages, minlength=len(terms)).astype(np.int64)

    def packed(self) -> bytes:
        """For :func:`unpacked`."""
        arrays = (self.terms.astype("<u4"), self.group.astype("<u2"), self.passages.astype("<u4"))
        return codec.pack(_Packed(self.groups, tuple(self.sizes.tolist()), *(array.tobytes() for array in arrays)))

    def _chosen(self, items: Sequence[str]) -> NDArray[np.bool_]:
        wanted = {item.upper() for item in items}
        return np.array([not wanted or not wanted.isdisjoint(group) for group in self.groups], bool)


def unpacked(raw: bytes) -> WordCounts:
    """Raises ``FinTuiError`` when ``raw`` is damaged."""
    packed = codec.unpack(raw, _Packed)
    return WordCounts(
        packed.groups,
        np.array(packed.sizes, np.int64),
        np.frombuffer(packed.terms, "<u4"),
        np.frombuffer(packed.group, "<u2"),
        np.frombuffer(packed.passages, "<u4"),
    )


def items_of(chunk: Chunk, sections: Sequence[Section]) -> tuple[str, ...]:
    """The Items that a scope finds ``chunk`` by: its own, and those of the sections it begins in."""
    inside = (section.item for section in sections if section.start <= chunk.start < section.end)
    return tuple(sorted({item for item in (chunk.item, *inside) if item}))


def weigh(chunks: Sequence[Chunk], items: Sequence[tuple[str, ...]]) -> tuple[list[dict[int, float]], WordCounts]:
    """The sparse vector of each chunk, and the word counts of all; ``items`` are those of each chunk."""
    groups = tuple(dict.fromkeys(items))
    number = np.array([groups.index(group) for group in items], np.int64)
    vectors: list[dict[int, float]] = [{} for _ in chunks]
    segment = sparse.build((place, chunk.index_text) for place, chunk in enumerate(chunks))
    scores, found = segment.index.scores, list[tuple[int, int, int]]()
    for token, column in segment.index.vocab_dict.items():
        span = slice(int(scores["indptr"][column]), int(scores["indptr"][column + 1]))
        term, rows = term_id(token), scores["indices"][span]
        for row, weight in zip(rows.tolist(), scores["data"][span].tolist(), strict=True):
            vectors[row][term] = vectors[row].get(term, 0.0) + weight
        by_group = np.bincount(number[rows], minlength=len(groups))
        found += [(term, int(group), int(by_group[group])) for group in np.flatnonzero(by_group)]
    found.sort()
    table = np.array(found, np.int64).reshape(-1, 3)
    counts = WordCounts(
        groups,
        np.bincount(number, minlength=len(groups)).astype(np.int64) if len(number) else np.empty(0, np.int64),
        table[:, 0].astype(np.uint32),
        table[:, 1].astype(np.uint16),
        table[:, 2].astype(np.uint32),
    )
    return [vector or {NO_TERM: 1.0} for vector in vectors], counts


def question_vector(tokens: Mapping[str, float], frequencies: Iterable[int], total: int) -> dict[int, float]:
    """The question's side of the scores. ``frequencies``: in how many of the ``total`` passages in scope each token stands."""
    vector: dict[int, float] = {}
    for (token, count), frequency in zip(tokens.items(), frequencies, strict=True):
        if frequency:
            term, weight = term_id(token), count * math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
            vector[term] = vector.get(term, 0.0) + weight
    return vector
