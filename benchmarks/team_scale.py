"""How milvus-lite searches a large corpus: synthetic passages with the words and vectors of real ones.

    python -m benchmarks.team_scale [--chunks 300000] [--index flat|hnsw] [--queries 60] [--home DIR] [--data DIR] [--seconds N]

Writes filings of 300 passages through the writer, until all are there or the time is over (with ``--data`` the next call goes on
from there), then searches through the same seam as every question: all of it, one company (eight filings), one filing. Times are
of the search alone, without the encoder.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.scale_corpus import DIMENSION, FILING, make_texts, make_vectors, real_vectors, real_words
from benchmarks.team_server import Server, served
from fin_tui.paths import Paths, find_home
from fin_tui.records import Chunk, Filing, Scope
from fin_tui.retrieval.backend import Matrix
from fin_tui.retrieval.sparse import K1, PIVOT, B
from fin_tui.store import codec
from fin_tui.team import schema
from fin_tui.team.corpus import TeamCorpus
from fin_tui.team.link import Link
from fin_tui.team.rows import Prepared, Record, WordCounts, chunk_row, cut, open_writer, piece_row

_ENCODER = "synthetic"
_YEARS = 8
_TIMEOUT = 900.0
"""The server makes what it searches words by when the first question comes."""
_WORDS = 12
"""Of a question."""


def filing_of(number: int) -> Filing:
    """The n-th filing: eight years of a company, then the next one."""
    company, year = divmod(number, _YEARS)
    key = f"cik:{company:010}"
    return Filing(
        f"{company:010}-{year:02}-000001", f"{number}.htm", f"Company {company}", key, "10-K", 2015 + year, None,
        cik=f"{company:010}", chunks=FILING, embedded=FILING,
    )  # fmt: skip


def prepared(number: int, texts: Sequence[str], vectors: Matrix) -> Prepared:
    """The rows of the n-th filing; words are their own terms, as the tokenizer is not what is measured."""
    filing = filing_of(number)
    own, held = schema.filing_number(filing.id), Counter[int]()
    rows = []
    for ordinal, text in enumerate(texts):
        counts = Counter(map(schema.term_id, text.lower().split()))
        damping = K1 * (1 - B + B * counts.total() / PIVOT)
        held.update(counts.keys())
        name = f"{filing.id}/1:{ordinal}"
        chunk = Chunk(name, filing.id, ordinal, 0, len(text), 1, "", "7", "", "prose", text, "", text)
        words = {term: count / (count + damping) for term, count in counts.items()}
        rows.append(chunk_row(filing, own, chunk, ("7",), words, vectors[ordinal]))
    terms = np.array(sorted(held), np.uint32)
    passages = np.array([held[int(term)] for term in terms], np.uint32)
    words_of = WordCounts((("7",),), np.array([len(texts)]), terms, np.zeros(len(terms), np.uint16), passages)
    pieces = cut(words_of.packed())
    record = Record("complete", filing, filing.id, "", {}, "", "", codec.now(), len(texts), 0, {"terms": len(pieces)})
    return Prepared(record, tuple(rows), (), tuple(piece_row(own, "terms", at, piece) for at, piece in enumerate(pieces)))


def fill(server: Server, paths: Paths, chunks: int, index: schema.Index, seconds: float) -> dict[str, Any]:
    """Write until all is there or the time is over."""
    words, shares = real_words(paths.samples)
    centres = real_vectors(paths)
    batch, peak, count = list[str](), 0.0, 0
    vectors = make_vectors(centres, chunks)
    with open_writer(server.uri, _ENCODER, DIMENSION, index=index, timeout=_TIMEOUT) as writer:
        there = len(writer.held())
        began = time.monotonic()
        for _, text in make_texts(words, shares, chunks):
            batch.append(text)
            if len(batch) < FILING:
                continue
            if count >= there - 1:
                writer.put(prepared(count, batch, vectors[count * FILING : (count + 1) * FILING]))
            count, batch, peak = count + 1, [], max(peak, server.megabytes())
            if count % 20 == 0:
                print(f"{count * FILING:,} in {time.monotonic() - began:.0f} s, {server.megabytes():.0f} MB", flush=True)
            if time.monotonic() - began > seconds:
                break
        written = time.monotonic() - began
        writer.finish()
    return {
        "chunks": count * FILING,
        "before": there * FILING,
        "written_s": round(written),
        "finished_s": round(time.monotonic() - began - written),
        "peak_mb": round(max(peak, server.megabytes())),
        "disk_mb": round(server.stored()),
        "words": words,
        "shares": shares,
        "centres": centres,
    }


def ask(server: Server, filled: dict[str, Any], queries: int) -> dict[str, Any]:
    """Milliseconds of each search at the 50th and 95th percentile, by scope; and what was loaded for the first one."""
    chance = np.random.default_rng(17)
    corpus = TeamCorpus(Link(server.uri, timeout=_TIMEOUT), encoder=_ENCODER)
    held = corpus.filings()
    asked = make_vectors(filled["centres"], queries + 1)[1:]
    words = [[str(w).lower() for w in chance.choice(filled["words"], _WORDS, p=filled["shares"])] for _ in range(queries)]
    some = [held[int(place)] for place in chance.integers(0, len(held), queries)]
    scopes: dict[str, Callable[[Filing], Scope]] = {
        "all": lambda filing: Scope(),
        "one company": lambda filing: Scope(companies=(filing.company_key,)),
        "one filing": lambda filing: Scope(filings=(filing.id,)),
    }
    began = time.perf_counter()
    scoped = corpus.within(Scope())
    scoped.search_dense(asked[0], 60)
    scoped.search_sparse(words[0], 60)
    figures: dict[str, Any] = {"first_search_s": round(time.perf_counter() - began, 1)}
    for name, scope_of in scopes.items():
        took: dict[str, list[float]] = {"dense": [], "sparse": [], "both": []}
        for filing, vector, question in zip(some, asked, words, strict=True):
            scoped = corpus.within(scope_of(filing))
            began = time.perf_counter()
            scoped.search_dense(vector, 60)
            middle = time.perf_counter()
            scoped.search_sparse(question, 60)
            end = time.perf_counter()
            for kind, seconds in (("dense", middle - began), ("sparse", end - middle), ("both", end - began)):
                took[kind].append(1000 * seconds)
        for kind, times in took.items():
            figures[f"{name}, {kind}"] = [round(float(np.percentile(times, share))) for share in (50, 95)]
        print(name, {kind: figures[f"{name}, {kind}"] for kind in took}, flush=True)
    corpus.close()
    return figures | {"resident_mb": round(server.megabytes())}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--chunks", type=int, default=300_000)
    parser.add_argument("--index", default="flat", choices=["flat", "hnsw"])
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--seconds", type=float, default=3600)
    given = parser.parse_args()
    paths = find_home(given.home)
    with tempfile.TemporaryDirectory(prefix="fin-tui-team-") as place, served((given.data or Path(place)) / "data") as server:
        filled = fill(server, paths, given.chunks, given.index, given.seconds)
        figures = ask(server, filled, given.queries)
    print(
        json.dumps(
            {key: value for key, value in (filled | figures).items() if key not in ("words", "shares", "centres")}, indent=1
        )
    )


if __name__ == "__main__":
    main()
