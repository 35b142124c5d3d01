"""A cross-encoder trained on rows: it reads a question together with a row of a table or a marked number of a sentence.

Its weights stand in the package (``row_reader_weights/``, with a card that says how they were made).
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path
from threading import Lock

from fin_tui.retrieval.onnx import OnnxModel

TOKENS = 96
_BATCH = 4


class RowReader:
    """Loads its weights on first use; safe for several threads."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._lock = Lock()
        self._model: OnnxModel | None = None

    def load(self) -> OnnxModel:
        """Raises ``MissingAsset`` when the weights can't be read."""
        if self._model is None:
            with as_file(files("fin_tui.retrieval").joinpath("row_reader_weights")) as folder:
                self._model = OnnxModel(self._folder or folder, longest=TOKENS)
        return self._model

    def read(self, question: str, rows: Sequence[str]) -> list[float]:
        """How well each row answers ``question``: a logit."""
        scores = [0.0] * len(rows)
        with self._lock:
            model = self.load()
            encoded = model.tokenize([(question, row) for row in rows])
            order = sorted(range(len(rows)), key=lambda place: len(encoded[place].ids))
            for first in range(0, len(order), _BATCH):
                places = order[first : first + _BATCH]
                for place, logit in zip(places, model.run([encoded[place] for place in places])[:, 0], strict=True):
                    scores[place] = float(logit)
        return scores
