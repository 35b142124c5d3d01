"""A figure of a sentence that two readings take for the answer: the ranking of all figures, and the reading of paragraphs.

The ranking compares a question with each number's own clause; the cross-encoder that reads paragraphs sees what stands around it.
Neither is sure enough of many a number by itself. Where both lead to one, it is told in the filing's own words.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from fin_tui.engine.evidence.evidence import Evidence
from fin_tui.engine.figures.answer import Likely, Unsure

SURE = 0.82
"""Probability from which such a figure stands as the answer: of 58 that did 53 are right, cross-validated over filings."""
WEIGHTS: Mapping[str, float] = {"share": 0.86, "logit": 0.20, "bias": 0.70}
"""Of a logistic regression over the log odds that the ranking gives it and the logit of its paragraph, fitted on 157 figures that
were not sure by the ranking alone: ``python -m training.agreed``.
"""
UNREAD, MOST = -6.0, 6.0
"""The logit of a figure in a paragraph that was not read, and the largest that counts."""


def agreed(unsure: Unsure, evidence: Evidence) -> Likely | None:
    """The likeliest figure, where it stands in a sentence and its paragraph answers as well; None where that is not sure."""
    best = next(iter(unsure.figures), None)
    if best is None or not best.may_stand or best.place is None or not best.is_told:
        return None
    return best if chance(best.share, logit_of(best.place, evidence)) >= SURE else None


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
