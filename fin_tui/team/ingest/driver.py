"""The course of an ingest into a team's corpus: which filing is read, stored, passed over, and when all of it ends.

The work is done by a :class:`Crew`; this keeps only what is small, so that one process drives many machines.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from fin_tui.ingest.job import Added, FailedFile, Failure, Outcome, Skipped
from fin_tui.ingest.pipeline import never
from fin_tui.records import Progress
from fin_tui.team.ingest.identity import Identities, Placed
from fin_tui.team.ingest.steps import Known, Read
from fin_tui.team.rows import Record

Ticket = Hashable
Result = Read | Known | Added | FailedFile | Failure
Settled = Added | Skipped | FailedFile
_POLL_SECONDS = 0.5


class Crew(Protocol):
    """Those who do the work. A ticket stands for work that goes on elsewhere."""

    @property
    def room(self) -> int:
        """How many filings may be under way at once: more would only fill memory."""
        ...

    def read(self, path: Path, *, anew: bool = False) -> Ticket:
        """``anew`` reads also what the corpus has."""
        ...

    def store(self, ticket: Ticket, read: Read, placed: Placed) -> Ticket:
        """Embed and store what ``ticket`` read."""
        ...

    def forget(self, ticket: Ticket) -> None:
        """Let go of what ``ticket`` read: it will not be stored."""
        ...

    def settled(self, tickets: Sequence[Ticket], seconds: float) -> Sequence[tuple[Ticket, Result]]:
        """Those of ``tickets`` that are done, waiting up to ``seconds`` for one. Work whose worker died comes as a
        ``FailedFile`` when it was tried often enough."""
        ...


def ingest(
    files: Sequence[Path],
    crew: Crew,
    held: Mapping[str, Record],
    identities: Identities,
    cancelled: Callable[[], bool] = never,
) -> Iterator[Outcome]:
    """Take ``files`` in: exactly one of ``Added``, ``Skipped``, ``FailedFile`` for each, ``Progress`` in between. ``held`` is
    what the corpus has, by SHA-256. When ``cancelled``, nothing new is begun and what is being stored is waited for.

    Filings get their identity in the order of ``files``, whichever is read first: the same files make the same corpus.
    Raises the ``FinTuiError`` that ends the work as a whole (the server is gone); what was reported stays.
    """
    yield from _Course(len(files), crew, held, identities, deque(files)).run(cancelled)


@dataclass
class _Course:
    total: int
    crew: Crew
    held: Mapping[str, Record]
    identities: Identities
    waiting: deque[Path]
    order: deque[Path] = field(default_factory=deque)
    """Files that are under way and not yet known for what they are."""
    reading: dict[Ticket, Path] = field(default_factory=dict)
    read: dict[Path, tuple[Ticket, Result]] = field(default_factory=dict)
    """Read before an earlier file was."""
    known: deque[tuple[Ticket, Read, Placed]] = field(default_factory=deque)
    storing: dict[Ticket, Placed] = field(default_factory=dict)
    brought: dict[str, str] = field(default_factory=dict)
    """SHA-256 -> the path that brought these bytes first."""
    digests: dict[str, str] = field(default_factory=dict)
    """Filing id -> SHA-256 of what the corpus had at the beginning."""
    replaced: set[str] = field(default_factory=set)
    """Of those, the ones whose place another file has taken since."""
    done: int = 0

    def run(self, cancelled: Callable[[], bool]) -> Iterator[Outcome]:
        self.digests = {record.filing.id: digest for digest, record in self.held.items()}
        yield Progress("ingest", 0, self.total)
        while self.waiting or self.order or self.known or self.storing:
            if cancelled():
                self._begin_nothing()
            while self.waiting and len(self.order) + len(self.known) + len(self.storing) < self.crew.room:
                path = self.waiting.popleft()
                self.reading[self.crew.read(path)] = path
                self.order.append(path)
            for ticket, result in self.crew.settled([*self.storing, *self.reading], _POLL_SECONDS):
                for outcome in self._take(ticket, result):
                    self.done += 1
                    yield outcome
                    yield Progress("ingest", self.done, self.total, Path(outcome.path).name)
            self._begin_storing()

    def _take(self, ticket: Ticket, result: Result) -> Iterator[Settled]:
        if isinstance(result, Failure):
            stays = "What was stored stays; the same command goes on with the rest."
            raise result.kind(result.message, f"{result.hint} {stays}".strip())
        if ticket in self.storing:
            del self.storing[ticket]
            if isinstance(result, (Added, FailedFile)):
                yield result
            return
        self.read[self.reading.pop(ticket)] = (ticket, result)
        while self.order and self.order[0] in self.read:
            path = self.order.popleft()
            outcome = self._know(path, *self.read.pop(path))
            if outcome is not None:
                yield outcome

    def _know(self, path: Path, ticket: Ticket, result: Result) -> Settled | None:
        """What a file came to that goes no further, else None."""
        if isinstance(result, Known):
            if result.sha256 in self.replaced:
                # An earlier file was another version of it; of versions the last file counts, however often this is run.
                self.reading[self.crew.read(path, anew=True)] = path
                self.order.appendleft(path)
                return None
            held = self.held[result.sha256].filing
            return Skipped(result.path, f"already in the corpus as {held.id}", held)
        if isinstance(result, Read):
            if first := self.brought.get(result.sha256):
                self.crew.forget(ticket)
                return Skipped(result.path, f"the same bytes as {first}", result.filing)
            self.brought[result.sha256] = result.path
            placed = self.identities.place(result.filing, result.cover)
            if placed.replaces and (gone := self.digests.get(placed.replaces.id)):
                self.replaced.add(gone)
            self.known.append((ticket, result, placed))
            return None
        return result if isinstance(result, FailedFile) else None

    def _begin_storing(self) -> None:
        """Two versions of a filing never at once: the later one waits."""
        busy = {filing_id for placed in self.storing.values() for filing_id in _touched(placed)}
        for ticket, read, placed in list(self.known):
            if not busy & _touched(placed):
                self.known.remove((ticket, read, placed))
                self.storing[self.crew.store(ticket, read, placed)] = placed
            busy |= _touched(placed)

    def _begin_nothing(self) -> None:
        self.waiting.clear()
        for ticket in [*self.reading, *(ticket for ticket, _ in self.read.values()), *(ticket for ticket, _, _ in self.known)]:
            self.crew.forget(ticket)
        for room in (self.reading, self.read, self.order, self.known):
            room.clear()


def _touched(placed: Placed) -> set[str]:
    return {placed.filing.id} | ({placed.replaces.id} if placed.replaces else set())
