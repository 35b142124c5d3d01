from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fin_tui.config import Search, Settings
from fin_tui.paths import Paths
from fin_tui.records import Scope
from fin_tui.retrieval.question_encoder import Sought
from fin_tui.retrieval.retriever import Retriever, Weights
from tests.unit.retrieval.fakes import MemoryCorpus, WordEncoder, make_filing

ENCODER = WordEncoder()


@pytest.fixture
def corpus() -> MemoryCorpus:
    corpus = MemoryCorpus()
    corpus.add(make_filing(1), ["Our leases end in May.", "The dividend was raised.", "Patents protect the zeppelin."])
    corpus.add(make_filing(2), ["Leases of stores end in June.", "No dividend was paid.", "Patents were sold."], item="7")
    return corpus


def retriever(tmp_path: Path, corpus: MemoryCorpus, encoder: WordEncoder | None = ENCODER, **search: Any) -> Retriever:
    return Retriever(corpus, Paths(tmp_path), Settings(search=Search(**{"fusion": "rrf", **search})), encoder)


def test_hits_carry_the_rank_of_each_index(tmp_path: Path, corpus: MemoryCorpus) -> None:
    corpus.embed(ENCODER)
    result = retriever(tmp_path, corpus).search("Who owns patents on the zeppelin?", k=3, rerank=False)
    assert result.mode == "hybrid"
    assert result.notes == ()
    assert [hit.rank for hit in result.hits] == [1, 2, 3]
    first = result.hits[0]
    assert first.chunk.text == "Patents protect the zeppelin."
    assert (first.ranks.dense, first.ranks.sparse, first.ranks.rerank) == (1, 1, None)
    assert first.score == pytest.approx(2 / 61)
    assert set(result.timings_ms) == {"encode", "search", "rerank", "total"}


@pytest.mark.parametrize("mode", ["dense", "sparse", "hybrid"])
def test_the_scope_limits_every_mode(tmp_path: Path, corpus: MemoryCorpus, mode: Any) -> None:
    corpus.embed(ENCODER)
    made = retriever(tmp_path, corpus)
    result = made.search("patents dividend leases", Scope(filings=("filing-2",)), k=10, mode=mode, rerank=False)
    assert result.mode == mode
    assert {hit.filing.id for hit in result.hits} == {"filing-2"}
    assert len(result.hits) == 3
    assert made.search("patents", Scope(items=("9",)), mode=mode, rerank=False).hits == ()


def test_before_any_vector_it_goes_by_words_and_says_so(tmp_path: Path, corpus: MemoryCorpus) -> None:
    result = retriever(tmp_path, corpus).search("zeppelin", rerank=False)
    assert result.mode == "sparse"
    assert [hit.chunk.text for hit in result.hits] == ["Patents protect the zeppelin."]
    assert "6 of 6 passages have no vector yet" in result.notes[0]


def test_while_vectors_are_made_both_indexes_count(tmp_path: Path, corpus: MemoryCorpus) -> None:
    corpus.embed(ENCODER, [1, 2])
    made = retriever(tmp_path, corpus)
    result = made.search("zeppelin", rerank=False)
    assert result.mode == "hybrid"
    assert "4 of 6" in result.notes[0]
    assert result.hits[0].chunk.text == "Patents protect the zeppelin."
    corpus.embed(ENCODER)
    assert made.search("zeppelin", rerank=False).notes == ()


def test_without_weights_it_goes_by_words_and_says_what_is_missing(tmp_path: Path, corpus: MemoryCorpus) -> None:
    result = retriever(tmp_path, corpus, encoder=None).search("zeppelin")
    assert result.mode == "sparse"
    assert len(result.hits) == 1
    assert len(result.notes) == 1
    assert "Search by words alone: No encoder weights" in result.notes[0]


def test_a_filing_is_found_the_moment_it_is_added_and_not_after_it_is_gone(tmp_path: Path, corpus: MemoryCorpus) -> None:
    corpus.embed(ENCODER)
    made = retriever(tmp_path, corpus)
    assert not made.search("submarines", mode="sparse", rerank=False).hits
    keys = corpus.add(make_filing(3), ["We build submarines."])
    assert made.search("submarines", rerank=False).hits[0].filing.id == "filing-3"
    corpus.remove(keys)
    assert all(hit.filing.id != "filing-3" for hit in made.search("submarines", rerank=False).hits)


