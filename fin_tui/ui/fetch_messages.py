"""Messages of the fetch dialog."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from fin_tui.ui.fetch_room import FetchTerms

if TYPE_CHECKING:
    from fin_tui.ingest.fetch_plan import Plan
    from fin_tui.ingest.fetch_words import Words


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
