"""How likely it is that the evidence answers the question, from what the search saw (pure).

A logistic model over what the search knows: the share of the question's words in the best passage, the share that stands in no
passage, the cosine of the passage nearest in meaning, and what a cross-encoder makes of the best paragraph, where it has read.
``python -m benchmarks.strength`` fits it on questions that the filings answer and on questions about matters that no 10-K
discloses, and prints what each bound costs.
"""

from __future__ import annotations

import math

from fin_tui.engine.evidence.evidence import Evidence

_WITH_VECTORS = {"coverage": 4.66, "absent": -0.86, "similarity": 17.05, "bias": -14.75}
_READ = {"coverage": 2.23, "absent": -0.52, "similarity": 10.26, "sure": 0.22, "bias": -8.4}
_SUREST = 8.0
"""Logits beyond this say no more."""
_BY_WORDS = {"coverage": 5.74, "absent": -1.10, "bias": -2.98}
_READ_BY_WORDS = {"coverage": 2.92, "absent": -0.19, "sure": 0.16, "bias": -1.4}
ENOUGH = 0.15
"""Below this the matter is taken to be absent, where a figure is asked for: what filings leave out are figures, …"""
_OF_WORDS = 0.06
"""… and below this where words are."""
ENOUGH_BY_WORDS = 0.1
"""The same without vectors, where the estimate is coarser: an answer with its source shown beats a wrong refusal."""
SURE = 0.6
"""Below this the reader is told that the passages may not answer."""
GOOD = 0.7
"""From here on there is no need to look elsewhere."""


def strength(evidence: Evidence, similarity: float | None) -> float:
    """0 to 1; 0 without any sentence that shares a word with the question."""
    if not evidence.focuses:
        return 0.0
    sure = evidence.sure
    by_words, with_vectors = (_BY_WORDS, _WITH_VECTORS) if sure is None else (_READ_BY_WORDS, _READ)
    weights = by_words if similarity is None else with_vectors
    total = weights["bias"] + weights["coverage"] * evidence.coverage + weights["absent"] * evidence.absent
    if similarity is not None:
        total += weights["similarity"] * similarity
    if sure is not None:
        total += weights["sure"] * min(max(sure, -_SUREST), _SUREST)
    return 1 / (1 + math.exp(-total))


def is_enough(evidence: Evidence, similarity: float | None, *, wants_figure: bool = True) -> bool:
    """Whether the evidence is strong enough to answer from."""
    least = (ENOUGH_BY_WORDS if similarity is None else ENOUGH) if wants_figure else _OF_WORDS
    return strength(evidence, similarity) >= least


def caution(evidence: Evidence, similarity: float | None, *, wants_figure: bool = False) -> str:
    """What the reader is told of evidence that is enough to show and too weak to rely on; empty where it is strong.

    ``wants_figure``: a figure is asked for, and none was found.
    """
    if wants_figure:
        return "No exact figure found; closest passages below."
    if similarity is None or strength(evidence, similarity) >= SURE:
        return ""
    return "No exact answer found; closest passages below."
