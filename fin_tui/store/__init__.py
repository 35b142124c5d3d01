"""The one SQLite file that holds the truth. ``library.py`` is what all others see; a new table begins in ``migrations``.

Here stands what a corpus is: filings that can be asked, from a library file or a team's server, as search, answers, figures and
checks need it; and a memory of what was made of it.
"""

from __future__ import annotations

import datetime as dt
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from threading import Lock
from typing import Generic, Protocol, TypedDict, TypeVar, Unpack

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


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Remembered(Generic[K, V]):
    """A bounded memory of values by key; the least used goes first, and any change of ``state`` empties it.

    Usable from several threads. A value is made outside the lock: two threads may make the same one.
    """

    def __init__(self, most: int, state: Callable[[], Hashable] | None = None) -> None:
        """``state`` tells the version of what values are made from; None where that never changes, or the keys tell it."""
        self._most = most
        self._state = state or (lambda: None)
        self._lock = Lock()
        self._seen: Hashable = None
        self._held: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The value remembered for ``key``, else what ``make`` gives."""
        before = self._state()
        with self._lock:
            if before != self._seen:
                self._held.clear()
                self._seen = before
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
        made = make()
        with self._lock:
            # Another thread may have seen a later state meanwhile; where none has, the next look empties what is held.
            if self._seen == before:
                self._keep(key, made)
        return made

    def find(self, key: K) -> V | None:
        """The value remembered for ``key`` in whatever state; None where there is none."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def put(self, key: K, value: V) -> None:
        """Remember ``value``, made in the state seen last."""
        with self._lock:
            self._keep(key, value)

    def __len__(self) -> int:
        return len(self._held)

    def _keep(self, key: K, value: V) -> None:
        self._held[key] = value
        self._held.move_to_end(key)
        while len(self._held) > self._most:
            self._held.popitem(last=False)
