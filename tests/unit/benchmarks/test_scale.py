"""The made corpus is what its words say, and a size that takes too long is reported as such."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import scale
from benchmarks.scale_corpus import CLOSENESS, WORDS, Keyed, make_texts, make_vectors
from fin_tui.retrieval import sparse
from fin_tui.retrieval.indexes import Vectors, save
from fin_tui.retrieval.retriever import expand
from fin_tui.retrieval.tokens import tokenize_query

ASKED = ["revenue recognition", "pending lawsuits"]


def test_vectors_lie_around_their_centres() -> None:
    centres = np.eye(384, dtype=np.float32)[:5]
    made = make_vectors(centres, 5000)
    assert np.allclose(np.linalg.norm(made, axis=1), 1, atol=1e-5)
    nearest = (made @ centres.T).max(axis=1)
    assert abs(float(nearest.mean()) - CLOSENESS) < 0.01


def test_texts_use_words_by_their_shares() -> None:
    texts = list(make_texts(["often", "seldom"], np.array([0.8, 0.2]), 5000))
    assert [key for key, _ in texts] == list(range(1, 5001))
    counts = Counter(word for _, text in texts for word in text.split())
    assert abs(counts["often"] / counts.total() - 0.8) < 0.01
    assert abs(counts.total() / len(texts) - WORDS) < 2


def test_an_index_is_loaded_and_searched(tmp_path: Path) -> None:
    count = 60
    corpus = Keyed(count, "made")
    centres = np.eye(384, dtype=np.float32)[: len(ASKED)]
    words = [*(word for text in ASKED for word in expand(text, tokenize_query(text))), "filler"]
    segment = sparse.build(make_texts(words, np.full(len(words), 1 / len(words)), count))
    keys = corpus.chunk_keys(scale._everything())
    save(tmp_path / "index", corpus, 1, segment, Vectors(keys, make_vectors(centres, count)), "made")
    told: dict[str, Any] = {}
    scale.measure(told.update, tmp_path, count, ASKED, centres)
    assert told["recall_10"] == 1.0
    assert set(told["ms"]) == {
        f"{way}, {scope}" for way in ("dense", "sparse", "hybrid") for scope in ("all", "one company", "one filing")
    }
    assert any("p95" in line for line in scale.lines({"chunks": count, "whole": True, **told}))


def sleepy(tell: Callable[[dict[str, Any]], None]) -> None:
    tell({"words_s": 1.0})
    time.sleep(60)


def whole(tell: Callable[[dict[str, Any]], None]) -> None:
    tell({"words_s": 2.0})


def broken(tell: Callable[[dict[str, Any]], None]) -> None:
    raise LookupError("no text")


def test_what_takes_too_long_is_ended_and_said() -> None:
    row: dict[str, Any] = {"chunks": 7}
    began = time.monotonic()
    row["whole"] = scale._apart(row, began + 6, sleepy)
    assert time.monotonic() - began < 30
    assert row == {"chunks": 7, "whole": False, "words_s": 1.0}
    assert "not whole within the time" in scale.lines(row)[0]


def test_work_that_ends_or_fails_is_told_apart() -> None:
    row: dict[str, Any] = {}
    assert scale._apart(row, time.monotonic() + 60, whole)
    assert row == {"words_s": 2.0}
    assert not scale._apart(row, time.monotonic() + 60, broken)
