"""A conversation as it is kept: what a follow-up may lean on, what made each answer, and how stored answers are shown again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from fin_tui.engine.events import Passage
from fin_tui.records import Answer, Chunk


class Chunks(Protocol):
    """Passages by their ids."""

    def by_id(self, ids: Sequence[str]) -> Mapping[str, Chunk]: ...


def history_of(answers: Iterable[Answer | None]) -> tuple[str, ...]:
    """The questions that a follow-up may lean on, oldest first: those answered to the end."""
    return tuple(a.question for a in answers if a is not None and a.status == "answered" and not a.stopped)


def fingerprint(answer: Answer, library_generation: int) -> Mapping[str, Any]:
    """What made an answer, to tell later whether it would still be the same."""
    return {"model": answer.model, "mode": answer.retrieval.get("mode"), "library": library_generation}


def passages_of(answer: Answer, chunks: Chunks) -> tuple[Passage, ...]:
    """The passages that a stored answer cites; of one that is no longer in the library, the quote that was kept."""
    held = chunks.by_id([citation.chunk_id for citation in answer.citations])
    scores = {chunk["chunk_id"]: float(chunk["score"]) for chunk in answer.retrieval.get("chunks", ())}
    found = []
    for citation in answer.citations:
        chunk = held.get(citation.chunk_id)
        score = scores.get(citation.chunk_id, 0.0)
        if chunk is None:
            found.append(Passage(citation, citation.quote, citation.start, citation.end, score))
        else:
            found.append(Passage(citation, chunk.text, chunk.start, chunk.end, score, chunk.kind))
    return tuple(found)
