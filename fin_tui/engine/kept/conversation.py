"""A conversation as it is kept: what a follow-up may lean on, what made each answer, and how stored answers are shown again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from fin_tui.engine.evidence.passage import Passage
from fin_tui.engine.evidence.quotes import at_place, find_again
from fin_tui.errors import NotFound
from fin_tui.records import Answer, Chunk, ShownPassage


class Chunks(Protocol):
    """Passages by their ids, and around a span."""

    def by_id(self, ids: Sequence[str]) -> Mapping[str, Chunk]: ...

    def holding(self, filing_id: str, start: int, end: int) -> Chunk | None: ...


class Texts(Protocol):
    """The library as stored answers are shown from it."""

    @property
    def chunks(self) -> Chunks: ...

    def text(self, filing_id: str) -> str: ...


def history_of(answers: Iterable[Answer | None]) -> tuple[str, ...]:
    """The questions that a follow-up may lean on, oldest first: those answered to the end."""
    return tuple(a.question for a in answers if a is not None and a.status == "answered" and not a.stopped)


def fingerprint(answer: Answer, generation: int, corpus: str = "") -> Mapping[str, Any]:
    """What made an answer, to tell later whether it would still be the same; ``corpus`` says where, when not in the library."""
    made = {"model": answer.model, "mode": answer.retrieval.get("mode"), "library": generation}
    return {**made, "corpus": corpus} if corpus else made


def evidence_of(passages: Sequence[Passage]) -> tuple[ShownPassage, ...]:
    """The passages that stand beside an answer, as they are kept with it: without their text."""
    return tuple(ShownPassage(p.citation, p.start, p.end, p.score, p.kind, p.scale) for p in passages)


def passages_of(answer: Answer, evidence: Sequence[ShownPassage], library: Texts) -> tuple[Passage, ...]:
    """The passages that stood beside a stored answer, with their numbers and scores: all of ``evidence``, else the cited ones.

    A quote that has moved in a text that was parsed anew is followed there; of one that is gone the quote itself stands.
    """
    shown = tuple(evidence) or _cited(answer)
    held = library.chunks.by_id([passage.citation.chunk_id for passage in shown])
    return tuple(_passage(passage, held.get(passage.citation.chunk_id), library) for passage in shown)


def _cited(answer: Answer) -> tuple[ShownPassage, ...]:
    """Of a turn that was kept without its evidence."""
    scores = {chunk["chunk_id"]: float(chunk["score"]) for chunk in answer.retrieval.get("chunks", ())}
    return tuple(ShownPassage(c, c.start, c.end, scores.get(c.chunk_id, 0.0)) for c in answer.citations)


def _passage(shown: ShownPassage, chunk: Chunk | None, library: Texts) -> Passage:
    citation = shown.citation
    if chunk is not None and chunk.text[citation.start - chunk.start : citation.end - chunk.start] == citation.quote:
        return _of_chunk(shown, chunk)
    try:
        place = find_again(citation, library.text(citation.filing))
    except NotFound:
        place = None
    if place is not None:
        moved = replace(shown, citation=at_place(citation, place), start=place.start, end=place.end)
        around = library.chunks.holding(citation.filing, place.start, place.end)
        return _of_chunk(moved, around) if around is not None else _of_quote(moved)
    return _of_quote(shown)


def _of_chunk(shown: ShownPassage, chunk: Chunk) -> Passage:
    return Passage(shown.citation, chunk.text, chunk.start, chunk.end, shown.score, chunk.kind, shown.scale)


def _of_quote(shown: ShownPassage) -> Passage:
    citation = shown.citation
    return Passage(citation, citation.quote, citation.start, citation.end, shown.score, shown.kind, shown.scale)
