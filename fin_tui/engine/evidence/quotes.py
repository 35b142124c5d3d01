"""A stored citation -> where its quote stands in the text as it is now (pure).

A better parser may give a filing another clean text: spaces, tabs and line breaks differ, and everything moves. The words of
the quote stay, and what stood before and after it tells which of several equal places was meant.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fin_tui.engine.evidence.reworded import find_reworded
from fin_tui.records import Citation, Span

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
