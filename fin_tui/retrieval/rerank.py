"""A cross-encoder over the first few hits, under a deadline, blended with the fused ranking.

It reads question and passage together and so sees what neither index can, but it was trained on web passages: raw tables it
ranks badly, and its order never replaces the fused one, it only shifts it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from fin_tui.paths import Paths
from fin_tui.records import Chunk
from fin_tui.retrieval.onnx import OnnxModel
from fin_tui.retrieval.tokens import tokenize, tokenize_query

MODEL = "ms-marco-minilm-l12"
MOST_PAIRS = 12
"""Below the first dozen it finds little, and each pair costs 10 to 30 ms on a laptop."""
LONGEST = 256
"""Tokens of a question and a passage together."""
WORDS = 110
"""Of a longer passage only the stretch with the most words of the question is read."""
BATCH = 2
WEIGHT = 0.5
"""Share of the cross-encoder's rank in the blend."""
DAMPING = 5
"""Rank damping of the blend: small values let a first place of either ranking win."""
_FORGET = 0.9


class Reranker:
    """Scores passages for a question. One call at a time; others wait."""

    def __init__(self, folder: Path) -> None:
        """Raises ``MissingAsset`` when the weights aren't in ``folder``."""
        self._model = OnnxModel(folder, longest=LONGEST)
        self._lock = Lock()
        self._cost = 0.0

    def score(self, query: str, passages: Sequence[str], *, seconds: float) -> list[float | None]:
        """Relevance of each passage in order; None for those left unread: no batch is started that wouldn't end in time."""
        started = time.perf_counter()
        scores: list[float | None] = [None] * len(passages)
        with self._lock:
            # What a batch cost last tells whether one fits; forgotten slowly, so that a slow moment doesn't end reranking.
            self._cost *= _FORGET
            for first in range(0, len(passages), BATCH):
                before = time.perf_counter()
                if before - started + self._cost > seconds:
                    break
                texts = [(query, focus(query, passage)) for passage in passages[first : first + BATCH]]
                logits = self._model.run(self._model.tokenize(texts))
                for place, value in enumerate(logits[:, 0].tolist()):
                    scores[first + place] = float(value)
                self._cost = time.perf_counter() - before
        return scores


def load_reranker(paths: Paths) -> Reranker:
    """The default reranker. Raises ``MissingAsset`` when its weights aren't there."""
    return Reranker(paths.models / MODEL)


def passage_of(chunk: Chunk) -> str:
    """What the cross-encoder reads: the heading, which often names the subject, and the text."""
    return f"{chunk.heading}: {chunk.text}" if chunk.heading else chunk.text


def focus(query: str, passage: str, words: int = WORDS) -> str:
    """The stretch of at most ``words`` words of ``passage`` that holds the most different words of ``query``, the first such."""
    parts = passage.split()
    if len(parts) <= words:
        return passage
    wanted = set(tokenize_query(query))
    hits = [wanted.intersection(tokenize(part)) for part in parts]
    step = max(1, words // 6)
    starts = [*range(0, len(parts) - words, step), len(parts) - words]
    best = max(starts, key=lambda start: (len(set().union(*hits[start : start + words])), -start))
    return " ".join(parts[best : best + words])


def blend(
    scores: Sequence[float | None], *, weight: float = WEIGHT, damping: float = DAMPING
) -> tuple[list[int], list[int | None]]:
    """New order (positions in the fused ranking) and the rank that the cross-encoder gave each position.

    Unread passages keep their place relative to each other: they take the rank they had.
    """
    read = sorted((place for place, score in enumerate(scores) if score is not None), key=lambda p: -(scores[p] or 0.0))
    ranks: list[int | None] = [None] * len(scores)
    for rank, place in enumerate(read, start=1):
        ranks[place] = rank
    value = {
        place: (1 - weight) / (damping + place + 1) + weight / (damping + (ranks[place] or place + 1))
        for place in range(len(scores))
    }
    return sorted(value, key=lambda place: (-value[place], place)), ranks
