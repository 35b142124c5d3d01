"""A sentence that two readings take for the answer: the ranking of all figures, and the reading of paragraphs.

The ranking compares a question with each number's own clause; the cross-encoder that reads paragraphs sees what stands around it.
Neither is sure enough of many a number by itself. Where both lead to one sentence, it is told as it stands: which of several
numbers is asked for ("we closed 12 of our 40 plants") its words say better than a choice among them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from fin_tui.engine.evidence.evidence import Evidence
from fin_tui.engine.figures.answer import FigureAnswer, Unsure
from fin_tui.facts.figures import Figure

SURE = 0.8
"""Probability from which such a sentence stands as the answer."""
WEIGHTS: Mapping[str, float] = {"share": 0.85, "logit": 0.25, "bias": 0.68}
"""Of a logistic regression over the log odds that the ranking gives it and the logit of its paragraph, fitted on 146 figures that
were not sure by the ranking alone: ``python -m training.agreed``.
"""
UNREAD, MOST = -6.0, 6.0
"""The logit of a figure in a paragraph that was not read, and the largest that counts."""


def agreed(unsure: Unsure, evidence: Evidence) -> FigureAnswer | None:
    """The sentence that the figure asked for is likely to stand in, where its paragraph answers as well; None where that is not
    sure.
    """
    said = unsure.said
    is_sure = said is not None and chance(said.share, logit_of(said.place, evidence)) >= SURE
    return said.tell() if said is not None and is_sure else None


def in_sentence(unsure: Unsure, evidence: Evidence) -> Figure | None:
    """The likeliest number of the sentence that is told, as sure as it is the one asked for; what a follow-up may go on from."""
    said = unsure.said
    best = next((one for one in unsure.figures if said is not None and one.place == said.place), None)
    figure = best.tell().single if best is not None else None
    if said is None or best is None or figure is None:
        return None
    return replace(figure, sure=chance(said.share, logit_of(said.place, evidence)) * min(best.share / said.share, 1.0))


def logit_of(place: tuple[str, int], evidence: Evidence) -> float:
    """How well the paragraph at ``place`` (filing, start) answers by itself."""
    for one in evidence.paragraphs:
        if one.holds(*place):
            return UNREAD if one.logit is None else min(max(one.logit, UNREAD), MOST)
    return UNREAD


def chance(share: float, logit: float) -> float:
    """The probability that the figure asked for stands in a sentence."""
    return 1 / (1 + math.exp(-(WEIGHTS["share"] * odds_of(share) + WEIGHTS["logit"] * logit + WEIGHTS["bias"])))


def odds_of(share: float) -> float:
    """The logarithm of the odds that a probability means, of none quite sure."""
    held = min(max(share, 1e-3), 1 - 1e-3)
    return math.log(held / (1 - held))
