"""Question + scope -> ranked hits, with the rank that each index gave.

Importing this module costs nothing: encoder, indexes and reranker are loaded by the first search or :meth:`Retriever.warm_up`.
"""

from __future__ import annotations

import re
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.resources import files
from threading import RLock
from typing import TYPE_CHECKING

from fin_tui import config
from fin_tui.config import Mode, Settings
from fin_tui.errors import MissingAsset
from fin_tui.language import any_name
from fin_tui.paths import Paths
from fin_tui.records import Chunk, Hit, Ranks, Scope
from fin_tui.retrieval.statements import STRONG, StatementBoost
from fin_tui.retrieval.tokens import tokenize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fin_tui.retrieval.backend import Entry, Indexed, ScopedSearch, SearchBackend
    from fin_tui.retrieval.encoder import Encoder
    from fin_tui.retrieval.fuse import Pinned, Ranked
    from fin_tui.retrieval.indexes import Indexes
    from fin_tui.retrieval.question_encoder import QuestionEncoder
    from fin_tui.retrieval.rerank import CrossEncoder, Reranker


class Weights:
    """Loads each engine at most once; a failed load is not tried again."""

    def __init__(
        self, settings: config.Encoder, paths: Paths, encoder: Encoder | None = None, reader: CrossEncoder | None = None
    ) -> None:
        """``encoder`` replaces the configured one; ``reader`` is a cross-encoder that others use too."""
        self._settings = settings
        self._paths = paths
        self.made_encoder = encoder
        self.made_reranker: Reranker | None = None
        self._reader = reader
        self._questions: QuestionEncoder | None = None
        self._encoder_note = self._reranker_note = self._questions_note = ""

    def encoder(self, notes: list[str]) -> Encoder | None:
        """The encoder; None, and a line in ``notes``, when its weights are not there."""
        if self.made_encoder is None and not self._encoder_note:
            from fin_tui.retrieval.encoder import load_encoder

            try:
                self.made_encoder = load_encoder(self._settings, self._paths)
            except MissingAsset as error:
                self._encoder_note = f"Search by words alone: {error.message}."
        if self.made_encoder is None:
            notes.append(self._encoder_note)
        return self.made_encoder

    def questions(self, encoder: Encoder, notes: list[str]) -> QuestionEncoder | None:
        """The trained encoder of questions; None where the vectors of the passages are of another ``encoder`` than it suits, and,
        with a line in ``notes``, when its weights are not there.
        """
        from fin_tui.retrieval.question_encoder import QuestionEncoder, suited

        try:
            if encoder.name != suited()[0]:
                return None
            if self._questions is None and not self._questions_note:
                self._questions = QuestionEncoder()
        except MissingAsset as error:
            self._questions_note = f"Searched without the conversation: {error.message}."
        if self._questions_note:
            notes.append(self._questions_note)
        return self._questions

    def reranker(self, notes: list[str]) -> Reranker | None:
        """The cross-encoder; None, and a line in ``notes``, when its weights are not there."""
        if self.made_reranker is None and not self._reranker_note:
            from fin_tui.retrieval.rerank import load_reranker

            try:
                self.made_reranker = load_reranker(self._reader)
            except MissingAsset as error:
                self._reranker_note = f"Not reranked: {error.message}."
        if self.made_reranker is None:
            notes.append(self._reranker_note)
        return self.made_reranker


class Clock:
    """Adds up the stages encode, search and rerank."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._started = self._last = now()
        self._spent = {"encode": 0.0, "search": 0.0, "rerank": 0.0}

    def done(self, stage: str) -> None:
        """The time since the last call belongs to ``stage``."""
        now = self._now()
        self._spent[stage] += now - self._last
        self._last = now

    def timings(self) -> dict[str, float]:
        """Milliseconds by stage, and in total."""
        return {
            **{name: round(spent * 1000, 2) for name, spent in self._spent.items()},
            "total": round((self._now() - self._started) * 1000, 2),
        }


@dataclass(frozen=True, slots=True)
class Steps:
    """Which steps a search takes."""

    synonyms: bool = True
    """Words that filings use for what a question asks are looked for too."""
    statements: bool = True
    """A question about a financial statement puts that statement's tables forward."""

    @staticmethod
    def names() -> tuple[str, ...]:
        return tuple(field.name for field in fields(Steps))

    @classmethod
    def none(cls) -> Steps:
        """Bare ranking."""
        return cls(**dict.fromkeys(cls.names(), False))

    def without(self, name: str) -> Steps:
        """All but one."""
        return replace(self, **{name: False})


