"""Question -> a stream of events, the one path that the app, ``ask``, and the evaluation share.

Understand, search, evidence card, then the model's words sentence by sentence, each checked as it ends. The stream always ends
with exactly one ``Finished`` or ``Failed``; an abandoned stream (``cancelled``) ends with what stood.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Protocol

from fin_tui.config import Settings
from fin_tui.engine.combine import put_together
from fin_tui.engine.compose import Draft, Timer, compose, refused
from fin_tui.engine.earlier import GAIN, earlier, note
from fin_tui.engine.events import (
    Event,
    EvidenceReady,
    Failed,
    Finished,
    Passage,
    Refused,
    SentenceDone,
    Status,
    Token,
    Understood,
)
from fin_tui.engine.evidence import Evidence, gather
from fin_tui.engine.figures import FigureAnswer, NoFigures, Source, answer_figures, answer_of_one
from fin_tui.engine.find import Hits, Searcher, find
from fin_tui.engine.hint import hint_of
from fin_tui.engine.llm import LanguageModel
from fin_tui.engine.picked import with_picks
from fin_tui.engine.planner import Planner, plan_figures, wants_plan
from fin_tui.engine.prompt import build_prompt
from fin_tui.engine.refusal import refuse_evidence, refuse_question
from fin_tui.engine.repetition import Said
from fin_tui.engine.sentence_stream import SentenceStream
from fin_tui.engine.strength import GOOD, strength
from fin_tui.engine.structure import Structure
from fin_tui.engine.target import Target
from fin_tui.engine.understanding import Request, Understanding, understand
from fin_tui.engine.worded import Checker
from fin_tui.errors import FinTuiError
from fin_tui.records import Filing, Refusal, Scope, Sentence


class Library(Protocol):
    """The library as the engine sees it."""

    def filings(self) -> Sequence[Filing]: ...


class AnswerEngine:
    """Answers one question at a time over a library."""

    def __init__(
        self,
        library: Library,
        retriever: Searcher,
        model: LanguageModel | None,
        settings: Settings,
        busy: Callable[[], AbstractContextManager[None]] = nullcontext,
        figures: Source | None = None,
        structure: Structure | None = None,
        planner: Planner | None = None,
    ) -> None:
        """``busy`` is entered for the time of an answer, so that background work can wait; ``figures`` and
        ``structure`` give facts and sections, without which every question is answered from passages;
        ``planner`` proposes calculations that the rules don't know.
        """
        self._library = library
        self._retriever = retriever
        self._settings = settings
        self.model = model
        """The language model, or None to answer from the evidence alone. May be set later, between answers."""
        self._lock = threading.Lock()
        self._busy = busy
        self._figures = figures
        self._structure = structure
        self._planner = planner

    def stream(self, request: Request, cancelled: Callable[[], bool] = lambda: False) -> Iterator[Event]:
        """The events of one answer. Waits while another answer is being made: there is one model and one user of it."""
        with self._lock, self._busy():
            try:
                yield from self._stream(request, cancelled)
            except FinTuiError as error:
                yield Failed(error.message, error.hint)

    def understand(self, request: Request) -> Understanding:
        """Read the question and decide where to look; nothing is searched."""
        held = tuple(self._library.filings())
        return understand(request, held, self._figures.names if self._figures else None)

    def look_up(self, understood: Understanding) -> FigureAnswer | NoFigures | None:
        """The answer from facts; None when the question asks for no figure, or of no company that can be told."""
        if self._figures is None or understood.reading is None:
            return None
        if understood.subjects:
            return answer_figures(understood.reading, understood.subjects, self._figures)
        return answer_of_one(understood.reading, understood.candidates, self._figures)

    def retrieve(self, understood: Understanding, *, quick: bool = False) -> Hits:
        """The hits for an understood request, as ``stream`` uses them; ``quick`` leaves reranking out unless it was asked for."""
        request = understood.request
        k = request.k or self._settings.search.k
        hits = find(
            self._retriever,
            understood.question.query,
            understood.target.scopes,
            k=k + len(request.excluded),
            mode=request.mode or self._settings.search.mode,
            rerank=False if quick and request.rerank is None else request.rerank,
            hint=hint_of(request.question, self._figures.names, understood.reading) if self._figures else None,
        )
        return with_picks(hits, request.pinned, request.excluded, k)

    def refuse(self, understood: Understanding) -> Refusal | None:
        """The refusal that the question alone calls for."""
        names = understood.question.unknown
        return refuse_question(
            understood.question,
            understood.target,
            understood.held,
            is_product=bool(names) and not understood.question.companies and self._stands_in_text(names[0], understood.target),
        )

    def _stands_in_text(self, name: str, target: Target) -> bool:
        """Whether a capitalised name is a matter of the filings in scope (a product, a person) and not another company."""
        found = find(self._retriever, name, target.scopes, k=3, mode="sparse", rerank=False)
        return any(name.lower() in hit.chunk.text.lower() for hit in found.hits)

    def _stream(self, request: Request, cancelled: Callable[[], bool]) -> Iterator[Event]:
        timer = Timer()
        understood = self.understand(request)
        target = understood.target
        scope = target.scopes[0] if len(target.scopes) == 1 else Scope(filings=tuple(f.id for f in target.filings))
        yield Understood(request.question, scope, target.label)
        refusal = self.refuse(understood)
        timer.mark("question")
        if refusal is not None:
            yield Refused(refusal)
            yield Finished(refused(understood, refusal, None, timer))
            return
        found, note = self.look_up(understood), ""
        if self._planner and self._figures and request.use_model and wants_plan(understood, found, self._figures.names):
            yield Status("working out how it is computed")
            planned = plan_figures(understood, self._planner, self._figures.names, self.look_up, cancelled)
            understood, found, note = planned or (understood, found, note)
        figures = found if isinstance(found, FigureAnswer) else None
        timer.mark("figures")
        hits = self.retrieve(understood, quick=figures is not None)
        timer.mark("retrieve")
        evidence = gather(understood.question.subject, hits.hits)
        if figures is None:
            hits, evidence = self._look_earlier(understood, hits, evidence)
        outline = self._structure.answer(understood.question, target.filings) if self._structure and not figures else None
        refusal = None if figures or outline else refuse_evidence(understood, evidence, found, hits.similarity)
        timer.mark("evidence")
        if refusal is not None:
            yield Refused(refusal)
            yield Finished(refused(understood, refusal, hits, timer), evidence.passages)
            return
        sentences, evidence = put_together(figures, outline, evidence)
        draft = Draft(understood, hits, evidence, sentences, timer, figures)
        notes = (
            *filter(None, (note,)),
            *hits.notes,
            *(f"Not in the library: {missing}." for missing in target.missing),
            *_close(found),
        )
        yield EvidenceReady(draft.extract, sentences, evidence.passages, notes, figures)
        model = self.model if request.use_model else None
        if model is None or cancelled():
            yield Finished(compose(draft, (), "none", stopped=False), evidence.passages)
            return
        yield from self._word(draft, model, cancelled)

    def _look_earlier(self, understood: Understanding, hits: Hits, evidence: Evidence) -> tuple[Hits, Evidence]:
        """The same, or hits of earlier filings with a note where those answer much better."""
        now = strength(evidence, hits.similarity)
        target = earlier(understood) if now < GOOD else None
        if target is None:
            return hits, evidence
        older = self.retrieve(replace(understood, target=target), quick=True)
        found = gather(understood.question.subject, older.hits)
        if strength(found, older.similarity) < now + GAIN:
            return hits, evidence
        told = tuple({hit.filing.id: hit.filing for hit in older.hits[:3]}.values())
        return replace(older, notes=(*older.notes, note(understood.target.filings, told))), found

    def _word(self, draft: Draft, model: LanguageModel, cancelled: Callable[[], bool]) -> Iterator[Event]:
        """The model's wording of the evidence; a model that fails leaves the extractive answer standing."""
        yield Status("reading the sources")
        checker = Checker(draft.evidence.passages, draft.sentences if draft.figures else (), draft.understood.question.text)
        stream = SentenceStream()
        said = Said()
        done: list[Sentence] = []
        try:
            for piece in self._generate(draft, model, lambda: cancelled() or said.enough):
                if not stream.text:
                    draft.timer.mark("first_token")
                yield Token(piece)
                for text in stream.feed(piece):
                    if said.is_new(text):
                        done.append(checker.check(text))
                        yield SentenceDone(done[-1], len(done) - 1)
        except FinTuiError as error:
            yield Status(f"{error.message} {error.hint}".strip())
        for text in stream.finish():
            if said.is_new(text):
                done.append(checker.check(text))
                yield SentenceDone(done[-1], len(done) - 1)
        name = model.name if done else "none"
        answer = compose(draft, tuple(done), name, stopped=cancelled(), only_draft=model.only_drafts)
        yield Finished(answer, draft.evidence.passages)

    def _generate(self, draft: Draft, model: LanguageModel, cancelled: Callable[[], bool]) -> Iterator[str]:
        limits = self._settings.model
        prompt = build_prompt(
            draft.understood.request.question,
            _best_first(draft.evidence),
            figures=[sentence.text for sentence in draft.sentences] if draft.figures else (),
            count=model.count_tokens,
            context=model.context,
            evidence_tokens=limits.evidence_tokens,
            answer_tokens=limits.answer_tokens,
        )
        yield from model.generate(prompt.messages, max_tokens=limits.answer_tokens, cancelled=cancelled)


def _close(found: FigureAnswer | NoFigures | None) -> tuple[str, ...]:
    """The figures between which a choice would have been a guess."""
    return (f"{' '.join(found.why)} {'; '.join(found.close)}",) if isinstance(found, NoFigures) and found.close else ()


def _best_first(evidence: Evidence) -> list[Passage]:
    """Passages in the order of their best sentence: what the extract rests on is what the model must read first."""
    order = list(dict.fromkeys(focus.passage for focus in evidence.focuses))
    return [evidence.passages[index] for index in order]


__all__ = ["AnswerEngine", "Library", "Request", "Understanding"]
