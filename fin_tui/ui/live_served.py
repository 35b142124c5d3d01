"""What of the app's long work has no meaning on a team's corpus: it says so, and where it is done instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fin_tui.errors import UsageError
from fin_tui.ui.fetch_room import FetchTerms
from fin_tui.ui.jobs import JobNews
from fin_tui.ui.live_fetch import LiveFetching
from fin_tui.ui.live_work import LiveWork
from fin_tui.ui.services import Missing

if TYPE_CHECKING:
    from fin_tui.ingest.fetch_plan import Plan
    from fin_tui.ingest.fetch_words import Words


class ServedWork(LiveWork):
    """Implements ``ui.services.Work`` where filings are in a corpus: it brings models, and changes no filing."""

    def add(self, paths: Sequence[Path], cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        raise _elsewhere()

    def reindex(self, cancelled: Callable[[], bool]) -> Iterator[JobNews]:
        raise _elsewhere()

    def missing(self) -> Missing:
        return replace(super().missing(), samples=())

    def set_up(self, cancelled: Callable[[], bool], *, samples: bool = True) -> Iterator[JobNews]:
        return super().set_up(cancelled, samples=False)

    def embed(self, cancelled: Callable[[], bool], grace: float) -> Iterator[JobNews]:
        return iter(())


class ServedFetching(LiveFetching):
    """Implements ``ui.fetch_room.FetchRoom`` where filings are in a corpus: nothing is fetched."""

    def terms(self) -> FetchTerms:
        error = _elsewhere()
        return FetchTerms("", forbidden=f"{error.message} {error.hint}")

    def plan(self, words: Words, cancelled: Callable[[], bool]) -> Plan:
        raise _elsewhere()


def _elsewhere() -> UsageError:
    return UsageError(
        "A team's corpus is not changed from here.", "fin-tui ingest-corpus FOLDER --corpus URI adds filings to it, in a shell."
    )
