"""The figures of an answer as the JSON contract names their fields: facts, plan, calculation, table, and how it was searched.

Any key may be missing from what an earlier version of the program stored, so the reader of a stored answer asks with ``get``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypedDict, Unpack, cast


class FactRecord(TypedDict, total=False):
    """A figure that a filing states, or that comes near it; written by ``engine.figures.as_json``."""

    concept: str
    """Tag with its prefix; of an untagged figure where it was read, such as "text:…"."""
    label: str
    value: float | None
    """In base units; percentages as 14.2 for 14.2 %."""
    unit: str | None
    period_start: str | None
    """ISO date; None for a figure at one moment."""
    period_end: str | None
    dimensions: dict[str, str]
    """Axis -> member."""
    source: str
    """ "xbrl", "table", "text", or "computed"."""
    as_reported: str
    restated: float | None
    """The value that a later filing gives."""
    citation: int | None
    filing: str | None
    """Id."""
    file: str | None
    note: str | None


class PlacedFact(FactRecord, total=False):
    """A fact with whose it is and where it stands, as ``check``, ``audit``, ``facts`` and exports give it."""

    company: str | None
    fiscal_year: int | None
    metric: str
    item: str | None
    page: int | None
    page_label: str | None
    start: int | None
    """Span in the clean text; None for a hidden fact."""
    end: int | None
    reference: str | None
    quote: str | None
    accession: str
    question: str
    """What was asked, in an export."""
    restated_in: str | None
    """File of the filing that restates it."""
    display: str
    expression: str
    """Of a computed value."""
    inputs: list[PlacedFact]
    """Of a computed value: the figures behind it."""
    gap: str
    """Why there is no value."""
    near: list[str]
    """Labels of close candidates, where there is none."""
    places: list[PlacedFact]
    """Where else it is stated."""


def placed(fact: FactRecord, **place: Unpack[PlacedFact]) -> PlacedFact:
    """A fact object with whose it is and where it stands."""
    return cast("PlacedFact", {**fact, **place})


class CalculationInput(TypedDict, total=False):
    """What a letter of an expression stands for: a fact of the answer, or in a sheet's formula a cell."""

    item: str
    value: float | None
    unit: str | None
    period_end: str | None
    fact: int
    """Its place among the answer's facts, from 0."""
    cell: list[str]
    """Keys of row and column."""


class CalculationRecord(TypedDict, total=False):
    """How a value was computed."""

    expression: str
    """Over the letters of ``inputs``."""
    inputs: dict[str, CalculationInput]
    substituted: str
    result: float
    unit: str | None
    display: str
    from_negative: bool
    """It is a rate measured by the size of a figure that is negative; missing from all others."""


class PlanStep(TypedDict, total=False):
    """A figure that was looked up, or what was computed of several."""

    question: str
    operation: str
    metric: str
    company: str
    period_end: str | None


class TableCell(TypedDict, total=False):
    """A value of the answer's table, or why there is none."""

    value: float | None
    unit: str | None
    display: str | None
    period_end: str | None
    fact: int | None
    """Its place among the answer's facts, from 0; of a computed value that of its first input."""
    citation: int | None
    gap: str | None


class TableRow(TypedDict):
    """A row of the answer's table."""

    label: str
    cells: list[TableCell]
    """One for each column."""


class TableRecord(TypedDict):
    """Figures side by side."""

    columns: list[str]
    rows: list[TableRow]
    notes: NotRequired[list[str]]
    """What holds for all of it."""


class RetrievedChunk(TypedDict, total=False):
    """A passage of the search behind an answer."""

    chunk_id: str
    score: float
    ranks: Mapping[str, int | None]
    """Name of the list -> rank in it, from 1."""


class RetrievalScope(TypedDict):
    """Where the search looked."""

    companies: Sequence[str]
    fiscal_years: Sequence[int]


class Retrieval(TypedDict, total=False):
    """The search behind an answer; empty where none was needed."""

    mode: Literal["hybrid", "dense", "sparse"] | None
    scope: RetrievalScope
    chunks: Sequence[RetrievedChunk]
    strength: float
    """How firmly the passages bear on the question, from 0 to 1."""
