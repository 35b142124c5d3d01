"""A figure that is not sure, borne out by a second reading: the question written out in full, looked up part by part, computed.

Two readings that come to one figure may still be wrong together. How sure each part was found, how likely the first reading held
the figure, and how sure the model was of its words are weighed by a logistic regression (``python -m training.second_reading``).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Protocol

from fin_tui.engine.answering.closer import is_same
from fin_tui.engine.answering.looking_up import LookUp
from fin_tui.engine.figures.answer import FigureAnswer, Likely, Unsure
from fin_tui.engine.frame.rewriter import Rewriter, Rewritten
from fin_tui.engine.questions.target import label_of
from fin_tui.engine.questions.understanding import Request, Understanding
from fin_tui.errors import FinTuiError
from fin_tui.facts.expression import Binary, Measure, Name, Node, Number, evaluate
from fin_tui.facts.figures import Figure, Unit
from fin_tui.facts.words import spoken_name
from fin_tui.records import Filing

SURE = 0.7
"""Probability from which a figure is told as the answer: of 239 that both readings came to 120 are right, of those from .7 on, by
cross-validation over filings, 60 of 70. One wrong answer costs more than five that are not found.
"""
FEATURES = ("least", "first", "same", "worst", "bias")
"""How sure the part is that is least surely found (log odds); whether the first reading held the figure for likeliest, and how
likely (log odds); the log probability of the least likely token that the model wrote; 1.
"""
_NAMED = 0.93
"""How sure a figure counts as that was found by its name, and not ranked among others."""
_LEAST = 0.003
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
    known: tuple[float, ...]
    """One for each of ``FEATURES``."""

    @property
    def chance(self) -> float:
        """The probability that it is the one asked for."""
        weights = _weights()
        total = sum(weights[name] * value for name, value in zip(FEATURES, self.known, strict=True))
        return 1 / (1 + math.exp(-total))

    @property
    def is_sure(self) -> bool:
        """Whether it may be told as the answer."""
        return self.chance >= SURE

    @property
    def note(self) -> str:
        """How the question was read the second time, for people."""
        return f"Read in full as: {'; '.join(self.lookups)}. That comes to the same figure."


@dataclass(frozen=True, slots=True)
class Operand:
    """The likeliest figure for one look-up."""

    sure: float
    tell: Callable[[], FigureAnswer]


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
        operands: list[Operand] = []
        for text in rewritten.lookups:
            found = None if cancelled() else self._looked_up(text, request, about)
            if found is None:
                return None
            operands.append(found)
        answers = [one.tell() for one in operands]
        node, figures = rewritten.node, [one.single for one in answers]
        value = answers[0].value if isinstance(node, Name) else _computed(node, figures)
        figure = next((one for one in unsure.figures if value is not None and is_same(value, one.value)), None)
        if figure is None or cancelled():
            return None
        return BorneOut(figure, rewritten.lookups, _known_of(rewritten, operands, figure, unsure))

    def _looked_up(self, text: str, whole: Request, about: Filing) -> Operand | None:
        """The figure that ``text`` asks for by itself, or the likeliest of several; None where it asks for none, or for that of
        another company.
        """
        asked = Request(text, scope=whole.scope, k=whole.k, mode=whole.mode, rerank=whole.rerank, use_model=False)
        understood = self._look_up.placed(self._asks.understand(asked))
        if understood.frame is not None:
            understood = replace(understood, frame=understood.frame.as_look_up())
        is_of_it = {one.company_key for one in understood.target.filings} == {about.company_key}
        if not is_of_it or self._asks.is_refused(understood):
            return None
        found, unsure = self._look_up.looked_up(understood)
        if isinstance(found, FigureAnswer):
            sure = found.single.sure if found.single is not None else None
            is_one = found.value is not None and not found.is_page
            return Operand(_NAMED if sure is None else sure, lambda: found) if is_one else None
        best = next(iter(unsure.figures), None) if unsure is not None else None
        return Operand(best.share, best.tell) if best is not None else None


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


def _known_of(rewritten: Rewritten, operands: Sequence[Operand], figure: Likely, unsure: Unsure) -> tuple[float, ...]:
    return (
        _log_odds(min(one.sure for one in operands)),
        float(figure is unsure.figures[0]),
        _log_odds(figure.share),
        rewritten.least,
        1.0,
    )


def _log_odds(share: float) -> float:
    bounded = min(max(share, _LEAST), 1 - _LEAST)
    return math.log(bounded / (1 - bounded))


@cache
def _weights() -> Mapping[str, float]:
    card = json.loads(files("fin_tui.engine.answering").joinpath("second_reading.json").read_text(encoding="utf-8"))
    weights: Mapping[str, float] = card["weights"]
    return weights
