"""Filling a team's corpus on a Ray cluster, or on this machine alone: the driver of a run, the crew that does it, the report.

What is done with one filing stands in ``steps.py``; ``cluster.py`` owns ray.
"""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypedDict

from fin_tui.errors import FinTuiError, UsageError
from fin_tui.ingest import Added, Embedded, FailedFile, Failure, Outcome, Skipped, expand
from fin_tui.ingest.pipeline import never, parsed_by
from fin_tui.language import clean, count
from fin_tui.records import Progress
from fin_tui.team.ingest.cluster import TRIES, Cluster, Lost
from fin_tui.team.ingest.steps import Digests, Identities, Known, Placed, Plan, Read, Storer, digests, failure
from fin_tui.team.rows import Record
from fin_tui.team.schema import Index, filing_number

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


_PART = 512
"""Passages in one call of an embedder: a large filing is shared among several of them."""


class RayCrew:
    """See :class:`fin_tui.team.ingest.Crew`."""

    def __init__(
        self,
        cluster: Cluster,
        plan: Plan,
        embedders: Sequence[Any],
        opener: Callable[[], Storer],
        held: Digests,
        writers: int = 0,
    ) -> None:
        """``embedders`` are those of the cluster; ``opener`` connects to the corpus; ``held`` is what needs no reading.

        ``writers`` store at once, 0 for one a machine.
        """
        self._cluster, self._work = cluster, cluster.work
        self._plan, self._held, self._nothing = cluster.share(plan), cluster.share(held), cluster.share(held[:0])
        self._embedders = embedders
        places = [place for place, _ in cluster.machines()]
        self._shelves = [
            self._work.shelf.options(scheduling_strategy=places[number % len(places)]).remote(opener)
            for number in range(writers or len(places))
        ]
        self._kept: dict[Ticket, tuple[Any, Any]] = {}
        """What was read: the filing, and its texts."""
        self._paths: dict[Ticket, str] = {}
        self._loads: dict[Ticket, tuple[int, int]] = {}
        """Which embedder works for what is being stored, and on how many passages."""
        self._busy = [0] * len(embedders)

    @property
    def room(self) -> int:
        """A filing for each core, and two for each embedder, so that none waits for work."""
        return self._cluster.cores + 2 * len(self._embedders)

    def read(self, path: Path, *, anew: bool = False) -> Ticket:
        told, entry, texts = self._work.read.remote(self._plan, str(path), self._nothing if anew else self._held)
        self._kept[told] = (entry, texts)
        self._paths[told] = str(path)
        ticket: Ticket = told
        return ticket

    def store(self, ticket: Ticket, read: Read, placed: Placed) -> Ticket:
        entry, texts = self._kept.pop(ticket)
        who = min(range(len(self._embedders)), key=self._busy.__getitem__)
        self._busy[who] += read.chunks
        parts = [
            self._embedders[(who + number) % len(self._embedders)].encode.remote(texts, start, start + _PART)
            for number, start in enumerate(range(0, read.chunks, _PART))
        ]
        prepared = self._work.ready.remote(read.path, placed, entry, *parts)
        # A filing always goes to the same writer, so that what was asked first is done first.
        shelf = self._shelves[filing_number(placed.filing.id) % len(self._shelves)]
        stored: Ticket = shelf.store.remote(read, placed, prepared)
        self._paths[stored] = read.path
        self._loads[stored] = (who, read.chunks)
        return stored

    def forget(self, ticket: Ticket) -> None:
        self._kept.pop(ticket, None)
        self._paths.pop(ticket, None)

    def settled(self, tickets: Sequence[Ticket], seconds: float) -> list[tuple[Ticket, Result]]:
        return [(ticket, self._result(ticket)) for ticket in self._cluster.done(tickets, seconds)]

    def _result(self, ticket: Ticket) -> Result:
        path = self._paths.pop(ticket)
        who, chunks = self._loads.pop(ticket, (0, 0))
        self._busy[who] -= chunks
        try:
            result: Result = self._cluster.value(ticket)
        except Lost as lost:
            result = _of_loss(path, lost)
        if not isinstance(result, Read):
            self._kept.pop(ticket, None)
        return result


def _of_loss(path: str, lost: Lost) -> Result:
    """What a lost step means: for all filings when the reason is one of ours (no weights on a machine), else for this one."""
    name = Path(path).name
    if isinstance(lost.cause, FinTuiError):
        return failure(lost.cause)
    if lost.cause is not None:
        return FailedFile(path, f"{name} can't be added: {type(lost.cause).__name__}: {lost}")
    return FailedFile(path, f"{name} ended the process that worked on it, {TRIES} times: {lost}", "It was skipped.")


_LONGEST_LIST = 64 << 20
_WRITING = 3.0
"""A server that stores takes its time: so many times what a question waits for it."""


def open_milvus(uri: str, encoder: str, dimension: int, index: Index, timeout: float) -> Storer:
    """The corpus at ``uri``, made when there is none; raises as :func:`fin_tui.team.schema.open_writer`."""
    from fin_tui.team.rows import open_writer

    return open_writer(uri, encoder, dimension, index=index, timeout=timeout)


@dataclass(frozen=True, slots=True)
class Wish:
    """What a call asks for."""

    corpus: str
    """The server's address."""
    plan: Plan
    ray: str = ""
    """The address of a cluster; "" starts Ray on this machine."""
    cpus: int = 0
    writers: int = 0
    index: Index = "hnsw"
    """How vectors are searched, when the corpus is made by this."""


