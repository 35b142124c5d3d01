"""Sentences of a chunk, also of one that holds a table with the paragraphs around it (pure)."""

from __future__ import annotations

from collections.abc import Iterator

from fin_tui.language import split_sentences
from fin_tui.records import Chunk

_SHORTEST = 40
"""Characters of a line in a table's chunk that may be a paragraph; rows and titles are shorter, or have tabs."""


def sentences_of(chunk: Chunk) -> Iterator[tuple[int, int]]:
    """Spans in ``chunk.text`` of its sentences; of a table's chunk those of the lines that are no rows."""
    if chunk.kind == "prose":
        yield from split_sentences(chunk.text)
        return
    at = 0
    for line in chunk.text.split("\n"):
        if "\t" not in line and len(line) >= _SHORTEST and ". " in f"{line} ":
            yield from ((at + start, at + end) for start, end in split_sentences(line))
        at += len(line) + 1
