"""Bulk reading and embedding in a child process: its events as an iterator, its death survived, its work stopped at will.

Parsing holds the interpreter lock and a native library may end its process on bad input; neither may touch the app.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event
from pathlib import Path

from fin_tui.errors import FinTuiError
from fin_tui.ingest import Added, FailedFile, Failure, Finished, Job, Message, Outcome, Skipped
from fin_tui.ingest.pipeline import never
from fin_tui.network import enforce
from fin_tui.paths import Paths

LOG = "ingest.log"
_LOG_BYTES = 1 << 20


def work(job: Job, sender: Connection, stop: Event) -> None:
    """Do the job and send its outcomes, then ``Finished`` or ``Failure``. Ends when nobody listens any more."""
    # Ctrl+C in the terminal reaches the whole group; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _keep_off_the_terminal(job.paths)
    enforce()
    with contextlib.suppress(BrokenPipeError), contextlib.closing(sender):
        try:
            for outcome in _outcomes(job, stop):
                sender.send(outcome)
            sender.send(Finished())
        except FinTuiError as error:
            sender.send(Failure(type(error), error.message, error.hint))


def _outcomes(job: Job, stop: Event) -> Iterator[Outcome]:
    from fin_tui.ingest.pipeline import add_files, embed_all, reindex, write_indexes
    from fin_tui.store.library import Library

    with Library.open(job.paths) as library:
        held = [library.filing(filing_id) for filing_id in job.filings]
        yield from chain(
            add_files(library, job.settings, job.files, job.corrections, force=job.force, cancelled=stop.is_set, known=job.known)
            if job.files
            else (),
            reindex(library, job.settings, held, stop.is_set) if held else (),
        )
        if job.embed:
            yield from embed_all(job.paths, library, job.settings, stop.is_set)
        else:
            write_indexes(job.paths, library, job.settings)


def _keep_off_the_terminal(paths: Paths) -> None:
    """Send what native libraries print to the log: the app draws on the same terminal."""
    with contextlib.suppress(OSError):
        paths.logs.mkdir(parents=True, exist_ok=True)
        path = paths.logs / LOG
        is_large = path.exists() and path.stat().st_size > _LOG_BYTES
        with path.open("wb" if is_large else "ab") as stream:
            sys.stdout.flush()
            sys.stderr.flush()
            os.dup2(stream.fileno(), 1)
            os.dup2(stream.fileno(), 2)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")


_GRACE_SECONDS = 2.0
_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class _Death:
    reason: str


def run(job: Job, cancelled: Callable[[], bool] = never, grace: float = _GRACE_SECONDS) -> Generator[Outcome, None, None]:
    """Do ``job`` in a child process. Closing the iterator, or ``cancelled``, stops it: what was reported as added stays.
    Work that goes on ``grace`` seconds after that is ended with its process.

    When the child dies on a file, that file is reported as failed and a new child goes on with the others.
    Raises the ``FinTuiError`` that ended the work as a whole.
    """
    while True:
        last: Outcome | None = None
        settled = 0
        with contextlib.closing(_child(job, cancelled, grace)) as events:
            for event in events:
                if isinstance(event, Finished):
                    return
                if isinstance(event, Failure):
                    raise event.kind(event.message, event.hint)
                if isinstance(event, _Death):
                    break
                last, settled = event, settled + isinstance(event, (Added, Skipped, FailedFile))
                yield event
            else:
                return
        rest = _after(job, settled)
        if rest is None:
            where = f" while it worked on {getattr(last, 'label', '')}" if getattr(last, "label", "") else ""
            raise FinTuiError(
                f"The ingest process ended by {event.reason}{where}; what was reported as added is safe",
                "Try again; the log under data/logs says more.",
            )
        failed, job = rest
        yield FailedFile(failed, f"{Path(failed).name} ended the process that read it ({event.reason})", "It was skipped.")


def _after(job: Job, settled: int) -> tuple[str, Job] | None:
    """The file that was being worked on and the job without what is settled; None when all files were done."""
    if settled < len(job.files):
        return str(job.files[settled]), replace(job, files=job.files[settled + 1 :])
    settled -= len(job.files)
    if settled < len(job.filings):
        return job.filings[settled], replace(job, files=(), filings=job.filings[settled + 1 :])
    return None


def _child(job: Job, cancelled: Callable[[], bool], grace: float) -> Generator[Message | _Death, None, None]:
    # Not fork: the app's threads and SQLite's connections must not be copied.
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    stop = context.Event()
    process = context.Process(target=work, args=(job, sender, stop), name="fin-tui-ingest", daemon=True)
    process.start()
    sender.close()
    try:
        yield from _messages(receiver, process, cancelled)
    finally:
        stop.set()
        process.join(grace)
        if process.is_alive():
            process.kill()
            process.join()
        receiver.close()


def _messages(
    receiver: connection.Connection, process: BaseProcess, cancelled: Callable[[], bool]
) -> Generator[Message | _Death, None, None]:
    while not cancelled():
        connection.wait([receiver, process.sentinel], _POLL_SECONDS)
        try:
            if receiver.poll():
                yield receiver.recv()
                continue
        except (EOFError, OSError):
            process.join()
        if not process.is_alive():
            yield _Death(_reason(process.exitcode))
            return


def _reason(code: int | None) -> str:
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}"
