"""Question + scope -> ranked hits, with the rank that each index gave.

Importing this module costs nothing: encoder, indexes and reranker are loaded by the first search or :meth:`Retriever.warm_up`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import RLock
from typing import TYPE_CHECKING

from fin_tui.config import Mode, Settings
from fin_tui.errors import MissingAsset
from fin_tui.paths import Paths
from fin_tui.records import Chunk, Filing, Hit, Ranks, Scope
from fin_tui.retrieval.statements import MEANT, Hint
from fin_tui.retrieval.steps import Steps

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fin_tui.retrieval.corpus import Corpus, Keys
    from fin_tui.retrieval.encoder import Encoder
    from fin_tui.retrieval.fuse import Ranked
    from fin_tui.retrieval.indexes import Indexes, Snapshot
    from fin_tui.retrieval.pins import Pinned
    from fin_tui.retrieval.rerank import Reranker

RRF_WEIGHTS = (1.0, 1.0)
"""Dense, sparse."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits best first, and how they were found."""

    hits: tuple[Hit, ...]
    timings_ms: Mapping[str, float]
    """encode, search, rerank, total."""
    notes: tuple[str, ...]
    """What limits this answer, for people: no weights, vectors not ready."""
    mode: Mode
    """The mode that was really used."""
    similarity: float | None = None
    """Cosine of the question and the passage nearest in meaning; None without vectors."""


