"""What the app needs from below, as protocols, and what long work tells. ``live.py`` is the real thing; tests script it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from fin_tui.config import Mode, Settings
from fin_tui.engine.answering.events import Event, Passage
from fin_tui.records import Answer, Citation, FactRecord, Filing, Progress, Scope, Section
from fin_tui.ui.text_layout import Grid

if TYPE_CHECKING:
    from fin_tui.engine.checking import Checked
    from fin_tui.engine.exports import Format
    from fin_tui.engine.exports.file import Taken
    from fin_tui.engine.figures.detail import FigureDetail, Stated
    from fin_tui.engine.models.listing import ListedModel, Offer
    from fin_tui.engine.reader import Heading, ItemChanges, WhatsNew
    from fin_tui.engine.saved_items import Traced
    from fin_tui.ingest.fetch_plan import Plan, Words
    from fin_tui.records import SheetCell
    from fin_tui.sheets.audit import Audit
    from fin_tui.sheets.filling import OpenSheet
    from fin_tui.store.kept import Bookmark, CellKey, Conversation, NotebookEntry, SheetSummary

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


@dataclass(frozen=True, slots=True)
class FetchTerms:
    """What has to be known before anything goes online."""

    server: str
    """Where the requests go."""
    asker: str = ""
    """Who asks, as it is sent; empty until that is known."""
    forbidden: str = ""
    """Why nothing may go online, in a line; empty when it may."""
    overriding: tuple[str, ...] = ()
    """The environment variables that stand in for settings of EDGAR: what is typed in the settings has no say there."""


class FetchRoom(Protocol):
    """All methods may block and are called from worker threads only. They raise ``FinTuiError``."""

    def terms(self) -> FetchTerms:
        """Goes nowhere."""
        ...

    def introduce(self, name: str, email: str) -> FetchTerms:
        """Keep who asks in the settings. Raises ``UsageError`` for what can't be sent; goes nowhere."""
        ...

    def plan(self, words: Words, cancelled: Callable[[], bool]) -> Plan:
        """Ask EDGAR's lists what there is: goes online, and ends soon after ``cancelled`` is true."""
        ...

    def run(self, plan: Plan, cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        """Download and take in, as jobs tell it: goes online."""
        ...


@dataclass(frozen=True, slots=True)
class NotebookState:
    """The notebook as it is now."""

    entries: Sequence[NotebookEntry]
    traced: Mapping[Citation, Traced]
    """Where each kept quote stands in the library of now."""


class NotebookRoom(Protocol):
    """All methods may block and are called from worker threads only. They raise ``FinTuiError``."""

    def read(self) -> NotebookState: ...

    def keep_answer(self, answer: Answer, passages: Sequence[Passage]) -> None: ...

    def keep_passage(self, passage: Passage) -> None: ...

    def keep_figure(self, fact: FactRecord, citation: Citation | None) -> None: ...

    def keep_span(self, filing: str, start: int, end: int) -> None:
        """Keep the words of a filing's clean text."""
        ...

    def annotate(self, number: int, note: str) -> None: ...

    def move(self, number: int, by: int) -> None: ...

    def remove(self, number: int) -> None: ...

    def export(self, form: Format, *, with_unsupported: bool, taken: Taken | None = None) -> Path:
        """Write the notebook into a file; raises ``UnsupportedText`` unless what nothing supports may go with it, ``NameTaken``
        where there is one and ``taken`` does not say what becomes of it.
        """
        ...

    def export_conversation(self, conversation: str, form: Format, taken: Taken | None = None) -> Path:
        """Write a conversation into a file; raises ``NameTaken`` as ``export`` does."""
        ...

    def figure(self, fact: FactRecord) -> FigureDetail:
        """All that the library knows of a figure. Raises ``NotFound`` when it is no longer there."""
        ...

    def citation_of(self, stated: Stated) -> Citation | None:
        """Where a value stands, to open it; None for what a filing does not print."""
        ...


class SheetRoom(Protocol):
    """All methods may block and are called from worker threads only. They raise ``FinTuiError``."""

    def all(self) -> Sequence[SheetSummary]: ...

    def example(self) -> str:
        """Rows of companies that the library holds, as they are typed; "" where it has none with a ticker."""
        ...

    def open(self, name: str) -> OpenSheet: ...

    def new(self, name: str, rows: str, columns: str) -> OpenSheet:
        """Make a sheet: rows as on the command line; columns with semicolons between, or figures with commas, or the
        name of a template."""
        ...

    def remove(self, name: str) -> None: ...

    def add_column(self, name: str, text: str) -> str:
        """Add a column; gives its key."""
        ...

    def drop_column(self, name: str, key: str) -> None: ...

    def hide(self, name: str, key: str, *, is_hidden: bool) -> None: ...

    def fill(
        self,
        name: str,
        wanted: Sequence[CellKey],
        cancelled: Callable[[], bool],
        first: Callable[[], Sequence[CellKey]],
    ) -> Iterator[SheetCell]:
        """Fill cells, those that ``first`` names before others; what is made is stored also when it is stopped."""
        ...

    def export(self, name: str) -> Path:
        """Write a sheet into a new workbook."""
        ...

    def audit(self, path: Path) -> Audit:
        """Hold a user's workbook against the library."""
        ...

    def marked_copy(self, path: Path, audit: Audit) -> Path:
        """Write a coloured copy of an audited workbook into a new file."""
        ...


@dataclass(frozen=True, slots=True)
class Ask:
    """A question as the reader put it."""

    question: str
    scope: Scope = Scope()
    mode: Mode | None = None
    """None means as the settings say; the same for ``rerank``."""
    rerank: bool | None = None
    use_model: bool = True
    write_proven: bool = False
    """The model also writes what needs no words."""
    history: tuple[str, ...] = ()
    """The questions answered before this one in the conversation, oldest first."""
    kept: tuple[str, ...] = ()
    """Chunk ids of passages that lead the evidence."""
    dropped: tuple[str, ...] = ()
    """Chunk ids of passages that stay out of it."""


@dataclass(frozen=True, slots=True)
class ModelState:
    """Which model writes answers, for the status line."""

    name: str = ""
    """Empty when none does; then answers are the filings' own words."""


@dataclass(frozen=True, slots=True)
class Missing:
    """What set-up would bring, a line each for people; both empty when everything is there."""

    models: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    forbidden: str = ""
    """Why nothing can be downloaded; empty where it may be."""


class Work(Protocol):
    """Long work, as jobs run it: iterators that end soon after ``cancelled`` is true. Raises ``FinTuiError``."""

    def add(self, paths: Sequence[Path], cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        """Take files, and the filings in folders, into the library."""
        ...

    def reindex(self, cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        """Read all filings again, cut as the settings say now."""
        ...

    def pull(self, model: str, cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        """Download a language model; a broken off download goes on."""
        ...

    def missing(self) -> Missing:
        """What set-up would download and add."""
        ...

    def try_out(self, model: str, cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        """Measure, between answers, what a model's sentences are worth; one that writes well is chosen in the settings."""
        ...

    def set_up(self, cancelled: Callable[[], bool], *, samples: bool = True) -> Iterator[JobNews]:
        """Download the weights that are missing; with ``samples`` also the sample filings, which are added."""
        ...


class Options(Protocol):
    """The settings of this home."""

    def settings(self) -> Settings:
        """As they are now: file and environment. Raises ``UsageError``."""
        ...

    def fixed(self) -> frozenset[str]:
        """Keys ("search.k") that the environment sets: the file has no say in them."""
        ...

    def save(self, key: str, value: Any) -> Settings:
        """Set "search.k" or "app.keys.chat.stop" in the file (None: take it out) and give what then holds.

        Raises ``UsageError`` for a value that does not fit; the file is then left alone.
        """
        ...

    def models(self) -> Sequence[ListedModel]: ...

    def offers(self) -> Sequence[Offer]:
        """The best model for this machine, and behind a download the best that lies here; may take some seconds."""
        ...


class Shelf(Protocol):
    """What helps in reading a filing; bookmarks by place in its clean text. Raises ``NotFound`` for an unknown filing id."""

    def outline(self, filing: str) -> Sequence[Heading]:
        """Items, statements and notes in the order of the text."""

    def pages(self, filing: str) -> Sequence[tuple[int, str]]:
        """Where passages begin in the text, in order, and the page of each, as citations of it name it."""

    def columns(self, filing: str, start: int, text: str) -> Grid:
        """The columns of the tables in ``text``; empty unless the filing's clean text has it at ``start``."""

    def bookmarks(self, filing: str) -> Sequence[Bookmark]: ...

    def mark(self, filing: str, start: int) -> None: ...

    def unmark(self, filing: str, start: int) -> None: ...


class Services(Protocol):
    """All methods may block and are called from worker threads only."""

    @property
    def work(self) -> Work: ...

    @property
    def options(self) -> Options: ...

    @property
    def shelf(self) -> Shelf: ...

    @property
    def notebook(self) -> NotebookRoom: ...

    @property
    def sheets(self) -> SheetRoom: ...

    @property
    def fetching(self) -> FetchRoom: ...

    def check(self, text: str, scope: Scope, tell: Callable[[int, int], None]) -> Checked:
        """Hold every figure of ``text`` against the library; ``tell`` is told how many sentences are done, of how many."""
        ...

    def filings(self) -> Sequence[Filing]: ...

    def place(self) -> str:
        """Which corpus is asked, for people; "" for the library of this machine."""
        ...

    def sections(self, filing: str) -> Sequence[Section]:
        """Raises ``NotFound`` for an unknown filing id."""
        ...

    def text(self, filing: str) -> str:
        """The clean text. Raises ``NotFound`` for an unknown filing id."""
        ...

    def changes(self, filing: str, item: str) -> ItemChanges:
        """An Item beside the same of the year before. Raises ``NotFound`` when there is nothing to compare with."""
        ...

    def whats_new(self, filing: str) -> WhatsNew:
        """What a filing changed since the year before. Raises ``NotFound`` when there is nothing to compare with."""
        ...

    def ask(self, ask: Ask, cancelled: Callable[[], bool]) -> Iterator[Event]: ...

    def preview(self, ask: Ask) -> Sequence[Passage]:
        """The passages that a question being typed finds: search alone, quick; none for one that would be refused."""
        ...

    def conversations(self) -> Sequence[Conversation]: ...

    def turns(self, conversation: str) -> Sequence[tuple[Answer, Sequence[Passage]]]:
        """The answers of a conversation in order, each with the passages that stood beside it. Raises ``NotFound``."""
        ...

    def keep(self, conversation: str, answer: Answer, passages: Sequence[Passage] = ()) -> str:
        """Add an answer to a conversation, to a new one where the id is empty; gives the id."""
        ...

    def rename(self, conversation: str, title: str) -> None: ...

    def forget(self, conversation: str) -> None:
        """Delete a conversation."""

    def model(self) -> ModelState: ...

    def notes(self) -> Sequence[str]:
        """What is missing and what can be done now, one line each; empty when all is well."""
        ...

    def warm_up(self) -> Iterator[str]:
        """Load indexes and models; yields what is being loaded, for the status line."""
        ...

    def embed(self, cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        """Make the missing vectors; ends at once when none are missing, with a note when some can't be made."""
        ...

    def close(self) -> None: ...


Opener = Callable[[], Services]
"""Opens the library, with the settings as they are then; called in a worker thread."""
