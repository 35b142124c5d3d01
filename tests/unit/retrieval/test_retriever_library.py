"""The real library behind the indexes' seam."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fin_tui.config import Settings
from fin_tui.paths import Paths
from fin_tui.records import Scope
from fin_tui.retrieval.backend import Indexed
from fin_tui.retrieval.retriever import Retriever
from fin_tui.retrieval.scope import resolve_scope
from fin_tui.store.library import Library
from tests.unit.retrieval.fakes import WordEncoder
from tests.unit.store.made import make_entry

ENCODER = WordEncoder()


@pytest.fixture
def home(tmp_path: Path) -> Paths:
    return Paths(tmp_path / "home")


@pytest.fixture
def library(home: Paths) -> Iterator[Library]:
    with Library.open(home) as library:
        library.add(make_entry(year=2022))
        library.add(
            make_entry(year=2023, paragraphs=("Example sells zeppelins.", "Zeppelins may leak.", "Sales of zeppelins grew."))
        )
        yield library


def embed(library: Indexed) -> None:
    assert isinstance(library, Library)
    texts = [text for _, text in library.index_texts(0)]
    library.embeddings.put(ENCODER.name, texts, ENCODER.encode_passages(texts))


def test_words_at_once_vectors_when_they_are_there(home: Paths, library: Library) -> None:
    retriever = Retriever(library, home, Settings(), ENCODER)
    first = retriever.search("Where do zeppelins leak?", rerank=False)
    assert first.mode == "sparse"
    assert first.hits[0].chunk.text == "Zeppelins may leak."
    embed(library)
    second = retriever.search("Where do zeppelins leak?", rerank=False)
    assert second.mode == "hybrid"
    assert second.notes == ()
    assert second.hits[0].chunk.text == "Zeppelins may leak."


def test_company_year_and_item_limit_the_search(home: Paths, library: Library) -> None:
    embed(library)
    retriever = Retriever(library, home, Settings(), ENCODER)
    scope = resolve_scope(library.filings(), companies=["example"], years=[2022], items=["risk_factors"])
    hits = retriever.search("zeppelins widgets demand", scope, rerank=False).hits
    assert [(hit.filing.fiscal_year, hit.chunk.item) for hit in hits] == [(2022, "1A")]
    assert retriever.search("anything", Scope(companies=("cik:unknown",)), rerank=False).hits == ()


def test_removed_and_replaced_filings_are_never_found_again(home: Paths, library: Library) -> None:
    embed(library)
    retriever = Retriever(library, home, Settings(), ENCODER)
    assert retriever.indexes.write()
    library.add(make_entry(year=2023, paragraphs=("Example sells submarines.", "Submarines may sink.", "Sales grew.")))
    texts = [hit.chunk.text for hit in retriever.search("zeppelins submarines", k=20, rerank=False).hits]
    assert "Submarines may sink." in texts
    assert not any("eppelin" in text for text in texts)
    library.remove([filing.id for filing in library.filings()])
    assert retriever.search("submarines", rerank=False).hits == ()


def test_two_readers_of_one_home_agree_after_a_write(home: Paths, library: Library) -> None:
    embed(library)
    with Library.open(home, read_only=True) as other:
        reader = Retriever(other, home, Settings(), ENCODER)
        before = reader.search("zeppelins", rerank=False).hits
        assert Retriever(library, home, Settings(), ENCODER).indexes.write()
        assert reader.search("zeppelins", rerank=False).hits == before
