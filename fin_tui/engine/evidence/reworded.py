"""A quote whose letters a better reader spells a little differently -> its one place in the text (pure).

First by letters and digits alone: quotation marks, dashes and bullets set otherwise hide nothing. Then by likeness, where exactly
one place is like it: the same figures in the same order, as many words of denial, and nothing else nearly as like. A wrong place
under a reader's citation is worse than none.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from fin_tui.records import Span

SHORTEST = 40
"""Letters and digits that a quote must have to be looked for by likeness."""
LIKE = 94.0
"""Of 100; about one changed letter in seventeen."""
APART = 6.0
"""How much less like the second best place must be."""
_DENIAL = re.compile(r"\b(?:no|not|none|nor|neither|never|without|except|unless|n[’']t|cannot)\b|n[’']t\b", re.IGNORECASE)


def find_reworded(quote: str, text: str) -> Span | None:
    """The one place in ``text`` that says ``quote`` in nearly its letters; None where there is none, or more than one."""
    letters, offsets = _letters(text)
    wanted, _ = _letters(quote)
    if not wanted:
        return None
    first = letters.find(wanted)
    if first >= 0:
        is_only = letters.find(wanted, first + 1) < 0
        return _span(text, offsets, first, first + len(wanted)) if is_only else None
    if len(wanted) < SHORTEST:
        return None
    return _alike(quote, wanted, text, letters, offsets)


def _alike(quote: str, wanted: str, text: str, letters: str, offsets: list[int]) -> Span | None:
    from rapidfuzz import fuzz

    best = fuzz.partial_ratio_alignment(wanted, letters, score_cutoff=LIKE)
    if best is None or not best.dest_end - best.dest_start:
        return None
    for rest in (letters[: best.dest_start], letters[best.dest_end :]):
        if len(rest) >= len(wanted) and fuzz.partial_ratio(wanted, rest, score_cutoff=best.score - APART):
            return None
    place = _span(text, offsets, *_fitted(wanted, letters, best.dest_start, best.dest_end))
    found = text[place.start : place.end]
    same_figures = re.findall(r"\d", found) == re.findall(r"\d", quote)
    same_sense = len(_DENIAL.findall(found)) == len(_DENIAL.findall(quote))
    return place if same_figures and same_sense else None


def _fitted(wanted: str, letters: str, start: int, end: int) -> tuple[int, int]:
    """The likeness was measured in a window as long as the quote; letters more or less move its ends a little."""
    from rapidfuzz import fuzz

    slack = len(wanted) // 12 + 1
    ends = range(max(start + 1, end - slack), min(len(letters), end + slack) + 1)
    end = max(ends, key=lambda at: (fuzz.ratio(wanted, letters[start:at]), -at))
    starts = range(max(0, start - slack), min(start + slack, end - 1) + 1)
    start = max(starts, key=lambda at: (fuzz.ratio(wanted, letters[at:end]), at))
    return start, end


@lru_cache(maxsize=4)
def _letters(text: str) -> tuple[str, list[int]]:
    """Lower-case letters and digits of ``text`` in their plain forms, and where in ``text`` each stands."""
    found: list[str] = []
    offsets: list[int] = []
    for at, character in enumerate(text):
        plain = character if character.isascii() else unicodedata.normalize("NFKC", character)
        for one in plain.lower():
            if one.isalnum():
                found.append(one)
                offsets.append(at)
    return "".join(found), offsets


def _span(text: str, offsets: list[int], start: int, end: int) -> Span:
    """From the first to the last letter, with the sign or bracket that closes a figure or a sentence."""
    first, last = offsets[start], offsets[end - 1] + 1
    while last < len(text) and text[last] in '.)%”"':
        last += 1
    while first and text[first - 1] in '($“"':
        first -= 1
    return Span(first, last)
