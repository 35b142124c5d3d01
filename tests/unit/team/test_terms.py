"""The inner product of a passage's words and a question's is the score of the sparse index."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fin_tui.retrieval import sparse
from fin_tui.retrieval.tokens import tokenize_query
from fin_tui.team.schema import NO_TERM, term_id
from fin_tui.team.terms import items_of, question_vector, unpacked, weigh
from tests.unit.team.made import make_entry

QUESTIONS = ("supply chain lawsuit", "revenue growth of the cloud", "Acme zeppelin", "nothing of that")


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("items", [(), ("1A",), ("7",), ("1A", "7")])
def test_scores_are_those_of_the_sparse_index_within_the_same_scope(question: str, items: tuple[str, ...]) -> None:
    entry = make_entry(chunks=9)
    of_chunks = [items_of(chunk, entry.sections) for chunk in entry.chunks]
    vectors, counts = weigh(entry.chunks, of_chunks)
    allowed = np.array([not items or not set(items).isdisjoint(own) for own in of_chunks])
    segment = sparse.build((place, chunk.index_text) for place, chunk in enumerate(entry.chunks))
    tokens = dict.fromkeys(tokenize_query(question), 1.0)
    keys, scores = sparse.search([segment], tokens, [allowed], len(entry.chunks))
    terms = np.array([term_id(token) for token in tokens], np.uint32)
    query = question_vector(tokens, counts.holding(terms, items).tolist(), counts.total(items))
    products = {
        place: sum(weight * vectors[place].get(term, 0.0) for term, weight in query.items()) for place in np.flatnonzero(allowed)
    }
    found = {place: score for place, score in products.items() if score > 0}
    assert found == pytest.approx(dict(zip(keys.tolist(), scores.tolist(), strict=True)), rel=1e-5)


def test_counts_come_back_as_they_were() -> None:
    entry = make_entry()
    _, counts = weigh(entry.chunks, [items_of(chunk, entry.sections) for chunk in entry.chunks])
    again = unpacked(counts.packed())
    assert again.groups == counts.groups
    for name in ("sizes", "terms", "group", "passages"):
        assert np.array_equal(getattr(again, name), getattr(counts, name)), name
    terms, passages = counts.words()
    assert np.array_equal(passages, counts.holding(terms))


def test_a_passage_stands_in_the_items_it_is_labelled_with_and_begins_in() -> None:
    entry = make_entry()
    assert items_of(entry.chunks[0], entry.sections) == ("1A",)
    assert items_of(entry.chunks[-1], entry.sections) == ("7",)
    assert items_of(entry.chunks[-1], ()) == (entry.chunks[-1].item,)


def test_a_passage_without_words_has_a_dimension_that_nothing_asks_for() -> None:
    entry = make_entry(chunks=2)
    vectors, counts = weigh([replace(entry.chunks[0], index_text="—")], [("7",)])
    assert vectors == [{NO_TERM: 1.0}]
    assert counts.total() == 1
