"""The indexes over a library as one thing that is always right: a generation on disk, and what came since in memory.

A generation is a sparse segment, a matrix of vectors, and a graph over them. A search never waits for one to be written. What it
lacks (a filing just added, vectors just made) is read from the library and searched beside it; what was removed is masked. A
generation that is missing, stale or corrupt counts as empty: the answer is the same, only the first one slower. Then, or when
ingest asks, a new generation is merged and swapped in.
"""

from __future__ import annotations

import logging
import os
import shutil
import uuid
import zlib
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import RLock

import msgspec
import numpy as np
from numpy.typing import NDArray

from fin_tui.config import Settings
from fin_tui.errors import NotFound
from fin_tui.paths import Paths
from fin_tui.records import Scope
from fin_tui.retrieval import dense, sparse, tokens
from fin_tui.retrieval.backend import Indexed, Keys, Matrix
from fin_tui.retrieval.encoder import encoder_name
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


Found = tuple[Keys, NDArray[np.float32]]


@dataclass(frozen=True)
class Snapshot:
    """What one search sees; never changes. Safe to search from several threads."""

    alive: Keys
    segments: tuple[sparse.Segment, ...] = ()
    vectors: tuple[Vectors, ...] = ()
    _masks: tuple[sparse.Mask, ...] = field(default=())
    with_vector: Keys | None = None
    """The chunks that have a vector in the library; None where all of ``alive`` may."""

    def search_sparse(self, tokens: Sequence[str] | Mapping[str, float], allowed: Keys | None, k: int) -> Found:
        """BM25 within ``allowed`` (None for all): keys and scores, best first; only chunks that share a token."""
        masks = (
            self._masks
            if allowed is None
            else [m & np.isin(s.keys, allowed) for s, m in zip(self.segments, self._masks, strict=True)]
        )
        return sparse.search(self.segments, tokens, masks, k)

    def search_dense(self, query: NDArray[np.float32], allowed: Keys | None, k: int) -> Found:
        """Cosines within ``allowed`` (None for all): keys and scores, best first."""
        found = [self._near(part, there, query, allowed, k) for part, there in zip(self.vectors, self._there, strict=True)]
        keys = np.concatenate([keys for keys, _ in found]) if found else np.empty(0, np.int64)
        scores = np.concatenate([scores for _, scores in found]) if found else np.empty(0, np.float32)
        return dense.best(keys, scores, k)

    @cached_property
    def _there(self) -> tuple[sparse.Mask, ...]:
        """For each part of ``vectors``, true where the library still holds the vector: found once, not with every search."""
        return tuple(np.isin(part.keys, self.held) for part in self.vectors)

    @property
    def held(self) -> Keys:
        """The chunks whose vectors count."""
        return self.alive if self.with_vector is None else self.with_vector

    def _near(self, part: Vectors, there: sparse.Mask, query: NDArray[np.float32], allowed: Keys | None, k: int) -> Found:
        wanted = there if allowed is None else there & np.isin(part.keys, allowed)
        if allowed is None and part.graph is not None:
            keys, scores = part.graph.search(query, k + min(k, int((~there).sum())))
            kept = there[np.searchsorted(part.keys, keys)]
            if kept.sum() >= min(k, int(there.sum())):
                return keys[kept][:k], scores[kept][:k]
        rows = None if wanted.all() else np.flatnonzero(wanted)
        return dense.exact(query, part.keys, part.matrix, k, rows)

    def without_vector(self, keys: Keys) -> Keys:
        """Those of ``keys`` that have no vector yet."""
        for part, there in zip(self.vectors, self._there, strict=True):
            keys = keys[~np.isin(keys, part.keys[there])]
        return keys

    def embedded(self, allowed: Keys | None) -> int:
        """How many of ``allowed`` (None for all) have a vector."""
        if allowed is None:
            return sum(int(there.sum()) for there in self._there)
        return sum(int(np.isin(part.keys[there], allowed).sum()) for part, there in zip(self.vectors, self._there, strict=True))


DELTA = 2000
"""Chunks that may be missing from the generation before writing a new one is worth it: about half a second to tokenise."""
SMALL = 50_000
"""Up to this many chunks a finished ingest always writes; beyond, only when ``DELTA`` is reached."""
_PARTS = 6

_log = logging.getLogger(__name__)


