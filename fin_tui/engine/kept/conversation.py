"""A conversation as it is kept: its turns, asked again, and filings that it cites."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from fin_tui.engine.evidence.passage import Passage
from fin_tui.engine.evidence.quotes import at_place, find_again
from fin_tui.errors import NotFound
from fin_tui.records import Answer, Chunk, Citation, ShownPassage
from fin_tui.store.kept import Bookmarks, Conversations, Notebook

if TYPE_CHECKING:
    from fin_tui.engine.questions.understanding import Request


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


_NAMES = {"model": "model", "mode": "search mode", "library": "version of the library", "corpus": "corpus"}


class Turn(Protocol):
    """A stored turn."""

    @property
    def question(self) -> str: ...
    @property
    def answer(self) -> Answer: ...
    @property
    def fingerprint(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Replayed:
    """A stored answer beside that of now."""

    before: Answer
    now: Answer
    changes: tuple[str, ...]
    """What made them that differs, for people: "version of the library 3, now 5"."""

    @property
    def is_same(self) -> bool:
        """Whether both say the same: the same words with the same numbers, or the same refusal."""
        return _said(self.before) == _said(self.now)


def requests_of(turns: Sequence[Turn], common: Request) -> Iterator[Request]:
    """Each question with the history that it had; ``common`` says how all are asked, and where it leaves the mode open it is that
    of the stored answer. An answer that was given without a model is given without one again.
    """
    for at, turn in enumerate(turns):
        mode = common.mode or turn.fingerprint.get("mode")
        use_model = common.use_model and turn.fingerprint.get("model") != "none"
        history = history_of(earlier.answer for earlier in turns[:at])
        yield replace(common, question=turn.question, history=history, mode=mode, use_model=use_model)


def replayed(turn: Turn, now: Answer, made: Mapping[str, Any]) -> Replayed:
    """``turn`` beside its answer of ``now``, ``made`` (see ``conversation.fingerprint``) by the same or other means."""
    changes = tuple(
        f"{name} {turn.fingerprint.get(key) or 'none'}, now {made.get(key) or 'none'}"
        for key, name in _NAMES.items()
        if turn.fingerprint.get(key) != made.get(key)
    )
    return Replayed(turn.answer, now, changes)


def _said(answer: Answer) -> tuple[object, ...]:
    return answer.status, answer.refusal.kind if answer.refusal else "", answer.answer, answer.value, answer.unit


@dataclass(frozen=True, slots=True)
class Citing:
    """Something a reader keeps that cites a filing."""

    kind: Literal["conversation", "notebook", "bookmarks"]
    name: str
    """Id of the conversation, number of the notebook's entry, id of the filing with bookmarks."""
    title: str
    citations: int
    """How many of its citations stand in the filings."""


class Kept(Protocol):
    """The rooms of the library that hold what a reader keeps."""

    conversations: Conversations
    notebook: Notebook
    bookmarks: Bookmarks


def citing(library: Kept, filings: Collection[str]) -> tuple[Citing, ...]:
    """What cites any of ``filings`` (ids): conversations, the one used last first, then the notebook, then bookmarks."""
    wanted = frozenset(filings)
    return (*_conversations(library, wanted), *_notebook(library, wanted), *_bookmarks(library, wanted))


def _conversations(library: Kept, filings: frozenset[str]) -> Iterator[Citing]:
    for conversation in library.conversations.all():
        turns = library.conversations.turns(conversation.id)
        count = sum(_count(_citations_of(turn.answer), filings) for turn in turns)
        if count:
            yield Citing("conversation", conversation.id, conversation.title, count)


def _notebook(library: Kept, filings: frozenset[str]) -> Iterator[Citing]:
    for entry in library.notebook.all():
        if count := _count(entry.saved.citations, filings):
            yield Citing("notebook", str(entry.number), entry.saved.title, count)


def _bookmarks(library: Kept, filings: frozenset[str]) -> Iterator[Citing]:
    for filing in sorted(filings):
        if count := library.bookmarks.count(filing):
            yield Citing("bookmarks", filing, "", count)


def _citations_of(answer: Answer) -> tuple[Citation, ...]:
    """What the answer rests on, and what a refusal offered instead."""
    return (*answer.citations, *(answer.refusal.nearest if answer.refusal else ()))


def _count(citations: Collection[Citation], filings: frozenset[str]) -> int:
    return sum(citation.filing in filings for citation in citations)
