"""Reads a paragraph together with a conversation: how surely it answers the last question as it stands.

The lower layers are the cross-encoder's own; the upper ones, and the head that scores a paragraph, were trained for this and
stand in the package (``paragraph_weights/``, with a card that says how they were made). The cross-encoder ranks what it reads,
and its best paragraph sounds like the question whether or not it answers; this was taught on such paragraphs, so its logit means
the same for every question.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from fin_tui.retrieval.onnx import physical_cores
from fin_tui.retrieval.rerank import CrossEncoder
from fin_tui.retrieval.upper_layers import UpperLayers

TOKENS = 256
"""Of the conversation and a paragraph together."""
_HEADS = ("pooled", "answers")


class ParagraphReader:
    """Loads its weights on first use; safe for several threads."""

    def __init__(self, lower: CrossEncoder, folder: Path | None = None) -> None:
        """``lower`` gives the states that the upper layers go on from."""
        self._upper = UpperLayers(lower, "paragraph_weights", _HEADS, folder)

    def load(self) -> None:
        """Raises ``MissingAsset`` when the weights can't be read."""
        self._upper.load()

    def read(self, asked: str, paragraphs: Sequence[str]) -> list[float]:
        """How surely each paragraph answers what is ``asked``: a logit. Raises ``MissingAsset``."""
        self.load()
        # Each is read on one core, as many at once as there are; the longest first.
        order = sorted(range(len(paragraphs)), key=lambda place: -len(paragraphs[place]))
        found = [0.0] * len(paragraphs)
        with ThreadPoolExecutor(physical_cores(), "paragraphs") as pool:
            for place, logit in zip(order, pool.map(lambda place: self._logit(asked, paragraphs[place]), order), strict=True):
                found[place] = logit
        return found

    def _logit(self, asked: str, paragraph: str) -> float:
        _, states = self._upper.read(asked, paragraph, TOKENS)
        return float(self._upper.head("answers", np.tanh(self._upper.head("pooled", states[0])))[0])
