"""Storing filings into a corpus, one after the other, by a worker that keeps its connection and has patience with the server."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol, TypeVar

from fin_tui.errors import FinTuiError
from fin_tui.ingest.job import Added, FailedFile, Failure
from fin_tui.store.filings import Stored
from fin_tui.team.failures import CorpusFull, CorpusGone
from fin_tui.team.ingest.identity import Placed
from fin_tui.team.ingest.steps import Read
from fin_tui.team.rows import Prepared, Record

T = TypeVar("T")
WAITS = (1.0, 5.0, 20.0)
"""Seconds before a server in trouble is asked again; after the last one the ingest ends."""
_TROUBLE = (CorpusGone, CorpusFull)


class Storer(Protocol):
    """Writes filings into a corpus, in place of what it holds of them; :class:`fin_tui.team.writer.Writer` is one."""

    def held(self) -> Mapping[str, Record]:
        """The record of every filing that is there or was begun, by the SHA-256 of the bytes it was read from."""
        ...

    def put(self, prepared: Prepared) -> Stored: ...

    def remove(self, filing_id: str) -> None: ...

    def rename(self, filing_id: str, company_key: str, cik: str) -> None:
        """Put a filing under another company."""
        ...

    def finish(self) -> object:
        """To be called once, after the last filing."""
        ...

    def close(self) -> None: ...


class Shelf:
    """Stores filings one after the other over a connection of its own. ``opener`` makes it, on the machine that uses it."""

    def __init__(self, opener: Callable[[], Storer]) -> None:
        self._opener = opener
        self._opened: Storer | None = None

    def store(self, read: Read, placed: Placed, prepared: Prepared | FailedFile) -> Added | FailedFile | Failure:
        """See :func:`store`."""
        if self._opened is None:
            opened = patiently(self._opener)
            if isinstance(opened, Failure):
                return opened
            self._opened = opened
        return store(read, placed, prepared, self._opened)


def store(read: Read, placed: Placed, prepared: Prepared | FailedFile, storer: Storer) -> Added | FailedFile | Failure:
    """Write a filing. The version that it replaces goes first: when this stops in between, the next ingest stores the new one."""
    if isinstance(prepared, FailedFile):
        return prepared
    began, old = time.perf_counter(), placed.replaces
    if old is not None and old.id != placed.filing.id:
        gone = patiently(partial(storer.remove, old.id))
        if isinstance(gone, Failure):
            return gone
    stored = patiently(lambda: _unless_in_trouble(read.path, partial(storer.put, prepared)))
    if isinstance(stored, (FailedFile, Failure)):
        return stored
    return Added(read.path, stored.filing, read.seconds + time.perf_counter() - began, old)


def _unless_in_trouble(path: str, work: Callable[[], T]) -> T | FailedFile:
    """As :func:`attempt`, but a server in trouble is no fault of the filing: that is raised."""
    try:
        return work()
    except _TROUBLE:
        raise
    except FinTuiError as error:
        return FailedFile(path, error.message, error.hint)


def patiently(work: Callable[[], T], sleep: Callable[[float], None] = time.sleep) -> T | Failure:
    """What ``work`` gives, tried again after each of ``WAITS`` while the server is in trouble; the corpus's errors as values."""
    for seconds in (*WAITS, None):
        try:
            return work()
        except _TROUBLE as error:
            if seconds is None:
                return failure(error)
            sleep(seconds)
        except FinTuiError as error:
            return failure(error)
    raise AssertionError("the last try returns")


def failure(error: FinTuiError) -> Failure:
    """The error as a value: what ends the whole ingest."""
    return Failure(type(error), error.message, error.hint)
