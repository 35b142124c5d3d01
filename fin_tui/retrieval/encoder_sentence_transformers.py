"""Any sentence-transformers model as the encoder: the owner of sentence_transformers (and so of torch)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fin_tui.errors import MissingAsset
from fin_tui.retrieval.encoder import WEIGHT_FILES, weights_name


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
