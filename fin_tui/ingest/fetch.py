"""From EDGAR into the library: list, download, take in; with progress, a stop at any moment, and a way to go on.

A download is made under ``data/edgar/.incoming`` and moved when it is whole; it is removed once the library holds its bytes.
What a stopped or killed fetch left is gone on with by the next one that wants the same filing.
"""

from __future__ import annotations

import contextlib
import queue
import shutil
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from fin_tui.config import Settings
from fin_tui.errors import FinTuiError, LibraryBusy, said
from fin_tui.filings.edgar.client import Client, Listed, Stopped, contact
from fin_tui.filings.edgar.submissions import bring_filing
from fin_tui.ingest import Added, FailedFile, Job, Outcome, Skipped
from fin_tui.ingest.fetch_plan import Plan, Planner, Wish
from fin_tui.ingest.pipeline import never
from fin_tui.ingest.worker import run as run_job
from fin_tui.network import require_network
from fin_tui.paths import Paths
from fin_tui.records import Cover, Progress
from fin_tui.store.database import one_at_a_time
from fin_tui.store.library import Library

T = TypeVar("T")
Advance = Callable[[float, float], None]
_EVERY_SECONDS = 0.1


def told(work: Callable[[Advance], T], label: str, stop: Callable[[], None]) -> Generator[Progress, None, T]:
    """Do ``work`` in a thread; ``Progress`` in bytes while it goes on, its result at the end. What it raises is raised here.

    ``stop`` is called when the generator is closed or interrupted; the work must end soon after that.
    """
    said: queue.SimpleQueue[Progress | None] = queue.SimpleQueue()
    results: list[T] = []
    errors: list[BaseException] = []
    latest = 0.0

    def advance(done: float, total: float) -> None:
        nonlocal latest
        if time.monotonic() - latest > _EVERY_SECONDS or done == total:
            latest = time.monotonic()
            said.put(Progress("download", done, total, label))

    def do() -> None:
        try:
            results.append(work(advance))
        except BaseException as error:  # noqa: BLE001 - raised again by the one who waits
            errors.append(error)
        said.put(None)

    thread = threading.Thread(target=do, name="fin-tui-download", daemon=True)
    thread.start()
    try:
        while (progress := said.get()) is not None:
            yield progress
    except BaseException:  # also closed or interrupted: the work must not go on by itself
        stop()
        raise
    finally:
        thread.join()
    if errors:
        raise errors[0]
    return results[0]


_BATCH = 10
"""Filings are taken in after so many downloads, so that the first ones can be searched while the others come."""


@dataclass(frozen=True, slots=True)
class Brought:
    """A filing's file is on the disk, whole; it is not in the library yet."""

    listed: Listed
    path: Path
    size: int


FetchEvent = Outcome | Brought


class Fetcher:
    """First :meth:`plan`, then :meth:`run`; both are generators for a thread of their own. Closing one stops it, as does
    ``cancelled``; what was reported as added stays. Use as a context manager, or call ``close``.

    Raises ``UsageError`` when it isn't known who asks, ``Offline`` when connections are forbidden.
    """

    def __init__(self, paths: Paths, settings: Settings, cancelled: Callable[[], bool] = never) -> None:
        require_network("fetch")
        self._paths, self._settings = paths, settings
        self._is_closed = False
        self._cancelled = cancelled
        self._client = Client(settings.edgar, contact(settings.edgar), self._stops)

    def __enter__(self) -> Fetcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End what is under way and the connections; safe to call twice."""
        self._is_closed = True
        self._client.close()

    def plan(self, wishes: Sequence[Wish]) -> Generator[Progress, None, Plan]:
        """Ask EDGAR's lists; a ``Progress`` before each wish. Raises ``Stopped``."""
        with Library.open(self._paths) as library:
            planner = Planner(self._client, library.filings(), self._paths)
        for done, wish in enumerate(wishes):
            yield Progress("list", done, len(wishes), wish.accession or wish.company)
            planner.add(wish)
        return planner.plan()

    def planned(self, wishes: Sequence[Wish]) -> Plan:
        """:meth:`plan` where nobody watches its steps."""
        steps = self.plan(wishes)
        while True:
            try:
                next(steps)
            except StopIteration as done:
                plan: Plan = done.value
                return plan

    def run(self, plan: Plan, *, embed: bool = True) -> Generator[FetchEvent, None, None]:
        """Download and take in. For each filing ``Progress`` in bytes, then ``Brought`` or ``FailedFile``, and the outcomes of
        taking it in. A filing that fails does not stop the others. Raises ``Stopped``, and what concerns disk or library.
        """
        plan.require_space()
        with one_at_a_time(self._paths.data / "fetch.lock") as is_ours:
            if not is_ours:
                raise LibraryBusy("Another fetch is at work.", "Wait for its end, or stop it.")
            yield from self._run(plan, embed)

    def _run(self, plan: Plan, embed: bool) -> Iterator[FetchEvent]:
        batch: list[Brought] = []
        for number, listed in enumerate(plan.wanted, 1):
            try:
                brought = yield from self._bring(listed)
            except Stopped:
                raise
            except FinTuiError as error:
                yield FailedFile(listed.label, error.message, error.hint)
            else:
                yield brought
                batch.append(brought)
            is_last = number == len(plan.wanted)
            if batch and (is_last or len(batch) == _BATCH):
                yield from self._take_in(batch, embed=embed and is_last)
                batch = []

    def _bring(self, listed: Listed) -> Generator[Progress, None, Brought]:
        folder = self._folder / listed.accession
        if not folder.is_dir():
            incoming = self._folder / ".incoming" / listed.accession
            try:
                yield from told(lambda advance: bring_filing(self._client, listed, incoming, advance), listed.label, self.close)
                incoming.replace(folder)
            except OSError as error:
                hint = "Make room, or check the folder's permissions; the download goes on from there."
                raise FinTuiError(f"{listed.accession} can't be written: {said(error)}", hint) from error
        path = next(path for path in sorted(folder.iterdir()) if path.suffix != ".part")
        return Brought(listed, path, path.stat().st_size)

    def _take_in(self, batch: Sequence[Brought], *, embed: bool) -> Iterator[Outcome]:
        files = tuple(brought.path.absolute() for brought in batch)
        known = {path: _cover(brought.listed) for path, brought in zip(files, batch, strict=True)}
        job = Job(self._paths, self._settings, files, embed=embed, known=known)
        with contextlib.closing(run_job(job, self._stops)) as outcomes:
            for outcome in outcomes:
                yield outcome
                if isinstance(outcome, (Added, Skipped)):
                    # The library keeps the bytes.
                    shutil.rmtree(Path(outcome.path).parent, ignore_errors=True)

    def _stops(self) -> bool:
        return self._is_closed or self._cancelled()

    @property
    def _folder(self) -> Path:
        return self._paths.data / "edgar"


def _cover(listed: Listed) -> Cover:
    return Cover(
        company=listed.company.name,
        form=listed.form,
        period_end=listed.period_end,
        cik=listed.company.cik,
        ticker=listed.company.ticker,
        accession=listed.accession,
        filed=listed.filed,
    )
