"""The answer without a language model: the sentences and rows of the evidence that bear most on the question (pure)."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz

from fin_tui.engine.evidence import Evidence, Focus
from fin_tui.records import Sentence

MOST = 4
_ENOUGH = 0.55
"""A sentence scoring below this share of the best one adds more noise than answer."""
_TWIN = 88
"""Boilerplate repeats across passages; a near copy (rapidfuzz token_sort_ratio) is said once, with both citations."""
_LONGEST = 600


def extract(evidence: Evidence) -> tuple[Sentence, ...]:
    """Up to four sentences, best first, each citing the passages it stands in. Empty when nothing matches."""
    chosen: list[tuple[Focus, list[int]]] = []
    best = evidence.focuses[0].score if evidence.focuses else 0.0
    for focus in evidence.focuses:
        if focus.score < best * _ENOUGH:
            break
        twin = _twin_of(focus, [kept for kept, _ in chosen])
        if twin is not None:
            numbers = chosen[twin][1]
            if focus.passage + 1 not in numbers and len(numbers) < 3:
                numbers.append(focus.passage + 1)
        elif len(chosen) < MOST:
            chosen.append((focus, [focus.passage + 1]))
    return tuple(Sentence(shorten(focus.text), tuple(numbers), "grounded") for focus, numbers in chosen)


def _twin_of(focus: Focus, kept: Sequence[Focus]) -> int | None:
    for index, other in enumerate(kept):
        if fuzz.token_sort_ratio(focus.text, other.text) >= _TWIN:
            return index
    return None


def shorten(text: str) -> str:
    """One line of at most 600 characters, cut at a word and marked where it was cut."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[:_LONGEST].rsplit(" ", 1)[0] + " …"
