"""How an answer's words agree with gold text, and its citations with gold passages (pure)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set

_MARKER = re.compile(r"\s*(?:\[\d{1,2}(?:\s*,\s*\d{1,2})*\]|⚠)")
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_ARTICLES = frozenset(("a", "an", "the"))


def plain(answer: str) -> str:
    """The answer's text without [n] and warning signs."""
    return _MARKER.sub("", answer).strip()


def tokens(text: str) -> list[str]:
    """Words and numbers in lower case, without articles and punctuation; "391,035" and "391035" are the same token."""
    found = (match.replace(",", "") for match in _TOKEN.findall(text.lower()))
    return [token for token in found if token not in _ARTICLES]


def token_f1(answer: str, gold: str) -> float:
    """Harmonic mean of token precision and recall, repeated tokens counted (the F1 of SQuAD, Rajpurkar et al. 2016)."""
    mine, wanted = tokens(plain(answer)), tokens(gold)
    shared = sum((Counter(mine) & Counter(wanted)).values())
    if not shared:
        return float(mine == wanted)
    precision, recall = shared / len(mine), shared / len(wanted)
    return 2 * precision * recall / (precision + recall)


def citation_precision(cited: Sequence[Set[int]]) -> float | None:
    """Share of the cited passages that are gold; ``cited`` tells for each which pieces. None without a citation."""
    return sum(bool(pieces) for pieces in cited) / len(cited) if cited else None


def citation_recall(cited: Sequence[Set[int]], golds: int, *, lenient: bool) -> float | None:
    """Share of the gold pieces that some citation is; lenient: 1 when any is. None without gold."""
    if not golds:
        return None
    found = set().union(*cited) if cited else set()
    return float(bool(found)) if lenient else len(found) / golds
