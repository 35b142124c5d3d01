"""The words of a question and what the reader's scores of its tokens say of them, and where it goes on to ask something else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from math import exp

import numpy as np

from fin_tui.retrieval.shared_encoder import Array

Place = tuple[int, int]
"""Where a word begins and ends in its text."""
ASKS = ("begins", "joins")
"""What a word's scores say of whether something else begins to be asked: its own with it, its own with the word behind it."""
_ASKS = 0.5
"""Probability from which it does."""
_JOINTS = frozenset("and & + plus also as well or then / - – — , ; : . ?".split())
"""Between two things that are asked."""
_SIGNS = ("+", "/", "&", "-")
"""Of these signs."""
_WHOLE = re.compile(r"[^\W_]+(?:[-&.][^\W_]+)*")


def words_of_tokens(text: str, places: Sequence[Place]) -> list[Place]:
    """The words that the tokens at ``places`` make up: "KC-46" and "R&D" are one, "Apple's" is a name and what hangs on it."""
    whole = [match.span() for match in _WHOLE.finditer(text)]
    words: dict[Place, None] = {}
    for start, end in places:
        if end > start:
            words[next(((a, b) for a, b in whole if a <= start and end <= b), (start, end))] = None
    return sorted(words)


def word_scores(words: Sequence[Place], scores: Array, places: Sequence[Place]) -> Array:
    """The mean of the scores of each word's tokens [words, scores]."""
    of = [[at for at, (a, b) in enumerate(places) if start <= a < b <= end] for start, end in words]
    made: Array = np.array([scores[mine].mean(axis=0) for mine in of])
    return made


def pieces_of(question: str, scores: Array, places: Sequence[Place]) -> tuple[tuple[Place, ...], float]:
    """Where the things stand that ``question`` asks one behind the other, without what joins them, empty where it asks one; and
    the probability that it asks more than one.
    """
    words = words_of_tokens(question, places)
    own, joined = word_scores(words, scores, places).T if words else (np.empty(0), np.empty(0))
    chances = [0.0, *(1 / (1 + exp(-float(own[at] + joined[at - 1]))) for at in range(1, len(words)))]
    chances = [chance * (not _is_within(question, words, at)) for at, chance in enumerate(chances)]
    begins = [at for at, chance in enumerate(chances) if chance >= _ASKS]
    runs = pairwise([0, *begins, len(words)])
    pieces = (_unjoined(question, words[first:last]) for first, last in runs)
    told = tuple(piece for piece in pieces if piece is not None)
    return told if len(told) > 1 else (), max(chances)


def _is_within(question: str, words: Sequence[Place], at: int) -> bool:
    """Whether the sign before a word hangs on the word before that: "cash/claims" and "10%+ of sales" are each one thing."""
    sign = question[slice(*words[at - 1])] if at else ""
    return sign in _SIGNS and words[at - 1][0] > 0 and not question[words[at - 1][0] - 1].isspace()


def _unjoined(question: str, words: Sequence[Place]) -> Place | None:
    """The ``words`` without joints at their ends; None where nothing is left."""
    own = [question[a:b].lower() not in _JOINTS for a, b in words]
    if not any(own):
        return None
    start, end = words[own.index(True)][0], words[len(own) - 1 - own[::-1].index(True)][1]
    return start, end
