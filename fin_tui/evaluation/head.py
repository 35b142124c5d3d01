"""The head of a report: on what machine, with which libraries, weights and settings, over which library it was measured."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import msgspec

from fin_tui.config import Settings
from fin_tui.engine.models.machine import processor
from fin_tui.errors import MissingAsset
from fin_tui.evaluation.report import LEVEL, RESAMPLES, SEED
from fin_tui.paths import Paths
from fin_tui.records import Filing
from fin_tui.retrieval.encoder import WEIGHT_FILES, find_folder
from fin_tui.retrieval.rerank import MODEL as RERANKER
from fin_tui.version import __version__

PACKAGES = (
    "llama-cpp-python", "onnxruntime", "tokenizers", "sentence-transformers", "torch", "hnswlib", "bm25s",
    "selectolax", "pypdfium2", "numpy", "scipy",
)  # fmt: skip

SECTIONS = ("chunking", "encoder", "search", "model")
"""What bears on the figures. The others hold names and addresses, which a report that is passed on must not."""


def head(
    paths: Paths, settings: Settings, held: Sequence[Filing], *, model: Path | None, asked: Mapping[str, Any]
) -> dict[str, Any]:
    """Everything that a later run must share to be compared; ``model`` is the language model's file, when one was used.

    ``asked`` tells what the command line set over the settings.
    """
    return {
        "made": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "fin_tui": __version__,
        "cpu": processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "weights": weights(paths, settings, model),
        "settings": {section: msgspec.to_builtins(getattr(settings, section)) for section in SECTIONS},
        "asked": dict(asked),
        "library": {
            "filings": len(held),
            "chunks": sum(filing.chunks for filing in held),
            "embedded": sum(filing.embedded for filing in held),
            "facts": sum(filing.facts for filing in held),
        },
        "intervals": {"level": LEVEL, "resamples": RESAMPLES, "seed": SEED},
    }


def weights(paths: Paths, settings: Settings, model: Path | None) -> dict[str, str | None]:
    """SHA-256 of the weights in use by role; None where they are not there."""
    try:
        folder = find_folder(settings.encoder.model, paths)
    except MissingAsset:
        encoder = None
    else:
        encoder = next((folder / name for name in WEIGHT_FILES[settings.encoder.kind] if (folder / name).is_file()), None)
    reranker = paths.models / RERANKER / "model.onnx"
    files = {"encoder": encoder, "reranker": reranker if reranker.is_file() else None, "model": model}
    return {role: sha256(file) if file else None for role, file in files.items()}


def sha256(file: Path) -> str:
    """The hash of a file in hexadecimal, read in pieces."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
