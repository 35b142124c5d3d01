"""BM25 over segments: the owner of bm25s.

bm25s stores finished scores, so an index can't grow and scores of two indexes don't compare. Here each segment stores only the
term frequency part, normalised by a *fixed* pivot length instead of the mean, and the inverse document frequency is
computed when a question comes, over exactly the chunks that it may see. So

- any split into segments gives the same scores as one clean build, also after removals, and segments merge without reading
  a text again;
- what a scope leaves out has no influence on the ranking inside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fin_tui.retrieval.backend import Keys
from fin_tui.retrieval.tokens import tokenize

K1 = 0.9
B = 0.4
"""Passages are short and of similar length: little is gained by repeating a word, or by being brief."""
PIVOT = 120
"""Tokens of a passage that is neither rewarded nor punished for its length."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Segment:
    """One bm25s index over ``keys`` (ascending)."""

    keys: Keys
    index: Any

    def save(self, folder: Path) -> None:
        self.index.save(str(folder), show_progress=False)
        np.save(folder / "keys.npy", self.keys)


def build(texts: Iterable[tuple[int, str]]) -> Segment:
    """A segment of ``(key, text)`` in ascending order of key."""
    keys: list[int] = []
    vocabulary: dict[str, int] = {}
    rows: list[list[int]] = []
    for key, text in texts:
        keys.append(key)
        rows.append([vocabulary.setdefault(token, len(vocabulary)) for token in tokenize(text)])
    index = _engine()
    index.vocab_dict = vocabulary
    index.scores = index.build_index_from_ids(list(range(len(vocabulary))), rows, show_progress=False)
    return Segment(np.asarray(keys, np.int64), index)


def load(folder: Path) -> Segment:
    """A saved segment, its arrays memory-mapped. Raises ``OSError`` or ``ValueError`` when it is not whole."""
    index = type(_engine()).load(str(folder), mmap=True, show_progress=False)
    keys: Keys = np.load(folder / "keys.npy", allow_pickle=False)
    scores = index.scores
    whole = len(scores["indptr"]) == len(index.vocab_dict) + 1 and scores["indptr"][-1] == len(scores["data"]) == len(
        scores["indices"]
    )
    if not whole or scores["num_docs"] != len(keys):
        raise ValueError(f"{folder} is not a whole sparse index")
    return Segment(keys, index)


def merge(segments: Sequence[Segment], alive: Keys) -> Segment:
    """One segment of those keys of ``segments`` that are in ``alive`` (ascending): the same as a clean build of them."""
    vocabulary: dict[str, int] = {}
    rows, columns, data, keys = [], [], [], []
    count = 0
    for segment in segments:
        kept = np.isin(segment.keys, alive)
        scores = segment.index.scores
        renamed = np.fromiter(
            (vocabulary.setdefault(token, len(vocabulary)) for token in _in_order(segment.index.vocab_dict)), np.int64
        )
        column = np.repeat(renamed, np.diff(scores["indptr"]))
        chosen = kept[scores["indices"]]
        place = np.cumsum(kept) - 1 + count
        rows.append(place[scores["indices"][chosen]])
        columns.append(column[chosen])
        data.append(scores["data"][chosen])
        keys.append(segment.keys[kept])
        count += int(kept.sum())
    index = _engine()
    index.vocab_dict = vocabulary
    index.scores = _columns(
        _joined(rows, np.int64), _joined(columns, np.int64), _joined(data, np.float32), count, len(vocabulary)
    )
    merged = Segment(_joined(keys, np.int64), index)
    return merged if _ascends(merged.keys) else _sorted(merged)


def search(
    segments: Sequence[Segment], tokens: Sequence[str] | Mapping[str, float], masks: Sequence[Mask], k: int
) -> tuple[Keys, NDArray[np.float32]]:
    """Keys and BM25 scores of the best ``k`` chunks that share a token with the question, best first.

    ``tokens`` may say how much each counts. ``masks`` has one array a segment, true where a chunk may be found; document
    frequencies count only those.
    """
    total = sum(int(mask.sum()) for mask in masks)
    scores = [np.zeros(len(segment.keys), np.float32) for segment in segments]
    counts = tokens if isinstance(tokens, Mapping) else dict.fromkeys(tokens, 1.0)
    for token, count in counts.items():
        ids = [segment.index.vocab_dict.get(token) for segment in segments]
        frequency = sum(_frequency(s, i, m) for s, i, m in zip(segments, ids, masks, strict=True) if i is not None)
        if not frequency:
            continue
        weight = count * math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
        for segment, token_id, score in zip(segments, ids, scores, strict=True):
            if token_id is not None:
                score += np.float32(weight) * segment.index.get_scores_from_ids([token_id])
    return _best(segments, scores, masks, k)


