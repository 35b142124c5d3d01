from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fin_tui.retrieval import sparse
from fin_tui.retrieval.retriever import WEIGHT, expand
from fin_tui.retrieval.tokens import LONGEST, tokenize, tokenize_query


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("Our R&D expense rose", "R&D"),
        ("research and development expense", "R&D"),
        ("Selling, general and administrative", "SG&A"),
        ("AT&T Inc.", "AT&T"),
        ("filed on Form 10-K405 for 1997", "10-K405"),
        ("the annual report on Form 10-K/A", "10-K"),
        ("our 10K", "10-K"),
        ("Item 7A. Quantitative and Qualitative Disclosures", "item 7A"),
        ("ITEM 7A.", "Item 7a"),
        ("a decrease of (2.4)%", "-2.4%"),
        ("a decrease of (2.4%)", "2.4%"),
        ("fell \u22122.4 % in the year", "(2.4)%"),
        ("Total net sales $391,035", "391035"),
        ("391035", "$391,035"),
        ("FY2024", "fiscal 2024"),
        ("fiscal year 2024", "FY24"),
        ("FISCAL 2024", "FY 2024"),
        ("in fiscal year 2024", "2024"),
        ("U.S. dollar", "US dollar"),
        ("the United States", "U.S."),
        ("A.I. accelerators", "AI"),
        ("artificial intelligence", "A.I."),
        ("long-term debt", "long term"),
        ("long\u2011term debt", "longterm"),
        ("the Company\u2019s stores", "company"),
        ("$.05 per share", "0.05"),
        ("shares of V and F", "V"),
        ("manufacturing partners", "manufacture"),
        ("COVID-19", "covid"),
    ],
)
def test_what_is_asked_finds_what_is_written(written: str, asked: str) -> None:
    assert tokenize(asked)
    assert set(tokenize(asked)) <= set(tokenize(written))


def test_an_amount_is_one_token_however_it_is_written() -> None:
    assert tokenize("$391,035") == tokenize("391035") == ["391035"]


def test_a_date_is_not_one_number() -> None:
    assert tokenize("January 29, 2023") == ["januari", "29", "2023"]


def test_an_item_is_not_the_number_alone() -> None:
    assert "item_7a" in tokenize("see Item 7A")
    assert "item_7a" not in tokenize("7A is a label, and an item")


def test_negation_is_kept() -> None:
    assert {"not", "no"} <= set(tokenize("It is not material and no loss was recorded"))


def test_a_question_loses_only_what_makes_it_a_question() -> None:
    assert tokenize_query("What does Apple say about its dependence on outsourcing partners?") == [
        "appl",
        "depend",
        "outsourc",
        "partner",
    ]
    assert tokenize_query("How much was revenue?") == ["revenu"]


def test_a_question_of_filler_keeps_its_words() -> None:
    assert tokenize_query("what about you?") == ["what", "about", "you"]


@given(st.text(max_size=400))
def test_any_text_gives_few_short_tokens(text: str) -> None:
    tokens = tokenize(text)
    assert all(0 < len(token) <= LONGEST for token in tokens)
    assert all(not any(c.isspace() for c in token) for token in tokens)
    # Normalisation may spell one character with several (a ligature, a fraction), each piece at most three ways.
    assert len(tokens) <= 3 * 20 * len(text)


_WORDS = st.lists(
    st.sampled_from(
        "R&D net sales $391,035 (2.4)% Item 7A FY2024 U.S. long-term not the Company's 10-K405 AT&T A.I. cash 5%".split()
    ),
    min_size=1,
    max_size=30,
)


@given(_WORDS, _WORDS)
def test_a_quoted_passage_is_found_by_its_quote(quote: list[str], rest: list[str]) -> None:
    # A full stop between: the quote itself must not join with its neighbours into a longer token.
    text = " ".join(rest) + " ; " + " ".join(quote) + " ; " + " ".join(rest)
    assert set(tokenize(" ".join(quote))) <= set(tokenize(text))


@given(
    st.lists(st.sampled_from("revenue partners 391,035 R&D item_7a 2.4% u.s 10-k405 long-term not fy2024".split()), max_size=12)
)
def test_tokens_are_tokens_of_themselves(words: list[str]) -> None:
    once = tokenize(" ; ".join(words))
    numbers_and_names = [token for token in once if not token.isalpha()]
    assert set(numbers_and_names) <= {*tokenize(" ; ".join(numbers_and_names)), "item_7a", "u.s"}


@given(st.text(max_size=200))
def test_a_question_has_no_token_twice(text: str) -> None:
    tokens = tokenize_query(text)
    assert len(tokens) == len(set(tokens))
    assert bool(tokens) == bool(tokenize(text))


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
