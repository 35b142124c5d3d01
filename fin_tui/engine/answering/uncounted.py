"""Whether the evidence gives no number of what a "How many …?" asks for (pure)."""

from __future__ import annotations

import re

from fin_tui.engine.evidence.evidence import Evidence
from fin_tui.engine.evidence.numbers import find_numbers
from fin_tui.engine.questions.question import Question
from fin_tui.retrieval.tokens import tokenize, tokenize_query

_IN_WORDS = re.compile(r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b", re.I)
_HOW_MANY = re.compile(
    r"\bhow\s+many\s+(?P<what>.+?)\s+(?:did|does|do|were|was|are|is|has|have|had|will|can|could|would|in|at|of)\b", re.I
)
_STATE = re.compile(r"\bhow\s+many\b[^,;]+?\b(?:are|is|were|was)\s+(?!they\b|there\b|located\b|based\b)(?P<state>.+)", re.I)
_SURELY = 2.0
"""A sentence with a number that a cross-encoder gives such a logit tells how many, in whatever words."""


def is_uncounted(question: Question, evidence: Evidence) -> bool:
    """ "How many X are Y": no sentence found has all words of X, half of Y, and a number."""
    match = _HOW_MANY.search(question.subject)
    wanted = set(tokenize_query(match["what"])) if match else set()
    if not wanted:
        return False
    state = _STATE.search(question.subject)
    narrowed = set(tokenize_query(state["state"])) - wanted if state else set()
    for focus in evidence.focuses:
        said = set(tokenize(focus.text))
        is_narrowed = 2 * len(narrowed & said) >= len(narrowed)
        if is_narrowed and (wanted <= said or (focus.logit or 0.0) >= _SURELY) and _has_number(focus.text):
            return False
    return True


def _has_number(sentence: str) -> bool:
    """Digits that are no year, or a number in words."""
    return bool(_IN_WORDS.search(sentence)) or any(not number.is_year for number in find_numbers(sentence))
