"""The recipe that most programs of this kind start from, on the same questions: what the ranking here is measured against.

    pip install -e '.[baseline]'
    FIN_TUI_CORPUS=DIR python -m benchmarks.baseline [--model DIR] [--filings NAME...]

Text by BeautifulSoup, chunks of 1,000 characters with 200 of overlap, cut recursively, all-MiniLM-L6-v2 and rank_bm25; scores
are brought to 0..1 and added with weights .6 and .4. No scope: all filings named are searched together.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fin_tui.evaluation.scores import is_gold
from fin_tui.evaluation.sets import Row, load

DEPTHS = (1, 3, 5, 10)
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
        self.chunks: list[str] = []
        for file in files:
            soup = BeautifulSoup(file.read_bytes(), "html.parser")
            self.chunks += splitter.split_text(soup.get_text(" ", strip=True))
        self._encoder: Any = SentenceTransformer(model)
        self._vectors = self._encode(self.chunks)
        self._words: Any = BM25Okapi([chunk.lower().split() for chunk in self.chunks])

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors: NDArray[np.float32] = self._encoder.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
        return vectors

    def search(self, question: str, k: int) -> list[str]:
        """The best ``k`` chunks."""
        dense = _spread(self._vectors @ self._encode([question])[0])
        sparse = _spread(np.asarray(self._words.get_scores(question.lower().split())))
        scores = DENSE * dense + (1 - DENSE) * sparse
        return [self.chunks[place] for place in np.argsort(-scores)[:k].tolist()]


def _spread(scores: NDArray[Any]) -> NDArray[Any]:
    low, high = scores.min(), scores.max()
    spread: NDArray[Any] = (scores - low) / (high - low) if high > low else np.zeros_like(scores)
    return spread


def rank_of(chunks: Sequence[str], row: Row) -> int | None:
    """Rank of the first gold passage."""
    return next((r for r, text in enumerate(chunks, 1) if any(is_gold(text, gold.text) for gold in row.evidence)), None)


def main() -> None:
    """See the head of this file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="models/all-MiniLM-L6-v2")
    parser.add_argument("--filings", nargs="+", default=list(_FILINGS))
    arguments = parser.parse_args()
    corpus = os.environ.get("FIN_TUI_CORPUS")
    if not corpus:
        raise SystemExit("FIN_TUI_CORPUS names no folder of filings and questions.")
    started = time.perf_counter()
    baseline = Baseline([Path(corpus) / "filings" / name for name in arguments.filings], arguments.model)
    print(f"{len(baseline.chunks)} chunks in {time.perf_counter() - started:.0f} s")
    rows = load(Path(corpus) / "qa" / "narrative.jsonl")
    print("| class | n | R@1 | R@3 | R@5 | R@10 | MRR |")
    print("|---|---|---|---|---|---|---|")
    for name, some in (("narrative", rows), ("narrative, company named", [row for row in rows if not row.line.scope])):
        ranks = [rank_of(baseline.search(row.line.question, max(DEPTHS)), row) for row in some]
        recalls = [f"{sum(rank is not None and rank <= depth for rank in ranks) / len(ranks):.3f}" for depth in DEPTHS]
        print(f"| {name} | {len(some)} | {' | '.join(recalls)} | {statistics.fmean(1 / r if r else 0.0 for r in ranks):.3f} |")


if __name__ == "__main__":
    main()
