"""A corpus in memory, and a crew that works in this process and tells its results in an order of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
import numpy as np

from fin_tui.config import Settings
from fin_tui.ingest import FailedFile, Failure
from fin_tui.paths import Paths
from fin_tui.records import Filing
from fin_tui.retrieval.backend import Matrix
from fin_tui.store.filings import Entry, Stored
from fin_tui.team import schema
from fin_tui.team.ingest import Result, Ticket
from fin_tui.team.ingest.steps import Digests, Placed, Plan, Read, digests, read, ready, store
from fin_tui.team.rows import Prepared, Record

PLAN = Plan(Paths(Path("nowhere")), Settings())
DIMENSION = 4


@dataclass
class MemoryCorpus:
    """See :class:`fin_tui.team.ingest.steps.Storer`. ``before`` is called before each step of writing and may raise."""

    records: dict[str, Record] = field(default_factory=dict)
    """By filing id."""
    chunks: dict[int, str] = field(default_factory=dict)
    """Key -> record, as the rows of a collection."""
    before: Callable[[str], None] = lambda step: None
    writing: set[str] = field(default_factory=set)
    finished: int = 0

    def held(self) -> dict[str, Record]:
        return {record.sha256: record for record in self.records.values()}

    def put(self, prepared: Prepared) -> Stored:
        filing = prepared.record.filing
        assert filing.id not in self.writing, "two writers of one filing"
        self.writing.add(filing.id)
        try:
            self.before("begin")
            self.records[filing.id] = _with_state(prepared.record, "incomplete")
            for row in prepared.chunks:
                self.before("chunk")
                self.chunks[int(row["key"])] = str(row["record"])
            number = prepared.record.number
            last = schema.row_key(number, 0) + prepared.record.chunks
            for key in [key for key in self.chunks if key >> 18 == number and key >= last]:
                del self.chunks[key]
            self.records[filing.id] = prepared.record
        finally:
            self.writing.discard(filing.id)
        return Stored(filing, is_new=True)

    def remove(self, filing_id: str) -> None:
        number = schema.filing_number(filing_id)
        self.records.pop(filing_id, None)
        self.chunks = {key: row for key, row in self.chunks.items() if key >> 18 != number}

    def rename(self, filing_id: str, company_key: str, cik: str) -> None:
        record = self.records[filing_id]
        filing = replace(record.filing, company_key=company_key, cik=cik)
        self.records[filing_id] = msgspec.structs.replace(record, filing=filing)

    def finish(self) -> int:
        self.finished += 1
        return self.finished

    def close(self) -> None:
        pass

    def filings(self) -> list[Filing]:
        """Those that are complete."""
        return [record.filing for record in self.records.values() if record.state == "complete"]


class LocalCrew:
    """See :class:`fin_tui.team.ingest.Crew`. Works when a result is asked for; ``newest_first`` turns the order."""

    def __init__(self, corpus: MemoryCorpus, held: Digests | None = None, *, room: int = 4, newest_first: bool = False) -> None:
        self.room = room
        self.most = 0
        """Filings that were under way at once."""
        self.dead: set[str] = set()
        """Names of files that end their worker."""
        self.begun: list[str] = []
        self._corpus = corpus
        self._held = digests(()) if held is None else held
        self._newest_first = newest_first
        self._work: dict[Ticket, Callable[[], Result]] = {}
        self._entries: dict[Ticket, Entry] = {}

    def read(self, path: Path, *, anew: bool = False) -> Ticket:
        ticket = len(self._work) + 1
        self.begun.append(path.name)
        self._work[ticket] = lambda: self._read(ticket, path, digests(()) if anew else self._held)
        return ticket

    def store(self, ticket: Ticket, read: Read, placed: Placed) -> Ticket:
        entry = self._entries.pop(ticket)
        stored = len(self._work) + 1
        self._work[stored] = lambda: self._store(read, placed, entry)
        return stored

    def forget(self, ticket: Ticket) -> None:
        self._entries.pop(ticket, None)

    def settled(self, tickets: Sequence[Ticket], seconds: float) -> Sequence[tuple[Ticket, Result]]:
        self.most = max(self.most, len(tickets))
        if not tickets:
            return []
        ticket = list(tickets)[-1 if self._newest_first else 0]
        return [(ticket, self._work[ticket]())]

    def left(self) -> int:
        """Filings that are kept for nobody."""
        return len(self._entries)

    def _read(self, ticket: Ticket, path: Path, held: Digests) -> Result:
        if path.name in self.dead:
            return FailedFile(str(path), f"{path.name} ended the process that worked on it")
        told, entry, _ = read(PLAN, str(path), held)
        if entry is not None:
            self._entries[ticket] = entry
        return told

    def _store(self, read: Read, placed: Placed, entry: Entry) -> Result:
        result: Result | Failure = store(read, placed, ready(read.path, placed, entry, [vectors_of(entry)]), self._corpus)
        return result


def vectors_of(entry: Entry) -> Matrix:
    """A vector from the hash of each text."""
    raw = [hashlib.blake2b(chunk.index_text.encode(), digest_size=DIMENSION).digest() for chunk in entry.chunks]
    made = np.array([[byte - 127.5 for byte in digest] for digest in raw], np.float32).reshape(-1, DIMENSION)
    unit: Matrix = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit


def _with_state(record: Record, state: str) -> Record:
    return msgspec.convert({**msgspec.to_builtins(record), "state": state}, Record)
