"""The files of an encoder's weights: where they lie, and the name that tells two of them apart."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

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
