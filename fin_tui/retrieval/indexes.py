"""The indexes over a library as one thing that is always right: a generation on disk, and what came since in memory.

A search never waits for an index to be written. What the current generation lacks (a filing just added, vectors just made) is
read from the library and searched beside it; what was removed is masked. A generation that is missing, stale or corrupt counts as
empty: the answer is the same, only the first one slower. Then, or when ingest asks, a new generation is merged and swapped in.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import RLock

import numpy as np
from numpy.typing import NDArray

from fin_tui.config import Settings
from fin_tui.errors import NotFound
from fin_tui.paths import Paths
from fin_tui.records import Scope
from fin_tui.retrieval import dense, generation, sparse
from fin_tui.retrieval.corpus import Indexed, Keys
from fin_tui.retrieval.encoder import encoder_name
from fin_tui.retrieval.generation import Generation, StaleIndex, Vectors, current_folder, writer_lock

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


DELTA = 2000
"""Chunks that may be missing from the generation before writing a new one is worth it: about half a second to tokenise."""
SMALL = 50_000
"""Up to this many chunks a finished ingest always writes; beyond, only when ``DELTA`` is reached."""
_PARTS = 6

_log = logging.getLogger(__name__)


class Indexes:
    """Reads, refreshes and writes the indexes of one library. Safe to share between threads."""

    def __init__(self, paths: Paths, library: Indexed, settings: Settings, *, encoder: str | None = None) -> None:
        """``encoder`` names the vectors to search; by default those of the configured encoder."""
        self._folder = paths.index
        self._library = library
        self._encoder = encoder or encoder_name(settings.encoder, paths)
        self._lock = RLock()
        self._loaded: Path | None = None
        self._generation: Generation | None = None
        self._seen: tuple[object, ...] = ()
        self._snapshot = Snapshot(np.empty(0, np.int64))

    def snapshot(self) -> Snapshot:
        """The state of the library now; cheap when nothing changed."""
        with self._lock:
            seen = self._state()
            if seen != self._seen:
                self._refresh()
                self._seen = seen
                if self._missing() >= DELTA:
                    self._write_quietly()
            return self._snapshot

    def write(self) -> bool:
        """Bring the generation on disk up to date, where it pays; whether one was written. For the process that ingests.

        Raises ``OSError`` when the disk is full; the old generation stays.
        """
        with self._lock:
            self.snapshot()
            alive = len(self._snapshot.alive)
            current = self._generation
            is_fresh = (
                current is not None and not self._missing() and current.manifest.chunks == alive and self._has_all_vectors()
            )
            if is_fresh or (not alive and current is None):
                return False
            if current is not None and alive > SMALL and self._missing() < DELTA and self._new_vectors() < DELTA:
                return False
            return self._write()

    def _state(self) -> tuple[object, ...]:
        return (self._library.generation(), self._library.vector_generation(), current_folder(self._folder))

    def _missing(self) -> int:
        segments = self._snapshot.segments
        return sum(len(s.keys) for s in segments if self._generation is None or s is not self._generation.segment)

    def _new_vectors(self) -> int:
        own = self._generation.vectors if self._generation else None
        return sum(len(part.keys) for part in self._snapshot.vectors if part is not own)

    def _has_all_vectors(self) -> bool:
        own = self._generation.vectors if self._generation else None
        return not self._new_vectors() and (own is None or bool(np.isin(own.keys, self._snapshot.held).all()))

    def _refresh(self) -> None:
        folder = current_folder(self._folder)
        if folder != self._loaded:
            self._load(folder)
        alive = self._library.chunk_keys(Scope())
        segments = self._segments(alive)
        masks = tuple(np.isin(s.keys, alive) for s in segments)
        there = np.intersect1d(self._library.vector_keys(self._encoder), alive) if self._encoder else np.empty(0, np.int64)
        self._snapshot = Snapshot(alive, segments, self._vectors(there, alive), masks, there)

    def _load(self, folder: Path | None) -> None:
        """Take the generation in ``folder`` in place of what was loaded; parts in memory that it lacks are read again."""
        self._loaded, self._generation = folder, None
        self._snapshot = Snapshot(np.empty(0, np.int64))
        if folder is None:
            return
        try:
            self._generation = generation.load(folder, self._library, self._encoder)
        except StaleIndex as error:
            _log.info("index generation is rebuilt: %s", error)
            return
        own = self._generation
        self._snapshot = Snapshot(np.empty(0, np.int64), (own.segment,), (own.vectors,) if own.vectors else ())

    def _segments(self, alive: Keys) -> tuple[sparse.Segment, ...]:
        segments = self._snapshot.segments
        newest = max((int(s.keys[-1]) for s in segments if len(s.keys)), default=0)
        if len(alive) and int(alive[-1]) > newest:
            segments = (*segments, sparse.build(self._library.index_texts(newest)))
        main = 1 if self._generation else 0
        if len(segments) - main > _PARTS:
            segments = (*segments[:main], sparse.merge(segments[main:], alive))
        return segments

    def _vectors(self, there: Keys, alive: Keys) -> tuple[Vectors, ...]:
        """The vectors of the chunks ``there``; those held already are not read again: a text's vector never changes."""
        parts = self._snapshot.vectors
        if not self._encoder:
            return ()
        held = np.concatenate([part.keys for part in parts]) if parts else np.empty(0, np.int64)
        new = np.setdiff1d(there, held)
        if len(new):
            try:
                parts = (*parts, Vectors(new, self._library.vectors(self._encoder, new.tolist())))
            except NotFound:
                # A filing was removed in between; the change of generation brings the next search here again.
                _log.info("vectors changed while they were read")
        main = 1 if self._generation and self._generation.vectors else 0
        if len(parts) - main > _PARTS and (joined := generation.join_vectors(parts[main:], alive)):
            parts = (*parts[:main], joined)
        return parts

    def _write_quietly(self) -> None:
        try:
            self._write()
        except OSError as error:
            _log.warning("the index stays in memory: %s", error)

    def _write(self) -> bool:
        with writer_lock(self._folder) as is_ours:
            if not is_ours or current_folder(self._folder) != self._loaded:
                return False
            snapshot, own = self._snapshot, self._generation.vectors if self._generation else None
            segment = sparse.merge(snapshot.segments, snapshot.alive)
            vectors = generation.join_vectors(snapshot.vectors, snapshot.held)
            if vectors is not None:
                keys = own.keys if own is not None and own.graph is not None else np.empty(0, np.int64)
                vectors = generation.with_graph(vectors, self._loaded, keys)
            generation.save(self._folder, self._library, int(str(self._state()[0])), segment, vectors, self._encoder)
        self._refresh()
        self._seen = self._state()
        return True
