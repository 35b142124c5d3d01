"""What an answer is made of before any model writes: its figures or lists, the passages found, and how they are told.

One question that asks one thing is drafted here; what asks several is put together from such drafts (``several``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from operator import itemgetter

from fin_tui.config import Settings
from fin_tui.engine.answering.combine import beside, put_together, wants_words_beside
from fin_tui.engine.answering.compose import (
    Draft,
    Timer,
    beforehand,
    in_order_of_appearance,
    notes_of,
    of_whom,
    reshaped,
    scale_left_out,
)
from fin_tui.engine.answering.leading import is_sure, known_of, leading
from fin_tui.engine.answering.looking_up import LookUp
from fin_tui.engine.answering.read_out import may_be_read
from fin_tui.engine.answering.reasons import in_full
from fin_tui.engine.answering.refusal import refuse_evidence, refuse_untold, with_fetch
from fin_tui.engine.evidence.evidence import Evidence, Judge, Rereader, gather, judged, reread
from fin_tui.engine.evidence.paragraphs import Outlines, near_lines
from fin_tui.engine.figures.answer import FigureAnswer, NoFigures, Unsure
from fin_tui.engine.figures.operands import matter_of_before
from fin_tui.engine.frame.pages import ELSEWHERE
from fin_tui.engine.questions.understanding import Request, Understanding
from fin_tui.engine.rank.excerpt import joined
from fin_tui.engine.searching import Finder
from fin_tui.engine.searching.find import NO_ANSWER, NO_FIGURE, Hits, caution, turns_of, with_picks
from fin_tui.engine.structures.structure import Structure, StructureAnswer
from fin_tui.errors import MissingAsset
from fin_tui.facts import vocabulary
from fin_tui.facts.words import stems
from fin_tui.records import Refusal, Table

_LEADS = 0.5
"""Probability of a figure from which its sentence stands first among the passages."""
_BY_ITSELF = 2.0
"""How much likelier a paragraph must be that is found without the question before: of 40 follow-ups the one that answers is among
the first three in 23.5, in 22.5 with none.
"""
_LEANS = 1.0
"""How much less likely a paragraph may be that is found behind the question before, where a follow-up was read to leave nothing
to that: of 11 such follow-ups the paragraph that answers leads in 5, without it in 1.
"""
_LONGEST_ASKED = 300
"""Characters of a question that are read with paragraphs: its own words stand behind what it takes over."""
_MOST_SEARCHED = 8
"""Answers whose evidence is kept for a follow-up that wants them in another shape."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a question comes to: a draft, or why there is none."""

    understood: Understanding
    hits: Hits
    evidence: Evidence
    found: FigureAnswer | NoFigures | None = None
    unsure: Unsure | None = None
    draft: Draft | None = None
    refusal: Refusal | None = None
    is_quoted: bool = False
    """No figure is sure: what is told is a sentence, paragraph or table that it surely stands in, …"""
    before: tuple[NoFigures | None, Unsure | None] = (None, None)
    """… and this is what was found before it was taken for the answer."""

    @property
    def likely(self) -> FigureAnswer | None:
        """The closest figure found, where no more is told than that."""
        is_listed = self.draft is not None and self.draft.outline is not None
        return self.found.likely if isinstance(self.found, NoFigures) and not is_listed else None

    @property
    def is_told(self) -> bool:
        """Figures, or the structure of the filing, answer."""
        return self.draft is not None and (self.draft.figures is not None or self.draft.outline is not None)


