"""Search times, warm: all of a large library, one filing of it, with and without reranking; and how long indexes take to make.

    python -m benchmarks.search [--home DIR] [--chunks 30000] [--queries 60] [--json]

The library is passages of the sample filings, repeated with other company names and slightly other vectors until it is large
enough: texts and vocabulary are real, the size is chosen. Indexes go to a temporary folder.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.command import parser
from fin_tui.config import Settings
from fin_tui.paths import Paths, find_home
from fin_tui.records import Chunk, Filing, Scope
from fin_tui.retrieval.backend import Keys, Matrix

PASSAGES = 400
"""Different passages; embedding them is most of the benchmark's time."""

QUESTIONS = (
    "What risks does the company name about its suppliers?",
    "How did operating income change compared to the prior year?",
    "What is the policy for revenue recognition?",
    "How many employees does the company have?",
    "What was research and development expense in fiscal 2025?",
    "Which legal proceedings are pending?",
    "How much was spent on share repurchases?",
    "What does the company say about foreign currency risk?",
    "How are leases accounted for?",
    "What are the company's reportable segments?",
)


class LargeCorpus:
    """A :class:`fin_tui.retrieval.backend.Indexed` in memory."""

    def __init__(self, passages: Sequence[Chunk], base: Filing, count: int, encoder: Any) -> None:
        vectors = encoder.encode_passages([chunk.index_text for chunk in passages])
        noise = np.random.default_rng(3)
        self.chunks: list[Chunk] = []
        self.filings: dict[str, Filing] = {}
        parts = []
        copy = 0
        while len(self.chunks) < count:
            filing = replace(base, id=f"copy-{copy}", company=f"Company {copy}", company_key=f"name:{copy}")
            self.filings[filing.id] = filing
            self.chunks += [
                replace(chunk, id=f"{filing.id}/{n}", filing=filing.id, index_text=f"{filing.company} · {chunk.index_text}")
                for n, chunk in enumerate(passages)
            ]
            moved = vectors + noise.standard_normal(vectors.shape).astype(np.float32) * 0.01
            parts.append(moved / np.linalg.norm(moved, axis=1, keepdims=True))
            copy += 1
        self.chunks = self.chunks[:count]
        self.matrix: Matrix = np.concatenate(parts)[:count].astype(np.float32)
        self.name = encoder.name
        self._scopes: dict[Scope, Keys] = {}

    def generation(self) -> int:
        return 1

    def vector_generation(self) -> int:
        return 1

    def chunk_keys(self, scope: Scope) -> Keys:
        if scope not in self._scopes:
            numbers = [n for n, c in enumerate(self.chunks, 1) if not scope.filings or c.filing in scope.filings]
            self._scopes[scope] = np.array(numbers, np.int64)
        return self._scopes[scope]

    def chunk_ids(self, keys: Sequence[int]) -> dict[int, str]:
        return {key: self.chunks[key - 1].id for key in keys}

    def index_texts(self, after: int) -> Iterable[tuple[int, str]]:
        return ((n, chunk.index_text) for n, chunk in enumerate(self.chunks, 1) if n > after)

    def chunks_by_keys(self, keys: Sequence[int]) -> list[tuple[Chunk, Filing]]:
        return [(self.chunks[key - 1], self.filings[self.chunks[key - 1].filing]) for key in keys]

    def vector_keys(self, encoder: str) -> Keys:
        return np.arange(1, len(self.chunks) + 1, dtype=np.int64) if encoder == self.name else np.empty(0, np.int64)

    def vectors(self, encoder: str, keys: Sequence[int]) -> Matrix:
        rows: Matrix = self.matrix[np.asarray(keys) - 1]
        return rows


def sample_passages(folder: Path) -> tuple[list[Chunk], Filing]:
    """Evenly spaced chunks of the sample filings, and one of the filings."""
    from fin_tui.filings.chunk import chunk_document
    from fin_tui.filings.reader import make_filing, read
    from fin_tui.filings.sections import find_sections

    chunks: list[Chunk] = []
    for file in sorted(folder.glob("*_10k.html")):
        raw = file.read_bytes()
        if len(raw) < 100_000:
            continue
        document = read(raw, file.name)
        filing = make_filing(document, raw, file.name)
        chunks += chunk_document(document, filing, find_sections(document), Settings().chunking)
    step = max(1, len(chunks) // PASSAGES)
    return chunks[::step][:PASSAGES], filing


def run(home: Path | None, count: int, queries: int) -> dict[str, Any]:
    """Milliseconds: median and 95th percentile of each case."""
    from fin_tui.retrieval.encoder import load_encoder
    from fin_tui.retrieval.indexes import Indexes
    from fin_tui.retrieval.retriever import Retriever

    paths, settings = find_home(home), Settings()
    encoder = load_encoder(settings.encoder, paths)
    passages, filing = sample_passages(paths.samples)
    corpus = LargeCorpus(passages, filing, count, encoder)
    with tempfile.TemporaryDirectory() as folder:
        place = Paths(Path(folder))
        (place.home / "models").symlink_to(paths.models, target_is_directory=True)
        started = time.perf_counter()
        Indexes(place, corpus, settings, encoder=encoder.name).write()
        built = time.perf_counter() - started
        retriever = Retriever(corpus, place, settings, encoder)
        started = time.perf_counter()
        retriever.warm_up()
        loaded = time.perf_counter() - started
        one = Scope(filings=("copy-1",))
        cases: dict[str, dict[str, Any]] = {
            "hybrid, all": {"rerank": False},
            "hybrid, one filing": {"rerank": False, "scope": one},
            "sparse, all": {"rerank": False, "mode": "sparse"},
            "dense, all": {"rerank": False, "mode": "dense"},
            "hybrid + rerank, all": {"rerank": True},
        }
        times = {name: _times(retriever, queries, options) for name, options in cases.items()}
    return {"chunks": count, "queries": queries, "index_s": round(built, 2), "load_s": round(loaded, 2), "ms": times}


def _times(retriever: Any, queries: int, options: dict[str, Any]) -> dict[str, float]:
    spent = []
    for n in range(queries + 3):
        started = time.perf_counter()
        retriever.search(f"{QUESTIONS[n % len(QUESTIONS)]} ({n})", **options)
        spent.append((time.perf_counter() - started) * 1000)
    return {"median": round(float(np.median(spent[3:])), 1), "p95": round(float(np.percentile(spent[3:], 95)), 1)}


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--chunks", type=int, default=30_000)
    options.add_argument("--queries", type=int, default=60)
    arguments = options.parse_args()
    figures = run(arguments.home, arguments.chunks, arguments.queries)
    if arguments.json:
        print(json.dumps(figures))
        return
    print(f"{figures['chunks']:,} chunks: indexes made in {figures['index_s']} s, everything loaded in {figures['load_s']} s")
    for name, row in figures["ms"].items():
        print(f"{name:<24} median {row['median']:>7} ms   p95 {row['p95']:>7} ms")


if __name__ == "__main__":
    main()
