"""What a filing's structure tells by itself: lists, counts, check marks, an Item that says nothing.

``structure.py`` is where to start. Here stands what such answers are made on: a filing's document, sections and chunks, and the
passages that they cite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from fin_tui.engine.evidence import Passage, cite
from fin_tui.records import Chunk, Document, Filing, Hit, Ranks, Section, Sentence
from fin_tui.store import Remembered

_KEPT = 3


class StructureLibrary(Protocol):
    """Sections, texts and documents of filings."""

    def sections(self, filing_id: str) -> Sequence[Section]: ...
    def text(self, filing_id: str) -> str: ...
    def document(self, filing_id: str) -> Document: ...


class FilingChunks(Protocol):
    """Chunks by filing."""

    def of_filing(self, filing_id: str) -> Sequence[Chunk]: ...
    def holding(self, filing_id: str, start: int, end: int) -> Chunk | None: ...


@dataclass(frozen=True, slots=True)
class StructureAnswer:
    """Sentences and the passages that they cite."""

    sentences: tuple[Sentence, ...]
    passages: tuple[Passage, ...]
    value: float | None = None
    """The one number that the question asks for, in base units."""
    unit: str | None = None
    is_open: bool = False
    """The filing may say more of the matter elsewhere."""


class FilingReader:
    """Reads filings for answers from structure. Documents used last are kept. Usable from several threads."""

    def __init__(self, library: StructureLibrary, chunks: FilingChunks) -> None:
        self.library = library
        self.chunks = chunks
        self._documents: Remembered[Filing, Document] = Remembered(_KEPT)

    def document(self, filing: Filing) -> Document:
        """The document of ``filing``; raises ``NotFound`` when it is gone."""
        return self._documents.get(filing, lambda: self.library.document(filing.id))

    def section(self, filing: Filing, item: str, title: str = "") -> Section | None:
        """The surest section of that Item whose title has ``title`` in it."""
        found = [s for s in self.library.sections(filing.id) if s.item == item and title in s.title.lower()]
        return max(found, key=lambda section: section.confidence, default=None)

    def body(self, filing: Filing, section: Section) -> tuple[str, int]:
        """The text under a section's heading line, and where it begins in the clean text."""
        text = self.library.text(filing.id)[section.start : section.end]
        heading, _, body = text.partition("\n")
        return body, section.start + len(heading) + 1

    def passage(self, number: int, filing: Filing, start: int, end: int) -> Passage | None:
        """The passage ``[number]`` that quotes a span of the clean text; None when no chunk holds it."""
        chunk = self.chunks.holding(filing.id, start, end)
        return None if chunk is None else passage_in(number, filing, chunk, start, end)


class Passages:
    """Numbers passages from 1; the same span is one passage."""

    def __init__(self, reader: FilingReader, filing: Filing) -> None:
        self._reader = reader
        self._filing = filing
        self._numbers: dict[tuple[int, int], int | None] = {}
        self.made: list[Passage] = []

    def number(self, start: int, end: int) -> int | None:
        """The number of the passage that quotes the span; None when no chunk holds it."""
        key = (start, end)
        if key not in self._numbers:
            passage = self._reader.passage(len(self.made) + 1, self._filing, start, end)
            if passage is not None:
                self.made.append(passage)
            self._numbers[key] = None if passage is None else passage.citation.id
        return self._numbers[key]

    def take(self, passage: Passage) -> int:
        """The number under which a passage that was made already stands; the same span is one."""
        key = (passage.citation.start, passage.citation.end)
        if self._numbers.get(key) is None:
            self.made.append(replace(passage, citation=replace(passage.citation, id=len(self.made) + 1)))
            self._numbers[key] = len(self.made)
        number = self._numbers[key]
        assert number is not None
        return number


def passage_in(number: int, filing: Filing, chunk: Chunk, start: int, end: int) -> Passage:
    """The passage ``[number]`` that quotes ``start:end`` of ``chunk``."""
    hit = Hit(number, chunk, filing, 1.0, Ranks())
    return Passage(cite(number, hit, start, end), chunk.text, chunk.start, chunk.end, 1.0, chunk.kind)


def one(text: str, passage: Passage | None) -> StructureAnswer | None:
    """The answer of one sentence; None when no passage shows what it rests on."""
    if passage is None:
        return None
    return StructureAnswer((Sentence(text, (passage.citation.id,), "grounded"),), (passage,))


def named(filing: Filing) -> str:
    """ "10-K for FY2024"."""
    return f"{filing.form} for FY{filing.fiscal_year}" if filing.fiscal_year else filing.form