class Retriever:
    """Searches one library. Safe to share between threads: one search at a time."""

    def __init__(
        self,
        library: Corpus,
        paths: Paths,
        settings: Settings | None = None,
        encoder: Encoder | None = None,
        steps: Steps | None = None,
    ) -> None:
        """``encoder`` replaces the configured one; ``steps`` are all of them by default."""
        self._steps = steps or Steps()
        self._library = library
        self._paths = paths
        self._settings = settings or Settings()
        self._encoder = encoder
        self._encoder_note = ""
        self._reranker: Reranker | None = None
        self._reranker_note = ""
        self._indexes: Indexes | None = None
        self._asked: tuple[str, NDArray[np.float32]] | None = None
        """The last query with its vector: one question is often searched for in several scopes."""
        self._lock = RLock()

    @property
    def indexes(self) -> Indexes:
        """The indexes of this library; ingest calls their ``write``."""
        if self._indexes is None:
            from fin_tui.retrieval.indexes import Indexes

            name = self._encoder.name if self._encoder else None
            self._indexes = Indexes(self._paths, self._library, self._settings, encoder=name)
        return self._indexes

    def warm_up(self, *, mode: Mode | None = None, rerank: bool | None = None) -> tuple[str, ...]:
        """Load everything a search needs; gives notes on what is missing."""
        with self._lock:
            notes: list[str] = []
            snapshot = self.indexes.snapshot()
            if (mode or self._settings.search.mode) != "sparse" and (encoder := self._load_encoder(notes)):
                snapshot.search_dense(encoder.encode_query("warm up"), None, 1)
            if (self._settings.search.rerank if rerank is None else rerank) and (reranker := self._load_reranker(notes)):
                reranker.score("warm up", ["A passage to start the engine."], seconds=1.0)
            return tuple(notes)

    def search(
        self,
        query: str,
        scope: Scope | None = None,
        *,
        k: int | None = None,
        mode: Mode | None = None,
        rerank: bool | None = None,
        deadline_ms: float | None = None,
        hint: Hint | None = None,
    ) -> SearchResult:
        """The best ``k`` passages within ``scope``; what the settings say counts where an argument is None.

        Missing weights never fail a search: it goes by words alone and says so in ``notes``.
        """
        from fin_tui.retrieval.tokens import without_instructions

        scope, options = scope or Scope(), self._settings.search
        k, mode = k or options.k, mode or options.mode
        with self._lock:
            clock = _Clock()
            notes: list[str] = []
            snapshot = self.indexes.snapshot()
            allowed = None if scope == Scope() else self._library.chunk_keys(scope)
            query = without_instructions(query)
            lists, mode = self._lists(query, snapshot, allowed, mode, max(options.candidates, k), notes, clock)
            fused = self._fuse(lists, snapshot)
            found = self._fetch(list(fused)[: max(k, _most_pairs())])
            hint = (hint or Hint()).and_named(query)
            pinned = self._pin(hint, query, snapshot, allowed)
            clock.done("search")
            order = list(range(len(found)))
            reranked: list[int | None] = [None] * len(found)
            # A cross-encoder trained on web prose has no say where a statement is wanted.
            if (options.rerank if rerank is None else rerank) and found and hint.weight < MEANT:
                seconds = (deadline_ms or options.rerank_deadline_ms) / 1000
                order, reranked = self._rerank(query, found, seconds, notes)
                clock.done("rerank")
            ranked = [(found[place], reranked[place]) for place in order]
            hits = tuple(
                Hit(rank, chunk, filing, fused.get(key, 0.0), _ranks(lists, key, read))
                for rank, ((key, chunk, filing), read) in enumerate(pinned.into(ranked)[:k], start=1)
            )
            dense = lists.get("dense")
            similarity = float(dense.scores[0]) if dense is not None and len(dense.scores) else None
            return SearchResult(hits, clock.timings(), tuple(notes), mode, similarity)

    def _lists(
        self, query: str, snapshot: Snapshot, allowed: Keys | None, mode: Mode, count: int, notes: list[str], clock: _Clock
    ) -> tuple[dict[str, Ranked], Mode]:
        from fin_tui.retrieval.fuse import Ranked
        from fin_tui.retrieval.tokens import tokenize_query

        lists: dict[str, Ranked] = {}
        clock.done("search")
        if mode != "sparse":
            encoder = self._load_encoder(notes)
            embedded = snapshot.embedded(allowed) if encoder else 0
            total = len(snapshot.alive if allowed is None else allowed)
            if encoder and embedded < total:
                notes.append(f"{total - embedded:,} of {total:,} passages have no vector yet; those are found by words alone.")
            if encoder and embedded:
                if self._asked is None or self._asked[0] != query:
                    self._asked = (query, encoder.encode_query(query))
                vector = self._asked[1]
                clock.done("encode")
                lists["dense"] = Ranked(*snapshot.search_dense(vector, allowed, count))
        if mode != "dense" or not lists:
            tokens: Sequence[str] | Mapping[str, float] = tokenize_query(query)
            if self._steps.synonyms:
                from fin_tui.retrieval.synonyms import expand

                tokens = expand(query, tokenize_query(query))
            lists["sparse"] = Ranked(*snapshot.search_sparse(tokens, allowed, count), floor=0.0)
        return lists, "hybrid" if len(lists) == 2 else "dense" if "dense" in lists else "sparse"

    def _fuse(self, lists: Mapping[str, Ranked], snapshot: Snapshot) -> dict[int, float]:
        from fin_tui.retrieval import fuse

        if len(lists) == 1:
            (ranked,) = lists.values()
            return dict(zip(ranked.keys.tolist(), ranked.scores.tolist(), strict=True))
        both = [lists["dense"], lists["sparse"]]
        options = self._settings.search
        if options.fusion == "weighted":
            weights = (options.dense_weight, 1 - options.dense_weight)
            fused = fuse.weighted(both, weights=weights)
        else:
            weights = RRF_WEIGHTS
            fused = fuse.rrf(both, k=options.rrf_k, weights=weights)
        alone = snapshot.without_vector(both[1].keys).tolist()
        return fuse.lift(fused, alone, sum(weights) / weights[1]) if alone and weights[1] else fused

    def _pin(self, hint: Hint, query: str, snapshot: Snapshot, allowed: Keys | None) -> Pinned:
        """The parts of the statements that ``hint`` speaks of, the best part of each first."""
        from fin_tui.retrieval.pins import Pinned, pin_statements

        if not self._steps.statements or not hint.statements or not hint.weight or allowed is None:
            return Pinned()
        return pin_statements(hint, query, snapshot, allowed, self._fetch)

    def _fetch(self, keys: Sequence[int]) -> list[tuple[int, Chunk, Filing]]:
        """Chunks in the order of ``keys``; what went away since the snapshot is left out."""
        found = self._library.chunks_by_keys(keys)
        if len(found) != len(keys):
            there = self._library.chunk_ids(keys)
            key_of = {chunk_id: key for key, chunk_id in there.items()}
            return [(key_of[chunk.id], chunk, filing) for chunk, filing in found if chunk.id in key_of]
        return [(key, chunk, filing) for key, (chunk, filing) in zip(keys, found, strict=True)]

    def _rerank(
        self, query: str, found: Sequence[tuple[int, Chunk, Filing]], seconds: float, notes: list[str]
    ) -> tuple[list[int], list[int | None]]:
        from fin_tui.retrieval.rerank import blend, passage_of

        nothing: list[int | None] = [None] * len(found)
        reranker = self._load_reranker(notes)
        if reranker is None:
            return list(range(len(found))), nothing
        prose = [place for place, (_, chunk, _) in enumerate(found) if chunk.kind == "prose"][: _most_pairs()]
        scores: list[float | None] = [None] * len(found)
        read = reranker.score(query, [passage_of(found[place][1]) for place in prose], seconds=seconds)
        for place, score in zip(prose, read, strict=True):
            scores[place] = score
        return blend(scores)

    def _load_encoder(self, notes: list[str]) -> Encoder | None:
        if self._encoder is None and not self._encoder_note:
            from fin_tui.retrieval.encoder import load_encoder

            try:
                self._encoder = load_encoder(self._settings.encoder, self._paths)
            except MissingAsset as error:
                self._encoder_note = f"Search by words alone: {error.message}."
        if self._encoder is None:
            notes.append(self._encoder_note)
        return self._encoder

    def _load_reranker(self, notes: list[str]) -> Reranker | None:
        if self._reranker is None and not self._reranker_note:
            from fin_tui.retrieval.rerank import load_reranker

            try:
                self._reranker = load_reranker(self._paths)
            except MissingAsset as error:
                self._reranker_note = f"Not reranked: {error.message}."
        if self._reranker is None:
            notes.append(self._reranker_note)
        return self._reranker


class _Clock:
    """Adds up what each stage took."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._started = self._last = now()
        self._spent = {"encode": 0.0, "search": 0.0, "rerank": 0.0}

    def done(self, stage: str) -> None:
        now = self._now()
        self._spent[stage] += now - self._last
        self._last = now

    def timings(self) -> dict[str, float]:
        return {
            **{name: round(spent * 1000, 2) for name, spent in self._spent.items()},
            "total": round((self._now() - self._started) * 1000, 2),
        }


def _most_pairs() -> int:
    from fin_tui.retrieval.rerank import MOST_PAIRS

    return MOST_PAIRS


def _ranks(lists: Mapping[str, Ranked], key: int, reranked: int | None) -> Ranks:
    places = {name: ranked.place(key) for name, ranked in lists.items()}
    return Ranks(places.get("dense"), places.get("sparse"), reranked)
