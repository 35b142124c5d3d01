"""What a cross-encoder says of the passages found: another order, and which of them are irrelevant."""

from __future__ import annotations

from collections.abc import Sequence

from fin_tui.records import Chunk, Filing
from fin_tui.retrieval import corrective
from fin_tui.retrieval.rerank import JUDGED, MOST_PAIRS, Reranker, blend, score_prose

Entry = tuple[int, Chunk, Filing]
"""A chunk key with what it stands for."""


def judge(
    reranker: Reranker,
    query: str,
    found: Sequence[Entry],
    seconds: float,
    *,
    is_reranked: bool,
    is_corrected: bool,
) -> list[tuple[Entry, int | None]]:
    """``found`` with the rank that each got, None for what was not read within ``seconds``.

    With ``is_reranked`` in the order of the cross-encoder; with ``is_corrected`` without what it finds irrelevant, and doubtful
    passages cut to the sentences that bear on the question.
    """
    chunks = [chunk for _, chunk, _ in found]
    scores = score_prose(reranker, query, chunks, seconds=seconds, most=JUDGED if is_corrected else MOST_PAIRS)
    order, ranks = blend(scores) if is_reranked else (list(range(len(found))), [None] * len(found))
    left: Sequence[Chunk | None] = chunks
    if is_corrected:
        shares = [None if score is None else corrective.share_of(score) for score in scores]
        left = corrective.correct(query, chunks, shares)
    return [((found[at][0], chunk, found[at][2]), ranks[at]) for at in order if (chunk := left[at]) is not None]
