"""A filing becomes rows and comes back as it was."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fin_tui.errors import FinTuiError
from fin_tui.retrieval import sparse
from fin_tui.retrieval.tokens import tokenize_query
from fin_tui.store import codec
from fin_tui.store.documents import Body
from fin_tui.team import schema
from fin_tui.team.rows import (
    items_of,
    joined,
    prepare,
    question_vector,
    record_row,
    to_chunk,
    to_fact,
    to_record,
    to_sections,
    unpacked,
    weigh,
)
from fin_tui.team.schema import NO_TERM, term_id
from tests.unit.team.made import DIMENSION, make_entry, make_vectors


@given(st.text(min_size=1), st.integers(0, (1 << schema.ORDINAL_BITS) - 1))
def test_a_key_tells_filing_and_ordinal(name: str, ordinal: int) -> None:
    number = schema.filing_number(name)
    key = schema.row_key(number, ordinal)
    assert 0 < key < 1 << 63
    assert key >= 1 << schema.ORDINAL_BITS, "the first keys are the corpus's own"
    assert schema.number_and_ordinal(key) == (number, ordinal)


def test_keys_are_the_same_in_every_process() -> None:
    assert schema.filing_number("0000320193-24-000123") == 6754794546107
    assert schema.term_id("revenue") == 1414050070


def test_a_long_name_is_cut_to_the_bytes_of_its_field_between_two_characters() -> None:
    cut = schema.clipped("company", "ß" * 200)
    assert cut == "ß" * 128
    assert schema.clipped("ticker", "ACME") == "ACME"


def test_pieces_of_a_filing_never_share_a_key() -> None:
    keys = [schema.piece_key(7, kind, piece) for kind in schema.KINDS for piece in (0, 1, schema.PIECES - 1)]
    assert all(a < b for a, b in pairwise(keys))
    with pytest.raises(ValueError, match="beyond"):
        schema.piece_key(7, "text", schema.PIECES)


def test_everything_comes_back_as_it_was() -> None:
    entry = make_entry()
    made = prepare(entry, make_vectors(entry))
    pieces = {kind: [row for row in reversed(made.pieces) if row["kind"] == kind] for kind in schema.KINDS}
    text = entry.document.text
    document = codec.unpack(joined(pieces["body"]), Body).document(text, tuple(to_fact(row) for row in made.facts))
    assert document == entry.document
    assert to_sections(joined(pieces["sections"])) == entry.sections
    assert tuple(to_chunk(row) for row in made.chunks) == entry.chunks
    record = to_record(record_row(made.record))
    assert record == made.record
    assert record.filing.items == ("1A", "7")
    assert (record.filing.chunks, record.filing.embedded, record.filing.facts) == (6, 6, 6)
    assert record.filing.warnings == ("a warning",)
    assert record.irs_number == "942404110"


def test_a_passage_without_its_text_at_the_end_keeps_both() -> None:
    entry = make_entry()
    table = replace(entry.chunks[0], text="a\tb", index_text="Acme a b", kind="table")
    entry = replace(entry, chunks=(table, *entry.chunks[1:]))
    assert to_chunk(prepare(entry, make_vectors(entry)).chunks[0]) == table


def test_a_long_text_is_cut_into_pieces_that_fit() -> None:
    entry = make_entry()
    noise = "".join(map(chr, np.random.default_rng(1).integers(0x4E00, 0x9000, 150_000)))
    entry = replace(entry, document=replace(entry.document, text=noise))
    rows = [row for row in prepare(entry, make_vectors(entry)).pieces if row["kind"] == "text"]
    assert len(rows) > 2
    assert max(len(row["data"].encode()) for row in rows) <= 65_535


def test_what_does_not_fit_is_refused_with_its_name() -> None:
    entry = make_entry()
    with pytest.raises(FinTuiError, match="2 vectors for 6 passages"):
        prepare(entry, np.zeros((2, DIMENSION), np.float32))
    long = replace(entry.chunks[0], text="x" * 70_000)
    with pytest.raises(FinTuiError, match=r"/1:0 is longer than a corpus can hold"):
        prepare(replace(entry, chunks=(long, *entry.chunks[1:])), make_vectors(entry))


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
