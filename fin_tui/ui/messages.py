"""Messages between workers, widgets and screens. Workers post them; ``@on`` handlers own all state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message
from textual.message_pump import MessagePump

from fin_tui.config import Settings
from fin_tui.engine.answering.events import Event, Passage
from fin_tui.records import Answer, Citation, Filing, Progress, Section, Span
from fin_tui.ui.browse import Entry
from fin_tui.ui.conversation import TurnState
from fin_tui.ui.scoping import Picks, SourcePicks
from fin_tui.ui.services import FetchTerms, Job, JobNews, JobRecord, Missing, ModelState, NotebookRoom, Services, State
from fin_tui.ui.text import filing_label, one_line
from fin_tui.ui.text_layout import Grid

if TYPE_CHECKING:
    from fin_tui.engine.checking import Checked
    from fin_tui.engine.exports import Format
    from fin_tui.engine.exports.file import Taken
    from fin_tui.engine.models.listing import ListedModel, Offer
    from fin_tui.engine.reader import Heading, ItemChanges, WhatsNew
    from fin_tui.ingest.fetch_plan import Plan, Words
    from fin_tui.store.kept import Bookmark, Conversation


@dataclass
class ServicesOpened(Message):
    """The library is open; questions can be asked."""

    services: Services


@dataclass
class LibraryRead(Message):
    """What the library holds, which model is there, and what is missing."""

    filings: Sequence[Filing]
    model: ModelState
    notes: Sequence[str]
    place: str = ""
    """The corpus that it is, when not the library of this machine."""


@dataclass
class WarmedUp(Message):
    """Indexes and model of these services are loaded."""

    services: Services


@dataclass
class Loading(Message):
    """Something is being loaded in the background; empty text means that all is loaded."""

    text: str

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, Loading)


@dataclass
class SectionsRead(Message):
    """The Items of one filing."""

    filing: str
    sections: Sequence[Section]


@dataclass
class WorkFailed(Message):
    """Background work failed for a reason to show."""

    title: str
    message: str
    hint: str = ""
    is_asked_for: bool = True
    """False for work in the background: it is told without taking the keyboard."""


@dataclass
class EngineEvent(Message):
    """The next event of a question's stream."""

    turn: TurnState
    event: Event


@dataclass
class TurnKept(Message):
    """The answer of a turn is to be filed in the notebook."""

    turn: TurnState


@dataclass
class PreviewRead(Message):
    """What a question that is still being typed would find."""

    question: str
    passages: Sequence[Passage]


@dataclass
class SectionsWanted(Message):
    """A filing was opened in the browser for the first time."""

    filing: str


@dataclass
class PicksChanged(Message):
    """The reader changed the scope in the browser."""

    picks: Picks


@dataclass
class CitationChosen(Message):
    """A citation was clicked or chosen: show its passage."""

    turn: TurnState
    number: int


@dataclass
class FigureWanted(Message):
    """A figure was clicked: look into it."""

    turn: TurnState
    place: int
    """Which fact of the turn."""


@dataclass
class ReaderWanted(Message):
    """Open a filing's text at a span."""

    filing: str
    title: str
    start: int
    end: int
    citations: Sequence[Span] = ()
    """All that the answer cites of this filing, the span itself included."""

    @classmethod
    def at(cls, citation: Citation, place: tuple[int, int] | None = None, citations: Sequence[Span] = ()) -> ReaderWanted:
        """Open the filing of ``citation`` at what it cites; ``place``: at another span."""
        title = f"{filing_label(citation)} · {one_line(citation.form)}"
        return cls(citation.filing, title, *(place or citation.place), citations)


@dataclass
class ColumnsWanted(Message):
    """A passage with a table is shown: its columns are to be told to who shows it."""

    passage: Passage
    shown_by: MessagePump


@dataclass
class ColumnsRead(Message):
    """The columns of the tables in a passage."""

    passage: Passage
    grid: Grid


@dataclass
class TextRead(Message):
    """A filing's clean text and Items, for the reader."""

    filing: str
    text: str
    sections: Sequence[Section]
    grid: Grid


@dataclass
class ContentsRead(Message):
    """A filing's contents and bookmarks, for the reader."""

    filing: str
    headings: Sequence[Heading]
    bookmarks: Sequence[Bookmark]
    pages: Sequence[tuple[int, str]]