RRF_WEIGHTS = (1.0, 1.0)
"""Dense, sparse."""
TRAINED_WEIGHT = 0.7
"""Of the passages that the trained encoder of questions finds, beside those found by words: of 239 questions over filings that it
was not trained on one that answers is found for 197, with even weights for 192, by the plain encoder for 180.
"""


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
    """Cosine of the question and the passage nearest in meaning; None while any passage in scope has no vector."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """What a conversation looks for, and the passages nearest to that."""

    passages: tuple[tuple[Chunk, float], ...]
    """With their cosines, the nearest first."""
    rows: NDArray[np.float32]
    """The vector among rows of figures, of shape ``[width]``, L2-normalised."""


@dataclass(frozen=True, slots=True)
class _Lists:
    """What the indexes give for one question."""

    of: Mapping[str, Ranked]
    """ "dense", "sparse"."""
    mode: Mode
    similarity: float | None
    """See :class:`SearchResult`."""
    is_trained: bool
    """Whether the dense list is that of the trained encoder of questions."""


class Retriever:
    """Searches one library or corpus. Safe to share between threads: one search at a time."""

    def __init__(
        self,
        library: Indexed | None,
        paths: Paths,
        settings: Settings | None = None,
        encoder: Encoder | None = None,
        steps: Steps | None = None,
        backend: SearchBackend | None = None,
        reader: CrossEncoder | None = None,
    ) -> None:
        """``encoder`` replaces the configured one; ``steps`` are all of them by default; ``backend`` are searched in place of
        indexes of ``library``, which may then be None; ``reader`` is a cross-encoder that others use too.
        """
        self._steps = steps or Steps()
        self._library = library
        self._paths = paths
        self._settings = settings or Settings()
        self._weights = Weights(self._settings.encoder, paths, encoder, reader)
        self._indexes: Indexes | None = None
        self._backend = backend
        self._asked: tuple[str, NDArray[np.float32]] | None = None
        """The last query and its vector: one question is often searched for in several scopes."""
        self._lock = RLock()

    @property
    def indexes(self) -> Indexes:
        """The indexes of this library; ingest calls their ``write``."""
        if self._indexes is None:
            from fin_tui.retrieval.indexes import Indexes

            if self._library is None:
                raise RuntimeError("what is searched elsewhere has no indexes here")
            made = self._weights.made_encoder
            self._indexes = Indexes(self._paths, self._library, self._settings, encoder=made.name if made else None)
        return self._indexes

    def _within(self, scope: Scope) -> ScopedSearch:
        if self._backend is None:
            from fin_tui.retrieval.backend import LibraryBackend

            indexes = self.indexes
            assert self._library is not None
            self._backend = LibraryBackend(indexes, self._library)
        return self._backend.within(scope)

    def warm_up(self, *, mode: Mode | None = None, rerank: bool | None = None) -> tuple[str, ...]:
        """Load everything a search needs; gives notes on what is missing."""
        with self._lock:
            notes: list[str] = []
            scoped = self._within(Scope())
            if (mode or self._settings.search.mode) != "sparse" and (encoder := self._weights.encoder(notes)):
                scoped.search_dense(encoder.encode_query("warm up"), 1)
                self._weights.questions(encoder, notes)
            if (self._settings.search.rerank if rerank is None else rerank) and (reranker := self._weights.reranker(notes)):
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
        hint: StatementBoost | None = None,
        conversation: Sequence[str] = (),
    ) -> SearchResult:
        """The best ``k`` passages within ``scope``; what the settings say counts where an argument is None. With the
        ``conversation`` that a query ends, as it was typed, passages are looked for by what answers that.

        Missing weights never fail a search: it goes by words alone and says so in ``notes``.
        """
        from fin_tui.retrieval.rerank import MOST_PAIRS, judge

        scope, options = scope or Scope(), self._settings.search
        k, mode = k or options.k, mode or options.mode
        with self._lock:
            clock = Clock()
            notes: list[str] = []
            scoped = self._within(scope)
            lists = self._lists(query, conversation, scoped, mode, max(options.candidates, k), notes, clock)
            fused = self._fuse(lists, scoped)
            found = scoped.fetch(list(fused)[: max(k, MOST_PAIRS)])
            hint = (hint or StatementBoost()).and_named(query)
            pinned = self._pin(hint, query, scoped, scope)
            clock.done("search")
            ranked: list[tuple[Entry, int | None]] = [(entry, None) for entry in found]
            # A cross-encoder trained on web prose has no say where a statement is wanted.
            is_reranked = (options.rerank if rerank is None else rerank) and hint.weight < STRONG
            if found and is_reranked:
                reranker, seconds = self._weights.reranker(notes), (deadline_ms or options.rerank_deadline_ms) / 1000
                if reranker is not None:
                    ranked = judge(reranker, query, found, seconds)
                clock.done("rerank")
            hits = tuple(
                Hit(rank, chunk, filing, fused.get(key, 0.0), _ranks(lists.of, key, read))
                for rank, ((key, chunk, filing), read) in enumerate(pinned.into(ranked)[:k], start=1)
            )
            return SearchResult(hits, clock.timings(), tuple(notes), lists.mode, lists.similarity)

    def judge(self, question: str, paragraphs: Sequence[str]) -> Sequence[float | None]:
        """How well each paragraph answers ``question``: a logit; all None where the reranker's weights are missing, or
        the settings leave reranking out.

        No deadline: which sentences answer a question must not hang on what else the machine does.
        """
        options = self._settings.search
        with self._lock:
            reranker = self._weights.reranker([]) if options.rerank and paragraphs else None
            if reranker is None:
                return [None] * len(paragraphs)
            return reranker.score(question, paragraphs)

    def near(self, conversation: Sequence[str], scope: Scope, rows: str, count: int) -> Nearest | None:
        """What the last question of a ``conversation`` looks for, and the ``count`` passages within ``scope`` nearest to that;
        None where the settings want search by words alone, where weights are missing, and where the vectors of passages, or
        those of rows, whose encoder is called ``rows``, are not those that the trained encoder of questions suits.
        """
        if self._settings.search.mode == "sparse":
            return None
        with self._lock:
            encoder = self._weights.encoder([])
            questions = self._weights.questions(encoder, []) if encoder is not None else None
            if questions is None or questions.rows != rows:
                return None
            sought, scoped = questions.encode(conversation), self._within(scope)
            keys, cosines = scoped.search_dense(sought.passages, count)
            held = {key: chunk for key, chunk, _ in scoped.fetch(keys.tolist())}
            found = ((held.get(key), cosine) for key, cosine in zip(keys.tolist(), cosines.tolist(), strict=True))
            return Nearest(tuple((chunk, cosine) for chunk, cosine in found if chunk is not None), sought.rows)

    def _lists(
        self,
        query: str,
        conversation: Sequence[str],
        scoped: ScopedSearch,
        mode: Mode,
        count: int,
        notes: list[str],
        clock: Clock,
    ) -> _Lists:
        from fin_tui.retrieval.fuse import Ranked
        from fin_tui.retrieval.tokens import tokenize_query

        lists: dict[str, Ranked] = {}
        similarity, is_trained = None, False
        clock.done("search")
        if mode != "sparse":
            encoder = self._weights.encoder(notes)
            embedded, total = scoped.embedded if encoder else 0, scoped.total
            if encoder and embedded < total:
                notes.append(f"{total - embedded:,} of {total:,} passages have no vector yet; those are found by words alone.")
            if encoder and embedded:
                plain, trained = self._vectors(query, conversation, encoder, notes)
                clock.done("encode")
                is_trained = trained is not None
                # How near in meaning anything is, is told by the vectors that were made to tell that.
                nearest = Ranked(*scoped.search_dense(plain, count if trained is None else 1))
                lists["dense"] = nearest if trained is None else Ranked(*scoped.search_dense(trained, count))
                # The nearest of only some passages would say too little.
                similarity = float(nearest.scores[0]) if len(nearest.scores) and embedded == total else None
        if mode != "dense" or not lists:
            tokens: Sequence[str] | Mapping[str, float] = tokenize_query(query)
            if self._steps.synonyms:
                tokens = expand(query, tokenize_query(query))
            lists["sparse"] = Ranked(*scoped.search_sparse(tokens, count), floor=0.0)
        used: Mode = "hybrid" if len(lists) == 2 else "dense" if "dense" in lists else "sparse"
        return _Lists(lists, used, similarity, is_trained)

    def _vectors(
        self, query: str, conversation: Sequence[str], encoder: Encoder, notes: list[str]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
        """The vector of the query, and that of the conversation where there is one and its encoder suits."""
        if self._asked is None or self._asked[0] != query:
            self._asked = query, encoder.encode_query(query)
        questions = self._weights.questions(encoder, notes) if conversation else None
        return self._asked[1], None if questions is None else questions.encode(conversation).passages

    def _fuse(self, lists: _Lists, scoped: ScopedSearch) -> dict[int, float]:
        from fin_tui.retrieval import fuse

        options = self._settings.search
        if len(lists.of) == 1:
            (ranked,) = lists.of.values()
            fused = dict(zip(ranked.keys.tolist(), ranked.scores.tolist(), strict=True))
        else:
            both = [lists.of["dense"], lists.of["sparse"]]
            if options.fusion == "weighted":
                weight = TRAINED_WEIGHT if lists.is_trained else options.dense_weight
                weights = (weight, 1 - weight)
                fused = fuse.weighted(both, weights=weights)
            else:
                weights = RRF_WEIGHTS
                fused = fuse.rrf(both, k=options.rrf_k, weights=weights)
            alone = scoped.without_vector(both[1].keys).tolist()
            if alone and weights[1]:
                fused = fuse.lift(fused, alone, sum(weights) / weights[1])
        return fused

    def _pin(self, hint: StatementBoost, query: str, scoped: ScopedSearch, scope: Scope) -> Pinned:
        """The parts of the statements that ``hint`` speaks of, the best part of each first."""
        from fin_tui.retrieval.fuse import Pinned, pin_statements

        if not self._steps.statements or not hint.statements or not hint.weight or scope == Scope():
            return Pinned()
        return pin_statements(hint, query, scoped)


def _ranks(lists: Mapping[str, Ranked], key: int, reranked: int | None) -> Ranks:
    places = {name: ranked.place(key) for name, ranked in lists.items()}
    return Ranks(places.get("dense"), places.get("sparse"), reranked)


WEIGHT = 0.5
"""Of a synonym's token beside one of the question's own."""


def expand(query: str, tokens: Sequence[str]) -> dict[str, float]:
    """The question's tokens with weight 1, and those of what filings print for them with ``WEIGHT``."""
    weights = dict.fromkeys(tokens, 1.0)
    for pattern, printed in _matters():
        if pattern.search(query):
            for token in printed:
                weights.setdefault(token, WEIGHT)
    return weights


@cache
def _matters() -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    raw = tomllib.loads(files("fin_tui.retrieval").joinpath("synonyms.toml").read_text(encoding="utf-8"))
    return tuple(
        (
            any_name(tuple(matter["said"])),
            tuple(tokenize(" ".join(matter["printed"]))),
        )
        for matter in raw["matters"]
    )
