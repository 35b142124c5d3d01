"""The cross-encoder: it reads a question together with what may answer it.

That is a row of a table, a marked number of a sentence, a paragraph, or a calculation in the words of its rows; it was trained on
each. Its weights stand in the package (``cross_encoder_weights/``, with a card that says how they were made). Of passages it
reads the first few hits, under a deadline; raw tables it ranks badly, and its order never replaces the fused one, it only shifts
it.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fin_tui.records import Chunk, Filing
from fin_tui.retrieval.onnx import OnnxModel
from fin_tui.retrieval.tokens import tokenize, tokenize_query

MOST_PAIRS = 10
"""With more, questions over tables begin to lose."""
WORDS = 60
"""Of a longer passage only the stretch with the most words of the question is read: it ranks better
than the whole passage, in half the time."""
BATCH = 8
"""Passages that are read between two looks at the clock."""
WEIGHT = 0.5
"""Share of the cross-encoder's rank in the blend."""
DAMPING = 5
"""Rank damping of the blend: small values let a first place of either ranking win."""
SURE = 2.5
"""Logit from which a passage surely answers: the surest then leads, also before a table, which is never read."""
FEWEST = 4
"""When fewer passages were read in time, the order of those says too little: the ranking stays as it was."""
_FORGET = 0.9


class Reranker:
    """Scores passages for a question, under a deadline. One call at a time; others wait."""

    def __init__(self, reader: CrossEncoder) -> None:
        self._reader = reader
        self._lock = Lock()
        self._cost = 0.0

    def score(self, query: str, passages: Sequence[str], *, seconds: float = math.inf, batch: int = BATCH) -> list[float | None]:
        """Relevance of each passage in order; None for those unread: no batch is started that wouldn't end in ``seconds``."""
        started = time.perf_counter()
        scores: list[float | None] = [None] * len(passages)
        with self._lock:
            # What a batch cost last tells whether one fits; forgotten slowly, so that a slow moment doesn't end reranking.
            self._cost *= _FORGET
            for first in range(0, len(passages), batch):
                before = time.perf_counter()
                if before - started + self._cost > seconds:
                    break
                texts = [focus(query, passage) for passage in passages[first : first + batch]]
                scores[first : first + batch] = self._reader.read(query, texts)
                self._cost = time.perf_counter() - before
        return scores


def load_reranker(reader: CrossEncoder | None = None) -> Reranker:
    """A reranker by ``reader``, or by a cross-encoder of its own. Raises ``MissingAsset`` when the weights can't be read."""
    reader = reader or CrossEncoder()
    reader.load()
    return Reranker(reader)


def passage_of(chunk: Chunk) -> str:
    """What the cross-encoder reads: the heading, which often names the subject, and the text."""
    return f"{chunk.heading}: {chunk.text}" if chunk.heading else chunk.text


def score_prose(
    reranker: Reranker, query: str, chunks: Sequence[Chunk], *, seconds: float, most: int = MOST_PAIRS
) -> list[float | None]:
    """A logit for each of ``chunks``; None for tables, what is beyond the first ``most``, and what was left unread."""
    scores: list[float | None] = [None] * len(chunks)
    prose = [place for place, chunk in enumerate(chunks) if chunk.kind == "prose"][:most]
    read = reranker.score(query, [passage_of(chunks[place]) for place in prose], seconds=seconds)
    for place, score in zip(prose, read, strict=True):
        scores[place] = score
    return scores


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
    scores: Sequence[float | None], *, weight: float = WEIGHT, damping: float = DAMPING, fewest: int = FEWEST
) -> tuple[list[int], list[int | None]]:
    """New order (positions in the fused ranking) and the rank that the cross-encoder gave each position.

    Passages that were read change places among themselves: the best takes the first place that one of them held. Those that were
    not (tables, or out of time) keep theirs, but a ``SURE`` passage goes before a table at the top. Nothing changes when
    fewer than ``fewest`` of them were read.
    """
    places = [place for place, score in enumerate(scores) if score is not None]
    read = sorted(places, key=lambda place: -(scores[place] or 0.0))
    ranks: list[int | None] = [None] * len(scores)
    for rank, place in enumerate(read, start=1):
        ranks[place] = rank
    if len(places) < fewest:
        return list(range(len(scores))), ranks
    meant = dict(zip(read, places, strict=True))
    value = {place: (1 - weight) / (damping + place + 1) + weight / (damping + meant[place] + 1) for place in places}
    order = list(range(len(scores)))
    for place, moved in zip(places, sorted(places, key=lambda place: (-value[place], place)), strict=True):
        order[place] = moved
    surest = read[0]
    if scores[order[0]] is None and (scores[surest] or 0.0) >= SURE:
        order.remove(surest)
        order.insert(0, surest)
    return order, ranks


Entry = tuple[int, Chunk, Filing]
"""A chunk key with what it stands for."""


def judge(reranker: Reranker, query: str, found: Sequence[Entry], seconds: float) -> list[tuple[Entry, int | None]]:
    """``found`` in the order of the cross-encoder, each with the rank that it got; None where it was not read
    within ``seconds``.
    """
    order, ranks = blend(score_prose(reranker, query, [chunk for _, chunk, _ in found], seconds=seconds))
    return [(found[at], ranks[at]) for at in order]


TOKENS = 160
"""Of a question and what is read with it together."""
_KEPT = 4_096
"""Scores that are remembered: the figures of one question are looked for in several filings, and by several readings."""


class CrossEncoder:
    """Loads its weights on first use; safe for several threads. Each text is read by itself: what else is read with it would move
    its score, as the range of a whole batch decides how its numbers are rounded.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._lock = Lock()
        self._model: OnnxModel | None = None
        self._known: OrderedDict[tuple[str, str], float] = OrderedDict()

    def load(self) -> OnnxModel:
        """Raises ``MissingAsset`` when the weights can't be read."""
        with self._lock:
            if self._model is None:
                with as_file(files("fin_tui.retrieval").joinpath("cross_encoder_weights")) as folder:
                    self._model = OnnxModel(self._folder or folder, longest=TOKENS)
            return self._model

    def states(self, question: str, text: str, longest: int) -> tuple[Any, NDArray[np.float32]]:
        """The encoding of both, of at most ``longest`` tokens, and their states behind the lower layers."""
        return self.load().states((question, text), longest)

    def read(self, question: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers ``question``: a logit."""
        with self._lock:
            scores = {text: self._known[question, text] for text in texts if (question, text) in self._known}
        left = [text for text in dict.fromkeys(texts) if text not in scores]
        if left:
            model = self.load()
            encoded = model.tokenize([(question, text) for text in left])
            order = sorted(range(len(left)), key=lambda place: -len(encoded[place].ids))
            for place, logits in zip(order, model.run_all([[encoded[place]] for place in order]), strict=True):
                scores[left[place]] = float(logits[0, 0])
            with self._lock:
                self._known.update({(question, text): scores[text] for text in left})
                while len(self._known) > _KEPT:
                    self._known.popitem(last=False)
        return [scores[text] for text in texts]
