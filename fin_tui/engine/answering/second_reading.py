"""A figure that is not sure, borne out by a second reading: the question written out in full, looked up part by part, computed.

Of 35 figures that the first reading held for likely and the second one came to as well 26 are right; of those that the first one
alone held for as likely, one in two. So such a figure is told as the closest that was found, and not as the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from fin_tui.engine.answering.closer import is_same
from fin_tui.engine.answering.looking_up import LookUp
from fin_tui.engine.figures.answer import FigureAnswer, Likely, Unsure
from fin_tui.engine.frame.rewriter import Rewriter
from fin_tui.engine.questions.target import label_of
from fin_tui.engine.questions.understanding import Request, Understanding
from fin_tui.errors import FinTuiError
from fin_tui.facts.expression import Binary, Measure, Name, Node, Number, evaluate
from fin_tui.facts.figures import Figure, Unit
from fin_tui.facts.words import spoken_name
from fin_tui.records import Filing

MAY_BE = 0.3
"""Probability from which a figure is told once it is borne out."""
_HUNDRED = 100


class Asks(Protocol):
    """What questions are asked of."""

    def understand(self, request: Request) -> Understanding:
        """Read a question and decide where to look."""

    def is_refused(self, understood: Understanding) -> bool:
        """Whether the question alone calls for a refusal."""


@dataclass(frozen=True, slots=True)
class BorneOut:
    """A figure that both readings come to."""

    figure: Likely
    lookups: tuple[str, ...]

    @property
    def note(self) -> str:
        """How the question was read the second time, for people."""
        return f"Read in full as: {'; '.join(self.lookups)}. That comes to the same figure."


class SecondReading:
    """Reads questions a second time."""

    def __init__(self, rewriter: Rewriter, asks: Asks, look_up: LookUp) -> None:
        self._rewriter = rewriter
        self._asks = asks
        self._look_up = look_up

    def borne_out(
        self, understood: Understanding, unsure: Unsure, cancelled: Callable[[], bool] = lambda: False
    ) -> BorneOut | None:  # fmt: skip
        """The one of the ``unsure`` figures that the question comes to as well once it is written out; None where it comes to
        another or to none. Raises ``ModelFailed``.
        """
        about, request = _about(understood), understood.request
        if about is None:
            return None
        turns = (*request.history, request.question)
        rewritten = self._rewriter.of(spoken_name(about.company), label_of(about), turns, cancelled)
        if rewritten is None:
            return None
        answers: list[FigureAnswer] = []
        for text in rewritten.lookups:
            found = None if cancelled() else self._looked_up(text, request)
            if found is None:
                return None
            answers.append(found)
        node, figures = rewritten.node, [one.single for one in answers]
        value = answers[0].value if isinstance(node, Name) else _computed(node, figures)
        alike = (one for one in unsure.figures if one.share >= MAY_BE and value is not None and is_same(value, one.value))
        figure = next(alike, None)
        return BorneOut(figure, rewritten.lookups) if figure is not None else None

    def _looked_up(self, text: str, whole: Request) -> FigureAnswer | None:
        """The one figure that ``text`` asks for by itself."""
        asked = Request(text, scope=whole.scope, k=whole.k, mode=whole.mode, rerank=whole.rerank, use_model=False)
        understood = self._look_up.placed(self._asks.understand(asked))
        if self._asks.is_refused(understood):
            return None
        found, _ = self._look_up.looked_up(understood)
        return found if isinstance(found, FigureAnswer) and found.value is not None and not found.is_page else None


def is_worthwhile(unsure: Unsure | None) -> bool:
    """Whether a figure would be told if it were borne out."""
    return unsure is not None and any(one.share >= MAY_BE for one in unsure.figures)


def _about(understood: Understanding) -> Filing | None:
    """The newest of the filings that are asked, where all are of one company."""
    filings = understood.target.filings
    return max(filings, key=label_of) if len({one.company_key for one in filings}) == 1 else None


def _computed(node: Node, figures: Sequence[Figure | None]) -> float | None:
    """What ``node`` comes to over ``figures``; None where one is not known or is two operands, or nothing can be computed."""
    known = [one for one in figures if one is not None]
    places = {(one.filing.id, one.fact.concept, one.fact.start, one.period.label) for one in known}
    if len(places) < len(figures):
        return None
    unit: Unit | None = None
    match node:
        case Binary("*", inner, Number(factor)) if factor == _HUNDRED:
            node, unit = inner, "%"
    try:
        return float(evaluate(node, lambda one: _measure(known[ord(one.name) - ord("a")]), unit=unit).value)
    except (FinTuiError, OverflowError):
        return None


def _measure(figure: Figure) -> Measure:
    return Measure(figure.value, figure.unit)
