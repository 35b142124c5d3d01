"""How large a corpus gets and how long filling it takes: pure functions of counts, rates and a few published figures.

Sizes are in bytes, times in seconds of one core or one GPU, unless a name says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

FLOAT = 4
POSTING = 8
"""A row's number and a weight in an inverted list of words."""
HNSW_M = 16
"""Links a vector: what the corpus' schema asks for."""
SECTOR = 4096
"""DiskANN reads whole sectors of an SSD, each with as many vectors and their links as fit."""
DISK_DEGREE = 56
DISK_CODES = 0.125
DISK_CACHE = 0.125
"""Links a vector, and the shares of the raw vectors that stay in memory: Milvus' defaults (milvus.io/docs/disk_index.md)."""
SHARD_ROWS = 200_000_000
"""A shard takes at least so many (a maintainer in github.com/zilliztech/VectorDBBench/pull/526)."""
SEC_REQUESTS = 10.0
"""The SEC's limit a second (sec.gov, accessing EDGAR data); a filing is one request when its index is known."""

Index = Literal["FLAT", "HNSW", "HNSW_SQ8", "IVF_SQ8", "DISKANN"]
INDEXES: tuple[Index, ...] = ("FLAT", "HNSW", "HNSW_SQ8", "IVF_SQ8", "DISKANN")


@dataclass(frozen=True, slots=True)
class Counts:
    """A corpus in numbers."""

    filings: int
    chunks: int
    facts: int
    dimension: int = 384


@dataclass(frozen=True, slots=True)
class Rates:
    """Means measured by ``benchmarks.team_rates``: processor seconds and bytes of a filing, a passage (chunk), a fact."""

    parse_s: float
    prepare_s: float
    embed_s: float
    tokens: float
    terms: float
    raw_bytes: float
    chunk_bytes: float
    fact_bytes: float
    piece_bytes: float
    record_bytes: float
    place_s: float


@dataclass(frozen=True, slots=True)
class Gpu:
    """Tokens a second of the encoder on one GPU. ``factor`` is assumed; the rest is published."""

    name: str
    published: float
    of: str
    source: str
    factor: float

    @property
    def tokens(self) -> float:
        return self.published * self.factor


def link_bytes(m: int = HNSW_M) -> float:
    """Links of a vector in an HNSW graph: 2 M at the bottom, M + 1 on each of the 1 / (M - 1) levels above, and its number."""
    return 4 * 2 * m + 4 * (m + 1) / (m - 1) + 8


def disk_vector_bytes(dimension: int) -> float:
    """A vector of DiskANN on the SSD, the rest of its sector counted in."""
    node = dimension * FLOAT + 4 * (DISK_DEGREE + 1)
    per_sector = SECTOR // node
    return SECTOR / per_sector if per_sector else SECTOR * -(-node // SECTOR)


def index_bytes(index: Index, counts: Counts) -> tuple[float, float]:
    """What the dense index takes: (memory, SSD)."""
    raw = counts.dimension * FLOAT
    per_vector: Mapping[Index, tuple[float, float]] = {
        "FLAT": (raw, 0),
        "HNSW": (raw + link_bytes(), 0),
        "HNSW_SQ8": (counts.dimension + link_bytes(), 0),
        "IVF_SQ8": (counts.dimension + 8, 0),
        "DISKANN": (raw * (DISK_CODES + DISK_CACHE), disk_vector_bytes(counts.dimension)),
    }
    memory, disk = per_vector[index]
    return memory * counts.chunks, disk * counts.chunks


def word_bytes(counts: Counts, rates: Rates) -> float:
    """The index of words, in memory."""
    return counts.chunks * rates.terms * POSTING


def row_bytes(counts: Counts, rates: Rates) -> dict[str, float]:
    """Rows without vectors, by collection: on SSD when mapped from there."""
    return {
        "passages": counts.chunks * rates.chunk_bytes,
        "facts": counts.facts * rates.fact_bytes,
        "filings": counts.filings * (rates.piece_bytes + rates.record_bytes),
    }


def stored_bytes(counts: Counts, rates: Rates) -> float:
    """All rows with their vectors, uncompressed: what the object store holds at most."""
    vectors = counts.chunks * (counts.dimension * FLOAT + rates.terms * POSTING)
    return sum(row_bytes(counts, rates).values()) + vectors


def nodes(memory: float, node_bytes: float, usable: float = 0.75) -> int:
    """Machines that hold ``memory``; a quarter of each is left for searches and for segments that come and go."""
    return max(1, -int(-memory // (node_bytes * usable)))


def shards(counts: Counts) -> int:
    """Shards of the passages' collection."""
    return max(1, -(-counts.chunks // SHARD_ROWS))


def stage_seconds(counts: Counts, rates: Rates) -> dict[str, float]:
    """Core seconds of each stage, everything on processors."""
    return {
        "read and cut": counts.filings * rates.parse_s,
        "vectors": counts.chunks * rates.embed_s,
        "rows": counts.filings * rates.prepare_s,
    }


def gpu_seconds(counts: Counts, rates: Rates, gpu: Gpu) -> float:
    """Seconds of one GPU for all vectors."""
    return counts.chunks * rates.tokens / gpu.tokens


def hours(counts: Counts, rates: Rates, cores: int, gpu: Gpu | None = None, gpus: int = 0) -> float:
    """From the first filing to the last. Stages overlap: with GPUs the slower of the two sides decides."""
    stages = stage_seconds(counts, rates)
    if gpu is None or not gpus:
        return sum(stages.values()) / cores / 3600
    processors = (stages["read and cut"] + stages["rows"]) / cores
    return max(processors, gpu_seconds(counts, rates, gpu) / gpus) / 3600


def rows_a_second(counts: Counts, days: float) -> float:
    """Rows that the server must take, passages and facts, to be full after ``days``."""
    return (counts.chunks + counts.facts) / (days * 86_400)


def download_hours(counts: Counts) -> float:
    """At the SEC's limit, whatever the number of machines."""
    return counts.filings / SEC_REQUESTS / 3600