def _best(
    segments: Sequence[Segment], scores: Sequence[NDArray[np.float32]], masks: Sequence[Mask], k: int
) -> tuple[Keys, NDArray[np.float32]]:
    keys = _joined([s.keys[m & (x > 0)] for s, x, m in zip(segments, scores, masks, strict=True)], np.int64)
    found = _joined([x[m & (x > 0)] for x, m in zip(scores, masks, strict=True)], np.float32)
    if len(found) > k > 0:
        # Every chunk that ties with the last place stays in, so that the cut depends on the keys alone.
        kept = found >= np.partition(found, len(found) - k)[len(found) - k]
        keys, found = keys[kept], found[kept]
    order = np.lexsort((keys, -found))[:k]
    return keys[order], found[order]


def _frequency(segment: Segment, token_id: int, mask: Mask) -> int:
    scores = segment.index.scores
    start, end = int(scores["indptr"][token_id]), int(scores["indptr"][token_id + 1])
    return int(np.count_nonzero(mask[scores["indices"][start:end]]))


def _in_order(vocabulary: dict[str, int]) -> list[str]:
    return sorted(vocabulary, key=vocabulary.__getitem__)


def _ascends(keys: Keys) -> bool:
    return bool(np.all(keys[1:] > keys[:-1]))


def _sorted(segment: Segment) -> Segment:
    order = np.argsort(segment.keys, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    scores = segment.index.scores
    columns = np.repeat(np.arange(len(scores["indptr"]) - 1), np.diff(scores["indptr"]))
    segment.index.scores = _columns(place[scores["indices"]], columns, scores["data"], len(order), len(segment.index.vocab_dict))
    return Segment(segment.keys[order], segment.index)


def _joined(parts: Sequence[NDArray[Any]], dtype: type) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.empty(0, dtype)


def _columns(rows: NDArray[Any], columns: NDArray[Any], data: NDArray[Any], documents: int, words: int) -> dict[str, Any]:
    """bm25s's own form: a compressed sparse column matrix, documents by words."""
    order = np.lexsort((rows, columns))
    starts = np.zeros(words + 1, np.int64)
    np.cumsum(np.bincount(columns, minlength=words), out=starts[1:])
    return {
        "data": data[order].astype(np.float32),
        "indices": rows[order].astype(np.int32),
        "indptr": starts,
        "num_docs": documents,
    }


def _engine() -> Any:
    engine = _engine_class()(k1=K1, b=B, method="lucene", backend="numpy")
    engine.nonoccurrence_array = None
    return engine


@cache
def _engine_class() -> Any:
    """bm25s with its documented build step replaced, as the head of this module says; made on first use."""
    import bm25s

    class UnweightedBM25(bm25s.BM25):  # type: ignore[misc]
        def build_index_from_ids(
            self, unique_token_ids: Any, corpus_token_ids: Any, show_progress: bool = True, leave_progress: bool = False
        ) -> dict[str, Any]:
            lengths = np.asarray([len(ids) for ids in corpus_token_ids], np.int64)
            words = len(unique_token_ids)
            if not lengths.sum():
                empty = np.empty(0, np.int64)
                return _columns(empty, empty, empty, len(lengths), words)
            flat = np.concatenate([np.asarray(ids, np.int64) for ids in corpus_token_ids if len(ids)])
            cells, counts = np.unique(np.repeat(np.arange(len(lengths)), lengths) * words + flat, return_counts=True)
            rows, columns = cells // words, cells % words
            damping = self.k1 * (1 - self.b + self.b * lengths[rows] / PIVOT)
            return _columns(rows, columns, counts / (counts + damping), len(lengths), words)

    return UnweightedBM25
