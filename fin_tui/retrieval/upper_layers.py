"""Upper layers that go on from the cross-encoder's lower ones, with the heads that score their states.

What reads lines for figures, and what reads paragraphs for words, differ in what they were trained for: the lower layers, and how
weights stand in the package, are the same.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
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

_SCALE = "_scale"
"""What the name of the scale of a rounded weight ends with, one for each row."""


class UpperLayers:
    """Loads its weights on first use; safe for several threads."""

    def __init__(self, lower: CrossEncoder, name: str, heads: Sequence[str], folder: Path | None = None) -> None:
        """``name`` is the folder of the weights in this package, and ``heads`` those that must stand there."""
        self._lower = lower
        self._name = name
        self._wanted = heads
        self._folder = folder
        self._lock = Lock()
        self._layers: OnnxLayers | None = None
        self._heads: Mapping[str, Array] = {}

    def load(self) -> OnnxLayers:
        """Raises ``MissingAsset`` when the weights can't be read."""
        with self._lock:
            if self._layers is None:
                with as_file(files("fin_tui.retrieval").joinpath(self._name)) as folder:
                    self._layers = self._open(self._folder or folder)
            return self._layers

    def _open(self, folder: Path) -> OnnxLayers:
        what = f"The weights in {folder.name}"
        try:
            with np.load(folder / "heads.npz") as arrays:
                held = {name: arrays[name].astype(np.float32) for name in arrays.files}
        except (OSError, ValueError, EOFError, BadZipFile, zlib.error) as error:
            raise MissingAsset(f"{what} can't be read: {error}", "Install fin-tui again.") from error
        if missing := [name for name in self._wanted if f"{name}.weight" not in held or f"{name}.bias" not in held]:
            raise MissingAsset(f"{what} lack {missing[0]}.", "Install fin-tui again.")
        scales = {name.removesuffix(_SCALE): held.pop(name)[:, None] for name in [*held] if name.endswith(_SCALE)}
        self._heads = {name: weight * scales.get(name, np.float32(1)) for name, weight in held.items()}
        return OnnxLayers(folder / "model.onnx")

    def read(self, question: str, text: str, longest: int) -> tuple[Any, Array]:
        """The encoding of both, of at most ``longest`` tokens, and the last states, [tokens, width]. Raises ``MissingAsset``."""
        layers = self.load()
        encoded, states = self._lower.states(question, text, longest)
        return encoded, layers.run(states)[0]

    def head(self, name: str, states: Array) -> Array:
        """The scores that a head gives ``states``, once they were read."""
        scores: Array = states @ self._heads[f"{name}.weight"].T + self._heads[f"{name}.bias"]
        return scores
