"""Question -> a stream of events, the one path that the app, ``ask``, and the evaluation share.

Understand, search, evidence card, then, where the evidence is not the whole answer, the model's words sentence by sentence, each
checked as it ends. The stream always ends
with exactly one ``Finished`` or ``Failed``; an abandoned stream (``cancelled``) ends with what stood.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TypeVar

from fin_tui.config import Settings
from fin_tui.engine.answering.closer import LIKELY, SURE, Asked, Reads, borne_out, is_same, work_out
from fin_tui.engine.answering.combine import beside, put_together, wants_words_beside
from fin_tui.engine.answering.compose import (
    Draft,
    Timer,
    beforehand,
    compose,
    failed,
    in_order_of_appearance,
    notes_of,
    of_whom,
    refused,
    reshaped,
)
from fin_tui.engine.answering.events import (
    Event,
    EvidenceReady,
    Failed,
    Finished,
    Refused,
    Status,
    Understood,
)
from fin_tui.engine.answering.looking_up import LookUp, in_full
from fin_tui.engine.answering.prompt import IN_WORDS
from fin_tui.engine.answering.refusal import (
    OF_HELD,
    refuse_evidence,
    refuse_question,
    refuse_rates,
    refuse_scope,
    refuse_unread,
    refuse_untold,
    with_fetch,
)
from fin_tui.engine.answering.wording import Wording
from fin_tui.engine.evidence import Passage
from fin_tui.engine.evidence.evidence import Evidence, Judge, gather, judged
from fin_tui.engine.evidence.paragraphs import Outlines, near_lines
from fin_tui.engine.figures.answer import FigureAnswer, NoFigures, Source, Unsure
from fin_tui.engine.figures.framed import weighed
from fin_tui.engine.figures.linked_book import Linked
from fin_tui.engine.figures.operands import with_whole_names
from fin_tui.engine.figures.overview import wants_overview
from fin_tui.engine.frame.reader import SIDE_BY_SIDE, FrameReader
from fin_tui.engine.models.protocol import LanguageModel
from fin_tui.engine.questions.instructions import Shapes
from fin_tui.engine.questions.interpretation import Interpretation
from fin_tui.engine.questions.periods import find_periods
from fin_tui.engine.questions.question import Question
from fin_tui.engine.questions.spelling import Spelling
from fin_tui.engine.questions.understanding import Request, Understanding, interpret, understand
from fin_tui.engine.searching import Finder, Library
from fin_tui.engine.searching.find import NO_ANSWER, Hits, Searcher, caution, with_picks
from fin_tui.engine.structures.structure import Structure, StructureAnswer
from fin_tui.errors import FinTuiError
from fin_tui.records import Answer, Filing, Refusal, Scope, Table

T = TypeVar("T")
_LEADS = 0.5
"""Probability of a figure from which its sentence stands first among the passages."""
_BY_ITSELF = 2.0
"""How much likelier a paragraph must be that is found without the question before: of 40 follow-ups the one that answers is among
the first three in 23.5, in 22.5 with none.
"""
_MOST_SEARCHED = 8
"""Answers whose evidence is kept for a follow-up that wants them in another shape."""


class AnswerEngine:
    """Answers questions over a library."""

    def __init__(
        self,
        library: Library,
        retriever: Searcher,
        model: LanguageModel | None,
        settings: Settings,
        busy: Callable[[], AbstractContextManager[None]] = nullcontext,
        figures: Source | None = None,
        structure: Structure | None = None,
        finder: Finder | None = None,
        judge: Judge | None = None,
        outlines: Outlines | None = None,
        frames: FrameReader | None = None,
        linked: Linked | None = None,
        spelling: Spelling | None = None,
        shapes: Shapes | None = None,
    ) -> None:
        """``busy`` is entered for the time of an answer, so that background work can wait; ``figures`` and
        ``structure`` give facts and sections, without which every question is answered from passages;
        ``finder`` is by default one over ``retriever``;
        ``judge`` reads the paragraphs found, without it they are chosen by their words; ``outlines`` give the paragraphs of
        filings, without them those of the passages' own lines are taken. ``frames`` reads what a question means, ``linked``
        finds the figures that it names among all of a filing. ``spelling`` mends slips in it, ``shapes`` tells when
        the answer before is wanted in another shape.
        """
        self._library = library
        self._finder = finder or Finder(retriever, library, figures, k=settings.search.k)
        self._settings = settings
        self.model = model
        """The language model, or None to answer from the evidence alone. May be set later, between answers."""
        self._wording = Wording(settings)
        self._lock = threading.Lock()
        self._busy = busy
        self.figures = figures
        """What figures are made from, or None."""
        self._structure = structure
        self._judge = judge
        self._outlines = outlines
        self._frames = frames
        self.linked = linked
        self.spelling = spelling
        self._shapes = shapes
        self._searched: dict[Hashable, tuple[Understanding, Hits, Evidence]] = {}
        self._look_up = LookUp(self.understand, figures, linked, structure)

    def warm_up(self) -> None:
        """Load what reads questions; raises ``MissingAsset`` where its weights can't be read."""
        if self._frames is not None:
            self._frames.warm_up()
        if self.linked is not None:
            self.linked.ranker.warm_up()

    def stream(self, request: Request, cancelled: Callable[[], bool] = lambda: False) -> Iterator[Event]:
        """The events of one answer. Of several answers at once one is worked on at a time, up to its next event; their models
        write one after the other. Whoever reads the events holds up no other answer meanwhile.
        """
        with self._busy():
            try:
                writing = yield from self._in_turn(self._found(request, cancelled))
                if writing is not None:
                    yield from self._wording.events(*writing, cancelled)
            except FinTuiError as error:
                yield Failed(error.message, error.hint)

    def _in_turn(self, events: Generator[Event, None, T]) -> Generator[Event, None, T]:
        """``events``, each made while no other answer is worked on; nothing is locked while someone has one in hand."""
        while True:
            with self._lock:
                try:
                    event = next(events)
                except StopIteration as end:
                    made: T = end.value
                    return made
            yield event

    def understand(self, request: Request, among: Sequence[Filing] | None = None) -> Understanding:
        """Read the question and decide where to look; nothing is searched. Where it is known whose filings are asked, ``among``
        has them all: no other company can be named then.
        """
        held = tuple(self._library.filings() if among is None else among)
        names = self.figures.names if self.figures else None
        owner, spelling = self._finder.owner, self.spelling
        return understand(request, held, names, frames=self._frames, owner=owner, spelling=spelling, shapes=self._shapes)

    def look_up(self, understood: Understanding) -> FigureAnswer | NoFigures | None:
        """The answer from facts; None when the question asks for no figure, or of no company that can be told."""
        return self.looked_up(understood)[0]

    def looked_up(self, understood: Understanding) -> tuple[FigureAnswer | NoFigures | None, Unsure | None]:
        """The answer from facts; where that is none, the likeliest figure as well."""
        return self._look_up.looked_up(understood)

    def recalled(self, understood: Understanding) -> Understanding:
        """``understood`` with the figures that the turns before it were answered with, where it may lean on them."""
        return self._look_up.recalled(understood)

    def retrieve(self, understood: Understanding) -> Hits:
        """The hits for an understood request, as ``search`` finds them, with what the reader picked by hand.

        Where paragraphs are read, the passages are not: the cross-encoder has time for one of the two.
        """
        request = understood.request
        if self._judge is not None:
            understood = replace(understood, request=replace(request, rerank=False))
        hits = self._finder.find(understood, more=len(request.excluded))
        return with_picks(hits, request.pinned, request.excluded, request.k or self._settings.search.k)

    def evidence(self, understood: Understanding, hits: Hits, *, is_answered: bool = False) -> Evidence:
        """The evidence in ``hits``; its paragraphs are read where they are to answer."""
        question, request = understood.question, understood.request
        evidence = gather(question.subject, hits.hits)
        if is_answered:
            return evidence
        near = self._outlines.near(hits.hits, request.excluded) if self._outlines else near_lines(hits.hits)
        judge = None if request.rerank is False else self._judge
        older = {filing.id for filing in hits.others}
        return judged(question.subject, question.nameless, evidence, near, judge, older)

    def _search(self, understood: Understanding, *, is_answered: bool) -> tuple[Understanding, Hits, Evidence]:
        """The hits and their evidence. What a follow-up asks in words of its own is looked for without the question before, too,
        and the reason of a figure by the figure's change; the paragraph that is read as likelier decides. An answer that is
        wanted in another shape keeps its evidence.
        """
        asked = understood.request
        key = (asked.question, asked.history, asked.scope, asked.mode, asked.k, tuple(filing.id for filing in understood.held))
        if understood.shape is not None and key in self._searched:
            way, hits, evidence = self._searched[key]
            return replace(way, shape=understood.shape, said=understood.said), hits, evidence
        alone = None if is_answered else understood.alone
        reason = None if is_answered else in_full(understood, self.understand, self.look_up)
        is_of_other = reason is not None and understood.frame is not None and bool(understood.frame.companies)
        # "What about Globex?" says nothing itself of what is looked for.
        ways = [way for way in ((reason,) if is_of_other else (understood, alone, reason)) if way is not None]
        found = []
        for way in ways:
            hits = self.retrieve(way)
            found.append((way, hits, self.evidence(way, hits, is_answered=is_answered)))
        best = max(found, key=lambda one: -math.inf if one[2].sure is None else one[2].sure - _BY_ITSELF * (one[0] is alone))
        self._searched[key] = best
        while len(self._searched) > _MOST_SEARCHED:
            self._searched.pop(next(iter(self._searched)))
        return best

    def _interpreted(self, understood: Understanding) -> Interpretation:
        parts = self._structure.parts_asked(understood, self.figures) if self._structure and self.figures else ""
        if understood.frame is not None and self.figures is not None:
            understood = replace(understood, frame=with_whole_names(understood.frame, self.figures.names))
        return interpret(understood, parts)

    def _outline(self, understood: Understanding) -> StructureAnswer | None:
        """What the structure of the filings asked about says by itself."""
        if self._structure is None:
            return None
        return self._structure.answer(understood.question, understood.target.filings, understood.held, understood.frame)

    def _doubt(self, evidence: Evidence, hits: Hits, understood: Understanding, *, wants_figure: bool) -> str:
        """What is said over passages that may be no answer: one that sounds like risks is no list of them."""
        is_list = self._structure is not None and self._structure.is_wanted(understood.frame)
        return NO_ANSWER if is_list else caution(evidence, hits.similarity, wants_figure=wants_figure)

    def _writer(self, request: Request, draft: Draft) -> LanguageModel | None:
        """The model that is to write the answer; None where there is none that writes, nothing that needs it, or its words were
        measured not to pay.

        What the structure says stays as it is: a list in a model's words lacks items. So do tables and points.
        """
        shape, model = draft.understood.shape, self.model
        is_own = draft.outline is None and (shape is None or shape in IN_WORDS)
        if model is None or not (request.use_model and is_own and model.writes):
            return None
        frame = draft.understood.frame
        pays = not draft.is_proven and (frame is None or frame.asks_for not in model.resting)
        return model if request.write_proven or shape == "plain" or pays else None

    def _reader(self, request: Request) -> Reads | None:
        """The model that may work out figures that are not sure."""
        model: object = self.model if request.use_model else None
        return model if isinstance(model, Reads) and model.may_read else None

    def worked_out(self, request: Request, model: Reads, cancelled: Callable[[], bool] = lambda: False) -> float | None:
        """What ``model`` works out for a question from what is found for it, whether a figure is sure or not; None for nothing.

        Raises ``ModelFailed``.
        """
        understood = self.understand(request)
        if understood.frame is None or self.figures is None or self.linked is None:
            return None
        unsure = weighed(understood.frame, self.recalled(understood), self.figures, self.linked)
        understood, _, evidence = self._search(understood, is_answered=False)
        lines = unsure.lines if unsure is not None else ()
        return work_out(model, Asked(understood.request.question, understood.request.history), lines, evidence, cancelled)

    def _borne_out(
        self,
        draft: Draft,
        unsure: Unsure,
        evidence: Evidence,
        reader: Reads,
        cancelled: Callable[[], bool],
        likely: FigureAnswer | None,
    ) -> tuple[Draft, str] | None:
        """``draft`` with the figure that a model comes to as well, as the answer or as the closest found, and a note that says
        so; None where it comes to none of those found. Where another was the ``likely`` one, both are told, and neither is the
        answer.
        """
        understood, hits, timer = draft.understood, draft.hits, draft.timer
        asked = Asked(understood.request.question, understood.request.history)
        found = borne_out(reader, asked, unsure, evidence, cancelled)
        self._wording.forget()
        timer.mark("second_look")
        if found is None or found[1] < LIKELY:
            return None
        figure, probability = found
        told = figure.tell()
        if probability >= SURE:
            evidence = self.evidence(understood, hits, is_answered=True)
            made = self._draft(understood, told, None, evidence, hits, timer)
            return made, f"{reader.name}, working from the passages, comes to the same figure."
        is_other = likely is not None and likely.value is not None and not is_same(figure.value, likely.value)
        closest = NoFigures((), candidates=draft.candidates, likely=told)
        closest = replace(closest, likely=likely, other=told) if is_other else closest
        made = self._draft(understood, closest, None, evidence, hits, timer)
        which = "the other figure" if is_other else "this figure as well"
        return made, f"{reader.name}, working from the passages, comes to {which}."

    def _settled(
        self,
        found: FigureAnswer | NoFigures | None,
        unsure: Unsure | None,
        understood: Understanding,
        evidence: Evidence,
        hits: Hits,
    ) -> tuple[FigureAnswer | NoFigures | None, Unsure | None, Evidence]:
        """What was found, what stays unsure of it and its evidence, once the paragraphs are read."""
        settled = self._look_up.settled(found, unsure, understood, evidence, hits.hits)
        if isinstance(settled, FigureAnswer) and settled is not found:
            return settled, None, self.evidence(understood, hits, is_answered=True)
        return settled, unsure, evidence

    def refuse(self, understood: Understanding) -> Refusal | None:
        """The refusal that the question alone calls for."""
        request = understood.request
        if understood.shape == "currency":
            return refuse_rates()
        is_named = self.figures is not None and bool(self.figures.names.find(request.question))  # "capex?" is in no filing.
        is_named = is_named or find_periods(request.question).named  # Nor is "fy31?".
        if request.history and not is_named and self.spelling is not None and self.spelling.knows_none(request.question):
            return refuse_unread(understood)
        question, is_product = self.named(understood)
        frame = understood.frame
        if frame is not None and wants_overview(understood):
            frame = replace(frame, refusal="")
        refusal = refuse_question(question, understood.target, understood.held, frame, is_product=is_product)
        if refusal is None or refusal.kind in OF_HELD:  # What the scope shuts out is held.
            refusal = refuse_scope(understood) or refusal
        return with_fetch(refusal, question, understood.held)

    def named(self, understood: Understanding) -> tuple[Question, bool]:
        """The question with the one name that no filing carries, and whether its unknown names stand in filings' text."""
        question = understood.question
        compares = understood.frame is not None and understood.frame.operation in SIDE_BY_SIDE
        unknown = self._finder.unknown(understood) if compares or not question.companies else ""
        if unknown:
            question = replace(question, unknown=(unknown,))
        return question, bool(question.unknown) and not unknown

    def _table_of(self, likely: FigureAnswer, understood: Understanding) -> Table | None:
        """The table that the first figure stands in; None where it stands in prose."""
        citation = likely.passages[0].citation if likely.passages else None
        filing = next((one for one in understood.held if citation is not None and one.id == citation.filing), None)
        if citation is None or filing is None or self._outlines is None or likely.passages[0].kind != "table":
            return None
        return self._outlines.table(filing, citation.start)

    def _draft(
        self,
        understood: Understanding,
        found: FigureAnswer | NoFigures | None,
        outline: StructureAnswer | None,
        evidence: Evidence,
        hits: Hits,
        timer: Timer,
        unsure: Unsure | None = None,
    ) -> Draft:
        """What is told without a language model; the sentence of the likeliest of ``unsure`` figures first."""
        figures = found if isinstance(found, FigureAnswer) else None
        likely = found.likely if isinstance(found, NoFigures) and outline is None else None
        near = found.candidates if isinstance(found, NoFigures) else ()
        if likely is not None:
            other = found.other if isinstance(found, NoFigures) else None
            told = beside(likely, evidence, self._table_of(likely, understood), other)
        else:
            told = put_together(figures, outline, evidence, understood.question, understood.frame, _place_of(unsure))
        note = ""
        if understood.shape is not None:
            (own, figures), note = reshaped(understood.shape, told[0], told[2], is_list=outline is not None)
            told = own, told[1], figures
        sentences, evidence, figures = in_order_of_appearance(*told)
        early = beforehand(understood.target, figures)
        return Draft(understood, hits, evidence, sentences, timer, figures, outline, near, early, note=note)

    def _found(
        self, request: Request, cancelled: Callable[[], bool]
    ) -> Generator[Event, None, tuple[Draft, LanguageModel] | None]:
        """The events of what is found; gives what a model is to write of it, None where the answer is finished."""
        timer = Timer()
        understood = self._look_up.placed(self.understand(request))
        target = understood.target
        scope = target.scopes[0] if len(target.scopes) == 1 else Scope(filings=tuple(f.id for f in target.filings))
        yield Understood(request.question, scope, target.label, self._interpreted(understood))
        refusal = self.refuse(understood)
        timer.mark("question")
        if refusal is not None:
            yield from _refusing(refusal, refused(understood, refusal, None, timer))
            return None
        found, unsure = self.looked_up(understood)
        figures = found if isinstance(found, FigureAnswer) else None
        timer.mark("figures")
        outline = self._outline(understood) if not figures else None
        in_words = figures is not None and wants_words_beside(figures, understood.frame)
        understood, hits, evidence = self._search(understood, is_answered=bool(outline or (figures and not in_words)))
        timer.mark("retrieve")
        refusal = None if figures or outline else refuse_evidence(understood, evidence, found, hits.similarity)
        if outline is None and (refusal is None or (isinstance(found, NoFigures) and found.of_quarter)):
            found, unsure, evidence = self._settled(found, unsure, understood, evidence, hits)
            figures = found if isinstance(found, FigureAnswer) else None
        likely = found.likely if isinstance(found, NoFigures) and outline is None else None
        refusal = None if likely and isinstance(found, NoFigures) and found.of_quarter else refusal
        near = found.candidates if isinstance(found, NoFigures) else ()
        timer.mark("evidence")
        refusal = with_fetch(refusal, understood.question, understood.held)
        if refusal is not None:
            yield from _refusing(refusal, refused(understood, refusal, hits, timer, near), evidence.passages)
            return None
        is_told = figures or outline or likely
        weak = "" if is_told else self._doubt(evidence, hits, understood, wants_figure=_wants_figure(found, understood))
        draft = self._draft(understood, found, outline, evidence, hits, timer, unsure)
        draft = replace(draft, caution=draft.caution or of_whom(weak, draft))
        model = self._writer(request, draft)
        if model is not None and understood.shape == "plain":
            draft = replace(draft, note="")
        draft = replace(draft, notes=notes_of("", draft, None if likely else found))
        if not draft.sentences:
            refusal = refuse_untold(understood, draft.evidence, found)
            yield from _refusing(refusal, refused(understood, refusal, hits, timer, near), draft.evidence.passages)
            return None
        yield _card(draft)
        if unsure is not None and outline is None and (reader := self._reader(request)) is not None:
            yield Status("working the figure out")
            anew = self._borne_out(draft, unsure, evidence, reader, cancelled, likely)
            if anew is not None:
                borne, origin = anew
                draft = replace(borne, notes=notes_of(origin, borne, None))
                model = None if draft.is_proven else model
                yield _card(draft)
        if model is None or cancelled():
            yield Finished(compose(draft, (), "none", stopped=False), draft.evidence.passages)
            return None
        return draft, model