class Indexes:
    """Reads, refreshes and writes the indexes of one library. Safe to share between threads."""

    def __init__(self, paths: Paths, library: Indexed, settings: Settings, *, encoder: str | None = None) -> None:
        """``encoder`` names the vectors to search; by default those of the configured encoder."""
        self._folder = paths.index
        self._library = library
        self._encoder = encoder or encoder_name(settings.encoder, paths)
        self._lock = RLock()
        self._loaded: Path | None = None
        self._generation: Generation | None = None
        self._seen: tuple[object, ...] = ()
        self._snapshot = Snapshot(np.empty(0, np.int64))

    def snapshot(self) -> Snapshot:
        """The state of the library now; cheap when nothing changed."""
        with self._lock:
            seen = self._state()
            if seen != self._seen:
                self._refresh()
                self._seen = seen
                if self._missing() >= DELTA:
                    self._write_quietly()
            return self._snapshot

    def write(self) -> bool:
        """Bring the generation on disk up to date, where it pays; whether one was written. For the process that ingests.

        Raises ``OSError`` when the disk is full; the old generation stays.
        """
        with self._lock:
            self.snapshot()
            alive = len(self._snapshot.alive)
            current = self._generation
            is_fresh = (
                current is not None and not self._missing() and current.manifest.chunks == alive and self._has_all_vectors()
            )
            if is_fresh or (not alive and current is None):
                return False
            if current is not None and alive > SMALL and self._missing() < DELTA and self._new_vectors() < DELTA:
                return False
            return self._write()

    def _state(self) -> tuple[object, ...]:
        return (self._library.generation(), self._library.vector_generation(), current_folder(self._folder))

    def _missing(self) -> int:
        segments = self._snapshot.segments
        return sum(len(s.keys) for s in segments if self._generation is None or s is not self._generation.segment)

    def _new_vectors(self) -> int:
        own = self._generation.vectors if self._generation else None
        return sum(len(part.keys) for part in self._snapshot.vectors if part is not own)

    def _has_all_vectors(self) -> bool:
        own = self._generation.vectors if self._generation else None
        return not self._new_vectors() and (own is None or bool(np.isin(own.keys, self._snapshot.held).all()))

    def _refresh(self) -> None:
        folder = current_folder(self._folder)
        if folder != self._loaded:
            self._load(folder)
        alive = self._library.chunk_keys(Scope())
        segments = self._segments(alive)
        masks = tuple(np.isin(s.keys, alive) for s in segments)
        there = np.intersect1d(self._library.vector_keys(self._encoder), alive) if self._encoder else np.empty(0, np.int64)
        self._snapshot = Snapshot(alive, segments, self._vectors(there, alive), masks, there)

    def _load(self, folder: Path | None) -> None:
        """Take the generation in ``folder`` in place of what was loaded; parts in memory that it lacks are read again."""
        self._loaded, self._generation = folder, None
        self._snapshot = Snapshot(np.empty(0, np.int64))
        if folder is None:
            return
        try:
            self._generation = load(folder, self._library, self._encoder)
        except StaleIndex as error:
            _log.info("index generation is rebuilt: %s", error)
            return
        own = self._generation
        self._snapshot = Snapshot(np.empty(0, np.int64), (own.segment,), (own.vectors,) if own.vectors else ())

    def _segments(self, alive: Keys) -> tuple[sparse.Segment, ...]:
        segments = self._snapshot.segments
        newest = max((int(s.keys[-1]) for s in segments if len(s.keys)), default=0)
        if len(alive) and int(alive[-1]) > newest:
            segments = (*segments, sparse.build(self._library.index_texts(newest)))
        main = 1 if self._generation else 0
        if len(segments) - main > _PARTS:
            segments = (*segments[:main], sparse.merge(segments[main:], alive))
        return segments

    def _vectors(self, there: Keys, alive: Keys) -> tuple[Vectors, ...]:
        """The vectors of the chunks ``there``; those held already are not read again: a text's vector never changes."""
        parts = self._snapshot.vectors
        if not self._encoder:
            return ()
        held = np.concatenate([part.keys for part in parts]) if parts else np.empty(0, np.int64)
        new = np.setdiff1d(there, held)
        if len(new):
            try:
                parts = (*parts, Vectors(new, self._library.vectors(self._encoder, new.tolist())))
            except NotFound:
                # A filing was removed in between; the change of generation brings the next search here again.
                _log.info("vectors changed while they were read")
        main = 1 if self._generation and self._generation.vectors else 0
        if len(parts) - main > _PARTS and (joined := join_vectors(parts[main:], alive)):
            parts = (*parts[:main], joined)
        return parts

    def _write_quietly(self) -> None:
        try:
            self._write()
        except OSError as error:
            _log.warning("the index stays in memory: %s", error)

    def _write(self) -> bool:
        with writer_lock(self._folder) as is_ours:
            if not is_ours or current_folder(self._folder) != self._loaded:
                return False
            snapshot, own = self._snapshot, self._generation.vectors if self._generation else None
            segment = sparse.merge(snapshot.segments, snapshot.alive)
            vectors = join_vectors(snapshot.vectors, snapshot.held)
            if vectors is not None:
                keys = own.keys if own is not None and own.graph is not None else np.empty(0, np.int64)
                vectors = with_graph(vectors, self._loaded, keys)
            save(self._folder, self._library, int(str(self._state()[0])), segment, vectors, self._encoder)
        self._refresh()
        self._seen = self._state()
        return True
