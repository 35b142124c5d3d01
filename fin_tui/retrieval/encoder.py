"""Texts to vectors: the protocol, its adapters, and the choice of one from the settings."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fin_tui import config
from fin_tui.errors import MissingAsset
from fin_tui.paths import Paths
from fin_tui.retrieval.onnx import OnnxModel

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
        return OnnxEncoder(find_folder(settings.model, paths), batch=settings.batch)

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
                batches = list(_batches(order, [len(encoding.ids) for encoding in part], self._batch))[::-1]
                made = self._model.run_all([[part[row] for row in rows] for rows in batches])
                for rows, states in zip(batches, made, strict=True):
                    vectors[[first + row for row in rows]] = _unit(states)
        return vectors

    def encode_query(self, text: str) -> NDArray[np.float32]:
        with self._lock:
            vector: NDArray[np.float32] = self._embed(self._model.tokenize([QUERY_PREFIX + text]))[0]
        return vector

    def _embed(self, encodings: Sequence[Any]) -> NDArray[np.float32]:
        return _unit(self._model.run(encodings))


def _unit(states: NDArray[np.float32]) -> NDArray[np.float32]:
    """The first token's states, L2-normalised."""
    first = states[:, 0]
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


class SentenceTransformersEncoder:
    """See :class:`fin_tui.retrieval.encoder.Encoder`. Uses a GPU when torch finds one."""

    def __init__(self, model: str, *, batch: int = 16, allow_download: bool = False) -> None:
        """``model`` is a folder, or a hub id that is in the local cache (or is fetched, only with ``allow_download``).

        Raises ``MissingAsset`` when the package or the weights aren't there.
        """
        folder = Path(model)
        self.name = weights_name(folder, WEIGHT_FILES["sentence-transformers"]) if folder.is_dir() else model
        if not allow_download:
            os.environ.setdefault("HF_HUB_OFFLINE", "1")
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise MissingAsset(
                f"sentence-transformers can't be used: {error}", "Install torch, or set encoder.kind to onnx."
            ) from error
        try:
            self._model: Any = SentenceTransformer(model, local_files_only=not allow_download)
        except Exception as error:  # hub, safetensors and torch each raise their own types for missing or broken weights
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise MissingAsset(
                f"No sentence-transformers model {model!r}: {reason}", "Give a folder under models/, or pull the model first."
            ) from error
        self.dimension = int(self._model.get_embedding_dimension())
        self._batch = batch
        self._lock = Lock()

    def encode_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        return self._encode(list(texts), "encode_document")

    def encode_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self._encode([text], "encode_query")[0]
        return vector

    def _encode(self, texts: list[str], method: str) -> NDArray[np.float32]:
        """``method`` applies the prompt that the model's own folder names for questions or documents."""
        with self._lock:
            vectors = getattr(self._model, method)(
                texts, batch_size=self._batch, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
            )
        return np.asarray(vectors, np.float32)
