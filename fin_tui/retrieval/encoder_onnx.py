"""The default encoder: an int8 BERT of the BGE family through ONNX. CLS pooling, L2-normalised, no torch needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fin_tui.retrieval.encoder import WEIGHT_FILES, weights_name
from fin_tui.retrieval.onnx import OnnxModel

LONGEST = 512
QUERY_PREFIX = "Represent this sentence for searching relevant passages: "
"""What BGE v1 was trained with in front of a question; passages carry none."""

BATCH_TOKENS = 512
"""A batch ends here, padding counted: attention over more no longer fits the cache, and a text takes up to twice as long."""

_TOKENIZE_AT_ONCE = 512


class OnnxEncoder:
    """See :class:`fin_tui.retrieval.encoder.Encoder`."""

    def __init__(self, folder: Path, *, batch: int = 16, longest: int = LONGEST) -> None:
        """``longest`` cuts texts, in tokens. Raises ``MissingAsset`` when the weights aren't in ``folder`` or can't be read."""
        self.name = weights_name(folder, WEIGHT_FILES["onnx"])
        self._model = OnnxModel(folder, longest=longest)
        self._batch = batch
        self._lock = Lock()
        self.dimension = self._model.width or int(self._embed(self._model.tokenize(["width"])).shape[1])

    def encode_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        with self._lock:
            for first in range(0, len(texts), _TOKENIZE_AT_ONCE):
                part = self._model.tokenize(texts[first : first + _TOKENIZE_AT_ONCE])
                # Neighbours of one length leave little padding to compute.
                order = sorted(range(len(part)), key=lambda i: len(part[i].ids))
                for rows in _batches(order, [len(encoding.ids) for encoding in part], self._batch):
                    vectors[[first + row for row in rows]] = self._embed([part[row] for row in rows])
        return vectors

    def encode_query(self, text: str) -> NDArray[np.float32]:
        with self._lock:
            vector: NDArray[np.float32] = self._embed(self._model.tokenize([QUERY_PREFIX + text]))[0]
        return vector

    def _embed(self, encodings: Sequence[Any]) -> NDArray[np.float32]:
        first = self._model.run(encodings)[:, 0]
        unit: NDArray[np.float32] = first / np.maximum(np.linalg.norm(first, axis=1, keepdims=True), np.float32(1e-12))
        return unit


def _batches(order: Sequence[int], lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """``order`` (by ascending length) in batches of at most ``most`` texts and ``BATCH_TOKENS`` tokens, never empty."""
    batch: list[int] = []
    for row in order:
        if batch and (len(batch) == most or (len(batch) + 1) * lengths[row] > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch
