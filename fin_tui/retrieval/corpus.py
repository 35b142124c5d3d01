"""What the indexes need of a library. ``fin_tui.store.library.Library`` is one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fin_tui.records import Chunk, Filing, Scope

Keys = NDArray[np.int64]
Matrix = NDArray[np.float32]


class Indexed(Protocol):
    """Chunks by integer key. Keys ascend with time and are never used again."""

    def generation(self) -> int:
        """A number that grows with every change of chunks, by any process."""
        ...

    def vector_generation(self) -> int:
        """A number that changes whenever vectors do."""
        ...

    def chunk_keys(self, scope: Scope) -> Keys:
        """Ascending keys of the chunks that ``scope`` allows; of all chunks when it is empty."""
        ...

    def chunk_ids(self, keys: Sequence[int]) -> Mapping[int, str]:
        """Chunk id by key; keys that are gone are left out."""
        ...

    def index_texts(self, after: int) -> Iterable[tuple[int, str]]:
        """``(key, index_text)`` of the chunks with a key above ``after``, ascending."""
        ...

    def chunks_by_keys(self, keys: Sequence[int]) -> Sequence[tuple[Chunk, Filing]]:
        """Chunks with their filings in the order of ``keys``; keys that are gone are left out."""
        ...

    def vector_keys(self, encoder: str) -> Keys:
        """Ascending keys of the chunks that have a vector of the encoder named ``encoder``."""
        ...

    def vectors(self, encoder: str, keys: Sequence[int]) -> Matrix:
        """L2-normalised rows for ``keys``, in their order, shape ``[len(keys), dimension]``; ``NotFound`` when one has none."""
        ...