def _refusing(refusal: Refusal, answer: Answer, passages: tuple[Passage, ...] = ()) -> Iterator[Event]:
    """The end of an answer that is refused."""
    yield Refused(refusal)
    yield Finished(answer, passages)


def _wants_figure(found: FigureAnswer | NoFigures | None, understood: Understanding) -> bool:
    """Whether a figure is asked for and nothing else: words about its matter are no answer then."""
    frame = understood.frame
    return isinstance(found, NoFigures) or (frame is not None and frame.is_figure and not frame.wants_words_too)


def _place_of(unsure: Unsure | None) -> tuple[str, int] | None:
    """Where the likeliest of figures that are not sure is printed, where it is likely enough to be shown first."""
    best = next(iter(unsure.figures), None) if unsure is not None else None
    return best.place if best is not None and best.share >= _LEADS else None


def _card(draft: Draft) -> EvidenceReady:
    told = (draft.extract, draft.sentences, draft.evidence.passages, draft.notes, draft.figures, draft.caution)
    return EvidenceReady(*told, is_proven=draft.is_proven)


def to_the_end(events: Iterable[Event], request: Request, show: Callable[[Event], None]) -> Finished:
    """Hand each event to ``show`` and give the end: answer and passages; a failure becomes an answer with status "error"."""
    end = Finished(failed(request.question, request.id, "The answer ended without a result.", ""))
    for event in events:
        show(event)
        if isinstance(event, Finished):
            end = event
        elif isinstance(event, Failed):
            end = Finished(failed(request.question, request.id, event.message, event.hint))
    return end


def tap(events: Iterable[Event], request: Request, show: Callable[[Event], None]) -> Answer:
    """Hand each event to ``show`` and give the answer at the end."""
    return to_the_end(events, request, show).answer


def last_answer(events: Iterable[Event], request: Request) -> Answer:
    """The answer at the end of ``events``."""
    return tap(events, request, lambda _: None)


__all__ = ["AnswerEngine", "Library", "Request", "Understanding"]
