"""Corrective filtering: relevant passages stay, doubtful ones are cut to the sentences that bear on the question, the rest go.

After Yan and others, "Corrective Retrieval Augmented Generation" (2024): the judge is the cross-encoder, whose logit becomes a
share by the logistic function.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from fin_tui.filings.sentences import split_sentences
from fin_tui.records import Chunk
from fin_tui.retrieval.tokens import tokenize, tokenize_query

KEEP = 0.7
DROP = 0.3
FEWEST = 2


def share_of(logit: float) -> float:
    """A cross-encoder's logit as relevance from 0 to 1."""
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, logit))))


def correct(query: str, chunks: Sequence[Chunk], relevance: Sequence[float | None]) -> list[Chunk | None]:
    """For each chunk what is left of it: whole at ``KEEP`` and above, its telling sentences down to ``DROP``, None below.

    A chunk without relevance (a table, or one left unread) stays whole. The most relevant ``FEWEST`` always stay.
    """
    judged = [place for place, share in enumerate(relevance) if share is not None]
    best = sorted(judged, key=lambda place: -(relevance[place] or 0.0))[: max(0, FEWEST - (len(chunks) - len(judged)))]
    left: list[Chunk | None] = []
    for place, (chunk, share) in enumerate(zip(chunks, relevance, strict=True)):
        if share is None or share >= KEEP:
            left.append(chunk)
        elif share >= DROP or place in best:
            left.append(trimmed(query, chunk))
        else:
            left.append(None)
    return left


def trimmed(query: str, chunk: Chunk) -> Chunk:
    """``chunk`` from the first to the last of its sentences that share a word with ``query``; whole when none or all do."""
    wanted = set(tokenize_query(query))
    spans = split_sentences(chunk.text)
    telling = [(a, b) for a, b in spans if wanted.intersection(tokenize(chunk.text[a:b]))]
    if chunk.kind == "table" or not telling or (telling[0][0], telling[-1][1]) == (spans[0][0], spans[-1][1]):
        return chunk
    a, b = telling[0][0], telling[-1][1]
    text = chunk.text[a:b]
    return replace(chunk, start=chunk.start + a, end=chunk.start + b, text=text, index_text=f"{chunk.header}\n{text}")
