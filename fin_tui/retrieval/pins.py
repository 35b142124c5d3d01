"""Chunks that belong among the first hits for what they are, whatever words they share with the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fin_tui.records import Chunk, Filing
from fin_tui.retrieval.statements import FIGURE, IN_PASSING, MEANT, NAMED, Hint, best_of, search_words

if TYPE_CHECKING:
    from fin_tui.retrieval.rooms import Room

Found = tuple[int, Chunk, Filing]

CANDIDATES = 24
"""Chunks looked at for each statement: several filings may be in scope, each with a statement of several parts."""
_PLACES = {NAMED: (0, 3), FIGURE: (1, 3), MEANT: (3, 2), IN_PASSING: (4, 1)}
"""Weight of a hint -> position from which pinned chunks stand at the latest, and how many there are at most."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """Chunks to be placed among the first."""

    chunks: tuple[Found, ...] = ()
    place: int = 0
    """Position from 0 that the first of them takes at the latest."""

    def into(self, ranked: Sequence[tuple[Found, int | None]]) -> list[tuple[Found, int | None]]:
        """``ranked`` with each pinned chunk moved up to its place, never down."""
        order = list(ranked)
        for offset, chunk in enumerate(self.chunks):
            at = next((i for i, (found, _) in enumerate(order) if found[0] == chunk[0]), None)
            wanted = self.place + offset
            if at is None:
                order.insert(wanted, (chunk, None))
            elif at > wanted:
                order.insert(wanted, order.pop(at))
        return order


def pin_statements(hint: Hint, query: str, room: Room) -> Pinned:
    """The best part of each statement that ``hint`` names, by the words of the rows asked for."""
    from fin_tui.retrieval.tokens import tokenize, tokenize_query

    chosen: list[Found] = []
    asked = list(dict.fromkeys([*tokenize_query(query), *tokenize(" ".join(hint.words))]))
    for kind in hint.statements:
        keys, _ = room.search_sparse(list(dict.fromkeys(tokenize(search_words(kind)))), CANDIDATES)
        found = {entry[0]: entry for entry in room.fetch(keys.tolist())}
        parts = best_of((kind,), ((key, chunk) for key, (_, chunk, _) in found.items()))[kind]
        if not parts:
            continue
        best, _ = room.search_among(asked, np.asarray(sorted(parts), np.int64))
        ordered = [*best.tolist(), *(key for key in parts if key not in set(best.tolist()))]
        chosen.append(found[ordered[0]])
    place, most = _PLACES[hint.weight]
    return Pinned(tuple(chosen[:most]), place)
