"""A figure of a sentence that two readings take for the answer: the ranking of all figures, and the reading of paragraphs.

The ranking compares a question with each number's own clause; the cross-encoder that reads paragraphs sees what stands around it.
Neither is sure enough of many a number by itself. Where both lead to one, it is told in the filing's own words.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from fin_tui.engine.evidence.evidence import Evidence
from fin_tui.engine.figures.answer import FigureAnswer, Unsure

SURE, SURE_OF_SENTENCE = 0.85, 0.8
"""Probabilities from which such a figure stands as the answer, and a sentence whose numbers can't be told apart: of 46 figures 44
are right, cross-validated over filings, and of 12 sentences that no figure is told of 11.
"""
WEIGHTS: Mapping[str, float] = {"share": 0.85, "logit": 0.25, "bias": 0.68}
"""Of a logistic regression over the log odds that the ranking gives it and the logit of its paragraph, fitted on 146 figures that
were not sure by the ranking alone: ``python -m training.agreed``.
"""
UNREAD, MOST = -6.0, 6.0
"""The logit of a figure in a paragraph that was not read, and the largest that counts."""


def agreed(unsure: Unsure, evidence: Evidence) -> FigureAnswer | None:
    """The likeliest figure, where it stands in a sentence and its paragraph answers as well; else the sentence that it is likely
    to stand in. None where neither is sure.
    """

    def is_sure(share: float, place: tuple[str, int], bound: float) -> bool:
        return chance(share, logit_of(place, evidence)) >= bound

    best, said = next(iter(unsure.figures), None), unsure.said
    is_said = best is not None and best.may_stand and best.is_told
    if best is not None and is_said and best.place is not None and is_sure(best.share, best.place, SURE):
        return best.tell()
    if said is not None and said.may_stand and is_sure(said.share, said.place, SURE_OF_SENTENCE):
        return said.tell()
    return None


def logit_of(place: tuple[str, int], evidence: Evidence) -> float:
    """How well the paragraph at ``place`` (filing, start) answers by itself."""
    filing, start = place
    for one in evidence.paragraphs:
        if one.near.filing.id == filing and any(piece.start <= start < piece.end for piece in one.near.paragraph.pieces):
            return UNREAD if one.logit is None else min(max(one.logit, UNREAD), MOST)
    return UNREAD


def chance(share: float, logit: float) -> float:
    """The probability that a figure is the one asked for."""
    share = min(max(share, 1e-3), 1 - 1e-3)
    odds = math.log(share / (1 - share))
    return 1 / (1 + math.exp(-(WEIGHTS["share"] * odds + WEIGHTS["logit"] * logit + WEIGHTS["bias"])))
