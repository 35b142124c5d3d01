"""The right page of a PDF: plain windows of its text beside our own search, on the same questions.

    pip install -e '.[baseline]'
    FIN_TUI_CORPUS=DIR python -m benchmarks.windows --home DIR [--keep FILE.npz] [--misses]

The plain way, the filing given: the text of each page cut into windows of 200 words, found by the library's own encoder, by
rank_bm25 over lower-case words, or by both fused by reciprocal rank (k = 60). Ours is the hybrid search over the same library:
the filing given, and over the whole library with company and year taken from the question. A hit counts where file and
page are both right. ``--keep`` stores the windows' vectors filing by filing, so that a run can go on where one ended.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.questions import about, cells, corpus, heading, judge_places, searched
from fin_tui.config import Settings
from fin_tui.engine.questions.batch import scope_of
from fin_tui.engine.searching import open_finder
from fin_tui.evaluation.measures import DEEPEST, Place, Ranking
from fin_tui.evaluation.sets import Row, load
from fin_tui.paths import Paths
from fin_tui.records import Filing, Scope
from fin_tui.retrieval.encoder import Encoder, load_encoder
from fin_tui.store.library import Library

WORDS = 200
RRF_K = 60
WAYS = ("dense", "BM25", "RRF")


@dataclass(slots=True)
class Windows:
    """The windows of one filing with a row of ``vectors`` each."""

    places: list[Place]
    vectors: NDArray[np.float32]
    words: Any
    """BM25Okapi over the windows."""

    def search(self, way: str, question: str, vector: NDArray[np.float32]) -> list[Place]:
        """The best ten by one of ``WAYS``."""
        dense = np.argsort(-(self.vectors @ vector), kind="stable")
        sparse = np.argsort(-np.asarray(self.words.get_scores(question.lower().split())), kind="stable")
        order = {"dense": dense, "BM25": sparse, "RRF": _fused(dense, sparse)}[way]
        return [self.places[at] for at in order[:DEEPEST].tolist()]


def _fused(*orders: NDArray[np.intp]) -> NDArray[np.intp]:
    scores = np.zeros(len(orders[0]))
    for order in orders:
        scores[order] += 1 / (RRF_K + 1 + np.arange(len(order)))
    return np.argsort(-scores, kind="stable")


def cut(library: Library, filing: Filing) -> list[Place]:
    """Windows of ``WORDS`` words of each page of a filing; none crosses a page."""
    pages: dict[int, list[str]] = {}
    document = library.document(filing.id)
    for block in document.blocks:
        pages.setdefault(block.page, []).extend(document.text[block.start : block.end].split())
    return [
        Place(" ".join(words[at : at + WORDS]), page, filing.file, filing.company_key)
        for page, words in sorted(pages.items())
        for at in range(0, len(words), WORDS)
    ]


def windows_of(library: Library, filings: Sequence[Filing], encoder: Encoder, keep: Path | None) -> Mapping[str, Windows]:
    """The windows of each filing by its file name; vectors are read from ``keep`` where it has them for as many windows."""
    from rank_bm25 import BM25Okapi

    kept: dict[str, Any] = dict(np.load(keep)) if keep and keep.exists() else {}
    made: dict[str, Windows] = {}
    for filing in filings:
        places = cut(library, filing)
        vectors = kept.get(filing.file)
        if vectors is None or len(vectors) != len(places):
            print(f"{filing.file}: {len(places)} windows", file=sys.stderr)
            kept[filing.file] = vectors = encoder.encode_passages([place.text for place in places])
            if keep:
                np.savez(keep, **kept)
        made[filing.file] = Windows(places, vectors, BM25Okapi([place.text.lower().split() for place in places]))
    return made


def main() -> None:
    """See the head of this file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--keep", type=Path, help="file for the windows' vectors")
    parser.add_argument("--misses", action="store_true", help="print the questions that ours has not among the first five")
    arguments = parser.parse_args()
    paths, settings = Paths(arguments.home), Settings()
    with Library.open(paths, read_only=True) as library:
        held = library.filings()
        by_file = {filing.file: filing for filing in held}
        rows = [row for row in load(corpus() / "qa" / "financebench.jsonl") if row.filing in by_file]
        encoder = load_encoder(settings.encoder, paths)
        asked = [by_file[name] for name in dict.fromkeys(row.filing for row in rows)]
        windows = windows_of(library, asked, encoder, arguments.keep)
        count = sum(len(one.places) for one in windows.values())
        print(f"{about(held)}\n{len(rows)} questions, {len(asked)} filings, {count} windows\n")
        print(heading("way", "looked in", "n"))
        for way in WAYS:
            rankings = [
                judge_places(
                    windows[row.filing].search(way, row.line.question, encoder.encode_query(row.line.question)),
                    row, held, lenient=False,
                )
                for row in rows
            ]  # fmt: skip
            print(f"| windows, {way} | the filing given | {len(rows)} | {' | '.join(cells(rankings))} |", flush=True)
        finder = open_finder(library, paths, settings)
        finder.warm_up()
        scopes: dict[str, Callable[[Row], Scope]] = {
            "the filing given": lambda row: Scope(filings=(by_file[row.filing].id,)),
            f"all {len(held)} filings": lambda row: scope_of(row.line, held),
        }
        for where, scope in scopes.items():
            rankings = searched(finder, rows, held, scope)
            print(f"| fin-tui | {where} | {len(rows)} | {' | '.join(cells(rankings))} |", flush=True)
            if arguments.misses:
                _print_misses(rows, rankings)


def _print_misses(rows: Sequence[Row], rankings: Sequence[Ranking]) -> None:
    for row, ranking in zip(rows, rankings, strict=True):
        if not ranking.within(5):
            print(f"  {row.line.id} rank {ranking.rank} {row.filing} {[gold.page for gold in row.evidence]} {row.line.question}")


if __name__ == "__main__":
    main()
