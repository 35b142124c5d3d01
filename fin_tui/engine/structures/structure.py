"""Answers that a filing's structure gives: an Item that reads "None.", a check mark of the cover, a list, a count in prose.

Words are taken from the filing itself, so that the answer is what it says there and not what a search finds near it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fin_tui.engine.evidence import Passage
from fin_tui.engine.figures.answer import FigureAnswer, Source
from fin_tui.engine.figures.linked_book import Linked
from fin_tui.engine.figures.overview import overview
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.questions.question import Question
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.engine.questions.wanted import asks_yes_no
from fin_tui.engine.structures import FilingChunks, FilingReader, StructureAnswer, StructureLibrary, named
from fin_tui.engine.structures.adding_up import adding_up
from fin_tui.engine.structures.auditor import asks_audit_matters, asks_auditor, audit_matters, auditor
from fin_tui.engine.structures.breakdown import breakdown, wanted
from fin_tui.engine.structures.business import business, with_business
from fin_tui.engine.structures.by_state import asked_by_state, by_state
from fin_tui.engine.structures.concern import with_doubt
from fin_tui.engine.structures.cover import asks_date_signed, cover, date_signed, denied, empty_item, exchange_listing
from fin_tui.engine.structures.lists import counts, list_answer
from fin_tui.engine.structures.officers import asked_office, asks_officers, office_holder, officers, with_highest
from fin_tui.engine.structures.risks import asked_risks, asks_risk_changes, pair, risk_changes, risks
from fin_tui.records import Filing, Sentence

__all__ = ["Structure", "StructureAnswer"]


class Structure:
    """Answers questions from structure: of one filing, or of each of a few in turn."""

    def __init__(self, library: StructureLibrary, chunks: FilingChunks) -> None:
        self._reader = FilingReader(library, chunks)

    def page(self, understood: Understanding, source: Source) -> FigureAnswer | None:
        """What is asked for as a whole: a figure by segment, product or place; the key figures of the company in scope."""
        return page(understood, source, self._reader)

    def parts(self, understood: Understanding, source: Source, linked: Linked) -> FigureAnswer | None:
        """A figure with the rows of a table that add up to it, where the question wants to know what it is made up of."""
        return adding_up(understood, source, linked, self._reader)

    def with_words(self, page: FigureAnswer, understood: Understanding) -> FigureAnswer:
        """``page``, the key figures of one company, with what the company does, where that is asked for of its latest year; one
        on its debts with the doubt that it can go on, where its filing states one.
        """
        filings, wanted = understood.target.filings, understood.frame.page if understood.frame is not None else ""
        if len({filing.company_key for filing in filings}) != 1:
            return page
        newest = max(filings, key=lambda filing: str(filing.period_end or ""))
        if wanted == "business" and not understood.question.periods.named:
            return with_business(page, self._reader, newest)
        return with_doubt(page, self._reader, newest) if wanted == "strength" else page

    def parts_asked(self, understood: Understanding, source: Source) -> str:
        """The kind of parts that a figure is to be broken down by, "segment"; "" where none is asked for."""
        asked = wanted(understood, source.names)
        goes_on = understood.frame is not None and understood.frame.carried is not None
        # What a follow-up names may not be told by parts: then it asks for the whole.
        return asked.axis.one if asked and not (goes_on and self.page(understood, source) is None) else ""

    def answer(
        self, question: Question, filings: Sequence[Filing], held: Sequence[Filing] = (), frame: Frame | None = None
    ) -> StructureAnswer | None:
        """The answer when the question asks for one of these and the structure of each filing gives it; None otherwise.

        ``held``: all filings of the library, of which the year before may be one to compare with. ``frame``: the question's.
        """
        if asks_risk_changes(question.query) and (two := pair(filings, held)):
            return risk_changes(self._reader, *two)
        if frame is not None and frame.page and filings and not question.periods.named:
            filings = [max(filings, key=lambda filing: str(filing.period_end or ""))]  # What it is now, and who runs it.
        if not 0 < len(filings) <= MOST:
            return None
        answers = []
        for filing in filings:
            answer = self._of_one(question, filing, frame)
            if answer is None:
                return None
            answers.append(answer)
        return answers[0] if len(answers) == 1 else in_turn(filings, answers)

    @staticmethod
    def is_wanted(frame: Frame | None) -> bool:
        """Whether ``frame`` asks for a list that nothing but the structure of a filing gives: all risks, or the officers."""
        return asked_risks(frame) == () or asks_officers(frame)

    def _of_one(self, question: Question, filing: Filing, frame: Frame | None) -> StructureAnswer | None:
        text, reader = question.query, self._reader
        if asks_date_signed(text):
            return date_signed(reader, filing)
        if asks_audit_matters(text):
            return audit_matters(reader, filing)
        if asks_auditor(text):
            return auditor(reader, filing)
        if (thing := asked_by_state(frame)) and (found := by_state(reader, filing, thing)) is not None:
            return found
        if (said := exchange_listing(text, reader, filing)) is not None:
            return said
        if asks_yes_no(text):
            return empty_item(text, reader, filing) or cover(text, reader, filing) or denied(text, reader, filing)
        if (matter := asked_risks(frame)) is not None:
            return risks(reader, filing, matter)
        if asks_officers(frame):
            return officers(reader, filing)
        if frame is not None and frame.page == "business":  # "What kinds of rockets does it build?" asks for a list of them.
            said = list_answer(question, reader, filing) or business(reader, filing)
            if said is not None:
                return said
        if (office := asked_office(frame)) and (holder := office_holder(reader, filing, office)) is not None:
            return holder
        if frame is not None and frame.page == "leader":
            return with_highest(officers(reader, filing))
        return counts(question, reader, filing) or list_answer(question, reader, filing)


def page(understood: Understanding, source: Source, reader: FilingReader) -> FigureAnswer | None:
    """The page that the question's frame asks for; None where it asks for something else."""
    if not asks_of_scope(understood):
        return breakdown(understood, source, reader)
    found = overview(understood, source)
    return found if isinstance(found, FigureAnswer) else None


