"""The one SQLite file that holds the truth. ``library.py`` is what all others see; a new table begins in ``migrations``.

Here stands what a corpus is: filings that can be asked, from a library file or a team's server, as search, answers, figures and
checks need it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Protocol, TypedDict, Unpack

from fin_tui.records import Chunk, Document, Fact, Filing, Section


class ChunkStore(Protocol):
    """Passages by id and by place."""

    def by_id(self, ids: Sequence[str], /) -> Mapping[str, Chunk]:
        """Chunks by string id; ids that are gone are left out."""
        ...

    def of_filing(self, filing_id: str, /) -> tuple[Chunk, ...]:
        """All chunks of a filing in reading order; empty when it is not there."""
        ...

    def holding(self, filing_id: str, start: int, end: int, /) -> Chunk | None:
        """The shortest chunk of a filing that holds the span of its clean text; None when none does."""
        ...


class FactConditions(TypedDict, total=False):
    """Which facts are wanted: those that meet every condition given. One that is left out, or empty, does not limit."""

    concepts: Sequence[str]
    """Any of these, with their prefix: "us-gaap:Revenues"."""
    filings: Sequence[str]
    """Any of these ids."""
    period_ends: Sequence[dt.date]
    """Any of these."""
    label: str
    """A part of the label, without regard to case."""
    source: str
    """xbrl, table or text."""


class FactStore(Protocol):
    """Facts by concept, label, period and filing."""

    def find(self, **wanted: Unpack[FactConditions]) -> tuple[Fact, ...]:
        """Facts by filing and reading order."""
        ...

    def find_with_filing(self, **wanted: Unpack[FactConditions]) -> tuple[tuple[str, Fact], ...]:
        """(filing id, fact) by filing and reading order."""
        ...


class Corpus(Protocol):
    """``fin_tui.store.library.Library`` is one, ``fin_tui.team.corpus.TeamCorpus`` another. Usable from several threads.

    All methods raise ``FinTuiError`` with a clear line when what holds the filings fails.
    """

    @property
    def chunks(self) -> ChunkStore: ...

    @property
    def facts(self) -> FactStore: ...

    def filings(self) -> tuple[Filing, ...]:
        """All filings by company and period."""
        ...

    def filing(self, filing_id: str, /) -> Filing:
        """By exact id; raises ``NotFound``."""
        ...

    def resolve(self, name: str, /) -> Filing:
        """By id, unique prefix, base name or ``COMPANY:YEAR``; raises ``UsageError`` (ambiguous) or ``NotFound``."""
        ...

    def text(self, filing_id: str, /) -> str:
        """Clean text; raises ``NotFound``."""
        ...

    def document(self, filing_id: str, /) -> Document:
        """Text, blocks, cover and facts; raises ``NotFound``."""
        ...

    def sections(self, filing_id: str, /) -> tuple[Section, ...]:
        """Parts and Items; raises ``NotFound``."""
        ...

    def generation(self) -> int:
        """A number that changes with every change of filings and chunks, by any process."""
        ...

    def vector_generation(self) -> int:
        """A number that changes whenever vectors do."""
        ...
