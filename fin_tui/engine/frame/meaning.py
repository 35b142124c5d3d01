"""Words that are no name of the vocabulary -> the metric that they mean, with the probability of that.

A linear map over the shared encoder's vector of the words, trained on wordings of every metric and on wordings that mean none
(``training/meanings.py``); its weights stand beside this file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fin_tui.engine.frame.linear import likeliest
from fin_tui.facts import Vocabulary
from fin_tui.facts.figures import Metric
from fin_tui.retrieval.shared_encoder import SharedEncoder
from fin_tui.store import Remembered

LEAST = 0.1
"""Probability from which words may mean a metric."""
NAME = "meanings"
"""Of the weights."""
_KEPT = 256
"""Phrases whose meaning is kept."""


@dataclass(frozen=True, slots=True)
class Meant:
    """The metric that words most likely mean."""

    metric: Metric
    chance: float
    """The probability that they do."""


Meaning = Callable[[str], Meant | None]
"""Words that name no metric -> the one that they mean, as :meth:`Meanings.of` has it."""


class Meanings:
    """Reads what words mean; usable from several threads."""

    def __init__(self, encoder: SharedEncoder, vocabulary: Vocabulary) -> None:
        self._encoder = encoder
        self._vocabulary = vocabulary
        self._read: Remembered[str, Meant | None] = Remembered(_KEPT)

    def of(self, words: str) -> Meant | None:
        """The likeliest metric; None where the words hardly mean any. Raises ``MissingAsset`` without weights."""
        return self._read.get(words, lambda: self._meant(words))

    def _meant(self, words: str) -> Meant | None:
        label, chance = likeliest(self._encoder, NAME, words)
        metric = self._vocabulary.get(label)
        return Meant(metric, chance) if metric is not None and chance >= LEAST else None