def asks_of_scope(understood: Understanding) -> bool:
    """Whether nothing is named but a period, and the scope that was set is one company's: "summarize 2024", "how did it do?"."""
    frame, question = understood.frame, understood.question
    if frame is None or frame.carried is not None or frame.refusal or question.companies or question.unknown or question.items:
        return False
    is_one = len({filing.company_key for filing in understood.target.filings}) == 1
    is_set = bool(understood.request.scope.companies or understood.request.scope.filings)
    names_nothing = not (frame.targets or frame.parts or frame.companies) and len(frame.left_over) <= 1
    return is_one and is_set and names_nothing and frame.answer == "none"


MOST = 4
"""Filings that are told one after the other."""


def in_turn(filings: Sequence[Filing], answers: Sequence[StructureAnswer]) -> StructureAnswer:
    """The answers of ``filings`` as one, their passages numbered on; with a line on the change where all of them count."""
    passages: list[Passage] = []
    told: list[Sentence] = []
    for answer in answers:
        before = len(passages)
        passages += [
            replace(passage, citation=replace(passage.citation, id=passage.citation.id + before)) for passage in answer.passages
        ]
        told += [replace(one, citations=tuple(number + before for number in one.citations)) for one in answer.sentences]
    change = _change(filings, answers)
    return StructureAnswer((*change, *told), tuple(passages), is_open=any(answer.is_open for answer in answers))


def _change(filings: Sequence[Filing], answers: Sequence[StructureAnswer]) -> tuple[Sentence, ...]:
    """ "Acme Corp. counts 120 in its 10-K for FY2023 and 150 in its 10-K for FY2024: a change of +30 (+25.0%)." """
    counted = sorted(
        ((filing.fiscal_year or 0, filing, answer.value) for filing, answer in zip(filings, answers, strict=True)),
        key=lambda one: one[0],
    )
    (_, first, old), (_, last, new) = counted[0], counted[-1]
    if first.company_key != last.company_key or any(value is None for _, _, value in counted) or not old or new is None:
        return ()
    told = (
        f"{last.company} counts {old:,.0f} in its {named(first)} and {new:,.0f} in its {named(last)}: "
        f"a change of {new - old:+,.0f} ({(new / old - 1) * 100:+.1f}%)."
    )
    return (Sentence(told, (), "computed"),)