def run(files: Sequence[Path], wish: Wish, cancelled: Callable[[], bool] = never) -> Generator[Outcome, None, None]:
    """Take ``files`` in; outcomes as :func:`fin_tui.team.ingest.ingest`, and ``Embedded`` as the last word.

    A filing of which the corpus has all, read by today's parser, is passed over; one that is half there, or was read by another
    one, is stored anew. Closing the iterator stops the work; what was reported as added stays.
    """
    with Cluster(wish.ray, wish.cpus) as cluster:
        embedders, encoder = cluster.embedders(wish.plan)
        timeout = _WRITING * wish.plan.settings.corpus.timeout_s
        opener = partial(open_milvus, wish.corpus, encoder.name, encoder.dimension, wish.index, timeout)
        with contextlib.closing(opener()) as storer:
            now = parsed_by(wish.plan.settings.chunking)
            records = storer.held()
            held = {digest: record for digest, record in records.items() if (record.state, record.parsed_by) == ("complete", now)}
            identities = Identities(records.values())
            crew = RayCrew(cluster, wish.plan, embedders, opener, digests(held), wish.writers)
            yield from ingest([path.absolute() for path in files], crew, held, identities, cancelled)
            for rename in identities.renames():
                storer.rename(rename.filing_id, rename.company_key, rename.cik)
            storer.finish()
            yield _last_word(storer)


def _last_word(storer: Storer) -> Embedded:
    """How much of the corpus can be asked."""
    records = storer.held().values()
    half = sorted(record.filing.file for record in records if record.state != "complete")
    total = sum(record.chunks for record in records)
    note = f"Half there, and not seen until their files are given again: {', '.join(half)}" if half else ""
    return Embedded(sum(record.chunks for record in records if record.state == "complete"), total, note)


def listed(source: Path) -> tuple[Path, ...]:
    """The files that ``source`` stands for: a folder, or a text file with a path in each line, from its own folder on.

    Empty lines and those that begin with # are passed over; paths that are not there come last, to be reported one by one.
    Raises ``UsageError`` when it is neither, or holds nothing.
    """
    hint = "Give a folder of filings, or a text file that names one in each line."
    if source.is_dir():
        found = expand([source])
    else:
        try:
            with source.open(encoding="utf-8") as stream:
                lines = [line.strip() for line in stream.read(_LONGEST_LIST).splitlines()]
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{source} can't be read as a list: {getattr(error, 'strerror', None) or error}", hint) from error
        named = [source.parent / line for line in lines if line and not line.startswith("#")]
        # Not Path.exists: that raises for a line which is too long to be a name.
        there = [path for path in named if os.path.exists(path)]
        if named and not there:
            raise UsageError(f"{source} names no file that is there", hint)
        found = (*expand(there), *dict.fromkeys(path for path in named if not os.path.exists(path)))
    if not found:
        raise UsageError(f"There are no filings in {source}", hint)
    return found


class IngestedRow(TypedDict):
    """A file that came into the corpus."""

    path: str
    filing: str
    file: str
    company: str
    chunks: int
    facts: int
    seconds: float
    replaced: str | None


class IngestedPassages(TypedDict):
    """What became of the passages: how many came, how many of all have a vector."""

    added: int
    complete: int
    total: int
    note: str


class IngestReport(TypedDict):
    """The ``ingest-corpus --json`` document."""

    corpus: str
    added: list[IngestedRow]
    skipped: list[dict[str, str | None]]
    failed: list[dict[str, str]]
    passages: IngestedPassages | None
    seconds: float


@dataclass
class Report:
    """Filled by :meth:`take`, outcome after outcome."""

    corpus: str
    added: list[Added] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    failed: list[FailedFile] = field(default_factory=list)
    progress: Progress | None = None
    """The latest one."""
    embedded: Embedded | None = None
    passages: int = 0
    """Stored so far by this run."""

    def take(self, outcome: Outcome) -> None:
        match outcome:
            case Progress():
                self.progress = outcome
            case Added():
                self.added.append(outcome)
                self.passages += outcome.filing.chunks
            case Skipped():
                self.skipped.append(outcome)
            case FailedFile():
                self.failed.append(outcome)
            case _:
                self.embedded = outcome

    def document(self, seconds: float) -> IngestReport:
        """The ``ingest-corpus --json`` document."""
        last = self.embedded
        return {
            "corpus": self.corpus,
            "added": [
                {
                    "path": added.path,
                    "filing": added.filing.id,
                    "file": added.filing.file,
                    "company": added.filing.company,
                    "chunks": added.filing.chunks,
                    "facts": added.filing.facts,
                    "seconds": round(added.seconds, 3),
                    "replaced": added.replaced.id if added.replaced else None,
                }
                for added in self.added
            ],
            "skipped": [skipped.document() for skipped in self.skipped],
            "failed": [failed.document() for failed in self.failed],
            "passages": {"added": self.passages, "complete": last.done, "total": last.total, "note": last.note} if last else None,
            "seconds": round(seconds, 1),
        }

    def as_list(self) -> str:
        """The paths that failed, each under its reason: a LIST to be given again."""
        return "".join(f"# {clean(failed.message)}\n{failed.path}\n" for failed in self.failed)

    def last_lines(self, seconds: float) -> list[str]:
        """For people, at the end."""
        counts = f"{count(len(self.added), 'filing')} added, {len(self.skipped):,} passed over, {len(self.failed):,} failed"
        rate = f"{count(self.passages, 'passage')} in {seconds:,.0f} s"
        lines = [f"{counts}; {rate}."]
        if self.embedded is not None:
            lines.append(f"The corpus at {self.corpus} holds {count(self.embedded.done, 'passage')}.")
            if self.embedded.note:
                lines.append(self.embedded.note)
        return lines
