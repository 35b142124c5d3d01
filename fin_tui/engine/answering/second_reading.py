"""A question that no figure is sure for, read a second time: written out in full, looked up part by part, computed.

What it comes to may be right or wrong, as what the first reading held for likeliest: how sure each part was found, whether the
first reading comes to the same, and what is known of the question are weighed together, by a logistic regression
(``python -m training.second_reading``).
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
from fin_tui.engine.figures.answer import FigureAnswer, Likely, Source, Unsure
from fin_tui.engine.figures.linked_book import Linked
from fin_tui.engine.figures.over_found import told_over
from fin_tui.engine.frame.reader import COMPUTED, Frame
from fin_tui.engine.frame.rewriter import Rewriter, Rewritten
from fin_tui.engine.questions.periods import find_periods
from fin_tui.engine.questions.target import label_of
from fin_tui.engine.questions.understanding import Request, Understanding
from fin_tui.facts.expression import Name
from fin_tui.facts.figures import Figure
from fin_tui.facts.words import spoken_name, stems
from fin_tui.records import Filing

SURE = 0.8
"""Probability from which a figure is told as the answer: by cross-validation over filings, of 473 that no figure was sure for, 42
of 48 are right from .8 on, and 16 of 23 between .7 and .8. One wrong answer costs more than five that are not found.
"""
FEATURES = (
    "least", "all", "first", "same", "other", "computed", "operands", "operation", "kind", "years", "words", "written", "worst",
    "bias",
)  # fmt: skip
_NAMED = 0.93
"""How sure a figure is that was found by its name and not ranked among others."""
_LEAST = 0.003
_NO_KIND = 0.5
_KINDS: Mapping[str, tuple[str, ...]] = {"usd": ("money", "per_share"), "usd/share": ("per_share", "money"), "%": ("percent",)}
"""Unit of a figure -> kinds of figures that it may be; of any other it may be a count."""
_COUNTS = ("count", "ratio", "days")


class Asks(Protocol):
    """What questions are asked of."""

    def understand(self, request: Request) -> Understanding:
        """Read a question and decide where to look."""

    def is_refused(self, understood: Understanding) -> bool:
        """Whether the question alone calls for a refusal."""


@dataclass(frozen=True, slots=True)
class Operand:
    """The likeliest figure for one look-up."""

    value: float
    sure: float
    tell: Callable[[], FigureAnswer]


@dataclass(frozen=True, slots=True)
class InFull:
    """What a question comes to once it is written out."""

    answer: FigureAnswer
    value: float
    lookups: tuple[str, ...]
    known: tuple[float, ...]
    """One for each of ``FEATURES``."""
    same: Likely | None
    """The figure of the first reading that has this value."""

    @property
    def chance(self) -> float:
        """The probability that it is what was asked for."""
        weights = _weights()
        total = sum(weights[name] * value for name, value in zip(FEATURES, self.known, strict=True))
        return 1 / (1 + math.exp(-total))

    @property
    def is_sure(self) -> bool:
        """Whether it may be told as the answer."""
        return self.chance >= SURE

    @property
    def note(self) -> str:
        """How the question was read, for people."""
        return f"Read in full as: {'; '.join(self.lookups)}."


class SecondReading:
    """Reads questions a second time."""

    def __init__(self, rewriter: Rewriter, asks: Asks, look_up: LookUp, source: Source, linked: Linked) -> None:
        self._rewriter = rewriter
        self._asks = asks
        self._look_up = look_up
        self._source = source
        self._linked = linked

    def read(
        self, understood: Understanding, unsure: Unsure | None, cancelled: Callable[[], bool] = lambda: False
    ) -> InFull | None:  # fmt: skip
        """What a question of one company comes to, ``unsure`` being the figures of the first reading; None where it asks for no
        figure, or one of its parts is not found at all. Raises ``ModelFailed``.
        """
        about, request, frame = _about(understood), understood.request, understood.frame
        if about is None or frame is None:
            return None
        turns = (*request.history, request.question)
        rewritten = self._rewriter.of(spoken_name(about.company), label_of(about), turns, cancelled)
        if rewritten is None:
            return None
        operands: list[Operand] = []
        for text in rewritten.lookups:
            found = None if cancelled() else self._looked_up(text, request)
            if found is None:
                return None
            operands.append(found)
        answer = self._over(rewritten, operands)
        if answer is None or answer.value is None:
            return None
        figures = unsure.figures if unsure is not None else ()
        same = next((one for one in figures if is_same(answer.value, one.value)), None)
        known = _known_of(rewritten, operands, answer, frame, figures, same)
        return InFull(answer, answer.value, rewritten.lookups, known, same)

    def _over(self, rewritten: Rewritten, operands: Sequence[Operand]) -> FigureAnswer | None:
        """What is computed over the operands; None where one of them is no figure of a filing, or two are the same."""
        if isinstance(rewritten.node, Name):
            return operands[0].tell()
        figures = [one for operand in operands if (one := operand.tell().single) is not None]
        if len(figures) < len(operands) or len(set(map(_place, figures))) < len(figures):
            return None
        return told_over(rewritten.node, figures, self._source, self._linked)

    def _looked_up(self, text: str, whole: Request) -> Operand | None:
        """The figure that ``text`` asks for by itself, or the likeliest of several; None where it asks for none."""
        asked = Request(text, scope=whole.scope, k=whole.k, mode=whole.mode, rerank=whole.rerank, use_model=False)
        understood = self._look_up.placed(self._asks.understand(asked))
        if understood.frame is not None:
            understood = replace(understood, frame=understood.frame.as_look_up())
        if self._asks.is_refused(understood):
            return None
        found, unsure = self._look_up.looked_up(understood)
        if isinstance(found, FigureAnswer):
            sure = found.single.sure if found.single is not None else None
            is_one = found.value is not None and not found.is_page
            return Operand(found.value or 0.0, _NAMED if sure is None else sure, lambda: found) if is_one else None
        best = next(iter(unsure.figures), None) if unsure is not None else None
        return Operand(best.value, best.share, best.tell) if best is not None else None


def is_worthwhile(understood: Understanding) -> bool:
    """Whether a figure is asked for, as far as can be told."""
    frame = understood.frame
    return frame is not None and understood.shape is None and frame.is_figure and not frame.wants_words_too


def _about(understood: Understanding) -> Filing | None:
    """The newest of the filings that are asked, where all are of one company."""
    filings = understood.target.filings
    return max(filings, key=label_of) if len({one.company_key for one in filings}) == 1 else None


def _place(figure: Figure) -> tuple[str, str, int, str]:
    return figure.filing.id, figure.fact.concept, figure.fact.start, figure.period.label


def _known_of(
    rewritten: Rewritten,
    operands: Sequence[Operand],
    answer: FigureAnswer,
    frame: Frame,
    figures: Sequence[Likely],
    same: Likely | None,
) -> tuple[float, ...]:
    """What is known of an answer; ``figures`` are those of the first reading, ``same`` the one of them that has its value."""
    sure = [one.sure for one in operands]
    computes = sum(frame.operations.get(one, 0.0) for one in COMPUTED)
    is_computed = not isinstance(rewritten.node, Name)
    kinds = _KINDS.get(answer.unit or "", _COUNTS)
    years = {year for span in frame.periods for year in find_periods(span.text).years}
    written = " ".join(rewritten.lookups)
    asked, said = set(stems(frame.asked)), set(stems(written))
    return (
        _log_odds(min(sure)),
        sum(math.log(max(one, _LEAST)) for one in sure),
        float(same is not None and same is figures[0]),
        _log_odds(same.share if same is not None else 0.0),
        next((one.share for one in figures if one is not same), 0.0),
        float(is_computed),
        float(len(sure)),
        computes if is_computed else 1 - computes,
        sum(frame.kinds.get(one, 0.0) for one in kinds) if frame.kinds else _NO_KIND,
        float(all(str(year) in written for year in years)),
        len(asked & said) / len(asked) if asked else 0.0,
        rewritten.sure,
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
