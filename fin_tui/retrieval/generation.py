"""One index generation on disk: a sparse segment, a matrix of vectors, and a graph over them."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fin_tui.retrieval import dense, sparse
from fin_tui.retrieval.corpus import Indexed, Keys, Matrix
from fin_tui.retrieval.manifest import Manifest, StaleIndex, checksums, publish, read_manifest, write_manifest
from fin_tui.retrieval.onnx import instruction_set, physical_cores

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
