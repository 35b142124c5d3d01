"""How likely it is that the evidence answers the question, from what the search saw (pure).

A logistic model over three figures that cost nothing: the share of the question's words in the best passage, the share that
stands in no passage, and the cosine of the passage nearest in meaning. ``python -m benchmarks.strength`` fits it on questions
that the filings answer and on questions about matters that no 10-K discloses, and prints what each bound costs.
"""

from __future__ import annotations

import math

from fin_tui.engine.evidence import Evidence

_WITH_VECTORS = {"coverage": 4.60, "absent": -2.63, "similarity": 16.15, "bias": -13.59}
_BY_WORDS = {"coverage": 5.51, "absent": -3.22, "bias": -2.29}
ENOUGH = 0.33
"""Below this the matter is taken to be absent."""
ENOUGH_BY_WORDS = 0.2
"""The same without vectors, where the estimate is coarser: an answer with its source shown beats a wrong refusal."""
GOOD = 0.7
"""From here on there is no need to look elsewhere."""


def strength(evidence: Evidence, similarity: float | None) -> float:
    """0 to 1; 0 without any sentence that shares a word with the question."""
    if not evidence.focuses:
        return 0.0
    weights = _BY_WORDS if similarity is None else _WITH_VECTORS
    total = weights["bias"] + weights["coverage"] * evidence.coverage + weights["absent"] * evidence.absent
    if similarity is not None:
        total += weights["similarity"] * similarity
    return 1 / (1 + math.exp(-total))


def is_enough(evidence: Evidence, similarity: float | None) -> bool:
    """Whether the evidence is strong enough to answer from."""
    return strength(evidence, similarity) >= (ENOUGH_BY_WORDS if similarity is None else ENOUGH)
