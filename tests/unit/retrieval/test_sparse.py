from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fin_tui.retrieval import sparse
from fin_tui.retrieval.tokens import tokenize_query

TEXTS = [
    (1, "Revenue rose 5% to $391,035 million on higher sales of services."),
    (2, "We depend on outsourcing partners, many of them in Asia, for manufacturing."),
    (5, "Research and development expense was 8% of revenue."),
    (6, "The board declared a dividend. Nothing else happened this quarter."),
    (9, "Outsourcing partners may fail; then revenue would fall."),
]


def everything(*segments: sparse.Segment) -> list[sparse.Mask]:
    return [np.ones(len(segment.keys), bool) for segment in segments]


def find(query: str, *segments: sparse.Segment, k: int = 10) -> tuple[list[int], list[float]]:
    keys, scores = sparse.search(segments, tokenize_query(query), everything(*segments), k)
    return keys.tolist(), scores.tolist()


def test_the_passage_with_the_rare_words_comes_first() -> None:
    segment = sparse.build(TEXTS)
    keys, scores = find("outsourcing partners manufacturing", segment)
    assert keys == [2, 9]
    assert scores[0] > scores[1] > 0


def test_an_unknown_word_finds_nothing() -> None:
    assert find("zygote", sparse.build(TEXTS)) == ([], [])


def test_k_may_exceed_the_corpus() -> None:
    assert len(find("revenue", sparse.build(TEXTS), k=1000)[0]) == 3


def test_an_empty_index_answers_nothing() -> None:
    assert find("revenue", sparse.build([])) == ([], [])
    assert find("revenue", sparse.build([(1, ""), (2, "---")])) == ([], [])


def test_what_the_scope_leaves_out_has_no_influence() -> None:
    alone, both = sparse.build(TEXTS[:2]), sparse.build(TEXTS)
    mask = [np.array([True, True, False, False, False])]
    query = tokenize_query("revenue sales partners")
    expected = sparse.search([alone], query, everything(alone), 10)
    found = sparse.search([both], query, mask, 10)
    assert found[0].tolist() == expected[0].tolist()
    assert np.array_equal(found[1], expected[1])


def test_a_saved_segment_answers_the_same(tmp_path: Path) -> None:
    segment = sparse.build(TEXTS)
    segment.save(tmp_path)
    assert find("revenue partners", sparse.load(tmp_path)) == find("revenue partners", segment)


def test_a_cut_file_is_noticed(tmp_path: Path) -> None:
    sparse.build(TEXTS).save(tmp_path)
    np.save(tmp_path / "keys.npy", np.array([1, 2]))
    with pytest.raises(ValueError, match="not a whole"):
        sparse.load(tmp_path)


_SENTENCES = st.lists(st.sampled_from("revenue rose fell partners outsourcing cash R&D 5% dividend not".split()), max_size=12)


@settings(deadline=None, max_examples=60)
@given(st.lists(_SENTENCES.map(" ".join), min_size=1, max_size=14), st.data())
def test_split_removed_and_merged_segments_score_like_one_clean_build(sentences: list[str], data: st.DataObject) -> None:
    texts = list(enumerate(sentences, start=1))
    cut = data.draw(st.integers(0, len(texts)))
    removed = data.draw(st.sets(st.sampled_from([key for key, _ in texts]), max_size=len(texts) - 1))
    alive = np.array([key for key, _ in texts if key not in removed], np.int64)
    clean = sparse.build([(key, text) for key, text in texts if key not in removed])
    parts = [sparse.build(texts[:cut]), sparse.build(texts[cut:])]
    query = ["revenu", "r&d", "cash", "not", "unseen"]

    expected = sparse.search([clean], query, everything(clean), 5)
    beside = sparse.search(parts, query, [np.isin(part.keys, alive) for part in parts], 5)
    merged = sparse.merge(parts, alive)
    together = sparse.search([merged], query, everything(merged), 5)

    for found in (beside, together):
        assert found[0].tolist() == expected[0].tolist()
        assert np.allclose(found[1], expected[1], rtol=1e-6)


def test_merging_in_any_order_keeps_keys_ascending() -> None:
    first, second = sparse.build(TEXTS[:3]), sparse.build(TEXTS[3:])
    merged = sparse.merge([second, first], np.array([1, 2, 5, 6, 9]))
    assert merged.keys.tolist() == [1, 2, 5, 6, 9]
    assert find("revenue partners", merged) == find("revenue partners", sparse.build(TEXTS))
