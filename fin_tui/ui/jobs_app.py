"""The part of the app that runs jobs: each in a worker that only posts what it tells, shown in the status line and the log."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from textual import on, work
from textual.message import Message
from textual.worker import Worker, get_current_worker

from fin_tui.config import Settings
from fin_tui.errors import FinTuiError
from fin_tui.plural import count
from fin_tui.records import Progress
from fin_tui.ui.dialog_messages import JobCancelled, JobWanted
from fin_tui.ui.jobs import Job, JobBoard, JobLine, JobNews, JobRecord, State, progress_text
from fin_tui.ui.messages import Embedding
from fin_tui.ui.reading_app import ReadingApp
from fin_tui.ui.screens.jobs import JobsScreen
from fin_tui.ui.services import Opener, Work
from fin_tui.ui.text import clean, one_line, shorten
from fin_tui.ui.widgets.status_line import StatusLine

_log = logging.getLogger(__name__)
_LONGEST_HINT = 120
"""Characters of a hint that stand in a message over the screen: it must not cover that."""


@dataclass
class JobTold(Message):
    """A job tells how far it is, or what happened."""

    record: JobRecord
    news: JobNews

    def can_replace(self, message: Message) -> bool:
        return (
            isinstance(message, JobTold)
            and message.record is self.record
            and isinstance(self.news, Progress)
            and isinstance(message.news, Progress)
        )


@dataclass
class JobEnded(Message):
    """A job is over."""

    record: JobRecord
    state: State


class JobsApp(ReadingApp):
    """Runs jobs, one at a time in each lane."""

    def __init__(self, opener: Opener, settings: Settings) -> None:
        super().__init__(opener, settings)
        self.board = JobBoard()
        self._job_workers: dict[int, Worker[None]] = {}

    @property
    def long_work(self) -> Work:
        """Of the library as it is open now: a job that is done again must not use one that was closed."""
        if self._services is None:
            raise FinTuiError("The library is not open.")
        return self._services.work

    def begin(self, job: Job) -> None:
        """Run ``job`` as soon as its lane is free."""
        self.board.add(job)
        self._start_jobs()

    def action_jobs(self) -> None:
        if not isinstance(self.screen, JobsScreen):
            self.clear_notifications()  # They say no more than the log, and stand over it.
            self.push_screen(JobsScreen(self.board))

    def make_vectors(self) -> None:
        """Make the vectors that are missing, after what waits to be read; once is enough."""
        services = self._services
        if services is None or any(r.job.lane == "vectors" and r.state == "waiting" for r in self.board.records):
            return
        self.begin(Job("Make vectors", services.embed, lane="vectors", changes="library", is_quiet=True))

    @on(JobWanted)
    def _wanted(self, event: JobWanted) -> None:
        self.begin(event.job)

    @on(JobCancelled)
    def _cancelled(self, event: JobCancelled) -> None:
        record = event.record
        if record.state == "waiting":
            self.board.has_ended(record, "cancelled")
        elif record.number in self._job_workers:
            self._job_workers[record.number].cancel()

    @on(JobTold)
    def _told(self, event: JobTold) -> None:
        record, news = event.record, event.news
        self.board.tell(record, news)
        if record.job.lane == "vectors" and isinstance(news, Progress):
            self.main.post_message(Embedding(news))
        elif isinstance(news, JobLine) and news.kind == "done" and record.job.changes == "library":
            self.read_library()
        self._show_jobs()

    @on(JobEnded)
    def _ended(self, event: JobEnded) -> None:
        record = event.record
        self._job_workers.pop(record.number, None)
        self.board.has_ended(record, event.state)
        self._tell_failures(record)
        self._tell_gaps(record)
        self._after(record)
        self._start_jobs()

    def _after(self, record: JobRecord) -> None:
        """What a job changed is read again."""
        told_something = bool(record.lines) or record.progress is not None
        if record.job.is_announced and record.lines and not record.failures:
            self.notify(clean(record.lines[-1].text), timeout=10, markup=False)
        if record.job.then is not None and record.state == "done":
            self.begin(record.job.then)
        if record.job.changes == "models":
            self.reopen()
        elif record.job.changes == "library" and told_something:
            self.read_library()
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
        self.notify(text, title=f"{record.job.title}: {record.counts}", severity="warning", timeout=10, markup=False)

    def _tell_gaps(self, record: JobRecord) -> None:
        """What was done but lacks something, such as a filing without a company."""
        for line in record.lines:
            if line.kind == "done" and line.hint:
                text = f"{clean(line.text)}\n{shorten(one_line(line.hint), _LONGEST_HINT)}"
                self.notify(text, title=record.job.title, severity="warning", timeout=15, markup=False)

    def _start_jobs(self) -> None:
        for record in self.board.next():
            self.board.has_begun(record)
            self._job_workers[record.number] = self._run_job(record)
        self._show_jobs()

    def _show_jobs(self) -> None:
        running = [record for record in self.board.running if record.job.lane != "vectors"]
        waiting = sum(record.state == "waiting" and record.job.lane != "vectors" for record in self.board.records)
        text = " · ".join(progress_text(record) for record in running) + (f" · {waiting} waiting" if waiting else "")
        if self.main.is_mounted:
            self.main.query_one(StatusLine).jobs(text)

    @work(thread=True, group="job", exit_on_error=False)
    def _run_job(self, record: JobRecord) -> None:
        worker = get_current_worker()
        state: State = "done"
        try:
            news = record.job.start(lambda: worker.is_cancelled)
            for told in news:
                self.post_message(JobTold(record, told))
        except FinTuiError as error:
            state = "failed"
            self.post_message(JobTold(record, JobLine("failed", error.message, error.hint)))
        except Exception as error:  # noqa: BLE001 - a defect below must end the job, not the app
            _log.exception("the job %r failed", record.job.title)
            state = "failed"
            line = JobLine("failed", f"{type(error).__name__}: {error}", "This is a defect; the log file has the details.")
            self.post_message(JobTold(record, line))
        self.post_message(JobEnded(record, "cancelled" if worker.is_cancelled else state))