class Drafting:
    """Finds and drafts answers."""

    def __init__(
        self,
        look_up: LookUp,
        understand: Callable[[Request], Understanding],
        finder: Finder,
        settings: Settings,
        structure: Structure | None,
        judge: Judge | None,
        outlines: Outlines | None,
        rereader: Rereader | None,
    ) -> None:
        self._look_up = look_up
        self._understand = understand
        self._finder = finder
        self._settings = settings
        self._structure = structure
        self._judge = judge
        self._outlines = outlines
        self._rereader = rereader
        self._searched: dict[Hashable, tuple[Understanding, Hits, Evidence]] = {}

    def made(self, understood: Understanding, timer: Timer) -> Made:
        """What ``understood`` comes to; with what leads as the answer, where that likely states the figure asked for, and its
        numbers may be read among all lines.
        """
        made = self.drafted(understood, timer)
        is_open = may_be_read(understood) and not self._look_up.is_doubted(understood)
        known = self.leads(made) if is_open else None
        if known is None or not is_sure(known) or made.draft is None:
            return made
        told = beforehand(made.understood.target, None)
        notes = (*made.draft.notes, told) if told else made.draft.notes
        draft = replace(made.draft, caution="", sentences=leading(made.draft.sentences), notes=notes)
        found = made.found if isinstance(made.found, NoFigures) else None
        return replace(made, draft=draft, is_quoted=True, before=(found, made.unsure))

    def doubted(self, made: Made, timer: Timer) -> Made:
        """``made`` with the closest passages in the place of what is quoted, where there are any."""
        understood, hits, evidence = self.search(made.understood, is_answered=False)
        found, unsure = made.before
        draft = self.draft(understood, found, None, evidence, hits, timer, unsure)
        if not draft.sentences:
            return made
        self._look_up.doubt(made.understood)
        draft = replace(draft, caution=draft.caution or of_whom(NO_FIGURE, draft))
        draft = replace(draft, notes=notes_of("", draft, found))
        return Made(understood, hits, evidence, found or NoFigures(()), unsure, draft)

    def drafted(self, understood: Understanding, timer: Timer) -> Made:
        """What ``understood`` comes to, before what leads is weighed."""
        is_doubted = understood.shape is not None and self._look_up.is_doubted(understood)
        found, unsure = self._look_up.looked_up(understood) if not is_doubted else (NoFigures(()), None)
        figures = found if isinstance(found, FigureAnswer) else None
        timer.mark("figures")
        outline = self._outline(understood) if not figures else None
        in_words = figures is not None and wants_words_beside(figures, understood.frame)
        understood, hits, evidence = self.search(understood, is_answered=bool(outline or (figures and not in_words)))
        timer.mark("retrieve")
        refusal = None if figures or outline else refuse_evidence(understood, evidence, found, hits.similarity)
        before, is_quoted = (found if isinstance(found, NoFigures) else None, unsure), False
        if outline is None and (refusal is None or (isinstance(found, NoFigures) and found.of_quarter)):
            found, unsure, evidence = self._settled(found, unsure, understood, evidence, hits)
            is_quoted = before[1] is not None and figures is None and isinstance(found, FigureAnswer)
            figures = found if isinstance(found, FigureAnswer) else None
        likely = found.likely if isinstance(found, NoFigures) and outline is None else None
        refusal = None if likely and isinstance(found, NoFigures) and found.of_quarter else refusal
        timer.mark("evidence")
        refusal = with_fetch(refusal, understood.question, understood.held)
        if refusal is not None:
            return Made(understood, hits, evidence, found, unsure, refusal=refusal)
        is_told = figures or outline or likely
        weak = "" if is_told else self._doubt(evidence, hits, understood, wants_figure=_wants_figure(found, understood))
        draft = self.draft(understood, found, outline, evidence, hits, timer, unsure)
        draft = replace(draft, caution=draft.caution or of_whom(weak, draft))
        draft = replace(draft, notes=notes_of("", draft, None if likely else found))
        if not draft.sentences:
            refusal = refuse_untold(understood, draft.evidence, found)
            return Made(understood, hits, draft.evidence, found, unsure, refusal=refusal)
        made = Made(understood, hits, evidence, found, unsure if outline is None else None, draft)
        return replace(made, is_quoted=True, before=before) if is_quoted else made

    def leads(self, made: Made) -> tuple[float, ...] | None:
        """What is known of the paragraph or table that leads where no figure is sure; None where anything else is told."""
        draft, frame = made.draft, made.understood.frame
        is_other = isinstance(made.found, NoFigures) and made.found.of_other
        if draft is None or frame is None or made.likely is not None or is_other:
            return None
        told = beforehand(made.understood.target, None) if _wants_figure(made.found, made.understood) else ""
        if draft.caution not in filter(None, (NO_FIGURE, told)):
            return None
        matter = {stem for one in matter_of_before(frame, vocabulary()) for stem in stems(one.text)}
        if matter and matter.isdisjoint(stems(" ".join(one.text for one in leading(draft.sentences)))):
            return None  # The company's own goodwill is not that of what it bought.
        return known_of(leading(draft.sentences), draft.evidence, made.unsure, frame)

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

    def search(self, understood: Understanding, *, is_answered: bool) -> tuple[Understanding, Hits, Evidence]:
        """The hits and their evidence; where words are to answer, the paragraphs in the order of how surely they do. An answer
        that is wanted in another shape keeps its evidence.
        """
        asked = understood.request
        key = (asked.question, asked.history, asked.scope, asked.mode, asked.k, tuple(filing.id for filing in understood.held))
        if understood.shape is not None and key in self._searched:
            way, hits, evidence = self._searched[key]
            return replace(way, shape=understood.shape, said=understood.said), hits, evidence
        way, hits, evidence = self.found(understood, is_answered=is_answered)
        if not is_answered:
            evidence = self._read_once_more(understood, hits, evidence)
        self._searched[key] = way, hits, evidence
        while len(self._searched) > _MOST_SEARCHED:
            self._searched.pop(next(iter(self._searched)))
        return way, hits, evidence

    def found(self, understood: Understanding, *, is_answered: bool) -> tuple[Understanding, Hits, Evidence]:
        """The hits and their evidence as the search has them. What a follow-up asks in words of its own is looked for without the
        question before and behind it, and the reason of a figure by the figure's change; the paragraph that is read as likelier
        decides.
        """
        found = []
        for way, ahead in [(understood, 0.0)] if is_answered else self._ways(understood):
            hits = self.retrieve(way)
            evidence = self.evidence(way, hits, is_answered=is_answered)
            found.append((-math.inf if evidence.sure is None else evidence.sure + ahead, (way, hits, evidence)))
        return max(found, key=itemgetter(0))[1]

    def _read_once_more(self, understood: Understanding, hits: Hits, evidence: Evidence) -> Evidence:
        """``evidence`` with its best paragraphs read together with the whole conversation."""
        if self._rereader is None or evidence.sure is None:
            return evidence
        try:
            return reread(conversation_of(understood), evidence, self._rereader, {filing.id for filing in hits.others})
        except MissingAsset:  # What was found stands; warming up tells of it.
            return evidence

    def _ways(self, understood: Understanding) -> list[tuple[Understanding, float]]:
        """The questions that passages are looked for by, each with what its best paragraph is ahead by."""
        reason = in_full(understood, self._understand, lambda one: self._look_up.looked_up(one)[0])
        if reason is not None and understood.frame is not None and understood.frame.companies:
            return [(reason, 0.0)]  # "What about Globex?" says nothing itself of what is looked for.
        before = self._look_up.told_before(understood)
        ways = ((understood, 0.0), (understood.alone, -_BY_ITSELF), (understood.leaning, _LEANS), (before, 0.0), (reason, 0.0))
        return [(way, ahead) for way, ahead in ways if way is not None]

    def _outline(self, understood: Understanding) -> StructureAnswer | None:
        """What the structure of the filings asked about says by itself."""
        if self._structure is None:
            return None
        return self._structure.answer(understood.question, understood.target.filings, understood.held, understood.frame)

    def _doubt(self, evidence: Evidence, hits: Hits, understood: Understanding, *, wants_figure: bool) -> str:
        """What is said over passages that may be no answer: one that sounds like risks is no list of them, unless it was read for
        that.
        """
        if understood.frame is not None and (elsewhere := ELSEWHERE.get(understood.frame.page)):
            return elsewhere
        if wants_figure and not may_be_read(understood):
            return NO_FIGURE  # Words of one of several companies are no answer for another's figure.
        is_list = self._structure is not None and self._structure.is_wanted(understood.frame)
        return NO_ANSWER if is_list and not evidence.reread else caution(evidence, hits.similarity, wants_figure=wants_figure)

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

    def _table_of(self, likely: FigureAnswer, understood: Understanding) -> Table | None:
        """The table that the first figure stands in; None where it stands in prose."""
        citation = likely.passages[0].citation if likely.passages else None
        filing = next((one for one in understood.held if citation is not None and one.id == citation.filing), None)
        if citation is None or filing is None or self._outlines is None or likely.passages[0].kind != "table":
            return None
        return self._outlines.table(filing, citation.start)

    def draft(
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
        draft = Draft(understood, hits, evidence, sentences, timer, figures, outline, near, early, note=note)
        return replace(draft, scale=scale_left_out(draft, self._look_up.scale_left_out))


def conversation_of(understood: Understanding) -> str:
    """The questions since the conversation came to this company as one text, in the last "the company" for its name."""
    return joined((*turns_of(understood)[:-1], understood.question.nameless[-_LONGEST_ASKED:]), "")


def _wants_figure(found: FigureAnswer | NoFigures | None, understood: Understanding) -> bool:
    """Whether a figure is asked for and nothing else: words about its matter are no answer then."""
    frame = understood.frame
    return frame.is_figure and not frame.wants_words_too if frame is not None else isinstance(found, NoFigures)


def _place_of(unsure: Unsure | None) -> tuple[str, int] | None:
    """Where the likeliest of figures that are not sure is printed, where it is likely enough to be shown first."""
    best = next(iter(unsure.figures), None) if unsure is not None else None
    return best.place if best is not None and best.share >= _LEADS else None
