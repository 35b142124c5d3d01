"""The recipe that most programs of this kind start from, on the same questions as ours.

    pip install -e '.[baseline]'
    FIN_TUI_CORPUS=DIR python -m benchmarks.baseline --home DIR [--model DIR] [--filings NAME...]

Text by BeautifulSoup, chunks of 1,000 characters with 200 of overlap, cut recursively, all-MiniLM-L6-v2 and rank_bm25; scores
are brought to 0..1 and added with weights .6 and .4. No scope: the filings named are searched together. Ours: the same bare
questions over the same filings, and those that name their company over the whole library, where the like passage of another
year of that company counts as well, and is told apart.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.questions import about, cells, company_named, corpus, heading, judge_places, searched
from fin_tui.config import Settings
from fin_tui.engine.searching import open_finder
from fin_tui.evaluation.measures import DEEPEST, Place, Ranking
from fin_tui.evaluation.sets import Row, load
from fin_tui.paths import Paths
from fin_tui.records import Scope
from fin_tui.store.library import Library

DENSE = 0.6
SIZE, OVERLAP = 1000, 200
_FILINGS = ("NVDA_10-K_FY2023_0001045810-23-000017.htm", "TSLA_10-K_FY2023_0001628280-24-002390.htm")


class Baseline:
    """Chunks of a few filings with both indexes in memory."""

    def __init__(self, files: Sequence[Path], model: str) -> None:
        from bs4 import BeautifulSoup
        from langchain_text_splitters import RecursiveCharacterTextSplitter
        from rank_bm25 import BM25Okapi
        from sentence_transformers import SentenceTransformer

        splitter = RecursiveCharacterTextSplitter(chunk_size=SIZE, chunk_overlap=OVERLAP)
        self.chunks: list[Place] = []
        for file in files:
            soup = BeautifulSoup(file.read_bytes(), "html.parser")
            texts = splitter.split_text(soup.get_text(" ", strip=True))
            self.chunks += [Place(text, 0, file.name) for text in texts]
        self._encoder: Any = SentenceTransformer(model)
        self._vectors = self._encode([chunk.text for chunk in self.chunks])
        self._words: Any = BM25Okapi([chunk.text.lower().split() for chunk in self.chunks])

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors: NDArray[np.float32] = self._encoder.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
        return vectors

    def search(self, question: str, k: int) -> list[Place]:
        """The best ``k`` chunks."""
        dense = _spread(self._vectors @ self._encode([question])[0])
        sparse = _spread(np.asarray(self._words.get_scores(question.lower().split())))
        scores = DENSE * dense + (1 - DENSE) * sparse
        return [self.chunks[place] for place in np.argsort(-scores)[:k].tolist()]


def _spread(scores: NDArray[Any]) -> NDArray[Any]:
    low, high = scores.min(), scores.max()
    spread: NDArray[Any] = (scores - low) / (high - low) if high > low else np.zeros_like(scores)
    return spread


def judged(baseline: Baseline, rows: Sequence[Row]) -> list[Ranking]:
    """The recipe's rankings. It holds one filing of each company, so the like passage of another year can't come up."""
    return [judge_places(baseline.search(row.line.question, DEEPEST), row, (), lenient=False) for row in rows]


def main() -> None:
    """See the head of this file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="models/all-MiniLM-L6-v2")
    parser.add_argument("--filings", nargs="+", default=list(_FILINGS))
    parser.add_argument("--home", type=Path, help="a library with the same filings: prints fin-tui's figures beside")
    arguments = parser.parse_args()
    folder = corpus()
    rows = load(folder / "qa" / "narrative.jsonl")
    named = company_named(rows)
    started = time.perf_counter()
    baseline = Baseline([folder / "filings" / name for name in arguments.filings], arguments.model)
    print(f"{len(baseline.chunks)} chunks in {time.perf_counter() - started:.0f} s\n")
    print(heading("class", "way", "looked in", "n"))
    for name, some in (("narrative", rows), ("narrative, company named", named)):
        _print(name, "the usual recipe", f"{len(arguments.filings)} filings", judged(baseline, some))
    if arguments.home is None:
        return
    paths, settings = Paths(arguments.home), Settings()
    with Library.open(paths, read_only=True) as library:
        finder = open_finder(library, paths, settings)
        finder.warm_up()
        held = library.filings()
        print(f"\n{about(held)}\n\n{heading('class', 'way', 'looked in', 'n')}")
        same = Scope(filings=tuple(filing.id for filing in held if filing.file in arguments.filings))
        for name, some in (("narrative", rows), ("narrative, company named", named)):
            _print(name, "fin-tui", f"{len(same.filings)} filings", searched(finder, some, held, lambda _: same))
        for reading, lenient in (("or its twin", True), ("the very filing", False)):
            rankings = searched(finder, named, held, lambda _: Scope(), lenient=lenient)
            _print("narrative, company named", f"fin-tui, {reading}", f"all {len(held)} filings", rankings)


def _print(name: str, way: str, where: str, rankings: Sequence[Ranking]) -> None:
    print(f"| {name} | {way} | {where} | {len(rankings)} | {' | '.join(cells(rankings))} |", flush=True)


if __name__ == "__main__":
    main()
