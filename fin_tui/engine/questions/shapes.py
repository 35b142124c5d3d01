"""Follow-ups that ask for the last answer in another shape: "as a table", "in one sentence", "explain that simpler"."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib.resources import files
from threading import Lock
from typing import Literal, Protocol, cast

import numpy as np

from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.questions.instructions import Instructions
from fin_tui.retrieval.shared_encoder import Array

Shape = Literal["table", "sentence", "points", "plain", "currency", "same"]
""" "plain": in words that are easier to read; "currency": in another currency, which takes rates that no filing has; "same": a
shape is asked for that no answer can be given."""
_READ_AS: dict[Shape, str] = {"currency": "convert"}
"""The frame's operation that speaks for a shape, where it is not "reformat"."""
_NEAREST = 2
"""Examples of a shape whose mean likeness speaks for it."""
_ALIKE = 0.87
"""Likeness to an example from which a turn asks for its shape, whatever the frame makes of words that name nothing."""
_LIKELY = 0.5
_OF_SHAPES = frozenset(("", "off_topic", "injection"))
"""What a frame may make of words that only say how to tell something: they name nothing, and give orders."""


class Vectors(Protocol):
    """Texts as vectors of length 1 [n, width]."""

    def vectors(self, texts: Sequence[str]) -> Array: ...


class Shapes:
    """Tells shapes by examples. Usable from several threads."""

    def __init__(self, encoder: Vectors) -> None:
        self._encoder = encoder
        self._lock = Lock()
        self._examples: list[tuple[Shape, Array]] = []

    def asked(self, frame: Frame | None, asked: Instructions) -> Shape | None:
        """The shape that a turn asks for and nothing else; None where it asks for something of its own.

        ``asked`` has no scale and no rounding then: these are told in the figures themselves.
        """
        if frame is None or frame.companies or frame.periods or frame.targets:
            return None
        if asked.scale or asked.places is not None or asked.percent or asked.definition:
            return None
        if frame.refusal not in _OF_SHAPES:
            return None
        shape, likeness = self.nearest(asked.text)
        is_read = frame.operations.get(_READ_AS.get(shape, "reformat"), 0.0) >= _LIKELY and not frame.refusal
        if frame.parts and shape != "currency":  # "In Swiss francs" reads like a part of the company.
            return None
        return shape if (is_read and not frame.parts) or likeness >= _ALIKE else None

    def nearest(self, text: str) -> tuple[Shape, float]:
        """The shape whose examples ``text`` is most like, and how like it is to the nearest of them (cosine)."""
        with self._lock:
            if not self._examples:
                held = tomllib.loads(files(__package__).joinpath("shapes.toml").read_text(encoding="utf-8"))
                self._examples = [(cast(Shape, name), self._encoder.vectors(texts)) for name, texts in held.items()]
            examples = self._examples
        (own,) = self._encoder.vectors([text])
        near = {shape: np.sort(vectors @ own)[-_NEAREST:] for shape, vectors in examples}
        best = max(near, key=lambda shape: float(near[shape].mean()))
        return best, float(near[best].max())