@dataclass
class BookmarkWanted(Message):
    """Put a bookmark at a place of a filing's text, or take it away."""

    filing: str
    start: int
    is_wanted: bool = True


@dataclass
class ChangesWanted(Message):
    """Compare an Item with the year before."""

    filing: str
    item: str
    place: int
    """In the clean text of the filing: what the reader looks at."""


@dataclass
class ChangesRead(Message):
    """What changed in an Item."""

    changes: ItemChanges
    place: int
    """In the clean text of the newer filing: the changes are shown from there."""


@dataclass
class WhatsNewWanted(Message):
    """Show what a filing changed since the year before."""

    filing: str


@dataclass
class WhatsNewRead(Message):
    """What a filing changed."""

    found: WhatsNew


@dataclass
class SourcePicksChanged(Message):
    """The reader keeps other passages for the next questions, or leaves others out."""

    picks: SourcePicks


@dataclass
class CopyWanted(Message):
    """Put a text into the clipboard."""

    what: str
    """For people: "answer", "passage [3]"."""
    text: str


@dataclass
class Copied(Message):
    """It was copied, and how."""

    what: str
    how: str
    text: str


@dataclass
class ConversationsRead(Message):
    """The conversations of the library."""

    conversations: Sequence[Conversation]


@dataclass
class ResumeWanted(Message):
    """Go on with a conversation."""

    conversation: str


@dataclass
class ConversationResumed(Message):
    """A conversation with its turns, to be shown again."""

    conversation: str
    turns: Sequence[tuple[Answer, Sequence[Passage]]]


@dataclass
class ConversationRenamed(Message):
    """The reader gave a conversation another name."""

    conversation: str
    title: str


@dataclass
class ConversationRemoved(Message):
    """The reader deleted a conversation."""

    conversation: str


@dataclass
class KeepWanted(Message):
    """Put something into the notebook."""

    what: str
    """For people: "answer", "passage [3]"."""
    keep: Callable[[NotebookRoom], None]
    """Called in a worker."""


@dataclass
class Kept(Message):
    """It is in the notebook."""

    what: str


@dataclass
class ExportWanted(Message):
    """Write a conversation into a file."""

    conversation: str
    form: Format


@dataclass
class Exported(Message):
    """It was written."""

    path: Path


@dataclass
class NameIsTaken(Message):
    """There is a file of that name."""

    path: Path
    again: Callable[[Taken], Path]
    """Writes it all the same; called in a worker."""


@dataclass
class JobWanted(Message):
    """Do this in the background."""

    job: Job


@dataclass
class JobCancelled(Message):
    """Stop a job; what it has done stays."""

    record: JobRecord


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


@dataclass
class FolderRead(Message):
    """What a folder on disk holds."""

    folder: Path
    entries: Sequence[Entry]
    problem: str = ""
    """Why it can't be read."""


@dataclass
class MissingRead(Message):
    """What set-up would download."""

    missing: Missing
    offers: Sequence[Offer] = ()
    """Models that would write well on this machine, the best first."""


@dataclass
class SettingsRead(Message):
    """The settings of this home and the models there are."""

    settings: Settings
    fixed: frozenset[str]
    """Keys that the environment sets."""
    models: Sequence[ListedModel]


@dataclass
class SettingRefused(Message):
    """A setting was not changed, and why."""

    message: str
    hint: str


@dataclass
class SettingsChanged(Message):
    """The settings are other ones now."""

    settings: Settings


@dataclass
class Checking(Message):
    """A text was compared with the library."""

    checked: Checked


@dataclass
class CheckTold(Message):
    """So many sentences of a text have been checked."""

    done: int
    total: int


@dataclass
class MemoRead(Message):
    """A text file, to be checked."""

    text: str


@dataclass
class ModelWanted(Message):
    """Put this language model in place, and let it write where it does so well."""

    name: str


class ReindexWanted(Message):
    """Read all filings again."""


@dataclass
class FetchWanted(Message):
    """Open the dialog, with these lines filled in."""

    words: Words


@dataclass
class TermsRead(Message):
    """Who asks, and whether that is allowed."""

    terms: FetchTerms


@dataclass
class PlanMade(Message):
    """EDGAR said what there is."""

    words: Words
    plan: Plan


@dataclass
class FetchRefused(Message):
    """A step did not work, and why."""

    message: str
    hint: str
