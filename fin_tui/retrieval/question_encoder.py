"""The trained encoder of questions: a conversation to vectors among those of the passages, and of the rows of figures, that
answer its last question.

Passages and rows keep the vectors that their encoders gave them. Their own reading of a question looks for texts that are like
the question; this one was trained on what people ask of filings, with all that was asked before, and on where the answer stands.
Its weights stand in the package (``question_weights/``, with a card that says how they were made) and suit these encoders alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from threading import Lock
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from fin_tui.errors import MissingAsset
from fin_tui.retrieval.onnx import OnnxModel
from fin_tui.store import Remembered

TOKENS = 64
"""What it was trained on at most; most words that stand before are cut."""
TURNS = 4
"""Of a longer conversation the first question, which names whom it is about, and the last three."""
_WORDS = 40
"""Words from the end of a conversation that are read."""
_KEPT = 8
"""Conversations whose vectors are remembered: one is often searched for in several scopes."""
Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Sought:
    """What a conversation looks for: vectors of shape ``[width]``, L2-normalised."""

    passages: Vector
    rows: Vector


def as_asked(turns: Sequence[str]) -> str:
    """What is read of a conversation, its last question last."""
    kept = turns if len(turns) <= TURNS else (turns[0], *turns[-TURNS + 1 :])
    return " ".join(" | ".join(kept).split()[-_WORDS:])


@cache
def suited(folder: Path | None = None) -> tuple[str, str]:
    """The encoders that the vectors of passages, and those of rows, must be of. Raises ``MissingAsset``."""
    try:
        card = json.loads((folder or files("fin_tui.retrieval") / "question_weights").joinpath("card.json").read_text("utf-8"))
        return card["passages"], card["rows"]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise _unread(error) from error


def _unread(error: Exception) -> MissingAsset:
    return MissingAsset(f"The question encoder can't be read: {error}", "Install fin-tui again.")


class QuestionEncoder:
    """Loads its weights at once; safe for several threads."""

    def __init__(self, folder: Path | None = None) -> None:
        """Raises ``MissingAsset`` for weights that can't be read."""
        package = files("fin_tui.retrieval")
        self.passages, self.rows = suited(folder)
        # The words are those of the cross-encoder, which has the same vocabulary.
        with as_file(package.joinpath("question_weights")) as own, as_file(package.joinpath("cross_encoder_weights")) as words:
            weights = folder or own
            self._model = OnnxModel(weights, longest=TOKENS, tokenizer=words)
            self._of_rows = _of_rows(weights / "rows.npz")
        self._lock = Lock()
        self._made: Remembered[str, Sought] = Remembered(_KEPT)

    def encode(self, turns: Sequence[str]) -> Sought:
        """What the last of ``turns`` looks for, behind those before it."""
        asked = as_asked(turns)
        return self._made.get(asked, lambda: self._encode(asked))

    def _encode(self, asked: str) -> Sought:
        with self._lock:
            state = self._model.run(self._model.tokenize([asked]))[0, 0]
        weight, bias = self._of_rows
        return Sought(_unit(state), _unit(state @ weight + bias))


def _unit(vector: Vector) -> Vector:
    unit: Vector = (vector / max(float(np.linalg.norm(vector)), 1e-9)).astype(np.float32)
    return unit


def _of_rows(file: Path) -> tuple[Vector, Vector]:
    """What makes of the encoder's state the vector among rows: weight [width, width] and bias [width]."""
    try:
        with np.load(file) as held:
            return held["weight"].astype(np.float32), held["bias"].astype(np.float32)
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise _unread(error) from error
