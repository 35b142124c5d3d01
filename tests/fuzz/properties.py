"""What must hold of anything read from bytes that nobody checked."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence

from fin_tui.records import Chunk, Document, Section

_KEPT = "\n\t"
_UNWANTED = frozenset(("Cc", "Cf", "Cs"))
"""Controls, invisible marks (right-to-left overrides among them) and half characters."""


def check_text(text: str) -> None:
    """Nothing in ``text`` that a terminal could take for a command, or that can't be written as UTF-8."""
    bad = {c for c in set(text) if c not in _KEPT and unicodedata.category(c) in _UNWANTED}
    assert not bad, f"control characters in clean text: {sorted(map(ord, bad))}"
    text.encode("utf-8")


def check_document(document: Document) -> None:
    """Blocks follow one another over the text; cells and facts lie inside it; figures are finite; no escape gets through."""
    check_text(document.text)
    size, at = len(document.text), 0
    assert document.pages >= 1
    assert 0.0 <= document.coverage <= 1.0
    for ordinal, block in enumerate(document.blocks):
        assert block.ordinal == ordinal
        assert at <= block.start < block.end <= size
        assert 1 <= block.page <= document.pages
        at = block.end
        for row in block.table.rows if block.table else ():
            for cell in row:
                assert block.start <= cell.start <= cell.end <= block.end
                check_text(cell.text)
    for fact in document.facts:
        assert 0 <= fact.start <= fact.end <= size
        assert fact.value is None or math.isfinite(fact.value)
    for warning in document.warnings:
        check_text(warning)


def check_sections(sections: Sequence[Section], document: Document) -> None:
    for section in sections:
        assert 0 <= section.start <= section.end <= len(document.text)
        assert 0.0 <= section.confidence <= 1.0


def check_chunks(chunks: Sequence[Chunk], document: Document) -> None:
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    for chunk in chunks:
        assert 0 <= chunk.start < chunk.end <= len(document.text)


def check_spans(spans: Sequence[tuple[int, int]], text: str) -> None:
    """Spans in order, apart, inside ``text``, and nothing but white space outside of them."""
    at = 0
    for start, end in spans:
        assert at <= start < end <= len(text)
        assert not text[at:start].strip(), "a character that is in no sentence"
        at = end
    assert not text[at:].strip()
