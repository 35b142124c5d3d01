"""Texts to vectors: the protocol, and the choice of an adapter from the settings."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fin_tui import config
from fin_tui.errors import MissingAsset
from fin_tui.paths import Paths

WEIGHT_FILES = {"onnx": ("model.onnx",), "sentence-transformers": ("model.safetensors", "pytorch_model.bin")}
_SAMPLE = 1 << 16


def find_folder(model: str, paths: Paths) -> Path:
    """The folder of weights: under models/, or a path of its own. Raises ``MissingAsset`` when there is none."""
    for folder in (paths.models / model, Path(model).expanduser()):
        if folder.is_dir():
            return folder
    raise MissingAsset(
        f"No encoder weights at {paths.models / model}", "Run `fin-tui setup`; until then search works by words alone."
    )


def weights_name(folder: Path, files: Sequence[str]) -> str:
    """Folder name + 8 hex digits over the size, head and tail of the weights; cheap, and other weights give another name.

    Raises ``MissingAsset`` when none of ``files`` is in ``folder``.
    """
    for name in files:
        path = folder / name
        if path.is_file() and (size := path.stat().st_size):
            digest = hashlib.sha256(str(size).encode())
            with path.open("rb") as stream:
                for offset in (0, size // 3, 2 * size // 3, max(0, size - _SAMPLE)):
                    stream.seek(offset)
                    digest.update(stream.read(_SAMPLE))
            return f"{folder.name}@{digest.hexdigest()[:8]}"
    raise MissingAsset(f"No {' or '.join(files)} in {folder}", "Run `fin-tui setup` to bring the weights again.")


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
