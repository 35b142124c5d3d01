"""Words that are no name of the vocabulary -> the metric that they mean, with the probability of that.

A linear map over the shared encoder's vector of the words, trained on wordings of every metric and on wordings that mean none
(``training/meanings.py``); its weights stand beside this file.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from fin_tui.facts import Vocabulary
from fin_tui.facts.figures import Metric
from fin_tui.retrieval.shared_encoder import Array, SharedEncoder
from fin_tui.store import Remembered

LEAST = 0.1
"""Probability from which words may mean a metric."""
NONE = ""
"""The label of words that mean no metric."""
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
        labels, weight, bias = _weights()
        raised = np.exp(self._encoder.vectors([words.lower()])[0] @ weight.T + bias)
        raised /= raised.sum()
        named = np.where(labels == NONE, 0.0, raised)
        best = int(named.argmax())
        metric = self._vocabulary.get(str(labels[best]))
        return Meant(metric, float(named[best])) if metric is not None and named[best] >= LEAST else None


def weights_file() -> bytes:
    """The weights as arrays: "labels", "weight", "bias", and "encoder", the name of the encoder that they were trained on."""
    return files("fin_tui.engine.frame").joinpath("meanings.npz").read_bytes()


@cache
def _weights() -> tuple[NDArray[np.str_], Array, Array]:
    """Labels [n], weight [n, width], bias [n]."""
    with np.load(io.BytesIO(weights_file())) as arrays:
        return arrays["labels"], arrays["weight"].astype(np.float32), arrays["bias"].astype(np.float32)
