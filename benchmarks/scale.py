"""Search at 100,000 and 500,000 chunks: times, recall, memory, disk, and how long the indexes take to make and to load.

    python -m benchmarks.scale [--home DIR] [--chunks 100000 500000] [--minutes 15] [--queries 60] [--json]

Vectors are those of the library at --home, moved a little; texts are words of the sample filings, as often as filings use them.
Indexes are made in one process and searched in another, so that memory is that of a program that only loads them. All sizes
together stay within --minutes: what can't be made in time is said, with the steps that were done.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from benchmarks.command import parser
from benchmarks.scale_corpus import COMPANY, FILING, Keyed, make_texts, make_vectors, real_vectors, real_words
from benchmarks.search import QUESTIONS
from fin_tui.config import Settings
from fin_tui.paths import Paths, find_home
from fin_tui.retrieval.backend import Matrix

NEAREST = 10
"""Recall is counted over so many."""
_ENCODER = "made"

Figures = dict[str, Any]


def build(tell: Callable[[Figures], None], home: Path | None, place: Path, count: int) -> None:
    """Make the indexes of ``count`` chunks in ``place``; tells the seconds of each step and the memory it took at most."""
    from fin_tui.retrieval import sparse
    from fin_tui.retrieval.indexes import Vectors, save, with_graph

    paths = find_home(home)
    words, shares = real_words(paths.samples)
    corpus = Keyed(count, _ENCODER)
    watch = _Watch(tell)
    keys = corpus.chunk_keys(_everything())
    segment = sparse.build(make_texts(words, shares, count))
    watch.step("words_s")
    vectors = Vectors(keys, make_vectors(real_vectors(paths), count))
    watch.step("vectors_s")
    vectors = with_graph(vectors, None, np.empty(0, np.int64))
    watch.step("graph_s")
    folder = save(Paths(place).index, corpus, 1, segment, vectors, _ENCODER)
    watch.step("save_s")
    disk = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    tell({"disk_mb": round(disk / 1e6), "build_peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)})


def measure(tell: Callable[[Figures], None], place: Path, count: int, asked: Sequence[str], vectors: Matrix) -> None:
    """Load what ``build`` made and search it; tells seconds, milliseconds, memory and recall."""
    from fin_tui.retrieval.indexes import Indexes
    from fin_tui.retrieval.retriever import expand
    from fin_tui.retrieval.tokens import tokenize_query

    tokens = [expand(question, tokenize_query(question)) for question in asked]
    before = psutil.Process().memory_info().rss
    started = time.perf_counter()
    snapshot = Indexes(Paths(place), Keyed(count, _ENCODER), Settings(), encoder=_ENCODER).snapshot()
    tell({"load_s": round(time.perf_counter() - started, 2)})
    scopes = {"all": None, "one company": snapshot.alive[:COMPANY], "one filing": snapshot.alive[:FILING]}
    tell({"ms": _times(snapshot, scopes, list(zip(tokens, vectors, strict=True)))})
    memory = psutil.Process().memory_info()
    tell({"memory_mb": round((memory.rss - before) / 1e6), "mapped_mb": round(memory.shared / 1e6)})
    tell({f"recall_{NEAREST}": round(_recall(snapshot, vectors), 4)})


def _times(snapshot: Any, scopes: dict[str, Any], asked: Sequence[tuple[Any, Any]]) -> dict[str, dict[str, float]]:
    from fin_tui.retrieval.fuse import Ranked, weighted

    deep = Settings().search.candidates
    spent: dict[str, list[float]] = {}
    for name, allowed in scopes.items():
        for tokens, vector in [asked[0], *asked]:
            begun = time.perf_counter()
            near = snapshot.search_dense(vector, allowed, deep)
            middle = time.perf_counter()
            said = snapshot.search_sparse(tokens, allowed, deep)
            end = time.perf_counter()
            weighted([Ranked(*near), Ranked(said[0], said[1], floor=0.0)], weights=[0.5, 0.5])
            done = time.perf_counter()
            for way, seconds in (("dense", middle - begun), ("sparse", end - middle), ("hybrid", done - begun)):
                spent.setdefault(f"{way}, {name}", []).append(seconds * 1000)
    # The first question of each scope reads pages of the files that no search has touched yet.
    return {
        name: {"p50": round(float(np.median(v[1:])), 1), "p95": round(float(np.percentile(v[1:], 95)), 1)}
        for name, v in sorted(spent.items())
    }


def _recall(snapshot: Any, vectors: Matrix) -> float:
    """Share of the exact ``NEAREST`` that the graph finds, over all questions; the exact search takes rows in blocks."""
    from fin_tui.retrieval.dense import exact

    part = snapshot.vectors[0]
    shares = []
    for vector in vectors:
        found, _ = snapshot.search_dense(vector, None, NEAREST)
        right, _ = exact(vector, part.keys, part.matrix, NEAREST)
        shares.append(len(np.intersect1d(found, right)) / len(right))
    return float(np.mean(shares))


def run(home: Path | None, sizes: Sequence[int], minutes: float, queries: int) -> list[Figures]:
    """Figures of each size, until the time is over."""
    from fin_tui.retrieval.encoder import load_encoder

    paths = find_home(home)
    encoder = load_encoder(Settings().encoder, paths)
    words, shares = real_words(paths.samples)
    drawn = np.random.default_rng(17).choice(len(words), (queries, 3), p=shares)
    asked = [f"{QUESTIONS[n % len(QUESTIONS)]} {' '.join(words[w] for w in row)}" for n, row in enumerate(drawn)]
    vectors = np.stack([encoder.encode_query(question) for question in asked])
    end = time.monotonic() + 60 * minutes
    rows = []
    for count in sizes:
        with tempfile.TemporaryDirectory() as folder:
            row: Figures = {"chunks": count}
            row["whole"] = _apart(row, end, build, home, Path(folder), count) and _apart(
                row, end, measure, Path(folder), count, asked, vectors
            )
        rows.append(row)
    return rows


def _apart(row: Figures, end: float, work: Callable[..., None], *arguments: Any) -> bool:
    """Run ``work`` in a process of its own, its figures into ``row``; ended at ``end``. Whether it came to its end."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_send_figures, args=(theirs, work, *arguments), daemon=True)
    process.start()
    theirs.close()
    try:
        while ours.poll(max(0.0, end - time.monotonic())):
            row.update(ours.recv())
    except EOFError:
        process.join()
        return process.exitcode == 0
    process.kill()
    process.join()
    return False


