"""What one search may find, and the ways to find it: the seam behind which this machine's indexes or a server stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from fin_tui.records import Chunk, Filing, Scope
from fin_tui.retrieval.corpus import Indexed, Keys, Matrix

if TYPE_CHECKING:
    from fin_tui.retrieval.indexes import Indexes, Snapshot

Entry = tuple[int, Chunk, Filing]
"""A chunk with its key and filing."""
Found = tuple[Keys, NDArray[np.float32]]
"""Keys and scores, best first."""
Tokens = Sequence[str] | Mapping[str, float]
"""The words of a question; a mapping says how much each counts."""


class Room(Protocol):
    """The passages of one scope, as they were when the search began."""

    @property
    def total(self) -> int:
        """How many there are."""
        ...

    @property
    def embedded(self) -> int:
        """How many of them have a vector."""
        ...

    def search_sparse(self, tokens: Tokens, k: int) -> Found:
        """By BM25, whose document frequencies count this scope alone; only passages that share a word."""
        ...

    def search_dense(self, query: NDArray[np.float32], k: int) -> Found:
        """By cosine."""
        ...

    def search_among(self, tokens: Tokens, keys: Keys) -> Found:
        """As :meth:`search_sparse`, as if ``keys`` were the whole scope."""
        ...

    def without_vector(self, keys: Keys) -> Keys:
        """Those of ``keys`` that have no vector yet."""
        ...

    def vectors(self, encoder: str, keys: Sequence[int]) -> Matrix:
        """L2-normalised rows for ``keys``, in their order; ``NotFound`` when one has none."""
        ...

    def fetch(self, keys: Sequence[int]) -> list[Entry]:
        """Chunks in the order of ``keys``; what went away since is left out."""
        ...


class Rooms(Protocol):
    """Something that can be searched."""

    def room(self, scope: Scope) -> Room:
        """What ``scope`` allows, as it is now."""
        ...


class LibraryRooms:
    """The rooms of a library with indexes on this machine."""

    def __init__(self, indexes: Indexes, library: Indexed) -> None:
        self._indexes = indexes
        self._library = library

    def room(self, scope: Scope) -> LibraryRoom:
        """See :class:`Rooms`."""
        snapshot = self._indexes.snapshot()
        return LibraryRoom(snapshot, self._library, None if scope == Scope() else self._library.chunk_keys(scope))


class LibraryRoom:
    """See :class:`Room`."""

    def __init__(self, snapshot: Snapshot, library: Indexed, allowed: Keys | None) -> None:
        """``allowed`` are ascending keys; None for all."""
        self._snapshot = snapshot
        self._library = library
        self._allowed = allowed

    @property
    def total(self) -> int:
        return len(self._snapshot.alive if self._allowed is None else self._allowed)

    @property
    def embedded(self) -> int:
        return self._snapshot.embedded(self._allowed)

    def search_sparse(self, tokens: Tokens, k: int) -> Found:
        return self._snapshot.search_sparse(tokens, self._allowed, k)

    def search_dense(self, query: NDArray[np.float32], k: int) -> Found:
        return self._snapshot.search_dense(query, self._allowed, k)

    def search_among(self, tokens: Tokens, keys: Keys) -> Found:
        return self._snapshot.search_sparse(tokens, keys, len(keys))

    def without_vector(self, keys: Keys) -> Keys:
        return self._snapshot.without_vector(keys)

    def vectors(self, encoder: str, keys: Sequence[int]) -> Matrix:
        return self._library.vectors(encoder, keys)

    def fetch(self, keys: Sequence[int]) -> list[Entry]:
        found = self._library.chunks_by_keys(keys)
        if len(found) != len(keys):
            there = self._library.chunk_ids(keys)
            key_of = {chunk_id: key for key, chunk_id in there.items()}
            return [(key_of[chunk.id], chunk, filing) for chunk, filing in found if chunk.id in key_of]
        return [(key, chunk, filing) for key, (chunk, filing) in zip(keys, found, strict=True)]
