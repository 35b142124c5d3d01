"""What the app needs to bring filings from EDGAR. ``live_fetch.py`` is the real thing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from fin_tui.ui.jobs import JobNews

if TYPE_CHECKING:
    from fin_tui.ingest.fetch_plan import Plan
    from fin_tui.ingest.fetch_words import Words


@dataclass(frozen=True, slots=True)
class FetchTerms:
    """What has to be known before anything goes online."""

    server: str
    """Where the requests go."""
    asker: str = ""
    """Who asks, as it is sent; empty until that is known."""
    forbidden: str = ""
    """Why nothing may go online, in a line; empty when it may."""


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
