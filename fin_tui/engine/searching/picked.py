"""What the reader picked by hand among the passages: kept ones lead the evidence, dropped ones stay out of it (pure)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from fin_tui.engine.searching.find import Hits
from fin_tui.records import Hit


def with_picks(hits: Hits, pinned: Sequence[Hit], excluded: Collection[str], k: int) -> Hits:
    """``hits`` (``k`` and one more for each of ``excluded``, chunk ids) with ``pinned`` first; ranks counted anew."""
    if not pinned and not excluded:
        return hits
    found = {hit.chunk.id: hit for hit in hits.hits if hit.chunk.id not in excluded}
    first = [found.pop(hit.chunk.id, hit) for hit in pinned if hit.chunk.id not in excluded]
    most = max(k, len(hits.hits) - len(excluded))
    kept = [*first, *found.values()][: max(most, len(first))]
    return replace(hits, hits=tuple(replace(hit, rank=rank) for rank, hit in enumerate(kept, start=1)))
