"""What is known of a filing: text, blocks, tables, facts, sections, chunks."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, TypedDict


class BlockKind(StrEnum):
    """What a block of a filing is."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    TABLE = "table"
    LIST = "list"


ACCESSION = re.compile(r"\d{10}-\d{2}-\d{6}")
"""The number under which EDGAR holds a filing: its id, where it is known."""


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open character range in a filing's clean text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Cell:
    """One visible cell of a table grid."""

    text: str
    row: int
    column: int
    start: int
    end: int
    """Where the text stands in the clean text; equal when the cell is empty."""
    footnotes: tuple[str, ...] = ()
    """Markers that stand with the cell, such as "(1)", taken out of ``text`` where they follow a number."""


@dataclass(frozen=True, slots=True)
class Column:
    """What a table's header says about one column."""

    header: tuple[str, ...]
    """Header texts from the top down, spanning cells repeated."""
    period_start: dt.date | None = None
    period_end: dt.date | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table as a grid, with what its captions and headers mean."""

    rows: tuple[tuple[Cell, ...], ...]
    """Non-empty cells by row, ascending by column. Currency signs and closing brackets are joined to their number."""
    header_rows: int
    columns: tuple[Column, ...]
    """One per grid column, the label column included."""
    title: str = ""
    """Caption or the nearest title above, e.g. "CONSOLIDATED BALANCE SHEETS"."""
    units: str = ""
    """The caption as printed, e.g. "(In millions, except per share data)"."""
    scale: int = 1
    """Factor of plain money amounts, from ``units``: 1, 1_000, 1_000_000, 1_000_000_000."""
    row_paths: tuple[tuple[str, ...], ...] = ()
    """For each row its labels from the outermost heading row in, e.g. ("Current assets:", "Inventories")."""
    footnotes: Mapping[str, str] = field(default_factory=dict)
    """Marker -> note text, from rows under the table."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, table or list item of a filing."""

    ordinal: int
    kind: BlockKind
    start: int
    end: int
    page: int
    """Running page from 1; the physical page of a PDF."""
    page_label: str = ""
    """The page number as printed, empty when none is."""
    level: int = 0
    """Headings only: 1 is a Part or Item, larger is deeper."""
    table: Table | None = None
    note: str = ""
    """Name of the tagged note or policy this block belongs to (from an inline XBRL text block), e.g. "Revenue Recognition"."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One tagged or parsed figure (or DEI text) of a filing."""

    concept: str
    """Prefixed name, e.g. "us-gaap:Revenues"; for untagged cells "table:" + the row label."""
    label: str
    """The row label or sentence words it stands with."""
    value: float | None
    """In base units (dollars, shares, a fraction for pure percentages as tagged); None when ``text`` carries it, or nil."""
    text: str
    """As printed."""
    unit: str
    """usd, usd/share, shares, pure, or the lower-cased measure; empty for text."""
    period_start: dt.date | None
    period_end: dt.date | None
    """The instant, or the last day of a duration."""
    dimensions: Mapping[str, str] = field(default_factory=dict)
    """Axis -> member, prefixed names."""
    decimals: int | None = None
    """Accuracy as tagged; None for INF or unknown."""
    source: Literal["xbrl", "table", "text"] = "xbrl"
    start: int = 0
    end: int = 0
    """Where it stands in the clean text; both 0 for hidden facts."""
    block: int | None = None
    """Ordinal of its block; None for hidden facts."""


@dataclass(frozen=True, slots=True)
class Cover:
    """What a filing says of itself. Every field may be missing; ``None`` and "" mean unknown, never a guess."""

    company: str = ""
    form: str = ""
    """"10-K", "10-K405", "10-KT", "10-K/A", or another form's name."""
    fiscal_year: int | None = None
    """The company's own label (DocumentFiscalYearFocus), else derived from the period end."""
    period_end: dt.date | None = None
    cik: str = ""
    """Ten digits."""
    ticker: str = ""
    irs_number: str = ""
    commission_file: str = ""
    accession: str = ""
    """Only from an SGML header or EDGAR, never from running text."""
    filed: dt.date | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A filing as its reader understood it: clean text, blocks over it, facts, and the cover."""

    format: Literal["ixbrl", "html", "text", "pdf"]
    text: str
    blocks: tuple[Block, ...]
    pages: int
    cover: Cover
    facts: tuple[Fact, ...] = ()
    coverage: float = 1.0
    """Share of the raw file's visible words that stand in ``text`` (running headers and footers counted as expected losses)."""
    warnings: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    """Texts outside ``text`` that may name the filing: the title of a PDF and its running lines. Not kept in the library."""


@dataclass(frozen=True, slots=True)
class Section:
    """An Item of a 10-K (or a Part, signatures) with its place."""

    part: str
    """"I" to "IV", empty when unknown."""
    item: str
    """"1", "1A", "7", … in upper case; merged Items give one section each over the same span; "" for cover and signatures."""
    title: str
    start: int
    end: int
    page: int
    confidence: float
    """0 to 1. A stub that points elsewhere, or a heading found only by its words, is below .5."""


@dataclass(frozen=True, slots=True)
class Filing:
    """A filing in the library."""

    id: str
    """Accession number when EDGAR or an SGML header gave it, else "sha256:" + 16 hex digits of the bytes."""
    file: str
    """Base name as added."""
    company: str
    company_key: str
    """CIK, else IRS number, else Commission file number, else the normalised name; with a prefix that says which."""
    form: str
    fiscal_year: int | None
    period_end: dt.date | None
    cik: str = ""
    ticker: str = ""
    filed: dt.date | None = None
    pages: int = 0
    items: tuple[str, ...] = ()
    chunks: int = 0
    facts: int = 0
    embedded: int = 0
    """How many of its chunks have a vector for the current encoder."""
    format: str = ""
    coverage: float = 1.0
    crosscheck: float | None = None
    """Share of tagged table cells that the table reader read as their tag states; None where no cell is tagged."""
    crosscheck_cells: int = 0
    """How many cells were compared."""
    url: str = ""
    warnings: tuple[str, ...] = ()


class FilingHead(TypedDict):
    """What every JSON object, and every citation, says of its filing."""

    filing: str
    """Id."""
    file: str
    company: str
    ticker: str | None
    cik: str | None
    form: str
    fiscal_year: int | None
    period_end: str | None


def head_of(filing: Filing) -> FilingHead:
    """What an object says of ``filing``."""
    return {
        "filing": filing.id,
        "file": filing.file,
        "company": filing.company,
        "ticker": filing.ticker or None,
        "cik": filing.cik or None,
        "form": filing.form,
        "fiscal_year": filing.fiscal_year,
        "period_end": filing.period_end.isoformat() if filing.period_end else None,
    }


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage: what is retrieved and cited. Never crosses an Item."""

    id: str
    """Filing id + "/" + chunking version + ":" + ordinal."""
    filing: str
    ordinal: int
    start: int
    end: int
    page: int
    page_label: str
    item: str
    heading: str
    kind: Literal["prose", "table"]
    text: str
    """The clean text of the span, as shown."""
    header: str
    """Contextual header: company · form · fiscal year and period end · Item · heading · table title · units."""
    index_text: str
    """What both indexes read: header, then prose, or a table's rows linearised into sentences."""
