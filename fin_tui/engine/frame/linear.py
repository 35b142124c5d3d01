"""A linear map over the shared encoder's vector of some words, to labels; its weights stand beside this file."""

from __future__ import annotations

import io
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from fin_tui.retrieval.shared_encoder import Array, SharedEncoder

NONE = ""
"""The label of words that mean none of the others."""


def likeliest(encoder: SharedEncoder, name: str, words: str) -> tuple[str, float]:
    """The label, other than none, that ``words`` most likely mean by the map of that ``name``, and its probability.

    Raises ``MissingAsset`` without the encoder's weights.
    """
    labels, weight, bias = _weights(name)
    raised = np.exp(encoder.vectors([words.lower()])[0] @ weight.T + bias)
    raised /= raised.sum()
    named = np.where(labels == NONE, 0.0, raised)
    best = int(named.argmax())
    return str(labels[best]), float(named[best])


def weights_file(name: str) -> bytes:
    """The weights as arrays: "labels", "weight", "bias", and "encoder", the name of the encoder that they were trained on."""
    return files("fin_tui.engine.frame").joinpath(f"{name}.npz").read_bytes()


@cache
def _weights(name: str) -> tuple[NDArray[np.str_], Array, Array]:
    """Labels [n], weight [n, width], bias [n]."""
    with np.load(io.BytesIO(weights_file(name))) as arrays:
        return arrays["labels"], arrays["weight"].astype(np.float32), arrays["bias"].astype(np.float32)
