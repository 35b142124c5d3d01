"""What is asked and answered: scopes, hits, citations, answers, progress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fin_tui.records.filing import Chunk, Filing


@dataclass(frozen=True, slots=True)
class Scope:
    """What a question may look at. Empty fields do not limit. Applied before the top k, never widened in silence."""

    companies: tuple[str, ...] = ()
    """Company keys."""
    fiscal_years: tuple[int, ...] = ()
    items: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    filings: tuple[str, ...] = ()
    """Filing ids."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """Rank (from 1) of a hit in each list that it was found in."""

    dense: int | None = None
    sparse: int | None = None
    rerank: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A ranked chunk with the filing it stands in."""

    rank: int
    chunk: Chunk
    filing: Filing
    score: float
    ranks: Ranks


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a sentence or number comes from; the fields of the JSON contract."""

    id: int
    chunk_id: str
    filing: str
    file: str
    company: str
    ticker: str | None
    cik: str | None
    form: str
    fiscal_year: int | None
    period_end: str | None
    item: str | None
    heading: str
    page: int
    page_label: str | None
    quote: str
    start: int
    """Span of ``quote`` in the clean text."""
    end: int
    url: str | None
    reference: str
    prefix: str = ""
    """Up to 64 characters before the quote: with ``suffix`` it finds the quote again after a re-parse."""
    suffix: str = ""
    row: str = ""
    """Of table rows: the quote in words, with its heading rows, the names of its columns and its unit; "" for prose."""

    @property
    def words(self) -> str:
        """The quote as a reader understands it without the table around it."""
        return self.row or self.quote


Support = Literal["grounded", "computed", "unsupported"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer and what it rests on."""

    text: str
    citations: tuple[int, ...]
    support: Support
    why: str = ""
    """Why nothing bears it out, where it is unsupported."""
    opens: Literal["", "line", "paragraph"] = ""
    """What it begins: nothing where it goes on with the sentence before it."""
    is_detail: bool = False
    """The answer's table or calculation shows it as well, so that pages leave it out."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there is no answer, and what the library does hold."""

    kind: str
    """off_topic, advice, forecast, not_in_library, period_not_covered, out_of_scope, not_disclosed, weak_evidence."""
    message: str
    nearest: tuple[Citation, ...] = ()
    fetch: str = ""
    """The command that would bring what is missing, where EDGAR may have it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished answer: the ``ask --json`` document, field by field."""

    question: str
    status: Literal["answered", "refused", "error"]
    answer: str
    """Text with [n] markers."""
    id: str | None = None
    refusal: Refusal | None = None
    value: float | None = None
    unit: str | None = None
    plan: tuple[Mapping[str, Any], ...] = ()
    sentences: tuple[Sentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    facts: tuple[Mapping[str, Any], ...] = ()
    calculation: Mapping[str, Any] | None = None
    table: Mapping[str, Any] | None = None
    verification: Mapping[str, int] = field(default_factory=dict)
    retrieval: Mapping[str, Any] = field(default_factory=dict)
    model: str = "none"
    """Whose words ``answer`` is; "none" where it is the filing's own words."""
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    extract: str = ""
    """The answer without the model, with the same [n]; equal to ``answer`` when no model was used."""
    candidates: tuple[Mapping[str, Any], ...] = ()
    """Figures that fit the question about equally well, as fact objects, where choosing one would have been a guess."""
    stopped: bool = False
    """The reader stopped the model; ``answer`` is what stood then."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A step of long work: ingest, embedding, download."""

    stage: str
    """parse, store, embed, index, download, …"""
    done: float
    total: float
    """0 when unknown."""
    label: str = ""
