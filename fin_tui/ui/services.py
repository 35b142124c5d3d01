"""What the app needs from below, as protocols. ``live.py`` is the real thing; the tests script their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from fin_tui.config import Mode
from fin_tui.engine.events import Event, Passage
from fin_tui.records import Answer, Filing, Progress, Scope, Section

if TYPE_CHECKING:
    from fin_tui.engine.year_before import ItemChanges
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
    history: tuple[str, ...] = ()
    """The questions answered before this one in the conversation, oldest first."""
    kept: tuple[str, ...] = ()
    """Chunk ids of passages that lead the evidence."""
    dropped: tuple[str, ...] = ()
    """Chunk ids of passages that stay out of it."""


@dataclass(frozen=True, slots=True)
class ModelState:
    """Which model words answers, for the status line."""

    name: str = ""
    """Empty when there is none; then answers are extracts."""
    is_draft: bool = False
    """Its text stands as a marked draft under the extract: it did the last time, or it was measured to be no more."""


class Services(Protocol):
    """All methods may block and are called from worker threads only."""

    def filings(self) -> Sequence[Filing]: ...

    def sections(self, filing: str) -> Sequence[Section]:
        """Raises ``NotFound`` for an unknown filing id."""
        ...

    def text(self, filing: str) -> str:
        """The clean text. Raises ``NotFound`` for an unknown filing id."""
        ...

    def changes(self, filing: str, item: str) -> ItemChanges:
        """An Item beside the same of the year before. Raises ``NotFound`` when there is nothing to compare with."""
        ...

    def ask(self, ask: Ask, cancelled: Callable[[], bool]) -> Iterator[Event]: ...

    def preview(self, ask: Ask) -> Sequence[Passage]:
        """The passages that a question being typed finds: search alone, quick; none for one that would be refused."""
        ...

    def conversations(self) -> Sequence[Conversation]: ...

    def turns(self, conversation: str) -> Sequence[tuple[Answer, Sequence[Passage]]]:
        """The answers of a conversation in order, each with the passages it cites. Raises ``NotFound``."""
        ...

    def keep(self, conversation: str, answer: Answer) -> str:
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

    def embed(self, cancelled: Callable[[], bool]) -> Iterator[Progress]:
        """Make the missing vectors; ends at once when none are missing or none can be made."""
        ...

    def close(self) -> None: ...


Opener = Callable[[], Services]
"""Opens the library; called once, in a worker thread."""
