"""Long work: what a job is, what it tells, and the board that remembers all of them. Pure; ``jobs_app`` runs them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from fin_tui.records import Progress

Lane = Literal["library", "vectors", "download", "trial"]
"""Jobs of one lane run one after the other."""
State = Literal["waiting", "running", "done", "failed", "cancelled"]
_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class JobLine:
    """One thing that happened."""

    kind: Literal["done", "skipped", "failed", "note"]
    text: str
    hint: str = ""
    """What to do about it: a failure, or something done with a gap that only the user can fill."""
    filing: str = ""
    """The id of the filing that came in."""


JobNews = Progress | JobLine
"""What a job tells while it runs."""
Start = Callable[[Callable[[], bool]], Iterator[JobNews]]
"""Begins the work; it ends soon after the given ``cancelled`` is true. A ``FinTuiError`` it raises is its failure."""


@dataclass(frozen=True, slots=True)
class Job:
    """Work to be done in the background."""

    title: str
    """"Add 12 files"."""
    start: Start
    lane: Lane = "library"
    changes: Literal["library", "models", "nothing"] = "nothing"
    """What has to be read again as it goes on and when it ends."""
    is_quiet: bool = False
    """Listed only once it has something to tell."""
    is_announced: bool = False
    """What it came to is told over the screen."""
    then: Job | None = None
    """What is done next where this was done."""


@dataclass
class JobRecord:
    """A job with what has become of it."""

    number: int
    job: Job
    state: State = "waiting"
    progress: Progress | None = None
    lines: list[JobLine] = field(default_factory=list)
    began: dt.datetime | None = None
    ended: dt.datetime | None = None

    @property
    def is_over(self) -> bool:
        return self.state in ("done", "failed", "cancelled")

    @property
    def failures(self) -> list[JobLine]:
        return [line for line in self.lines if line.kind == "failed"]

    @property
    def is_listed(self) -> bool:
        return not self.job.is_quiet or bool(self.lines) or self.progress is not None

    @property
    def counts(self) -> str:
        """ "12 done, 1 skipped, 2 failed"; empty for a job without such lines."""
        kinds = [line.kind for line in self.lines]
        return ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("done", "skipped", "failed") if kind in kinds)


class JobBoard:
    """All jobs since the app began, newest last."""

    def __init__(self, now: Callable[[], dt.datetime] = dt.datetime.now) -> None:
        self.records: list[JobRecord] = []
        self.version = 0
        """Grows with every change, so that a screen knows when to draw anew."""
        self._now = now

    @property
    def running(self) -> list[JobRecord]:
        return [record for record in self.records if record.state == "running"]

    @property
    def failures(self) -> int:
        """How many single things failed since the app began."""
        return sum(len(record.failures) for record in self.records)

    def add(self, job: Job) -> JobRecord:
        """Put a job on the board, waiting."""
        record = JobRecord(len(self.records) + 1, job)
        self.records.append(record)
        self.version += 1
        return record

    def next(self) -> list[JobRecord]:
        """The waiting jobs that may run now: the first of each lane in which none runs."""
        taken = {record.job.lane for record in self.running}
        found = []
        for record in self.records:
            if record.state == "waiting" and record.job.lane not in taken:
                taken.add(record.job.lane)
                found.append(record)
        return found

    def has_begun(self, record: JobRecord) -> None:
        record.state, record.began = "running", self._now()
        self.version += 1

    def tell(self, record: JobRecord, news: JobNews) -> None:
        """Keep what a job tells."""
        if isinstance(news, Progress):
            record.progress = news
        else:
            record.lines.append(news)
        self.version += 1

    def has_ended(self, record: JobRecord, state: State) -> None:
        """A job with failed lines and nothing done has failed as a whole."""
        kinds = {line.kind for line in record.lines}
        record.state = "failed" if state == "done" and "failed" in kinds and not kinds & {"done", "skipped"} else state
        record.ended = self._now()
        self.version += 1


def progress_text(record: JobRecord) -> str:
    """ "Add 12 files: 3 of 12 · acme.htm", "Bring qwen: 40 of 491 MB"."""
    told = record.progress
    if told is None or record.state != "running":
        return record.job.title
    if told.stage == "download":
        amount = f"{told.done / _MB:,.0f} of {told.total / _MB:,.0f} MB" if told.total else f"{told.done / _MB:,.0f} MB"
    elif told.stage == "embed":
        amount = f"{told.done:,.0f} of {told.total:,.0f} passages"
    else:
        amount = f"{told.done:,.0f} of {told.total:,.0f}"
    return f"{record.job.title}: {amount}" + (f" · {told.label}" if told.label else "")
