"""Bulk reading and embedding in a child process: its events as an iterator, its death survived, its work stopped at will.

Parsing holds the interpreter lock and a native library may end its process on bad input; neither may touch the app.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from multiprocessing import connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from fin_tui.errors import FinTuiError
from fin_tui.ingest import child
from fin_tui.ingest.job import Failure, Finished, Job, Message
from fin_tui.ingest.outcomes import Added, FailedFile, Outcome, Skipped
from fin_tui.ingest.pipeline import never

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
        yield FailedFile(failed, f"{Path(failed).name} ended the process that read it ({event.reason})", "It was left out.")


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
    process = context.Process(target=child.main, args=(job, sender, stop), name="fin-tui-ingest", daemon=True)
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
