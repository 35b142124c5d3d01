"""The crew of an ingest on a cluster: who reads, who embeds, who stores which filing.

What the steps give one another stays in the cluster's object store; only the small results come here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fin_tui.errors import FinTuiError
from fin_tui.ingest.job import FailedFile
from fin_tui.team.ingest.cluster import TRIES, Cluster, Lost
from fin_tui.team.ingest.driver import Result, Ticket
from fin_tui.team.ingest.identity import Placed
from fin_tui.team.ingest.steps import Digests, Plan, Read
from fin_tui.team.ingest.storing import Storer, failure
from fin_tui.team.schema import filing_number

_PART = 512
"""Passages in one call of an embedder: a large filing is shared among several of them."""


class RayCrew:
    """See :class:`fin_tui.team.ingest.driver.Crew`."""

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
        return FailedFile(path, f"{name} can't be taken in: {type(lost.cause).__name__}: {lost}")
    return FailedFile(path, f"{name} ended the process that worked on it, {TRIES} times: {lost}", "It was left out.")
