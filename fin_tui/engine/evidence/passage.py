"""A numbered passage of the evidence, and the citation of its words (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from fin_tui.engine.evidence.units import words_of
from fin_tui.records import Citation, Filing, Hit

_CONTEXT = 64
_SCALE = re.compile(r"\bin (?:[\w.$]+ ){0,3}?(thousand|million|billion)s\b|\b(thousand|million|billion)s of\b", re.I)
_FACTORS = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}


@dataclass(frozen=True, slots=True)
class Passage:
    """A numbered piece of evidence: what [n] opens."""

    citation: Citation
    """``citation.id`` is its number; quote and span are the sentences or rows that carry the answer."""
    text: str
    """The whole passage (the chunk's clean text)."""
    start: int
    """Span of ``text`` in the clean text."""
    end: int
    score: float
    kind: Literal["prose", "table"] = "prose"
    scale: int = 1
    """Factor of the plain figures of a table ("In millions": 1_000_000)."""


def scale_of(header: str) -> int:
    """The factor that a unit caption in a contextual header names: "(In millions)" -> 1_000_000; 1 when none does."""
    match = _SCALE.search(header)
    return 1 if match is None else _FACTORS[(match.group(1) or match.group(2)).lower()]


def cite(number: int, hit: Hit, start: int, end: int) -> Citation:
    """The citation ``[number]`` of the span ``start:end`` (clean text), which must lie inside the hit's chunk."""
    chunk, filing = hit.chunk, hit.filing
    text = chunk.text
    a, b = start - chunk.start, end - chunk.start
    return Citation(
        id=number, chunk_id=chunk.id, filing=filing.id, file=filing.file, company=filing.company, ticker=filing.ticker or None,
        cik=filing.cik or None, form=filing.form, fiscal_year=filing.fiscal_year,
        period_end=filing.period_end.isoformat() if filing.period_end else None, item=chunk.item or None, heading=chunk.heading,
        page=chunk.page, page_label=chunk.page_label or None, quote=text[a:b], start=start, end=end,
        url=filing.url or None, reference=reference(filing, chunk.item, chunk.page_label or str(chunk.page)),
        prefix=text[max(0, a - _CONTEXT) : a], suffix=text[b : b + _CONTEXT],
        row=words_of(hit, start, end),
    )  # fmt: skip


def requote(passage: Passage, start: int, end: int, words: str) -> Passage:
    """``passage`` quoted by its span ``start:end`` (clean text), which says ``words``."""
    a, b, text = start - passage.start, end - passage.start, passage.text
    before, behind = text[max(0, a - _CONTEXT) : a], text[b : b + _CONTEXT]
    row = words if passage.kind == "table" else ""
    cited = replace(passage.citation, quote=text[a:b], start=start, end=end, prefix=before, suffix=behind, row=row)
    return replace(passage, citation=cited)


def reference(filing: Filing, item: str, page: str) -> str:
    """ "Apple Inc. 10-K FY2024 (2024-09-28), Item 8, p. 32"."""
    year = f" FY{filing.fiscal_year}" if filing.fiscal_year else ""
    end = f" ({filing.period_end.isoformat()})" if filing.period_end else ""
    where = f", Item {item}" if item else ""
    return f"{filing.company} {filing.form}{year}{end}{where}, p. {page}"
