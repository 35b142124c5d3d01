"""What the app needs from below, as protocols. ``live.py`` is the real thing; the tests script their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from fin_tui.config import Mode, Settings
from fin_tui.engine.answering.events import Event, Passage
from fin_tui.records import Answer, Filing, Scope, Section
from fin_tui.ui.fetch_room import FetchRoom
from fin_tui.ui.jobs import JobNews
from fin_tui.ui.notebook_room import NotebookRoom
from fin_tui.ui.sheet_room import SheetRoom

if TYPE_CHECKING:
    from fin_tui.engine.checking.check import Checked
    from fin_tui.engine.models.listing import ListedModel
    from fin_tui.engine.models.recommend import Offer
    from fin_tui.engine.reader.outline import Heading
    from fin_tui.engine.reader.whats_new import WhatsNew
    from fin_tui.engine.reader.year_before import ItemChanges
    from fin_tui.store.bookmarks import Bookmark
    from fin_tui.store.conversations import Conversation


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
    """What helps in reading a filing. Raises ``NotFound`` for an unknown filing id."""

    def outline(self, filing: str) -> Sequence[Heading]:
        """Items, statements and notes in the order of the text."""
        ...

    def bookmarks(self, filing: str) -> Sequence[Bookmark]: ...

    def mark(self, filing: str, start: int) -> None:
        """Put a bookmark at this place of the clean text."""
        ...

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

    def check(self, text: str, scope: Scope) -> Checked:
        """Hold every figure of ``text`` against the library."""
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
        ...

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
