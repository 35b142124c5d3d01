"""What is asked and answered: scopes, hits, citations, answers, progress; sheets of such answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypedDict

from fin_tui.records.figures import CalculationRecord, FactRecord, PlacedFact, PlanStep, Retrieval, TableRecord
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
    figure: tuple[int, int] | None = None
    """Where in the quote the one figure stands that is cited; None where several are, or words."""

    @property
    def place(self) -> tuple[int, int]:
        """Span in the clean text that the citation opens: the one figure that is cited, else the quote."""
        return (self.start + self.figure[0], self.start + self.figure[1]) if self.figure is not None else (self.start, self.end)

    @property
    def words(self) -> str:
        """The quote as a reader understands it without the table around it."""
        return self.row or self.quote


Support = Literal["grounded", "computed", "unsupported"]


@dataclass(frozen=True, slots=True)
class QuotedTable:
    """Rows of one table of a filing, as it prints them."""

    title: str
    """What the table is called there; may be empty."""
    header: tuple[str, ...]
    """The names of its columns, first what stands over the labels: the unit, or nothing."""
    rows: tuple[tuple[str, ...], ...]
    """Label, then a cell for each column, empty where none is printed; rows of a group are indented under its heading."""


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
    table: QuotedTable | None = None
    """The rows that ``text`` gives, for what can draw them as a grid."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there is no answer, and what the library does hold."""

    kind: str
    """off_topic, advice, forecast, not_in_library, period_not_covered, out_of_scope, not_disclosed, weak_evidence."""
    message: str
    nearest: tuple[Citation, ...] = ()
    fetch: str = ""
    """The command that would bring what is missing, where EDGAR may have it."""

    @property
    def told(self) -> str:
        """What a reader is told: of what was not found no kind, which would claim that the filings don't state it."""
        return self.message if self.kind == "not_disclosed" else f"No answer ({self.kind}): {self.message}"


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
    plan: tuple[PlanStep, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    facts: tuple[FactRecord, ...] = ()
    calculation: CalculationRecord | None = None
    table: TableRecord | None = None
    verification: Mapping[str, int] = field(default_factory=dict)
    retrieval: Retrieval = field(default_factory=Retrieval)
    model: str = "none"
    """Whose words ``answer`` is; "none" where it is the filing's own words."""
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    extract: str = ""
    """The answer without the model, with the same [n]; equal to ``answer`` when no model was used."""
    candidates: tuple[FactRecord, ...] = ()
    """Figures that fit the question about equally well, as fact objects, where choosing one would have been a guess."""
    stopped: bool = False
    """The reader stopped the model; ``answer`` is what stood then."""
    caution: str = ""
    """Where the answer is not surely one: "No exact figure found; closest passages below."."""
    notes: tuple[str, ...] = ()
    """What a reader must know of it: what is not in the library, what it was taken from instead."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A step of long work: ingest, embedding, download."""

    stage: str
    """parse, store, embed, index, download, …"""
    done: float
    total: float
    """0 when unknown."""
    label: str = ""


class Fingerprint(TypedDict, total=False):
    """What made a stored answer, to tell later whether it would still be the same."""

    model: str
    mode: Literal["hybrid", "dense", "sparse"] | None
    """Of the search."""
    library: int
    """Its generation."""
    corpus: str
    """Where the filings were, when not in the library."""


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage as it stood beside an answer; its text is read from the library again."""

    citation: Citation
    start: int
    """Span of the passage in the clean text."""
    end: int
    score: float
    kind: Literal["prose", "table"] = "prose"
    scale: int = 1


@dataclass(frozen=True, slots=True)
class Saved:
    """What an entry of the notebook holds: enough to stand alone when the library has changed."""

    kind: Literal["figure", "passage", "answer"]
    title: str
    """A question, a figure's name, or a passage's place."""
    text: str = ""
    """A passage's words; an answer's text with [n] when it has no sentences."""
    sentences: tuple[Sentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    """What the [n] of the sentences, facts and table mean."""
    facts: tuple[FactRecord, ...] = ()
    """Fact objects of the answer's JSON contract."""
    calculation: CalculationRecord | None = None
    table: TableRecord | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    """Filing id -> version of the clean text that the citations' spans belong to."""


def page_name(page: int | str, label: str | None) -> str:
    """ "p. 32", as the filing prints it; "p. 32 (physical page 35)" where the count of pages says something else."""
    if not label or str(label) == str(page):
        return f"p. {page}"
    return f"p. {label} (physical page {page})"


def place_of(found: PlacedFact) -> str:
    """Of a figure that was found: "Apple Inc. FY2024, Item 8, p. 32"; the file's name only where no company is known."""
    page = found.get("page")
    year = f" FY{found['fiscal_year']}" if found.get("fiscal_year") else ""
    parts = (
        f"{found.get('company') or found.get('file') or ''}{year}",
        f"Item {found['item']}" if found.get("item") else "",
        page_name(page, found.get("page_label")) if page else "",
    )
    return ", ".join(filter(None, parts))


ColumnKind = Literal["figure", "formula", "question"]
CellState = Literal["found", "computed", "restated", "several", "nothing", "failed"]
"""found: as a filing states it. computed: over figures that filings state. restated: a later filing gives another value.
several: figures that fit about equally well, or an answer of several values. nothing: no figure or passage was found.
failed: the work broke off.
"""


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A company in a fiscal year, or one filing."""

    key: str
    """Unique within the sheet, the same on every machine."""
    label: str
    company: str
    """Company key."""
    year: int
    """Fiscal year as the company labels it."""
    filing: str = ""
    """Id of the one filing that the row asks; "" where any filing of the company that covers the year may answer."""


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """What is asked of every row."""

    key: str
    """Unique within the sheet; stays when columns are moved."""
    name: str
    kind: ColumnKind
    text: str
    """The figure in any wording, the formula's expression, or the question."""
    is_percent: bool = False
    """A formula's plain result is shown in percent."""
    is_hidden: bool = False


@dataclass(frozen=True, slots=True)
class SheetCell:
    """What was found for a row and a column, with all that proves it."""

    row: str
    column: str
    state: CellState
    line: str
    """The value as printed, or the answer in one line."""
    value: float | None = None
    """In base units; percentages as 14.2 for 14.2 %."""
    unit: str | None = None
    period_end: str | None = None
    note: str = ""
    """What a reader must know: the restated value, or why there is none."""
    sentences: tuple[Sentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    """What the numbers of the sentences and facts mean."""
    facts: tuple[FactRecord, ...] = ()
    """Fact objects of the JSON contract."""
    calculation: CalculationRecord | None = None
    """The calculation object; of a formula its inputs name ``cell`` (row and column keys) in place of a fact."""
    candidates: tuple[FactRecord, ...] = ()
    """Where several fit: the figures as fact objects."""
    fingerprint: str = ""
    """What made the cell; another one now means that it is stale."""
    before: str = ""
    """The line that stood here before the last run changed it."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet without its cells."""

    name: str
    rows: tuple[SheetRow, ...]
    columns: tuple[SheetColumn, ...]
