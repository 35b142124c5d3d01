"""What a search reads of a library, and the ways to search: the seam behind which this machine's indexes or a server stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from fin_tui.config import Settings
from fin_tui.paths import Paths
from fin_tui.records import Chunk, Filing, Scope
from fin_tui.retrieval.retriever import Retriever
from fin_tui.store import Corpus
from fin_tui.store.filings import Provenance
from fin_tui.store.library import Library

if TYPE_CHECKING:
    from fin_tui.retrieval.indexes import Indexes, Snapshot
    from fin_tui.retrieval.rerank import CrossEncoder

Keys = NDArray[np.int64]
Matrix = NDArray[np.float32]


class Indexed(Protocol):
    """What the indexes need of a library: chunks by integer key. Keys ascend with time and are never used again."""

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


Entry = tuple[int, Chunk, Filing]
"""A chunk with its key and filing."""
Found = tuple[Keys, NDArray[np.float32]]
"""Keys and scores, best first."""
Tokens = Sequence[str] | Mapping[str, float]
"""The words of a question; a mapping says how much each counts."""


class ScopedSearch(Protocol):
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

    def fetch(self, keys: Sequence[int]) -> list[Entry]:
        """Chunks in the order of ``keys``; what went away since is left out."""
        ...


class SearchBackend(Protocol):
    """Something that can be searched."""

    def within(self, scope: Scope) -> ScopedSearch:
        """What ``scope`` allows, as it is now."""
        ...


class LibraryBackend:
    """The backend of a library with indexes on this machine."""

    def __init__(self, indexes: Indexes, library: Indexed) -> None:
        self._indexes = indexes
        self._library = library

    def within(self, scope: Scope) -> LibrarySearch:
        """See :class:`SearchBackend`."""
        snapshot = self._indexes.snapshot()
        return LibrarySearch(snapshot, self._library, None if scope == Scope() else self._library.chunk_keys(scope))


class LibrarySearch:
    """See :class:`ScopedSearch`."""

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

    def fetch(self, keys: Sequence[int]) -> list[Entry]:
        found = self._library.chunks_by_keys(keys)
        if len(found) != len(keys):
            there = self._library.chunk_ids(keys)
            key_of = {chunk_id: key for key, chunk_id in there.items()}
            return [(key_of[chunk.id], chunk, filing) for chunk, filing in found if chunk.id in key_of]
        return [(key, chunk, filing) for key, (chunk, filing) in zip(keys, found, strict=True)]


class Served(Corpus, SearchBackend, Protocol):
    """A corpus that a server holds and searches."""

    @property
    def name(self) -> str:
        """For people: where it is."""
        ...

    def provenance(self, filing_id: str, /) -> Provenance:
        """How a filing came to be as it is there; raises ``NotFound``."""
        ...

    def notes(self) -> tuple[str, ...]:
        """What limits searches from this machine, for people."""
        ...

    def close(self) -> None:
        """Safe to call twice."""
        ...


def open_retriever(
    corpus: Library | Served,
    paths: Paths,
    settings: Settings,
    reader: CrossEncoder | None = None,
) -> Retriever:
    """Nothing heavy is loaded before its first search; ``reader`` is the cross-encoder, where others use it too."""
    if isinstance(corpus, Library):
        return Retriever(corpus, paths, settings, reader=reader)
    return Retriever(None, paths, settings, backend=corpus, reader=reader)
