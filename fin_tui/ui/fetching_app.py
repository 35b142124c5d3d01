"""The part of the app that brings filings from EDGAR: the dialog, then a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from fin_tui.plural import count
from fin_tui.ui.dialogs_app import DialogsApp
from fin_tui.ui.fetch_messages import FetchWanted
from fin_tui.ui.jobs import Job
from fin_tui.ui.screens.fetching import FetchScreen
from fin_tui.ui.text import one_line

if TYPE_CHECKING:
    from fin_tui.ingest.fetch_plan import Plan
    from fin_tui.ingest.fetch_words import Words


class FetchingApp(DialogsApp):
    """Nothing goes online but what the reader agreed to in the dialog."""

    def action_fetch(self) -> None:
        """The dialog with empty lines."""
        from fin_tui.ingest.fetch_words import Words

        self._open_fetch(Words())

    @on(FetchWanted)
    def _fetch_wanted(self, event: FetchWanted) -> None:
        self._open_fetch(event.words)

    def _open_fetch(self, words: Words) -> None:
        if self._services is not None and self._is_open() and not isinstance(self.screen, FetchScreen):
            self.push_screen(FetchScreen(self._services.fetching, self.main.filings, words), self._fetch)

    def _fetch(self, plan: Plan | None) -> None:
        services = self._services
        if plan is None or services is None:
            return
        first = plan.wanted[0]
        one = one_line(f"{first.company.ticker or first.company.name or first.company.cik} {first.year or ''}")
        title = f"Fetch {one}" if len(plan.wanted) == 1 else f"Fetch {count(len(plan.wanted), 'filing')}"
        self.begin(Job(title, lambda cancelled: services.fetching.run(plan, cancelled), changes="library"))
        self.notify("Fetching in the background; the log (l) shows how far. Ctrl+R then asks the last question again.", timeout=6)
