"""Nearest vectors: the owner of hnswlib, and exact search for what it can't do.

The graph serves the unfiltered case. A scope is searched exactly over its own rows: at that size it costs about what the graph
does, and no neighbour is lost. Vectors that the graph doesn't hold yet are searched exactly beside it.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fin_tui.retrieval.backend import Keys, Matrix

LINKS = 16
EF_BUILD = 200
SMALLEST_GRAPH = 4000
"""Below this many rows exact search is as fast, and needs no graph."""

_BLOCK = 65536
_GATHERED = 1024
"""Rows copied together at once: what stays in the processor's cache."""
_HEAD = struct.Struct("6N")


class Graph:
    """An hnswlib index whose labels are chunk keys."""

    def __init__(self, index: Any) -> None:
        self._index = index

    def __len__(self) -> int:
        return int(self._index.get_current_count())

    def search(self, query: NDArray[np.float32], k: int) -> tuple[Keys, NDArray[np.float32]]:
        """Keys and cosines of about the ``k`` nearest, best first."""
        k = min(k, len(self))
        if k < 1:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        # The library falls back to ef = 10 on every load, and needs ef >= k.
        self._index.set_ef(max(2 * k, 100))
        labels, distances = self._index.knn_query(query.reshape(1, -1), k=k, num_threads=1)
        return labels[0].astype(np.int64), (1 - distances[0]).astype(np.float32)

    def save(self, file: Path) -> None:
        self._index.save_index(str(file))


def build_graph(keys: Keys, vectors: Matrix, *, threads: int) -> Graph:
    """A new graph; ``vectors`` are L2-normalised rows."""
    import hnswlib

    index = hnswlib.Index(space="cosine", dim=vectors.shape[1])
    index.init_index(max_elements=max(1, len(keys)), ef_construction=EF_BUILD, M=LINKS, random_seed=7)
    for start in range(0, len(keys), _BLOCK):
        index.add_items(vectors[start : start + _BLOCK], keys[start : start + _BLOCK], num_threads=threads)
    return Graph(index)


def load_graph(file: Path, *, dimension: int, count: int) -> Graph:
    """A saved graph. Raises ``ValueError`` when it is not the one that the manifest describes.

    hnswlib takes a file of another dimension without a word, so the size of a row is checked here.
    """
    import hnswlib

    if (found := _row_size(file)) != dimension:
        raise ValueError(f"{file} holds vectors of {found} numbers instead of {dimension}")
    index = hnswlib.Index(space="cosine", dim=dimension)
    try:
        index.load_index(str(file), max_elements=count)
    except RuntimeError as error:
        raise ValueError(f"{file}: {error}") from error
    if index.get_current_count() != count:
        raise ValueError(f"{file} holds {index.get_current_count()} vectors instead of {count}")
    return Graph(index)


def _row_size(file: Path) -> int:
    """Numbers in a vector, from the file's head: six sizes, of which the 5th and 6th are where a row's label and vector start."""
    with file.open("rb") as stream:
        head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        raise ValueError(f"{file} is too short for a graph")
    *_, label, data = _HEAD.unpack(head)
    return int(label - data) // 4


def extend_graph(graph: Graph, keys: Keys, vectors: Matrix, *, threads: int) -> None:
    """Add rows to ``graph``. Never while another thread searches it."""
    if len(keys):
        graph._index.resize_index(len(graph) + len(keys))
        graph._index.add_items(vectors, keys, num_threads=threads)


def exact(
    query: NDArray[np.float32], keys: Keys, vectors: Matrix, k: int, rows: NDArray[np.int64] | None = None
) -> tuple[Keys, NDArray[np.float32]]:
    """Keys and cosines of the ``k`` nearest of ``vectors`` (or of its ``rows``, ascending), best first, ties by key."""
    if rows is None:
        return best(keys, _cosines(vectors, query), k)
    if len(rows) and rows[-1] - rows[0] + 1 == len(rows):
        # A filing's chunks stand together: they are read where they are.
        span = slice(int(rows[0]), int(rows[-1]) + 1)
        return best(keys[span], _cosines(vectors[span], query), k)
    scores = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), _GATHERED):
        part = slice(start, start + _GATHERED)
        scores[part] = _cosines(vectors[rows[part]], query)
    return best(keys[rows], scores, k)


def _cosines(rows: Matrix, query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Products of unit rows and ``query``. ``@`` would wake BLAS's threads, which on busy cores wait for each other: a company's
    2,400 passages took 27 ms instead of 0.4."""
    cosines: NDArray[np.float32] = np.einsum("ij,j->i", rows, query)
    return cosines


def best(keys: Keys, scores: NDArray[np.float32], k: int) -> tuple[Keys, NDArray[np.float32]]:
    """The ``k`` highest scores with their keys, best first, ties by key."""
    if len(scores) > k > 0:
        kept = scores >= np.partition(scores, len(scores) - k)[len(scores) - k]
        keys, scores = keys[kept], scores[kept]
    order = np.lexsort((keys, -scores))[:k]
    return keys[order], scores[order]
