"""Texts to vectors: the protocol, and the choice of an adapter from the settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fin_tui import config
from fin_tui.errors import MissingAsset
from fin_tui.paths import Paths
from fin_tui.retrieval.encoder_files import WEIGHT_FILES, find_folder, weights_name


class Encoder(Protocol):
    """Makes L2-normalised float32 vectors, so that a dot product is the cosine."""

    @property
    def name(self) -> str:
        """Says which weights these are: vectors of two names are never compared."""
        ...

    @property
    def dimension(self) -> int: ...

    def encode_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape ``[len(texts), dimension]``, in the order given; longer texts than the model takes are cut."""
        ...

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """Shape ``[dimension]``."""
        ...


def load_encoder(settings: config.Encoder, paths: Paths) -> Encoder:
    """The encoder that the settings ask for. Raises ``MissingAsset`` when its weights or its engine are not there."""
    if settings.kind == "onnx":
        from fin_tui.retrieval.encoder_onnx import OnnxEncoder

        return OnnxEncoder(find_folder(settings.model, paths), batch=settings.batch)
    from fin_tui.retrieval.encoder_sentence_transformers import SentenceTransformersEncoder

    try:
        model = str(find_folder(settings.model, paths))
    except MissingAsset:
        model = settings.model
    return SentenceTransformersEncoder(model, batch=settings.batch)


def encoder_name(settings: config.Encoder, paths: Paths) -> str | None:
    """The name that the configured encoder's vectors carry, without loading it; None when the weights aren't there."""
    try:
        folder = find_folder(settings.model, paths)
        return weights_name(folder, WEIGHT_FILES[settings.kind])
    except MissingAsset:
        return None
