"""A corpus of any size that behaves like filings: words as often as filings use them, vectors around those of real passages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fin_tui.paths import Paths
from fin_tui.records import Chunk, Filing, Scope
from fin_tui.retrieval.backend import Keys, Matrix
from fin_tui.retrieval.indexes import current_folder

DIMENSION = 384
FILING = 300
"""Chunks of a filing."""
COMPANY = 8 * FILING
"""Chunks of a company: eight years of filings."""
WORDS = 120
"""Mean words of a chunk."""
CLOSENESS = 0.9
"""Cosine of a made vector and the real one it was moved from: as near as passages on one subject are."""

_BLOCK = 4096
_CLUSTERS = 2000


def real_words(folder: Path) -> tuple[list[str], NDArray[np.float64]]:
    """The words of the sample filings in ``folder`` and how often each comes, as shares; by rank they follow Zipf's law."""
    from fin_tui.filings.reader import read

    counts: Counter[str] = Counter()
    for file in sorted(folder.glob("*_10k.html")):
        counts.update(read(file.read_bytes(), file.name).text.split())
    shares = np.fromiter(counts.values(), np.float64, len(counts))
    return list(counts), shares / shares.sum()


def real_vectors(paths: Paths) -> Matrix:
    """The vectors of the library at ``paths``; random clusters of unit length where it has none."""
    folder = current_folder(paths.index)
    if folder is not None and (file := folder / "vectors.npy").is_file():
        matrix: Matrix = np.load(file, allow_pickle=False)
        return matrix
    return _unit(np.random.default_rng(5).standard_normal((_CLUSTERS, DIMENSION)).astype(np.float32))


def make_vectors(centres: Matrix, count: int) -> Matrix:
    """``count`` unit rows, each about ``CLOSENESS`` to a row of ``centres``."""
    chance = np.random.default_rng(11)
    dimension = centres.shape[1]
    spread = np.float32(np.sqrt((CLOSENESS**-2 - 1) / dimension))
    made = np.empty((count, dimension), np.float32)
    for start in range(0, count, _BLOCK):
        size = min(_BLOCK, count - start)
        near = centres[chance.integers(0, len(centres), size)]
        made[start : start + size] = _unit(near + spread * chance.standard_normal(near.shape, np.float32))
    return made


def make_texts(words: Sequence[str], shares: NDArray[np.float64], count: int) -> Iterator[tuple[int, str]]:
    """``count`` texts with their keys, from 1: words drawn by their shares, half to one and a half times ``WORDS`` long."""
    chance = np.random.default_rng(13)
    steps = np.cumsum(shares)
    for start in range(0, count, _BLOCK):
        lengths = chance.integers(WORDS // 2, WORDS + WORDS // 2, min(_BLOCK, count - start))
        drawn = np.minimum(np.searchsorted(steps, chance.random(int(lengths.sum()))), len(words) - 1)
        for place, row in enumerate(np.split(drawn, np.cumsum(lengths)[:-1])):
            yield start + place + 1, " ".join([words[n] for n in row])


class Keyed:
    """A :class:`fin_tui.retrieval.backend.Indexed` of which only the keys are there: a whole index asks for no more."""

    def __init__(self, count: int, encoder: str) -> None:
        self._keys: Keys = np.arange(1, count + 1, dtype=np.int64)
        self._encoder = encoder

    def generation(self) -> int:
        return 1

    def vector_generation(self) -> int:
        return 1

    def chunk_keys(self, scope: Scope) -> Keys:
        return self._keys

    def chunk_ids(self, keys: Sequence[int]) -> dict[int, str]:
        return {key: f"chunk-{key}" for key in keys}

    def index_texts(self, after: int) -> list[tuple[int, str]]:
        raise LookupError(f"the index lacks texts after {after}")

    def chunks_by_keys(self, keys: Sequence[int]) -> list[tuple[Chunk, Filing]]:
        raise LookupError("no chunk is kept")

    def vector_keys(self, encoder: str) -> Keys:
        return self._keys if encoder == self._encoder else np.empty(0, np.int64)

    def vectors(self, encoder: str, keys: Sequence[int]) -> Matrix:
        raise LookupError(f"the index lacks {len(keys)} vectors")


def _unit(rows: Matrix) -> Matrix:
    unit: Matrix = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit
