"""Fusion, diversity and the blend with the cross-encoder."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fin_tui.retrieval.fuse import Ranked, lift, rrf, weighted
from fin_tui.retrieval.rerank import blend, focus


def ranked(*entries: tuple[int, float]) -> Ranked:
    return Ranked(np.array([key for key, _ in entries], np.int64), np.array([score for _, score in entries], np.float32))


DENSE = ranked((1, 0.9), (2, 0.8), (3, 0.2))
SPARSE = ranked((3, 12.0), (1, 11.0), (4, 2.0))


def test_reciprocal_ranks_add_up() -> None:
    fused = rrf([DENSE, SPARSE], k=60)
    assert fused[1] == pytest.approx(1 / 61 + 1 / 62)
    assert list(fused) == [1, 3, 2, 4]


def test_reciprocal_rank_fusion_ignores_scores() -> None:
    louder = ranked((1, 900.0), (2, 8.0), (3, 0.0))
    assert rrf([louder, SPARSE]) == rrf([DENSE, SPARSE])


def test_a_weight_shifts_the_order() -> None:
    assert next(iter(rrf([DENSE, SPARSE], weights=(1, 3)))) == 3
    assert list(weighted([DENSE, SPARSE], weights=(0.9, 0.1)))[:2] == [1, 2]


def test_weighted_fusion_brings_scores_to_one_scale() -> None:
    fused = weighted([DENSE, SPARSE], weights=(0.6, 0.4))
    assert fused[1] == pytest.approx(0.6 * 1 + 0.4 * 0.9)
    assert fused[3] == pytest.approx(0.4)
    assert fused[4] == 0


def test_a_floor_keeps_the_last_of_a_list_above_nothing() -> None:
    words = Ranked(SPARSE.keys, SPARSE.scores, floor=0.0)
    assert weighted([words], weights=(1.0,)) == pytest.approx({3: 1.0, 1: 11 / 12, 4: 2 / 12})


def test_equal_scores_count_in_full() -> None:
    assert weighted([ranked((1, 5.0), (2, 5.0))], weights=(0.5,)) == {1: 0.5, 2: 0.5}


def test_nothing_fuses_to_nothing() -> None:
    empty = ranked()
    assert rrf([empty, empty]) == {}
    assert weighted([empty, empty], weights=(0.6, 0.4)) == {}


def test_what_has_no_vector_yet_is_judged_by_its_words_alone() -> None:
    fused = rrf([DENSE, SPARSE])
    assert list(lift(fused, [4, 99], 2.0)) == [1, 3, 4, 2]
    assert set(lift(fused, [4, 99], 2.0)) == set(fused)


def test_place_counts_from_one() -> None:
    assert [SPARSE.place(key) for key in (3, 4, 99)] == [1, 3, None]


def test_without_scores_the_blend_changes_nothing() -> None:
    assert blend([None, None, None]) == ([0, 1, 2], [None, None, None])


def test_the_cross_encoder_shifts_but_does_not_replace() -> None:
    scores = [-5.0, -4.0, -3.0, -2.0, -1.0, 9.0]
    order, ranks = blend(scores, weight=0.5, damping=10)
    assert ranks == [6, 5, 4, 3, 2, 1]
    assert order.index(5) < 5
    assert blend(scores, weight=0.0)[0] == [0, 1, 2, 3, 4, 5]
    assert blend(scores, weight=1.0)[0] == [5, 4, 3, 2, 1, 0]


def test_what_was_not_read_keeps_its_place() -> None:
    order, ranks = blend([1.0, None, 5.0, None, 9.0], weight=1.0, fewest=3)
    assert order == [4, 1, 2, 3, 0]
    assert ranks == [3, None, 2, None, 1]


def test_a_few_passages_read_in_time_change_nothing() -> None:
    order, ranks = blend([1.0, 5.0, 9.0, None, None, None, None, None])
    assert order == list(range(8))
    assert ranks[:3] == [3, 2, 1]


@given(st.lists(st.none() | st.floats(-10, 10), max_size=20))
def test_the_blend_is_a_reordering(scores: list[float | None]) -> None:
    order, ranks = blend(scores)
    assert sorted(order) == list(range(len(scores)))
    assert sorted(rank for rank in ranks if rank) == list(range(1, sum(score is not None for score in scores) + 1))


def test_a_sure_passage_goes_before_a_table_that_leads_unread() -> None:
    assert blend([None, 1.0, 6.0, 0.5, 0.0])[0][:2] == [2, 0]
    assert blend([None, 1.0, 2.0, 0.5, 0.0])[0][0] == 0


def test_a_long_passage_is_cut_to_what_the_question_is_about() -> None:
    passage = " ".join(["filler"] * 300 + ["The zeppelin lease ends in May."] + ["filler"] * 300)
    cut = focus("When does the zeppelin lease end?", passage, words=60)
    assert "zeppelin lease ends in May." in cut
    assert len(cut.split()) == 60


def test_a_short_passage_is_left_alone() -> None:
    assert focus("anything", "A short passage.\n\nOf two paragraphs.") == "A short passage.\n\nOf two paragraphs."
