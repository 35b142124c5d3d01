"""Kept passages lead, dropped ones stay out."""

from __future__ import annotations

from dataclasses import replace

from fin_tui.engine.searching.find import Hits, with_picks
from fin_tui.records import Chunk, Filing, Hit, Ranks

_FILING = Filing("f", "f.htm", "Acme", "cik:1", "10-K", 2025, None)


def hit(name: str, rank: int = 1) -> Hit:
    chunk = Chunk(name, "f", rank, 0, 1, 1, "", "", "", "prose", "t", "", "t")
    return Hit(rank, chunk, _FILING, 0.5, Ranks(dense=rank))


def names(hits: Hits) -> list[str]:
    return [found.chunk.id for found in hits.hits]


FOUND = Hits(tuple(hit(name, rank) for rank, name in enumerate("abcd", start=1)), {}, (), "hybrid")


def test_dropped_passages_give_way_to_the_next_ones() -> None:
    picked = with_picks(FOUND, (), ["b"], 3)
    assert names(picked) == ["a", "c", "d"]
    assert [found.rank for found in picked.hits] == [1, 2, 3]


def test_kept_passages_come_first_and_keep_their_ranks_where_they_were_found() -> None:
    picked = with_picks(replace(FOUND, hits=FOUND.hits[:3]), (hit("z"), replace(hit("c"), ranks=Ranks())), (), 3)
    assert names(picked) == ["z", "c", "a"]
    assert picked.hits[1].ranks == Ranks(dense=3)


def test_nothing_picked_changes_nothing() -> None:
    assert with_picks(FOUND, (), (), 4) is FOUND
