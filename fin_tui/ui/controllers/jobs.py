"""Runs jobs, each in a worker that only posts what it tells; all of them stand in the status line and the log."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any, Protocol

from textual.app import App
from textual.worker import Worker, get_current_worker

from fin_tui.errors import FinTuiError
from fin_tui.language import count
from fin_tui.records import Progress
from fin_tui.ui.controllers.library import LibraryController
from fin_tui.ui.messages import JobCancelled, JobEnded, JobTold, JobWanted
from fin_tui.ui.screens.jobs import JobsScreen
from fin_tui.ui.services import Job, JobBoard, JobLine, JobNews, JobRecord, State, Work, progress_text
from fin_tui.ui.text import clean, one_line, shorten

_log = logging.getLogger(__name__)
_LONGEST_HINT = 120
"""Characters of a hint that stand in a message over the screen: it must not cover that."""


class Shown(Protocol):
    """Where it stands what is going on."""

    def show_jobs(self, text: str) -> None:
        """Name what is done in the background; empty for nothing."""
        ...

    def show_vectors(self, progress: Progress) -> None:
        """How far the vectors are."""
        ...


class JobsController:
    """Runs jobs, one at a time in each lane."""

    def __init__(self, app: App[Any], library: LibraryController, shown: Shown) -> None:
        self.board = JobBoard()
        self._app = app
        self._library = library
        self._shown = shown
        self._workers: dict[int, Worker[None]] = {}

    @property
    def work(self) -> Work:
        """Of the library as it is open now: a job that is done again must not use one that was closed."""
        if self._library.services is None:
            raise FinTuiError("The library is not open.")
        return self._library.services.work

    def begin(self, job: Job) -> None:
        """Run ``job`` as soon as its lane is free."""
        self.board.add(job)
        self._start()

    def open_log(self) -> None:
        """Show the log."""
        if not isinstance(self._app.screen, JobsScreen):
            self._app.clear_notifications()  # They say no more than the log, and stand over it.
            self._app.push_screen(JobsScreen(self.board))

    def make_vectors(self) -> None:
        """Make the vectors that are missing, after what waits to be read; once is enough."""
        services = self._library.services
        if services is None or any(r.job.lane == "vectors" and r.state == "waiting" for r in self.board.records):
            return
        self.begin(Job("Make vectors", services.embed, lane="vectors", changes="library", is_quiet=True))

    def hear(self, event: JobWanted | JobCancelled | JobTold | JobEnded) -> None:
        """Take a message of the app."""
        match event:
            case JobWanted():
                self.begin(event.job)
            case JobCancelled():
                self._cancel(event.record)
            case JobTold():
                self._told(event.record, event.news)
            case JobEnded():
                self._ended(event.record, event.state)

    def _cancel(self, record: JobRecord) -> None:
        if record.state == "waiting":
            self.board.has_ended(record, "cancelled")
        elif record.number in self._workers:
            self._workers[record.number].cancel()

    def _told(self, record: JobRecord, news: JobNews) -> None:
        self.board.tell(record, news)
        if record.job.lane == "vectors" and isinstance(news, Progress):
            self._shown.show_vectors(news)
        elif isinstance(news, JobLine) and news.kind == "done" and record.job.changes == "library":
            self._library.read()
        self._show()

    def _ended(self, record: JobRecord, state: State) -> None:
        self._workers.pop(record.number, None)
        self.board.has_ended(record, state)
        self._tell_failures(record)
        self._tell_gaps(record)
        self._after(record)
        self._start()

    def _after(self, record: JobRecord) -> None:
        """What a job changed is read again."""
        told_something = bool(record.lines) or record.progress is not None
        if record.job.is_announced and record.lines and not record.failures:
            self._app.notify(clean(record.lines[-1].text), timeout=10, markup=False)
        if record.job.then is not None and record.state == "done":
            self.begin(record.job.then)
        if record.job.changes == "models":
            self._library.reopen()
        elif record.job.changes == "library" and told_something:
            self._library.read()
            if record.job.lane != "vectors":
                self.make_vectors()

    def _tell_failures(self, record: JobRecord) -> None:
        failures = record.failures
        if not failures:
            return
        first = failures[0]
        more = f"\n{count(len(failures) - 1, 'more failure')}." if len(failures) > 1 else ""
        hint = shorten(one_line(first.hint), _LONGEST_HINT)
        text = f"{clean(first.text)}\n{hint}".strip() + f"{more}\nThe log (l) has it."
        self._app.notify(text, title=f"{record.job.title}: {record.counts}", severity="warning", timeout=10, markup=False)

    def _tell_gaps(self, record: JobRecord) -> None:
        """What was done but lacks something, such as a filing without a company."""
        for line in record.lines:
            if line.kind == "done" and line.hint:
                text = f"{clean(line.text)}\n{shorten(one_line(line.hint), _LONGEST_HINT)}"
                self._app.notify(text, title=record.job.title, severity="warning", timeout=15, markup=False)

    def _start(self) -> None:
        for record in self.board.next():
            self.board.has_begun(record)
            run = partial(self._run, record)
            self._workers[record.number] = self._app.run_worker(run, "job", group="job", thread=True, exit_on_error=False)
        self._show()

    def _show(self) -> None:
        running = [record for record in self.board.running if record.job.lane != "vectors"]
        waiting = sum(record.state == "waiting" and record.job.lane != "vectors" for record in self.board.records)
        self._shown.show_jobs(
            " · ".join(progress_text(record) for record in running) + (f" · {waiting} waiting" if waiting else "")
        )

    def _run(self, record: JobRecord) -> None:
        worker = get_current_worker()
        tell = self._app.post_message
        state: State = "done"
        try:
            for told in record.job.start(lambda: worker.is_cancelled):
                tell(JobTold(record, told))
        except FinTuiError as error:
            state = "failed"
            tell(JobTold(record, JobLine("failed", error.message, error.hint)))
        except Exception as error:  # noqa: BLE001 - a defect below must end the job, not the app
            _log.exception("the job %r failed", record.job.title)
            state = "failed"
            line = JobLine("failed", f"{type(error).__name__}: {error}", "This is a defect; the log file has the details.")
            tell(JobTold(record, line))
        tell(JobEnded(record, "cancelled" if worker.is_cancelled else state))
