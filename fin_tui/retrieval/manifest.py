"""What an index generation was built from. A generation that doesn't match its manifest, or this program, is never searched.

``index/CURRENT`` names the folder that is searched; it is replaced in one step after the new folder is whole on disk.
"""

from __future__ import annotations

import os
import shutil
import zlib
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from fin_tui.retrieval import sparse, tokens
from fin_tui.store.pause import one_at_a_time

FORMAT = 1
MANIFEST = "manifest.json"
CURRENT = "CURRENT"


class StaleIndex(Exception):
    """A generation that can't be used, and why; it is rebuilt, so no user sees this."""


class FileSum(msgspec.Struct, frozen=True):
    size: int
    crc32: int


class Manifest(msgspec.Struct, frozen=True):
    """Everything that must agree before a generation is searched."""

    library_generation: int
    chunks: int
    encoder: str
    """Name of the encoder whose vectors are inside; empty for none."""
    dimension: int
    vectors: int
    graph: int
    """Vectors in the hnswlib file; 0 when there is none."""
    samples: dict[str, str]
    """Key -> chunk id of evenly spaced chunks: tells the library apart from another one with the same keys."""
    files: dict[str, FileSum]
    instruction_set: str = ""
    """Of the CPU that built it: int8 encoders differ a little between instruction sets."""
    format: int = FORMAT
    tokenizer: int = tokens.VERSION
    scoring: tuple[float, float, int] = (sparse.K1, sparse.B, sparse.PIVOT)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    (folder / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))


def read_manifest(folder: Path) -> Manifest:
    """The manifest of ``folder`` after checking every file against it. Raises ``StaleIndex``."""
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    except (OSError, msgspec.DecodeError) as error:
        raise StaleIndex(f"manifest of {folder.name}: {error}") from error
    wanted = (FORMAT, tokens.VERSION, (sparse.K1, sparse.B, sparse.PIVOT))
    if (manifest.format, manifest.tokenizer, manifest.scoring) != wanted:
        raise StaleIndex(f"{folder.name} was made by another version")
    if manifest.files != checksums(folder):
        raise StaleIndex(f"the files of {folder.name} are not those that were written")
    return manifest


def checksums(folder: Path) -> dict[str, FileSum]:
    """Size and CRC-32 of every file in ``folder`` except the manifest, by relative path."""
    return {
        path.relative_to(folder).as_posix(): _sum(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != MANIFEST
    }


def _sum(path: Path) -> FileSum:
    value = size = 0
    try:
        with path.open("rb") as stream:
            while block := stream.read(1 << 20):
                value = zlib.crc32(block, value)
                size += len(block)
    except OSError as error:
        raise StaleIndex(f"{path.name}: {error}") from error
    return FileSum(size, value)


def current_folder(index: Path) -> Path | None:
    """The generation that CURRENT names; None when there is none (or the pointer is damaged)."""
    try:
        name = (index / CURRENT).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    folder = index / name
    return folder if name and folder.parent == index and folder.is_dir() else None


def publish(index: Path, folder: Path) -> None:
    """Make ``folder`` the current generation in one step and remove the others."""
    for path in folder.rglob("*"):
        if path.is_file():
            _flush(path)
    pointer = index / (CURRENT + ".new")
    pointer.write_text(folder.name + "\n", encoding="utf-8")
    _flush(pointer)
    os.replace(pointer, index / CURRENT)
    for other in index.glob("generation-*"):
        if other != folder:
            # A reader on Windows may still have it mapped; then the next writer removes it.
            shutil.rmtree(other, ignore_errors=True)


def _flush(path: Path) -> None:
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())


def writer_lock(index: Path) -> AbstractContextManager[bool]:
    """Whether this process may write generations now; one at a time, freed by the system when the process dies."""
    return one_at_a_time(index / "writer.lock")