def _send_figures(channel: Connection, work: Callable[..., None], *arguments: Any) -> None:
    work(channel.send, *arguments)
    channel.close()


class _Watch:
    def __init__(self, tell: Callable[[Figures], None]) -> None:
        self._tell, self._since = tell, time.perf_counter()

    def step(self, name: str) -> None:
        now = time.perf_counter()
        self._tell({name: round(now - self._since, 1)})
        self._since = now


def _everything() -> Any:
    from fin_tui.records import Scope

    return Scope()


def lines(row: Figures) -> list[str]:
    """What was measured, for people; what was not is not there."""
    named = {
        "words_s": "words indexed, s",
        "vectors_s": "vectors made, s",
        "graph_s": "graph built, s",
        "save_s": "saved and checked, s",
        "disk_mb": "on disk, MB",
        "build_peak_mb": "memory to build, at most, MB",
        "load_s": "loaded, s",
        "memory_mb": "memory that loading and searching adds, MB",
        "mapped_mb": "of it mapped files, which the system may drop, MB",
        f"recall_{NEAREST}": f"recall@{NEAREST} of dense against exact",
    }
    out = [f"{row['chunks']:,} chunks" + ("" if row["whole"] else ": not whole within the time; what was done:")]
    out += [f"  {title:<52}{row[name]:>10}" for name, title in named.items() if name in row]
    return out + [f"  {name:<30} p50 {v['p50']:>8} ms   p95 {v['p95']:>8} ms" for name, v in row.get("ms", {}).items()]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--chunks", type=int, nargs="+", default=[100_000, 500_000])
    options.add_argument("--minutes", type=float, default=15)
    options.add_argument("--queries", type=int, default=60)
    arguments = options.parse_args()
    rows = run(arguments.home, arguments.chunks, arguments.minutes, arguments.queries)
    print(json.dumps({"sizes": rows}) if arguments.json else "\n".join(line for row in rows for line in lines(row)))


if __name__ == "__main__":
    main()
