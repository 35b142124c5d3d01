"""Reads lines of filings together with a question: which printed number answers it, or which two and what is computed of them.

The lower layers are the cross-encoder's own; the upper ones, and the heads that score numbers and pairs of numbers, were trained
for this and stand in the package (``excerpt_weights/``, with a card that says how they were made). A number is scored by the
states of its first and last token; a pair by maps of each and a product of both, one for each operation. All add up to one, with
the chance that nothing there answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fin_tui.retrieval.rerank import CrossEncoder
from fin_tui.retrieval.shared_encoder import Array
from fin_tui.retrieval.upper_layers import UpperLayers

OPERATIONS = ("ratio", "growth", "diff", "sum", "prod", "avg", "part")
"""What is computed of two numbers a and b: a / b, a / b - 1, a - b, a + b, a * b, (a + b) / 2, a / (a + b)."""
TOKENS = 400
"""Of the question and the lines together."""
_HEADS = ("none", "single", "operation", "first", "second", "left", "right")


@dataclass(frozen=True, slots=True)
class Chances:
    """Probabilities, which add up to one; those of numbers that were cut off are 0."""

    none: float
    """That nothing there answers."""
    single: Array
    """[n]: that a number is the answer."""
    pairs: Array
    """[operations, n, n]: that an operation on two numbers is."""


class ExcerptReader:
    """Loads its weights on first use; safe for several threads."""

    def __init__(self, lower: CrossEncoder, folder: Path | None = None) -> None:
        """``lower`` gives the states that the upper layers go on from."""
        self._upper = UpperLayers(lower, "excerpt_weights", _HEADS, folder)

    def load(self) -> None:
        """Raises ``MissingAsset`` when the weights can't be read."""
        self._upper.load()

    def read(self, question: str, text: str, spans: Sequence[tuple[int, int]]) -> Chances:
        """The chances of the numbers at ``spans`` of ``text``. Raises ``MissingAsset``."""
        encoded, states = self._upper.read(question, text, TOKENS)
        tokens = tokens_of(encoded.offsets, [whose == 1 for whose in encoded.sequence_ids], spans)
        held = [place for place, found in enumerate(tokens) if found is not None]
        ends = np.array([found for found in tokens if found is not None]).reshape(-1, 2)
        single, pairs = np.zeros(len(spans), np.float32), np.zeros((len(OPERATIONS), len(spans), len(spans)), np.float32)
        if not held:
            return Chances(1.0, single, pairs)
        none, alone, both = self._scores(states, ends)
        scores = np.concatenate([[none], alone, both.ravel()])
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        count = len(held)
        single[held] = shares[1 : count + 1]
        pairs[np.ix_(range(len(OPERATIONS)), held, held)] = shares[count + 1 :].reshape(both.shape)
        return Chances(float(shares[0]), single, pairs)

    def _scores(self, states: Array, ends: Any) -> tuple[float, Array, Array]:
        """That of nothing, of each number, and of each operation on two, for [tokens, width] and the tokens of each number."""
        whole, numbers = states[0], (states[ends[:, 0]] + states[ends[:, 1]]) / 2
        both = np.concatenate([numbers, np.broadcast_to(whole, numbers.shape)], axis=1)
        parts = [self._upper.head(name, both).reshape(len(ends), len(OPERATIONS), -1) for name in ("left", "right")]
        scale = np.sqrt(np.float32(parts[0].shape[-1]))
        pairs = np.einsum("iok,jok->oij", parts[0], parts[1]) / scale + self._upper.head("operation", whole)[:, None, None]
        pairs += self._upper.head("first", both).T[:, :, None] + self._upper.head("second", both).T[:, None, :]
        pairs[:, range(len(ends)), range(len(ends))] = -np.inf
        return float(self._upper.head("none", whole)[0]), self._upper.head("single", numbers)[:, 0], pairs


def tokens_of(
    offsets: Sequence[tuple[int, int]], is_second: Sequence[bool], spans: Sequence[tuple[int, int]]
) -> list[tuple[int, int] | None]:  # fmt: skip
    """The first and last token of each span of the second text, in order; None where it was cut off."""
    own = [at for at, (second, (start, end)) in enumerate(zip(is_second, offsets, strict=True)) if second and end > start]
    found: list[tuple[int, int] | None] = []
    at = 0
    for first, last in spans:
        while at < len(own) and offsets[own[at]][1] <= first:
            at += 1
        held = at
        while held < len(own) and offsets[own[held]][0] < last:
            held += 1
        found.append((own[at], own[held - 1]) if held > at else None)
    return found
