"""Pages of figures: one by the parts of a company, or the key figures of the one company in scope."""

from __future__ import annotations

from fin_tui.engine.figures.answer import FigureAnswer, Source
from fin_tui.engine.figures.overview import overview
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.engine.structures.breakdown import breakdown
from fin_tui.engine.structures.desk import Desk


def page(understood: Understanding, source: Source, desk: Desk) -> FigureAnswer | None:
    """The page that the question's frame asks for; None where it asks for something else."""
    return overview(understood, source) if asks_of_scope(understood) else breakdown(understood, source, desk)


def asks_of_scope(understood: Understanding) -> bool:
    """Whether nothing is named but a period, and the scope that was set is one company's: "summarize 2024", "how did it do?"."""
    frame, question = understood.frame, understood.question
    if frame is None or frame.carried is not None or frame.refusal or question.companies or question.unknown or question.items:
        return False
    is_one = len({filing.company_key for filing in understood.target.filings}) == 1
    is_set = bool(understood.request.scope.companies or understood.request.scope.filings)
    names_nothing = not (frame.targets or frame.parts or frame.companies) and len(frame.left_over) <= 1
    return is_one and is_set and names_nothing and frame.answer == "none"
