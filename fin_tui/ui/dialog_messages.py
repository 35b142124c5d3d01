"""Messages of the dialogs, of fetching and of long work, as ``messages`` holds those of the conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

from fin_tui.config import Settings
from fin_tui.records import Progress
from fin_tui.ui.browse import Entry
from fin_tui.ui.fetch_room import FetchTerms
from fin_tui.ui.jobs import Job, JobNews, JobRecord, State
from fin_tui.ui.services import Missing

if TYPE_CHECKING:
    from fin_tui.engine.checking.check import Checked
    from fin_tui.engine.models.listing import ListedModel
    from fin_tui.engine.models.recommend import Offer
    from fin_tui.ingest.fetch_plan import Plan
    from fin_tui.ingest.fetch_words import Words


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
    """What set-up would bring."""

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
    """A text was held against the library."""

    checked: Checked


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
