"""Target -> hits: one search for each company and year that a question names, merged so that each gets its share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from fin_tui.config import Mode
from fin_tui.records import Hit, Scope
from fin_tui.retrieval.statements import Hint


class Found(Protocol):
    """What a search gives."""

    @property
    def hits(self) -> tuple[Hit, ...]: ...
    @property
    def timings_ms(self) -> Mapping[str, float]: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    @property
    def mode(self) -> str: ...
    @property
    def similarity(self) -> float | None: ...


class Searcher(Protocol):
    """The retriever as the engine sees it."""

    def search(
        self,
        query: str,
        scope: Scope,
        *,
        k: int | None = None,
        mode: Mode | None = None,
        rerank: bool | None = None,
        hint: Hint | None = None,
    ) -> Found: ...

    def warm_up(self, *, mode: Mode | None = None, rerank: bool | None = None) -> tuple[str, ...]:
        """Load everything a search needs; gives notes on what is missing."""
        ...


@dataclass(frozen=True, slots=True)
class Hits:
    """Merged hits of all scopes, ranks counted anew."""

    hits: tuple[Hit, ...]
    timings_ms: Mapping[str, float]
    notes: tuple[str, ...]
    mode: str
    similarity: float | None = None
    """The largest cosine of the question and a passage in meaning; None without vectors."""


def find(
    searcher: Searcher,
    query: str,
    scopes: Sequence[Scope],
    *,
    k: int,
    mode: Mode | None,
    rerank: bool | None,
    hint: Hint | None = None,
) -> Hits:
    """The best ``k`` hits over ``scopes``; with several, at least two of each are kept, taken in turn by rank."""
    each = k if len(scopes) == 1 else max(2, -(-k // max(len(scopes), 1)) + 1)
    lists: list[Sequence[Hit]] = []
    timings: dict[str, float] = {}
    notes: dict[str, None] = {}
    used: str = mode or "hybrid"
    similarities: list[float] = []
    for scope in scopes:
        found = searcher.search(query, scope, k=each, mode=mode, rerank=rerank, hint=hint)
        lists.append(found.hits)
        used = found.mode
        similarities += [] if found.similarity is None else [found.similarity]
        notes.update(dict.fromkeys(found.notes))
        for name, value in found.timings_ms.items():
            timings[name] = timings.get(name, 0.0) + value
    merged = _in_turn(lists)
    count = max(k, 2 * len(scopes)) if len(scopes) > 1 else k
    return Hits(
        tuple(replace(hit, rank=rank) for rank, hit in enumerate(merged[:count], start=1)),
        timings,
        tuple(notes),
        used,
        max(similarities, default=None),
    )


def _in_turn(lists: Sequence[Sequence[Hit]]) -> list[Hit]:
    merged: dict[str, Hit] = {}
    for depth in range(max((len(hits) for hits in lists), default=0)):
        for hits in lists:
            if depth < len(hits):
                merged.setdefault(hits[depth].chunk.id, hits[depth])
    return list(merged.values())
