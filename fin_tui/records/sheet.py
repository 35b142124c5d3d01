"""A sheet: rows of companies and years (or filings) against columns of figures, formulas and questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fin_tui.records.answer import Citation, Sentence

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
    facts: tuple[Mapping[str, Any], ...] = ()
    """Fact objects of the JSON contract."""
    calculation: Mapping[str, Any] | None = None
    """The calculation object; of a formula its inputs name ``cell`` (row and column keys) in place of a fact."""
    candidates: tuple[Mapping[str, Any], ...] = ()
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
