"""One index generation on disk: a sparse segment, a matrix of vectors, and a graph over them."""

from __future__ import annotations

import os
import shutil
import uuid
import zlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from fin_tui.retrieval import dense, sparse, tokens
from fin_tui.retrieval.corpus import Indexed, Keys, Matrix
from fin_tui.retrieval.onnx import instruction_set, physical_cores
from fin_tui.store.database import one_at_a_time

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


_SAMPLES = 128


@dataclass(frozen=True)
class Vectors:
    """Vectors by ascending key, and the graph over them when there is one."""

    keys: Keys
    matrix: Matrix
    graph: dense.Graph | None = None


@dataclass(frozen=True)
class Generation:
    """A loaded generation. ``vectors`` is None when it holds none."""

    segment: sparse.Segment
    vectors: Vectors | None
    manifest: Manifest


def load(folder: Path, corpus: Indexed, encoder: str | None) -> Generation:
    """The generation in ``folder``. Vectors of another encoder are left aside.

    Raises ``StaleIndex`` when it isn't whole, or was built from another library than ``corpus``.
    """
    manifest = read_manifest(folder)
    if manifest.library_generation > corpus.generation():
        raise StaleIndex("built from a later state of the library, or from another one")
    _check_samples(manifest, corpus)
    try:
        segment = sparse.load(folder / "sparse")
        vectors = _load_vectors(folder, manifest) if manifest.vectors and manifest.encoder == encoder else None
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise StaleIndex(f"{folder.name}: {error}") from error
    if len(segment.keys) != manifest.chunks:
        raise StaleIndex(f"{folder.name} holds {len(segment.keys)} chunks instead of {manifest.chunks}")
    return Generation(segment, vectors, manifest)


def _check_samples(manifest: Manifest, corpus: Indexed) -> None:
    there = corpus.chunk_ids([int(key) for key in manifest.samples])
    for key, chunk_id in there.items():
        if manifest.samples[str(key)] != chunk_id:
            raise StaleIndex(f"key {key} is another chunk than the one that was indexed")


def _load_vectors(folder: Path, manifest: Manifest) -> Vectors:
    keys: Keys = np.load(folder / "vector_keys.npy", allow_pickle=False)
    matrix: Matrix = np.load(folder / "vectors.npy", mmap_mode="r", allow_pickle=False)
    if matrix.shape != (manifest.vectors, manifest.dimension) or len(keys) != manifest.vectors:
        raise ValueError(f"vectors of shape {matrix.shape} instead of {(manifest.vectors, manifest.dimension)}")
    graph = None
    if manifest.graph:
        graph = dense.load_graph(folder / "graph.bin", dimension=manifest.dimension, count=manifest.graph)
    return Vectors(keys, matrix, graph)


def save(
    index: Path, corpus: Indexed, library_generation: int, segment: sparse.Segment, vectors: Vectors | None, encoder: str | None
) -> Path:
    """Write a generation beside the current one, then swap it in; gives its folder. Raises ``OSError`` (disk full, …)."""
    index.mkdir(parents=True, exist_ok=True)
    folder = index / f"generation-{library_generation:06d}-{uuid.uuid4().hex[:8]}"
    (folder / "sparse").mkdir(parents=True)
    try:
        segment.save(folder / "sparse")
        graph = 0
        if vectors is not None:
            np.save(folder / "vector_keys.npy", vectors.keys)
            np.save(folder / "vectors.npy", vectors.matrix)
            if vectors.graph is not None:
                vectors.graph.save(folder / "graph.bin")
                graph = len(vectors.graph)
        picked = np.unique(
            segment.keys[np.linspace(0, max(0, len(segment.keys) - 1), min(_SAMPLES, len(segment.keys)), dtype=int)]
        )
        manifest = Manifest(
            library_generation=library_generation,
            chunks=len(segment.keys),
            encoder=encoder if encoder and vectors is not None else "",
            dimension=vectors.matrix.shape[1] if vectors is not None else 0,
            vectors=len(vectors.keys) if vectors is not None else 0,
            graph=graph,
            samples={str(key): name for key, name in corpus.chunk_ids([int(key) for key in picked]).items()},
            files=checksums(folder),
            instruction_set=instruction_set(),
        )
        write_manifest(folder, manifest)
        publish(index, folder)
    except BaseException:  # also when interrupted, a half-written folder must not stay
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder


def join_vectors(parts: Sequence[Vectors], alive: Keys) -> Vectors | None:
    """The vectors of ``parts`` whose key is in ``alive``, as one in ascending order; None when none is left."""
    kept = [(part, np.isin(part.keys, alive)) for part in parts]
    keys = np.concatenate([part.keys[mask] for part, mask in kept]) if kept else np.empty(0, np.int64)
    if not len(keys):
        return None
    matrix = np.concatenate([part.matrix[mask] for part, mask in kept])
    order = np.argsort(keys, kind="stable")
    return Vectors(keys[order], np.ascontiguousarray(matrix[order], dtype=np.float32))


def with_graph(vectors: Vectors, old: Path | None, old_keys: Keys) -> Vectors:
    """``vectors`` with a graph, where it pays: that of folder ``old`` extended when all its keys are still there, else a new one.

    The old graph is read again from its file, because the loaded one may be searched right now.
    """
    if len(vectors.keys) < dense.SMALLEST_GRAPH:
        return vectors
    threads = physical_cores()
    if old is not None and len(old_keys) and bool(np.isin(old_keys, vectors.keys).all()):
        try:
            graph = dense.load_graph(old / "graph.bin", dimension=vectors.matrix.shape[1], count=len(old_keys))
        except ValueError:
            pass
        else:
            new = ~np.isin(vectors.keys, old_keys)
            dense.extend_graph(graph, vectors.keys[new], vectors.matrix[new], threads=threads)
            return Vectors(vectors.keys, vectors.matrix, graph)
    return Vectors(vectors.keys, vectors.matrix, dense.build_graph(vectors.keys, vectors.matrix, threads=threads))
