"""The best chain of headings: Items in order through the filing, by dynamic programming over all candidates."""

from __future__ import annotations

from collections.abc import Sequence

from fin_tui.filings.section_headings import Candidate

_LISTED = -6.0
_EMPTY = -1.5
_SHORT = 15  # Characters of body below which a heading is taken to have none.
_MOST = 1_000
"""Candidates that are weighed, each against each: a filing with every heading repeated on every page has fewer."""


def best_chain(candidates: Sequence[Candidate], length: int) -> list[Candidate]:
    """The candidates with rising Items and the highest sum of scores; ``length`` is that of the clean text.

    Earlier candidates win ties, so that a running "(continued)" heading never does.
    """
    usable = _likeliest([candidate for candidate in candidates if _worth(candidate) > 0])
    best = [0.0] * len(usable)
    before = [-1] * len(usable)
    for i, candidate in enumerate(usable):
        best[i] = _worth(candidate) - 1e-7 * candidate.start / max(1, length)
        own = best[i]
        for j in range(i):
            other = usable[j]
            if other.end > candidate.start or _last(other) >= candidate.order:
                continue
            value = (
                best[j] + own + (_EMPTY if candidate.start - other.end < _SHORT and candidate.order - _last(other) > 1 else 0.0)
            )
            if value > best[i]:
                best[i], before[i] = value, j
    if not usable:
        return []
    at = max(range(len(usable)), key=lambda i: best[i])
    chain: list[Candidate] = []
    while at >= 0:
        chain.append(usable[at])
        at = before[at]
    return chain[::-1]


def _likeliest(candidates: list[Candidate]) -> list[Candidate]:
    if len(candidates) <= _MOST:
        return candidates
    kept = sorted(range(len(candidates)), key=lambda i: _worth(candidates[i]), reverse=True)[:_MOST]
    return [candidates[i] for i in sorted(kept)]


def _worth(candidate: Candidate) -> float:
    worth = candidate.score + 0.5 * (len(candidate.numbers) - 1) + (_LISTED if candidate.listed else 0.0)
    return worth - (1.5 if candidate.paged and not candidate.listed else 0.0)


def _last(candidate: Candidate) -> int:
    return candidate.order if len(candidate.numbers) == 1 else candidate.order + len(candidate.numbers) - 1