def test_weighted_fusion_is_a_setting(tmp_path: Path, corpus: MemoryCorpus) -> None:
    corpus.embed(ENCODER)
    result = retriever(tmp_path, corpus, fusion="weighted", dense_weight=0.7).search("patents zeppelin", rerank=False)
    assert result.hits[0].score == pytest.approx(1.0)


def test_k_of_the_settings_counts_unless_given(tmp_path: Path, corpus: MemoryCorpus) -> None:
    corpus.embed(ENCODER)
    made = retriever(tmp_path, corpus, k=2)
    assert len(made.search("dividend", rerank=False).hits) == 2
    assert len(made.search("dividend", k=4, rerank=False).hits) == 4


def test_an_empty_library_or_query_finds_nothing(tmp_path: Path, corpus: MemoryCorpus) -> None:
    assert retriever(tmp_path, MemoryCorpus()).search("anything", rerank=False).hits == ()
    assert retriever(tmp_path, corpus).search("???", mode="sparse", rerank=False).hits == ()


class FixedReranker:
    def __init__(self, best: str) -> None:
        self.best = best
        self.read: list[str] = []

    def score(self, query: str, passages: list[str], *, seconds: float) -> list[float | None]:
        self.read = list(passages)
        return [9.0 if self.best in passage else 0.0 for passage in passages]


def test_reranking_shifts_the_order_and_shows_its_rank(tmp_path: Path, corpus: MemoryCorpus) -> None:
    corpus.embed(ENCODER)
    made = retriever(tmp_path, corpus)
    plain = [hit.chunk.text for hit in made.search("patents of the zeppelin", k=4, rerank=False).hits]
    made._weights.made_reranker = FixedReranker(plain[1])  # type: ignore[assignment]
    hits = made.search("patents of the zeppelin", k=4, rerank=True).hits
    moved = next(hit for hit in hits if hit.chunk.text == plain[1])
    assert moved.ranks.rerank == 1
    assert moved.rank <= 2


def test_the_similarity_of_some_passages_alone_is_not_told(tmp_path: Path, corpus: MemoryCorpus) -> None:
    corpus.embed(ENCODER, [1, 2])
    made = retriever(tmp_path, corpus)
    assert made.search("zeppelin", rerank=False).similarity is None
    corpus.embed(ENCODER)
    assert made.search("Patents protect the zeppelin.", rerank=False).similarity == pytest.approx(1.0, abs=1e-3)


def test_importing_the_retriever_loads_no_engine() -> None:
    heavy = "{'numpy', 'bm25s', 'hnswlib', 'onnxruntime', 'tokenizers', 'sentence_transformers', 'torch', 'Stemmer'}"
    code = f"import sys; import fin_tui.retrieval.retriever; print(sorted({heavy} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_nothing_is_near_a_conversation_where_vectors_are_of_another_encoder(tmp_path: Path, corpus: MemoryCorpus) -> None:
    corpus.embed(ENCODER)
    assert retriever(tmp_path, corpus).near(["leases?", "until when?"], Scope(), "reader-1", 3) is None


def test_passages_near_a_conversation_are_those_of_the_scope(
    tmp_path: Path, corpus: MemoryCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Questions:
        rows = "reader-1"

        def encode(self, turns: Sequence[str]) -> Sought:
            return Sought(ENCODER.encode_query(turns[-1]), np.ones(4, np.float32))

    corpus.embed(ENCODER)
    made = retriever(tmp_path, corpus)
    monkeypatch.setattr(Weights, "questions", lambda *_: Questions())
    near = made.near(["leases?", "No dividend was paid."], Scope(filings=("filing-2",)), "reader-1", 2)
    assert near is not None
    assert near.passages[0][0].text == "No dividend was paid."
    assert len(near.passages) == 2
    assert near.passages[0][1] > near.passages[1][1]
    assert near.rows.tolist() == [1.0] * 4
    assert made.near(["leases?"], Scope(), "reader-2", 2) is None
    by_words = retriever(tmp_path, corpus, mode="sparse")
    assert by_words.near(["leases?"], Scope(), "reader-1", 2) is None
