"""Reads lines of filings together with a question: which printed number answers it, or which two and what is computed of them.

The lower layers are the cross-encoder's own; the upper ones, and the heads that score numbers and pairs of numbers, were trained
for this and stand in the package (``excerpt_weights/``, with a card that says how they were made). A number is scored by the
states of its first and last token; a pair by maps of each and a product of both, one for each operation. All add up to one, with
the chance that nothing there answers.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from threading import Lock
from typing import Any
from zipfile import BadZipFile

import numpy as np

from fin_tui.errors import MissingAsset
from fin_tui.retrieval.onnx import OnnxLayers
from fin_tui.retrieval.rerank import CrossEncoder
from fin_tui.retrieval.shared_encoder import Array

OPERATIONS = ("ratio", "growth", "diff", "sum", "prod", "avg", "part")
"""What is computed of two numbers a and b: a / b, a / b - 1, a - b, a + b, a * b, (a + b) / 2, a / (a + b)."""
TOKENS = 400
"""Of the question and the lines together."""
_HEADS = ("none", "single", "operation", "first", "second", "left", "right")
_SCALE = "_scale"
"""What the name of the scale of a rounded weight ends with, one for each row."""


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
        self._lower = lower
        self._folder = folder
        self._lock = Lock()
        self._layers: OnnxLayers | None = None
        self._heads: Mapping[str, Array] = {}

    def load(self) -> OnnxLayers:
        """Raises ``MissingAsset`` when the weights can't be read."""
        with self._lock:
            if self._layers is None:
                with as_file(files("fin_tui.retrieval").joinpath("excerpt_weights")) as folder:
                    self._layers = self._open(self._folder or folder)
            return self._layers

    def _open(self, folder: Path) -> OnnxLayers:
        try:
            with np.load(folder / "heads.npz") as arrays:
                held = {name: arrays[name].astype(np.float32) for name in arrays.files}
        except (OSError, ValueError, EOFError, BadZipFile, zlib.error) as error:
            raise MissingAsset(f"The weights of excerpts can't be read: {error}", "Install fin-tui again.") from error
        if missing := [name for name in _HEADS if f"{name}.weight" not in held or f"{name}.bias" not in held]:
            raise MissingAsset(f"The weights of excerpts lack {missing[0]}.", "Install fin-tui again.")
        scales = {name.removesuffix(_SCALE): held.pop(name)[:, None] for name in [*held] if name.endswith(_SCALE)}
        self._heads = {name: weight * scales.get(name, np.float32(1)) for name, weight in held.items()}
        return OnnxLayers(folder / "model.onnx")

    def read(self, question: str, text: str, spans: Sequence[tuple[int, int]]) -> Chances:
        """The chances of the numbers at ``spans`` of ``text``. Raises ``MissingAsset``."""
        layers = self.load()
        encoded, states = self._lower.states(question, text, TOKENS)
        tokens = tokens_of(encoded.offsets, [whose == 1 for whose in encoded.sequence_ids], spans)
        held = [place for place, found in enumerate(tokens) if found is not None]
        ends = np.array([found for found in tokens if found is not None]).reshape(-1, 2)
        single, pairs = np.zeros(len(spans), np.float32), np.zeros((len(OPERATIONS), len(spans), len(spans)), np.float32)
        if not held:
            return Chances(1.0, single, pairs)
        none, alone, both = self._scores(layers.run(states)[0], ends)
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
        parts = [
            (both @ self._heads[f"{name}.weight"].T + self._heads[f"{name}.bias"]).reshape(len(ends), len(OPERATIONS), -1)
            for name in ("left", "right")
        ]
        scale = np.sqrt(np.float32(parts[0].shape[-1]))
        pairs = np.einsum("iok,jok->oij", parts[0], parts[1]) / scale + self._head("operation", whole)[:, None, None]
        pairs += self._head("first", both).T[:, :, None] + self._head("second", both).T[:, None, :]
        pairs[:, range(len(ends)), range(len(ends))] = -np.inf
        return float(self._head("none", whole)[0]), self._head("single", numbers)[:, 0], pairs

    def _head(self, name: str, states: Array) -> Array:
        scores: Array = states @ self._heads[f"{name}.weight"].T + self._heads[f"{name}.bias"]
        return scores


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
