"""What a machine does with one filing before it is stored in a team's corpus: read it, make its vectors. Knows nothing of Ray.

Every step may be done twice, by this machine or another, and comes to the same rows.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from fin_tui.config import Settings
from fin_tui.ingest.job import FailedFile
from fin_tui.ingest.pipeline import attempt
from fin_tui.paths import Paths
from fin_tui.records import Cover, Filing
from fin_tui.retrieval.corpus import Matrix
from fin_tui.retrieval.encoder import Encoder, load_encoder
from fin_tui.store.filings import Entry
from fin_tui.store.library import with_id
from fin_tui.team.ingest.identity import Placed
from fin_tui.team.rows import Prepared, prepare

Digests = NDArray[np.uint64]
_GPU_BATCH = 256
"""Passages at once on a GPU: the settings' batch is made for the cache of a CPU."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is the same for all filings of one ingest."""

    paths: Paths
    """A home with weights, on every machine under this name."""
    settings: Settings
    force: bool = False


@dataclass(frozen=True, slots=True)
class Read:
    """A filing was read and can be stored; the whole of it stays with the workers."""

    path: str
    sha256: str
    filing: Filing
    cover: Cover
    chunks: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Known:
    """Nothing was read: the corpus has what these bytes say."""

    path: str
    sha256: str


Reading = Read | Known | FailedFile


def digests(hashes: Iterable[str]) -> Digests:
    """The first 64 bits of each SHA-256, ascending: small enough to be sent to every machine."""
    return np.unique(np.fromiter((int(digest[:16], 16) for digest in hashes), np.uint64))


def _is_among(digest: str, held: Digests) -> bool:
    (own,) = digests([digest])
    place = int(np.searchsorted(held, own))
    return place < len(held) and bool(held[place] == own)


def read(plan: Plan, path: str, held: Digests) -> tuple[Reading, Entry | None, tuple[str, ...]]:
    """What came of reading a file, and for :class:`Read` the filing and the texts to embed. Bytes among ``held`` are not read."""
    from fin_tui.ingest.parse import parse
    from fin_tui.ingest.sources import read_bytes
    from fin_tui.store.codec import sha256

    began = time.perf_counter()
    raw = attempt(path, lambda: read_bytes(Path(path)))
    if isinstance(raw, FailedFile):
        return raw, None, ()
    digest = sha256(raw)
    if _is_among(digest, held):
        return Known(path, digest), None, ()
    entry = attempt(path, lambda: parse(raw, Path(path).name, plan.settings.chunking, force=plan.force))
    if isinstance(entry, FailedFile):
        return entry, None, ()
    told = Read(path, digest, entry.filing, entry.document.cover, len(entry.chunks), time.perf_counter() - began)
    return told, entry, tuple(chunk.index_text for chunk in entry.chunks)


def ready(path: str, placed: Placed, entry: Entry, parts: Sequence[Matrix]) -> Prepared | FailedFile:
    """The rows of a filing that was read, with the vectors of its chunks in ``parts``."""
    filing = placed.filing
    same = replace(entry.filing, company_key=filing.company_key, cik=filing.cik, ticker=filing.ticker)
    entry = with_id(replace(entry, filing=same), filing.id)
    vectors = np.concatenate(parts) if parts else np.zeros((0, 0), np.float32)
    return attempt(path, lambda: prepare(entry, vectors))


@dataclass(frozen=True, slots=True)
class Opened:
    """An encoder that is ready."""

    name: str
    dimension: int


class Embedder:
    """Makes vectors; lives as long as the ingest, so that weights are loaded once a machine. Loads them when first used."""

    def __init__(self, plan: Plan, *, has_gpu: bool) -> None:
        self._plan = plan
        self._has_gpu = has_gpu
        self._loaded: Encoder | None = None

    def open(self) -> Opened:
        """Load the weights; raises ``FinTuiError`` when they are not there."""
        encoder = self._encoder()
        return Opened(encoder.name, encoder.dimension)

    def encode(self, texts: Sequence[str], start: int, stop: int) -> Matrix:
        """Vectors of ``texts[start:stop]``, shape ``[stop - start, dimension]``, L2-normalised."""
        return self._encoder().encode_passages(texts[start:stop])

    def _encoder(self) -> Encoder:
        if self._loaded is None:
            settings = self._plan.settings.encoder
            if self._has_gpu:
                settings = msgspec.structs.replace(settings, batch=max(settings.batch, _GPU_BATCH))
            self._loaded = load_encoder(settings, self._plan.paths)
        return self._loaded
