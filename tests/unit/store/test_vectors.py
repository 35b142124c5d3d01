from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from fin_tui.errors import NotFound
from fin_tui.records import Scope
from fin_tui.store.library import Library
from fin_tui.store.vectors import unit_rows
from tests.unit.store.made import make_entry


def _embed(library: Library, encoder: str, count: int | None = None) -> list[int]:
    keys = library.embeddings.missing(encoder)[:count]
    texts = [text for _, text in library.chunks.index_texts(keys)]
    random = np.random.default_rng(len(texts))
    rows = random.normal(size=(len(texts), 8)).astype(np.float32)
    library.embeddings.put(encoder, texts, rows / np.linalg.norm(rows, axis=1, keepdims=True))
    return [int(key) for key in keys]


def test_vectors_come_back_in_the_order_asked(library: Library) -> None:
    library.add(make_entry())
    keys = sorted(_embed(library, "a"))
    assert library.vector_keys("a").tolist() == keys
    forwards, backwards = library.vectors("a", keys), library.vectors("a", keys[::-1])
    assert forwards.dtype == np.float32
    assert np.array_equal(forwards, backwards[::-1])
    assert np.allclose(np.linalg.norm(forwards, axis=1), 1, atol=1e-6)
    assert not np.allclose(forwards[0], forwards[1])


def test_a_chunk_without_a_vector_is_named(library: Library) -> None:
    library.add(make_entry())
    done = _embed(library, "a", 2)
    key = next(key for key in library.chunk_keys(Scope()).tolist() if key not in done)
    with pytest.raises(NotFound, match=f"Chunk {key} has no vector of a"):
        library.vectors("a", [done[0], key])


def test_encoders_do_not_share_vectors(library: Library) -> None:
    library.add(make_entry())
    _embed(library, "a")
    assert len(library.vector_keys("b")) == 0
    assert len(library.embeddings.missing("b")) == 4
    assert library.embeddings.progress("a") == (4, 4)
    assert library.embeddings.progress("b") == (0, 4)


def test_the_most_recent_filing_comes_first(library: Library) -> None:
    for year in (2021, 2023, 2022):
        library.add(make_entry(year=year))
    library.add(make_entry(year=2024, period_end=None))
    order = [filing.fiscal_year for _, filing in library.chunks_by_keys(library.embeddings.missing("a").tolist())]
    assert list(dict.fromkeys(order)) == [2023, 2022, 2021, 2024]


def test_an_unchanged_passage_is_never_embedded_twice(library: Library) -> None:
    first = make_entry()
    library.add(first)
    _embed(library, "a")
    changed = make_entry(paragraphs=("Example now makes gadgets.", "Demand for widgets may fall.", "Net sales grew."))
    library.add(changed)
    assert len(library.embeddings.missing("a")) == 3, "the table is as it was"
    (filing,) = library.filings()
    library.remove([filing.id])
    library.add(first)
    assert len(library.embeddings.missing("a")) == 0


def test_a_filing_says_how_many_of_its_chunks_are_embedded(library: Library) -> None:
    library.add(make_entry())
    before = library.vector_generation()
    _embed(library, "a", 3)
    assert library.vector_generation() > before
    assert library.filings()[0].embedded == 3
    library.embeddings.use("b")
    assert library.filings()[0].embedded == 0


def test_pruning_forgets_only_what_no_filing_has(library: Library) -> None:
    gone, kept = library.add(make_entry(year=2022)).filing, library.add(make_entry(year=2023)).filing
    _embed(library, "a")
    library.remove([gone.id])
    assert library.embeddings.prune() == 4
    assert library.filing(kept.id).embedded == 4


def _vectors(count: int) -> NDArray[np.float32]:
    made = np.random.default_rng(1).normal(size=(count, 16)).astype(np.float32)
    return unit_rows(made)


def test_rows_come_back_nearly_the_same(library: Library) -> None:
    filing = library.add(make_entry()).filing
    made = _vectors(5)
    library.figure_rows.put(filing.id, "a", ["one", "two", "three", "four", "five"], made)
    found = library.figure_rows.get(filing.id, "a")
    assert found is not None
    assert found[0] == ("one", "two", "three", "four", "five")
    cosines = (found[1] * made).sum(axis=1) / np.linalg.norm(found[1], axis=1)
    assert np.all(cosines > 0.999)


def test_what_is_missing_is_named(library: Library) -> None:
    filing = library.add(make_entry()).filing
    assert library.figure_rows.missing("a") == (filing.id,)
    library.figure_rows.put(filing.id, "a", ["one"], _vectors(1))
    assert library.figure_rows.missing("a") == ()
    assert library.figure_rows.missing("b") == (filing.id,)
    assert library.figure_rows.get(filing.id, "b") is None


def test_a_filing_without_rows_is_done(library: Library) -> None:
    filing = library.add(make_entry()).filing
    library.figure_rows.put(filing.id, "a", [], np.empty((0, 0), np.float32))
    found = library.figure_rows.get(filing.id, "a")
    assert found is not None
    assert found[0] == ()
    assert library.figure_rows.missing("a") == ()


def test_rewriting_a_filing_forgets_its_rows(library: Library) -> None:
    entry = make_entry()
    filing = library.add(entry).filing
    library.figure_rows.put(filing.id, "a", ["one"], _vectors(1))
    library.rewrite(entry)
    assert library.figure_rows.missing("a") == (filing.id,)
