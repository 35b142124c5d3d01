"""Search by the server within a scope: two lists of the best passages, each with the scores that a library would give."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fin_tui.records import Chunk, Filing, Scope
from fin_tui.retrieval import sparse
from fin_tui.retrieval.backend import Entry, Found, Keys, Tokens
from fin_tui.retrieval.scope import allowed_filings
from fin_tui.store import codec
from fin_tui.team import schema
from fin_tui.team.link import Link, OtherCorpus
from fin_tui.team.rows import Record, WordCounts, question_vector, to_record
from fin_tui.team.schema import clipped, filing_number, read_totals

FRESH_SECONDS = 3.0
"""A change is seen at the latest after this time."""


@dataclass(frozen=True)
class State:
    """The filings at one moment."""

    generation: int
    """Differs from that of any other state which this process saw."""
    filings: tuple[Filing, ...]
    """Complete ones, by company and period."""
    records: Mapping[str, Record]
    """Of the complete ones, by filing id."""
    by_number: Mapping[int, Filing]
    hidden: tuple[int, ...]
    """Numbers of filings that are half there: nothing of them may be found."""


class Watch:
    """Tells the state. Usable from several threads."""

    def __init__(self, link: Link, now: Callable[[], float] = time.monotonic) -> None:
        self._link = link
        self._now = now
        self._lock = Lock()
        self._mark = ""
        self._looked = float("-inf")
        self._state: State | None = None

    def state(self) -> State:
        """The state now, at most ``FRESH_SECONDS`` old. Raises ``FinTuiError`` when the server fails."""
        with self._lock:
            if self._state is not None and self._now() - self._looked < FRESH_SECONDS:
                return self._state
            rows = self._link.get(schema.FILINGS, [schema.STAMP_KEY], ["data"], is_fresh=True)
            mark = str(rows[0]["data"]) if rows else ""
            if self._state is None or mark != self._mark:
                self._state = self._read(self._state.generation + 1 if self._state is not None else 1)
                self._mark = mark
            self._looked = self._now()
            return self._state

    def _read(self, generation: int) -> State:
        records = [to_record(row) for row in self._link.each(schema.FILINGS, 'kind == "record"', ["data"])]
        whole = {record.filing.id: record for record in records if record.state == "complete"}
        filings = sorted((record.filing for record in whole.values()), key=_order)
        return State(
            generation,
            tuple(filings),
            whole,
            {record.number: record.filing for record in whole.values()},
            tuple(sorted(record.number for record in records if record.state != "complete")),
        )


def _order(filing: Filing) -> tuple[str, bool, str, str]:
    return filing.company.casefold(), filing.period_end is None, str(filing.period_end), filing.id


MOST_NAMED = 1000
"""Up to this many filings a condition names each; beyond, company, year and form say which."""


@dataclass(frozen=True)
class Limits:
    """What a scope comes to in one state of a corpus."""

    filings: tuple[Filing, ...]
    items: tuple[str, ...]
    condition: str
    """In Milvus' language; "" when nothing limits."""


def limits_of(state: State, scope: Scope) -> Limits:
    """The filings and the condition of ``scope``. An Item takes in what is labelled with it and what stands in its section."""
    filings = allowed_filings(state.filings, scope)
    limited = bool(scope.companies or scope.fiscal_years or scope.forms or scope.filings)
    if limited and len(filings) <= MOST_NAMED:
        parts = [f"filing in {_numbers(filing_number(filing.id) for filing in filings)}"]
    else:
        parts = [*_by_field(scope)] if limited else []
        parts += [f"filing not in {_numbers(state.hidden)}"] if state.hidden else []
    items = tuple(item.upper() for item in scope.items)
    if items:
        parts.append(f"array_contains_any(items, {_texts(items)})")
    return Limits(filings, items, " and ".join(parts))


def _by_field(scope: Scope) -> Iterable[str]:
    if scope.filings:
        yield f"filing in {_numbers(map(filing_number, scope.filings))}"
    if scope.companies:
        yield f"company in {_texts([clipped('company', key) for key in scope.companies])}"
    if scope.fiscal_years:
        yield f"fiscal_year in {_numbers(scope.fiscal_years)}"
    if scope.forms:
        yield f"form in {_texts([clipped('form', form.upper()) for form in scope.forms])}"


def _numbers(values: Iterable[int]) -> str:
    return f"[{', '.join(str(value) for value in values)}]"


def _texts(values: Sequence[str]) -> str:
    """Quoted as in JSON, so that no name ends the condition it stands in."""
    return codec.to_json(list(values))


MOST_COUNTED = 256
"""In a scope of up to this many filings words are weighed by how rare they are in it; beyond, in the whole corpus."""
NARROWEST, WIDEST = 128, 2048
"""Passages that a graph looks at: at least, and at most."""


