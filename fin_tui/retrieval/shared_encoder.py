"""The trained encoder that question and figures share: token states and vectors.

Its weights stand in the package (``reader_weights/``, with a card that says how they were made): int8 ONNX, and heads as arrays.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fin_tui.errors import MissingAsset
from fin_tui.retrieval.onnx import OnnxModel

QUESTION_TOKENS, ROW_TOKENS = 64, 40
OF_TOKENS = ("tags", "operands", "asks")
"""Heads that score each token; the others score the whole."""
Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Heads:
    """Linear maps over token states or their mean."""

    weights: Mapping[str, Array]

    def of(self, name: str, states: Array) -> Array:
        scores: Array = states @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]
        return scores


class SharedEncoder:
    """Loads its weights on first use; safe for several threads."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._lock = Lock()
        self._model: OnnxModel | None = None
        self._heads: _Heads | None = None
        self.labels: Mapping[str, Sequence[str]] = {}
        """Head -> what its scores stand for: "tags", "operands", "asks", "operation", "answer", "refusal", "carry", "before"."""
        self.plain_words: frozenset[str] = frozenset()
        """Words of questions that mostly name nothing: they ask, compute, or link."""
        self.name = ""
        """Says which weights these are: vectors of two names are never compared."""

    def load(self) -> None:
        """Raises ``MissingAsset`` when the weights can't be read."""
        with self._lock:
            if self._model is not None:
                return
            if self._folder is not None:
                self._open(self._folder)
                return
            with as_file(files("fin_tui.retrieval").joinpath("reader_weights")) as folder:
                self._open(folder)

    def _open(self, folder: Path) -> None:
        try:
            card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
            with np.load(folder / "heads.npz") as arrays:
                self._heads = _Heads({name: arrays[name] for name in arrays.files})
        except (OSError, ValueError) as error:
            raise MissingAsset(f"The reader's weights can't be read: {error}", "Install fin-tui again.") from error
        self.labels, self.name = card["labels"], card["name"]
        self.plain_words = frozenset(card["plain_words"])
        self._words = frozenset(card.get("words", ()))
        self._model = OnnxModel(folder, longest=max(QUESTION_TOKENS, ROW_TOKENS))

    def is_word(self, word: str) -> bool:
        """Whether the vocabulary holds this lower-case word, or held it once. Raises ``MissingAsset``."""
        self.load()
        assert self._model is not None
        return word in self._words or self._model.has_word(word)

    def read(self, question: str, before: str = "") -> tuple[Mapping[str, Array], list[tuple[int, int]]]:
        """Scores of each head (those of ``OF_TOKENS`` by token [tokens, tags]) and the tokens' spans in ``question``; a token
        that is special, or of the question before, has an empty span.
        """
        states, spans = self.tokens(question, before)
        assert self._heads is not None
        mean = states.mean(axis=0)
        told = {name: (name, states) if name in OF_TOKENS else (f"labels.{name}", mean) for name in self.labels}
        return {name: self._heads.of(*of) for name, of in told.items()}, spans

    def tokens(self, question: str, before: str = "") -> tuple[Array, list[tuple[int, int]]]:
        """The states [tokens, width] and spans of the tokens, as :meth:`read` has them."""
        self.load()
        assert self._model is not None
        with self._lock:
            encoded = self._tokenized([(question, before)], QUESTION_TOKENS)
            states = self._model.run(encoded)[0]
        one = encoded[0]
        return states, [span if kind == 0 else (0, 0) for span, kind in zip(one.offsets, one.type_ids, strict=True)]

    def vectors(self, texts: Sequence[str]) -> Array:
        """L2-normalised vectors [n, width]."""
        pooled = self.states(texts, ROW_TOKENS)
        norms = np.linalg.norm(pooled, axis=1, keepdims=True)
        made: Array = pooled / np.maximum(norms, 1e-9)
        return made

    def states(self, texts: Sequence[str] | Sequence[tuple[str, str]], longest: int) -> Array:
        """The mean of the token states [n, width]. Each text is read by itself: its vector does not hang on those beside it."""
        self.load()
        assert self._model is not None
        with self._lock:
            encoded = self._tokenized(texts, longest)
            order = sorted(range(len(encoded)), key=lambda place: -len(encoded[place].ids))
            made = self._model.run_all([[encoded[place]] for place in order])
        found = np.empty((len(encoded), self._model.width), np.float32)
        for place, states in zip(order, made, strict=True):
            found[place] = states[0].mean(axis=0)
        return found

    def _tokenized(self, texts: Sequence[str] | Sequence[tuple[str, str]], longest: int) -> list[Any]:
        assert self._model is not None
        self._model.limit(longest)
        return self._model.tokenize(texts)
