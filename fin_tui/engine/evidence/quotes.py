"""A stored citation -> where its quote stands in the text as it is now (pure).

A better parser may give a filing another clean text: spaces, tabs and line breaks differ, and everything moves. The words of
the quote stay, and what stood before and after it tells which of several equal places was meant.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from fin_tui.records import Citation, Span

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


_SPACE = re.compile(r"\s+")
_MOST_PLACES = 500
"""A quote as short as "2024" stands in thousands of places; the first ones decide."""
_VERSION_BYTES = 8


@dataclass(frozen=True, slots=True)
class _Bare:
    """A text without white space, and the offset of each of its characters in the text."""

    text: str
    offsets: Sequence[int]


def text_version(text: str) -> str:
    """16 hex digits that stand for a clean text: spans of one version mean nothing in another."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_VERSION_BYTES).hexdigest()


def find_again(citation: Citation, text: str) -> Span | None:
    """Where the quote of ``citation`` stands in the clean ``text``: at its span, else by its words, else where one place alone
    says it in nearly the same letters; None when it is gone.
    """
    quote = citation.quote
    if not quote.strip():
        return None
    if text[citation.start : citation.end] == quote:
        return Span(citation.start, citation.end)
    exact = [Span(at, at + len(quote)) for at in _places(text, quote)]
    if exact:
        return _best(citation, text, exact)
    bare, wanted = _bare(text), _SPACE.sub("", quote)
    last = len(wanted) - 1
    loose = [Span(bare.offsets[at], bare.offsets[at + last] + 1) for at in _places(bare.text, wanted)]
    return _best(citation, text, loose) if loose else find_reworded(quote, text)


def at_place(citation: Citation, place: Span) -> Citation:
    """``citation`` with the span that its quote has now."""
    return replace(citation, start=place.start, end=place.end)


def _places(text: str, words: str) -> Iterator[int]:
    at = text.find(words)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        yield at
        at = text.find(words, at + 1)


def _bare(text: str) -> _Bare:
    offsets = [at for at, character in enumerate(text) if not character.isspace()]
    return _Bare("".join([text[at] for at in offsets]), offsets)


def _best(citation: Citation, text: str, places: Sequence[Span]) -> Span:
    """The place whose surroundings agree most with those that were kept; of equals the nearest to where the quote stood."""
    before, after = _SPACE.sub("", citation.prefix), _SPACE.sub("", citation.suffix)

    def agreement(place: Span) -> tuple[int, int]:
        left = _SPACE.sub("", text[max(place.start - 2 * len(citation.prefix), 0) : place.start])
        right = _SPACE.sub("", text[place.end : place.end + 2 * len(citation.suffix)])
        same = _common(before[::-1], left[::-1]) + _common(after, right)
        return same, -abs(place.start - citation.start)

    return max(places, key=agreement)


def _common(one: str, other: str) -> int:
    """How many first characters two texts share."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
