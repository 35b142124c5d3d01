"""The trained encoder of questions: a conversation to a vector among those of the passages that answer its last question.

Passages keep the vectors that the encoder of the settings gave them. Its own reading of a question looks for texts that are like
the question; this one was trained on what people ask of filings, with all that was asked before, and on where the answer stands.
Its weights stand in the package (``question_weights/``, with a card that says how they were made) and suit one encoder alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from fin_tui.errors import MissingAsset
from fin_tui.retrieval.onnx import OnnxModel

TOKENS = 64
"""What it was trained on at most; most words that stand before are cut."""
TURNS = 4
"""Of a longer conversation the first question, which names whom it is about, and the last three."""
_WORDS = 40
"""Words from the end of a conversation that are read."""


def as_asked(turns: Sequence[str]) -> str:
    """What is read of a conversation, its last question last."""
    kept = turns if len(turns) <= TURNS else (turns[0], *turns[-TURNS + 1 :])
    return " ".join(" | ".join(kept).split()[-_WORDS:])


class QuestionEncoder:
    """Loads its weights at once; safe for several threads."""

    def __init__(self, tokenizer: Path, folder: Path | None = None) -> None:
        """``tokenizer`` is the folder of the encoder whose words it shares. Raises ``MissingAsset`` for weights that can't be
        read.
        """
        with as_file(files("fin_tui.retrieval").joinpath("question_weights")) as own:
            weights = folder or own
            try:
                card = json.loads((weights / "card.json").read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                raise MissingAsset(f"The question encoder can't be read: {error}", "Install fin-tui again.") from error
            self.passages: str = card["passages"]
            """The encoder that the passages' vectors must be of."""
            self._model = OnnxModel(weights, longest=TOKENS, tokenizer=tokenizer)
        self._lock = Lock()

    def encode(self, turns: Sequence[str]) -> NDArray[np.float32]:
        """The vector of the last question behind those before it: shape ``[width]``, L2-normalised."""
        with self._lock:
            states = self._model.run(self._model.tokenize([as_asked(turns)]))[0]
        vector: NDArray[np.float32] = states[0] / max(float(np.linalg.norm(states[0])), 1e-9)
        return vector
