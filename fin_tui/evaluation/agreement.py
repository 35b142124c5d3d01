"""How an answer's words agree with gold text, and its citations with gold passages (pure)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set

from rapidfuzz import fuzz, utils

_MARKER = re.compile(r"\s*(?:\[\d{1,2}(?:\s*,\s*\d{1,2})*\]|⚠)")
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_BRACKETS = re.compile(r"\([^()]*\)")
_VERDICT = re.compile(r"\W*(yes|no)\W*(?:[^\w\s]|$)", re.IGNORECASE)
_SAME_WORD = 88.0
"""Similarity of two spellings of one word, of 100."""
_MOST = 0.75
"""So much of an item, by letters, must stand together for the item to be named, …"""
_BETWEEN = 2
"""… with at most so many other words between."""
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


def yes_or_no(text: str) -> bool | None:
    """The yes or no that a text begins with, as a word of its own: "No figure was found" is neither. None without one."""
    found = _VERDICT.match(plain(text))
    return None if found is None else found[1].lower() == "yes"


def named_items(answer: str, items: Sequence[str]) -> list[bool]:
    """Whether ``answer`` names each of ``items``: most of its words, in order, close together; brackets may go."""
    said = utils.default_process(plain(answer)).split()
    return [_names(said, item) or _names(said, _BRACKETS.sub(" ", item)) for item in items]


def _names(said: Sequence[str], item: str) -> bool:
    words = utils.default_process(item).split()
    size = len(words) + _BETWEEN
    starts = range(max(1, len(said) - size + 1))
    return any(_letters(words, said[start : start + size]) >= _MOST * sum(map(len, words)) for start in starts)


def _letters(words: Sequence[str], said: Sequence[str]) -> int:
    """How many letters the ``words`` have that stand in ``said``, in order."""
    found = at = 0
    for word in words:
        place = next((place for place in range(at, len(said)) if fuzz.ratio(word, said[place]) >= _SAME_WORD), None)
        if place is not None:
            found, at = found + len(word), place + 1
    return found


def citation_precision(cited: Sequence[Set[int]]) -> float | None:
    """Share of the cited passages that are gold; ``cited`` tells for each which pieces. None without a citation."""
    return sum(bool(pieces) for pieces in cited) / len(cited) if cited else None


def citation_recall(cited: Sequence[Set[int]], golds: int, *, lenient: bool) -> float | None:
    """Share of the gold pieces that some citation is; lenient: 1 when any is. None without gold."""
    if not golds:
        return None
    found = set().union(*cited) if cited else set()
    return float(bool(found)) if lenient else len(found) / golds
