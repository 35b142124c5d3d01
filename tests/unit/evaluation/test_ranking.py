"""Ranks, recalls and nDCG against figures worked out by hand."""

from __future__ import annotations

import pytest

from fin_tui.evaluation.measures import judge_list

NONE: frozenset[int] = frozenset()
A, B, AB = frozenset([0]), frozenset([1]), frozenset([0, 1])


def test_the_first_gold_hit_gives_rank_and_reciprocal() -> None:
    found = judge_list([NONE, NONE, A, A], 1)
    assert found.rank == 3
    assert found.reciprocal == pytest.approx(1 / 3)
    assert [found.within(depth) for depth in (1, 3, 5)] == [0, 1, 1]


def test_ndcg_of_two_pieces_at_ranks_two_and_four() -> None:
    # DCG = 1/log2(3) + 1/log2(5) = 0.63093 + 0.43068; ideal = 1/log2(2) + 1/log2(3) = 1.63093.
    assert judge_list([NONE, A, NONE, B], 2).ndcg == pytest.approx(1.06161 / 1.63093, abs=1e-5)


def test_ndcg_of_one_piece_at_rank_two() -> None:
    assert judge_list([NONE, A], 1).ndcg == pytest.approx(0.63093, abs=1e-5)


def test_a_piece_found_again_gains_nothing() -> None:
    assert judge_list([A, A, A], 2).ndcg == pytest.approx(1 / 1.63093, abs=1e-5)


def test_one_hit_with_everything_is_perfect_and_no_more() -> None:
    assert judge_list([AB], 2).ndcg == 1.0


def test_what_stands_below_ten_is_not_found() -> None:
    found = judge_list([NONE] * 10 + [A], 1)
    assert (found.rank, found.reciprocal, found.ndcg, found.within(10)) == (None, 0.0, 0.0, 0.0)


def test_without_hits_or_gold_nothing_is_found() -> None:
    assert judge_list([], 1).rank is None
    assert judge_list([NONE], 0).ndcg == 0.0
