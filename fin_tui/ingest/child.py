"""What runs inside the ingest process."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
from collections.abc import Iterator
from itertools import chain
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event

from fin_tui.errors import FinTuiError
from fin_tui.ingest.job import Failure, Finished, Job
from fin_tui.ingest.outcomes import Outcome
from fin_tui.network import enforce
from fin_tui.paths import Paths

LOG = "ingest.log"
_LOG_BYTES = 1 << 20


def main(job: Job, sender: Connection, stop: Event) -> None:
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
    from fin_tui.ingest.embedding import embed_all
    from fin_tui.ingest.pipeline import add_files, reindex, write_indexes
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
