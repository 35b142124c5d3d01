"""Answers that a filing's structure gives: an Item that reads "None.", a check mark of the cover, a list, a count in prose.

Words are taken from the filing itself, so that the answer is what it says there and not what a search finds near it.
"""

from __future__ import annotations

from collections.abc import Sequence

from fin_tui.engine.figures.answer import FigureAnswer, Source
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.questions.operation import asks_yes_no
from fin_tui.engine.questions.question import Question
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.engine.structures import several, signed
from fin_tui.engine.structures.auditor import asks_audit_matters, asks_auditor, audit_matters, auditor
from fin_tui.engine.structures.changed import asks_risk_changes, pair, risk_changes
from fin_tui.engine.structures.counts import counts
from fin_tui.engine.structures.cover import cover
from fin_tui.engine.structures.denied import denied, nothing
from fin_tui.engine.structures.desk import Desk, FilingChunks, StructureAnswer, StructureLibrary
from fin_tui.engine.structures.listed import listed
from fin_tui.engine.structures.lists import lists
from fin_tui.engine.structures.officers import asked_office, asks_officers, office_holder, officers
from fin_tui.engine.structures.pages import page
from fin_tui.engine.structures.risks import asked_risks, risks
from fin_tui.records import Filing

__all__ = ["Structure", "StructureAnswer"]


class Structure:
    """Answers questions from structure: of one filing, or of each of a few in turn."""

    def __init__(self, library: StructureLibrary, chunks: FilingChunks) -> None:
        self._desk = Desk(library, chunks)

    def page(self, understood: Understanding, source: Source) -> FigureAnswer | None:
        """What is asked for as a whole: a figure by segment, product or place; the key figures of the company in scope."""
        return page(understood, source, self._desk)

    def answer(
        self, question: Question, filings: Sequence[Filing], held: Sequence[Filing] = (), frame: Frame | None = None
    ) -> StructureAnswer | None:
        """The answer when the question asks for one of these and the structure of each filing gives it; None otherwise.

        ``held``: all filings of the library, of which the year before may be one to compare with. ``frame``: the question's.
        """
        if asks_risk_changes(question.query) and (two := pair(filings, held)):
            return risk_changes(self._desk, *two)
        if not 0 < len(filings) <= several.MOST:
            return None
        answers = []
        for filing in filings:
            answer = self._of_one(question, filing, frame)
            if answer is None:
                return None
            answers.append(answer)
        return answers[0] if len(answers) == 1 else several.in_turn(filings, answers)

    def _of_one(self, question: Question, filing: Filing, frame: Frame | None) -> StructureAnswer | None:
        text, desk = question.query, self._desk
        if signed.ASKED.search(text):
            return signed.signed(desk, filing)
        if asks_audit_matters(text):
            return audit_matters(desk, filing)
        if asks_auditor(text):
            return auditor(desk, filing)
        if (said := listed(text, desk, filing)) is not None:
            return said
        if asks_yes_no(text):
            return nothing(text, desk, filing) or cover(text, desk, filing) or denied(text, desk, filing)
        if (matter := asked_risks(frame)) is not None:
            return risks(desk, filing, matter)
        if asks_officers(frame):
            return officers(desk, filing)
        if (office := asked_office(frame)) and (holder := office_holder(desk, filing, office)) is not None:
            return holder
        return counts(question, desk, filing) or lists(question, desk, filing)
