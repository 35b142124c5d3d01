"""Where a figure stands, as a numbered passage whose quote is its table row or sentence."""

from __future__ import annotations

from typing import Protocol

from fin_tui.engine.evidence import Passage, cite, scale_of
from fin_tui.language import split_sentences
from fin_tui.records import Chunk, Fact, Filing, Hit, Ranks


class Chunks(Protocol):
    """Finds the chunk around a span."""

    def holding(self, filing_id: str, start: int, end: int, /) -> Chunk | None: ...


class Places:
    """Numbers the passages of figures from 1, one for each row or sentence that several figures may share."""

    def __init__(self, chunks: Chunks) -> None:
        self._chunks = chunks
        self._numbers: dict[tuple[str, int, int], int] = {}
        self._passages: list[Passage] = []

    @property
    def passages(self) -> tuple[Passage, ...]:
        """In the order of their numbers."""
        return tuple(self._passages)

    def number(self, fact: Fact, filing: Filing) -> int | None:
        """The number of the passage that shows ``fact``; None when the filing hides it or no chunk holds it."""
        if fact.end <= fact.start:
            return None
        chunk = self._chunks.holding(filing.id, fact.start, fact.end)
        if chunk is None:
            return None
        start, end = quote_of(chunk, fact.start, fact.end)
        key = (filing.id, start, end)
        if key not in self._numbers:
            number = len(self._passages) + 1
            hit = Hit(number, chunk, filing, 1.0, Ranks())
            scale = scale_of(chunk.header) if chunk.kind == "table" else 1
            citation = cite(number, hit, start, end)
            self._passages.append(Passage(citation, chunk.text, chunk.start, chunk.end, 1.0, chunk.kind, scale))
            self._numbers[key] = number
        return self._numbers[key]


def quote_of(chunk: Chunk, start: int, end: int) -> tuple[int, int]:
    """The table row or sentence of ``chunk`` around the span, in the clean text."""
    a, b = start - chunk.start, end - chunk.start
    text = chunk.text
    if chunk.kind == "table":
        first = text.rfind("\n", 0, a) + 1
        last = text.find("\n", b)
        return chunk.start + first, chunk.start + (len(text) if last < 0 else last)
    for first, last in split_sentences(text):
        if first <= a and b <= last:
            return chunk.start + first, chunk.start + last
    return start, end
