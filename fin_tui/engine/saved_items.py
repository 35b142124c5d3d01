"""What the library keeps of a reader's work: conversations, asked again or continued, and the notebook with its quotes.

Both are shown as they were stored; quotes are looked for where they stand in the filing's text of today.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol

from fin_tui.engine.evidence import Passage, as_text, at_place, cite, find_again, quoted_table, rows_at, text_version
from fin_tui.engine.figures.shown import cells_of, period, printed
from fin_tui.errors import NotFound, UsageError
from fin_tui.facts.words import spoken_name
from fin_tui.records import (
    Answer,
    Block,
    Chunk,
    Citation,
    FactRecord,
    Filing,
    Fingerprint,
    Hit,
    QuotedTable,
    Ranks,
    Saved,
    Sentence,
    ShownPassage,
    TableRecord,
)
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
    """The questions that a follow-up may lean on, oldest first: those that came to an answer or a refusal."""
    return tuple(a.question for a in answers if a is not None and not a.stopped and a.status != "error")


def fingerprint(answer: Answer, generation: int, corpus: str = "") -> Fingerprint:
    """What made an answer; ``corpus`` says where, when not in the library."""
    made: Fingerprint = {"model": answer.model, "mode": answer.retrieval.get("mode"), "library": generation}
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
    def fingerprint(self) -> Fingerprint: ...


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


def replayed(turn: Turn, now: Answer, made: Fingerprint) -> Replayed:
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


class SavedItems(Protocol):
    """The rooms of the library that hold what a reader keeps."""

    conversations: Conversations
    notebook: Notebook
    bookmarks: Bookmarks


def citing(library: SavedItems, filings: Collection[str]) -> tuple[Citing, ...]:
    """What cites any of ``filings`` (ids): conversations, the one used last first, then the notebook, then bookmarks."""
    wanted = frozenset(filings)
    return (*_conversations(library, wanted), *_notebook(library, wanted), *_bookmarks(library, wanted))


def _conversations(library: SavedItems, filings: frozenset[str]) -> Iterator[Citing]:
    for conversation in library.conversations.all():
        turns = library.conversations.turns(conversation.id)
        count = sum(_count(_citations_of(turn.answer), filings) for turn in turns)
        if count:
            yield Citing("conversation", conversation.id, conversation.title, count)


def _notebook(library: SavedItems, filings: frozenset[str]) -> Iterator[Citing]:
    for entry in library.notebook.all():
        if count := _count(entry.saved.citations, filings):
            yield Citing("notebook", str(entry.number), entry.saved.title, count)


def _bookmarks(library: SavedItems, filings: frozenset[str]) -> Iterator[Citing]:
    for filing in sorted(filings):
        if count := library.bookmarks.count(filing):
            yield Citing("bookmarks", filing, "", count)


def _citations_of(answer: Answer) -> tuple[Citation, ...]:
    """What the answer rests on, and what a refusal offered instead."""
    return (*answer.citations, *(answer.refusal.nearest if answer.refusal else ()))


def _count(citations: Collection[Citation], filings: frozenset[str]) -> int:
    return sum(citation.filing in filings for citation in citations)


Place = Literal["there", "moved", "gone"]


class TextSource(Protocol):
    """Clean texts by filing id; raises ``NotFound``."""

    def text(self, filing_id: str) -> str: ...


class ChunkAround(Protocol):
    """The passage around a span."""

    def holding(self, filing_id: str, start: int, end: int) -> Chunk | None: ...


@dataclass(frozen=True, slots=True)
class Traced:
    """A kept citation and where its quote stands now."""

    citation: Citation
    """With the span of now, where it is not gone."""
    place: Place


def of_answer(answer: Answer, passages: Sequence[Passage]) -> Saved:
    """An answer with its support, figures and what its [n] mean. Raises ``UsageError`` for a question without an answer."""
    if answer.status != "answered":
        raise UsageError("That question was not answered: there is nothing to keep.", "Keep a passage instead.")
    used = {number for sentence in answer.sentences for number in sentence.citations} | _behind(answer.facts, answer.table)
    citations = {c.id: c for c in (*answer.citations, *(passage.citation for passage in passages))}
    caution = (Sentence(answer.caution, (), "grounded", opens="paragraph"),) if answer.caution else ()
    notes = tuple(Sentence(f"Note: {note}", (), "grounded", opens="paragraph") for note in answer.notes)
    return Saved(
        "answer",
        answer.question,
        text=" ".join(filter(None, (answer.caution, answer.answer))),
        sentences=(*caution, *answer.sentences, *notes),
        citations=tuple(citations[number] for number in sorted(used) if number in citations),
        facts=answer.facts,
        calculation=answer.calculation,
        table=answer.table,
    )


def of_passage(passage: Passage) -> Saved:
    """A passage by the words that its citation quotes."""
    citation = passage.citation
    return Saved("passage", citation.reference, text=citation.words or passage.text, citations=(citation,))


def of_figure(fact: FactRecord, citation: Citation | None) -> Saved:
    """One figure as its filing prints it."""
    name = str(fact.get("label") or fact.get("concept") or "")
    whose = f"{spoken_name(citation.company)}: " if citation is not None and citation.company else ""
    return Saved(
        "figure",
        f"{whose}{name}, {period(fact)}".removesuffix(", "),
        text=", ".join(filter(None, (printed(fact), period(fact)))),
        citations=(citation,) if citation is not None else (),
        facts=(fact,),
    )


def of_span(filing: Filing, start: int, end: int, text: str, chunks: ChunkAround, blocks: Sequence[Block] = ()) -> Saved:
    """The words ``text[start:end]`` of a filing's clean text; within a table of ``blocks`` with the table: the rows that are
    marked, all where less than two are. Raises ``UsageError`` when they are none, or in no passage.
    """
    chunk = chunks.holding(filing.id, start, end) or chunks.holding(filing.id, start, start + 1)
    if chunk is None or not text[start:end].strip():
        raise UsageError("There is no passage here to keep.", "Mark some words of the filing first.")
    quoted = _table_at(start, end, blocks)
    end = min(end, chunk.end)
    citation = cite(1, Hit(1, chunk, filing, 1.0, Ranks()), start, end)
    if quoted is None:
        return Saved("passage", citation.reference, text=citation.words, citations=(citation,))
    told = Sentence(quoted.title, (citation.id,), "grounded", table=quoted)
    return Saved("passage", citation.reference, text=as_text(quoted), sentences=(told,), citations=(citation,))


def _table_at(start: int, end: int, blocks: Sequence[Block]) -> QuotedTable | None:
    """The table that holds the span, as it is quoted."""
    table = next((block.table for block in blocks if block.table is not None and block.start <= start < block.end), None)
    if table is None:
        return None
    rows = rows_at(table, [(start, end)])
    return quoted_table(table, rows if len(rows) > 1 else range(len(table.rows)))


def with_versions(saved: Saved, texts: TextSource) -> Saved:
    """``saved`` with the version of each text that its citations' spans belong to."""
    versions = {}
    for filing in dict.fromkeys(citation.filing for citation in saved.citations):
        try:
            versions[filing] = text_version(texts.text(filing))
        except NotFound:
            continue  # Kept from a stored turn whose filing has left the library; the quote still stands.
    return replace(saved, texts=versions)


def trace(saved: Iterable[Saved], texts: TextSource) -> dict[Citation, Traced]:
    """Every citation of ``saved`` with where its quote stands in the library of now."""
    traced: dict[Citation, Traced] = {}
    for entry in saved:
        for citation in entry.citations:
            if citation not in traced:
                traced[citation] = _trace(citation, entry.texts.get(citation.filing, ""), texts)
    return traced


def _trace(citation: Citation, version: str, texts: TextSource) -> Traced:
    try:
        text = texts.text(citation.filing)
    except NotFound:
        return Traced(citation, "gone")
    if version == text_version(text):
        return Traced(citation, "there")
    found = find_again(citation, text)
    if found is None:
        return Traced(citation, "gone")
    is_same = (found.start, found.end) == (citation.start, citation.end)
    return Traced(at_place(citation, found), "there" if is_same else "moved")


def _behind(facts: Sequence[FactRecord], table: TableRecord | None) -> set[int]:
    """The citations that figures name."""
    numbers = (*(fact.get("citation") for fact in facts), *(cell.get("citation") for cell in cells_of(table)))
    return {number for number in numbers if number is not None}
