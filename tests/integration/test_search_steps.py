"""The selectable steps of a search with the real encoder, the real cross-encoder and the real language model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fin_tui import config
from fin_tui.config import Search, Settings
from fin_tui.engine.models.client import LlamaClient
from fin_tui.engine.searching import Hyde
from fin_tui.paths import Paths
from fin_tui.retrieval.encoder import Encoder, load_encoder
from fin_tui.retrieval.retriever import Retriever
from tests.integration.test_model_process import SHIPPED
from tests.unit.retrieval.fakes import MemoryCorpus, make_filing

YEARS = range(2019, 2024)
COPIES = [
    f"Our outsourcing partners in Asia assemble nearly all of our hardware products, as they did in fiscal {year}."
    for year in YEARS
]
TEXTS = [
    *COPIES,
    "A disruption of final assembly by partners outside the United States could delay the shipment of our products for months.",
    "The Board of Directors declared a quarterly dividend payable to shareholders of record.",
    "The weather around us was mild. Final assembly of our hardware is done by outsourcing partners. Bees are kept.",
    "Employees may join a choir, a chess club or a gardening circle.",
    "The lease of the canteen ends in May and can be renewed twice.",
]
QUESTION = "Who assembles the hardware products?"


@pytest.fixture(scope="module")
def home(models_dir: Path) -> Paths:
    for needed in ("bge-small-en",):
        if not (models_dir / needed).is_dir():
            pytest.skip(reason=f"no {needed} in {models_dir}: run fin-tui setup")
    return Paths(models_dir.parent)


@pytest.fixture(scope="module")
def encoder(home: Paths) -> Encoder:
    return load_encoder(config.Encoder(), home)


@pytest.fixture(scope="module")
def corpus(encoder: Encoder) -> MemoryCorpus:
    corpus = MemoryCorpus()
    corpus.add(make_filing(1), TEXTS)
    corpus.embed(encoder)  # type: ignore[arg-type]
    return corpus


@pytest.fixture(scope="module")
def client(home: Paths) -> Iterator[LlamaClient]:
    client = LlamaClient(home.models / SHIPPED, config.Model(), home, name="smollm2-135m-instruct")
    yield client
    client.close()


def found(made: Retriever, question: str = QUESTION, k: int = 10) -> list[str]:
    return [hit.chunk.text for hit in made.search(question, k=k, rerank=False).hits]


def retriever(corpus: MemoryCorpus, home: Paths, encoder: Encoder, imagine: Hyde | None = None, **options: object) -> Retriever:
    settings = Settings(search=Search(**{"rerank_deadline_ms": 60_000, **options}))  # type: ignore[arg-type]
    return Retriever(corpus, home, settings, encoder, imagine=imagine)


def test_diversity_lets_other_passages_among_near_copies(corpus: MemoryCorpus, home: Paths, encoder: Encoder) -> None:
    plain = found(retriever(corpus, home, encoder), k=4)
    spread = found(retriever(corpus, home, encoder, diversify=True, diversify_balance=0.4), k=4)
    assert spread[0] == plain[0]
    assert sum(text in COPIES for text in spread) < sum(text in COPIES for text in plain)


def test_corrective_filtering_keeps_what_answers_and_drops_the_rest(corpus: MemoryCorpus, home: Paths, encoder: Encoder) -> None:
    left = found(retriever(corpus, home, encoder, corrective=True))
    assert any(text in COPIES for text in left)
    assert not any("choir" in text or "canteen" in text for text in left)
    assert 2 <= len(left) < len(TEXTS)
    nothing_fits = found(retriever(corpus, home, encoder, corrective=True), "How tall is the highest mountain of Nepal?")
    assert len(nothing_fits) == 2


def test_the_model_imagines_an_answer_that_is_searched_for(
    corpus: MemoryCorpus, home: Paths, encoder: Encoder, client: LlamaClient
) -> None:
    hyde = Hyde(client, seconds=60)
    passage = hyde(QUESTION)
    assert len(passage.split()) >= 5
    result = retriever(corpus, home, encoder, hyde, hyde=True).search(QUESTION, k=10, rerank=False)
    plain = retriever(corpus, home, encoder).search(QUESTION, k=10, rerank=False)
    assert result.notes == ()
    assert result.similarity != plain.similarity
    assert result.hits[0].chunk.text in TEXTS[:8]


def test_a_model_that_is_too_slow_leaves_the_plain_search(
    corpus: MemoryCorpus, home: Paths, encoder: Encoder, client: LlamaClient
) -> None:
    result = retriever(corpus, home, encoder, Hyde(client, seconds=0.001), hyde=True).search(QUESTION, k=10, rerank=False)
    plain = retriever(corpus, home, encoder).search(QUESTION, k=10, rerank=False)
    assert [hit.chunk.id for hit in result.hits] == [hit.chunk.id for hit in plain.hits]
    assert "Searched by the question alone" in result.notes[0]
