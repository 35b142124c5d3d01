from __future__ import annotations

from fin_tui.retrieval import sparse
from fin_tui.retrieval.synonyms import WEIGHT, expand
from fin_tui.retrieval.tokens import tokenize, tokenize_query


def test_colloquial_words_bring_the_words_that_filings_print() -> None:
    query = "How large was the headcount?"
    weights = expand(query, tokenize_query(query))
    assert weights[tokenize("headcount")[0]] == 1.0
    assert weights[tokenize("employees")[0]] == WEIGHT
    assert expand("How many employees are there?", ["employe"]) == {"employe": 1.0}


def test_a_synonym_counts_less_than_the_word_itself() -> None:
    segment = sparse.build([(1, "Our employees are our strength."), (2, "Headcount rose."), (3, "Widgets."), (4, "Gadgets.")])
    masks = [segment.keys > 0]
    keys, scores = sparse.search([segment], expand("headcount", tokenize("headcount")), masks, 5)
    assert keys.tolist() == [2, 1]
    assert scores[0] > scores[1] > 0