class Shelves(Protocol):
    """What a room reads beside the search."""

    def counts(self, filings: Sequence[Filing]) -> Sequence[WordCounts]:
        """The word counts of each filing."""
        ...

    def chunks_by_key(self, keys: Sequence[int]) -> Mapping[int, Chunk]:
        """Chunks by key; those that are gone are left out."""
        ...


class TeamSearch:
    """See :class:`fin_tui.retrieval.backend.ScopedSearch`."""

    def __init__(
        self, link: Link, state: State, limits: Limits, shelves: Shelves, *, index: schema.Index, has_vectors: bool
    ) -> None:
        """``index`` is that of the vectors; ``has_vectors``: the encoder of this machine made them."""
        self._link = link
        self._state = state
        self._limits = limits
        self._shelves = shelves
        self._index: schema.Index = index
        self._has_vectors = has_vectors

    @cached_property
    def total(self) -> int:
        """Of many filings limited to some Items, the passages of all Items."""
        filings, items = self._limits.filings, self._limits.items
        if items and len(filings) <= MOST_COUNTED:
            return sum(counts.total(items) for counts in self._shelves.counts(filings))
        return sum(filing.chunks for filing in filings)

    @property
    def embedded(self) -> int:
        return self.total if self._has_vectors else 0

    def search_sparse(self, tokens: Tokens, k: int) -> Found:
        words = tokens if isinstance(tokens, Mapping) else dict.fromkeys(tokens, 1.0)
        query = question_vector(words, *self._frequencies(list(words)))
        return self._searched("sparse", query, k, {}) if query else _NOTHING

    def search_dense(self, query: NDArray[np.float32], k: int) -> Found:
        if not self._has_vectors:
            return _NOTHING
        return self._searched("dense", query.tolist(), k, schema.search_parameters(self._index, self._width(k)))

    def search_among(self, tokens: Tokens, keys: Keys) -> Found:
        chunks = self._shelves.chunks_by_key(keys.tolist())
        segment = sparse.build((key, chunk.index_text) for key, chunk in sorted(chunks.items()))
        return sparse.search([segment], tokens, [np.ones(len(chunks), bool)], len(chunks))

    def without_vector(self, keys: Keys) -> Keys:
        return keys[:0] if self._has_vectors else keys

    def fetch(self, keys: Sequence[int]) -> list[Entry]:
        chunks = self._shelves.chunks_by_key(keys)
        filings = ((key, self._state.by_number.get(schema.number_and_ordinal(key)[0])) for key in keys)
        return [(key, chunks[key], filing) for key, filing in filings if filing is not None and key in chunks]

    def _searched(self, field: str, query: object, k: int, parameters: Mapping[str, object]) -> Found:
        if not self._limits.filings:
            return _NOTHING
        found = self._link.search(schema.CHUNKS, field, query, self._limits.condition, k, parameters)
        keys = np.array([key for key, _ in found], np.int64)
        scores = np.array([score for _, score in found], np.float32)
        order = np.lexsort((keys, -scores))
        return keys[order], scores[order]

    def _width(self, k: int) -> int:
        """How many passages a graph looks at for ``k`` hits: most of what it meets in a narrow scope is not allowed."""
        whole = sum(filing.chunks for filing in self._state.filings)
        return min(max(2 * k, NARROWEST) * max(1, whole // max(self.total, 1)), WIDEST)

    def _frequencies(self, words: Sequence[str]) -> tuple[Sequence[int], int]:
        """In how many passages each word stands, and of how many."""
        terms = np.array([schema.term_id(word) for word in words], np.uint32)
        if len(self._limits.filings) <= MOST_COUNTED:
            counted = self._shelves.counts(self._limits.filings)
            held = np.zeros(len(words), np.int64)
            for counts in counted:
                held += counts.holding(terms, self._limits.items)
            return [int(passages) for passages in held], sum(counts.total(self._limits.items) for counts in counted)
        totals = read_totals(self._link)
        if totals is None:
            raise OtherCorpus(
                f"The words of the corpus at {self._link.uri} were never counted",
                "Let fin-tui ingest-corpus run to its end, or ask within a company or a year.",
            )
        rows = self._link.get(schema.TERMS, terms.tolist(), ["key", "passages"])
        passages = {int(row["key"]): int(row["passages"]) for row in rows}
        # Filings came since: a word may stand in more passages than were counted, never in more than all.
        return [min(passages.get(int(term), 0), totals.chunks) for term in terms], totals.chunks


_NOTHING: Found = (np.empty(0, np.int64), np.empty(0, np.float32))
