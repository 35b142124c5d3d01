"""Ways to cut a span of prose into pieces of a wanted size. Sizes and overlaps count words; all spans are of the clean text."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from fin_tui.config import Chunking
from fin_tui.filings.sentences import split_sentences

Spans = list[tuple[int, int]]
_WORD = re.compile(r"\S+")
_SEPARATORS = ("\n\n", "\n")


def count_words(text: str) -> int:
    return len(text.split())


def cut_prose(text: str, start: int, end: int, settings: Chunking) -> Spans:
    """``[start, end)`` cut by the strategy of ``settings``, which is any but the section-aware one."""
    part = text[start:end]
    if settings.strategy == "token":
        spans = by_words(part, settings.size, settings.overlap)
    elif settings.strategy == "sentence":
        spans = pack(part, _no_longer_than(part, split_sentences(part), settings.size), settings.size, settings.overlap)
    else:
        spans = pack(part, _recursive(part, 0, len(part), settings.size, 0), settings.size, settings.overlap)
    return [(start + a, start + b) for a, b in spans]


def by_sentences(text: str, start: int, end: int, settings: Chunking) -> Spans:
    """A long paragraph cut between sentences into parts of nearly equal size, each repeating the sentences before it."""
    part = text[start:end]
    words = count_words(part)
    size = math.ceil(words / math.ceil(words / settings.size)) + settings.size // 10
    sentences = _no_longer_than(part, split_sentences(part), settings.size)
    return [(start + a, start + b) for a, b in pack(part, sentences, size, settings.overlap)]


def by_words(text: str, size: int, overlap: int) -> Spans:
    """Windows of ``size`` words that share ``overlap`` words with the window before them."""
    words = [match.span() for match in _WORD.finditer(text)]
    step = max(1, size - min(overlap, size // 2))
    spans: Spans = []
    for at in range(0, len(words), step):
        window = words[at : at + size]
        spans.append((window[0][0], window[-1][1]))
        if at + size >= len(words):
            break
    return spans


def pack(text: str, atoms: Spans, size: int, overlap: int) -> Spans:
    """Neighbouring ``atoms`` put together up to ``size`` words; each piece repeats the last atoms of the one before, up to
    ``overlap`` words of whole atoms."""
    counts = [count_words(text[a:b]) for a, b in atoms]
    spans: Spans = []
    first = 0
    total = 0
    for index, count in enumerate(counts):
        if total and total + count > size:
            spans.append((atoms[first][0], atoms[index - 1][1]))
            first, total = _step_back(counts, first, index, min(overlap, size - count))
        total += count
    if atoms:
        spans.append((atoms[first][0], atoms[-1][1]))
    return spans


def _step_back(counts: Sequence[int], first: int, index: int, overlap: int) -> tuple[int, int]:
    """Where the next piece begins so that it repeats at most ``overlap`` words, and how many those are."""
    at, total = index, 0
    while at - 1 > first and total + counts[at - 1] <= overlap:
        at -= 1
        total += counts[at]
    return at, total


def _no_longer_than(text: str, spans: Spans, size: int) -> Spans:
    """``spans`` with those of more than ``size`` words cut between words."""
    out: Spans = []
    for start, end in spans:
        if end - start > 2 * size and count_words(text[start:end]) > size:
            out.extend((start + a, start + b) for a, b in by_words(text[start:end], size, 0))
        else:
            out.append((start, end))
    return out


def _recursive(text: str, start: int, end: int, size: int, depth: int) -> Spans:
    """Atoms of at most ``size`` words: blocks, else lines, else sentences, else words."""
    if count_words(text[start:end]) <= size:
        return [(start, end)] if text[start:end].strip() else []
    if depth == len(_SEPARATORS):
        part = text[start:end]
        return [(start + a, start + b) for a, b in _no_longer_than(part, split_sentences(part), size)]
    spans: Spans = []
    at = start
    for piece in text[start:end].split(_SEPARATORS[depth]):
        spans.extend(_recursive(text, at, at + len(piece), size, depth + 1))
        at += len(piece) + len(_SEPARATORS[depth])
    return spans
