"""What the next question may look at: the filings there are, and what of them the reader picked."""

from __future__ import annotations

from collections.abc import Sequence

from textual.screen import Screen

from fin_tui.records import Filing, Scope
from fin_tui.ui.scoping import SourcePicks
from fin_tui.ui.widgets.bars import ScopeChips
from fin_tui.ui.widgets.filing_browser import FilingBrowser
from fin_tui.ui.widgets.sources import Sources


class ScopeController:
    """Works on a screen with a filing browser, scope chips and sources."""

    def __init__(self, screen: Screen[None]) -> None:
        self.filings: Sequence[Filing] = ()
        """What the library holds."""
        self._screen = screen

    @property
    def _browser(self) -> FilingBrowser:
        return self._screen.query_one(FilingBrowser)

    def scope(self) -> Scope:
        """What was picked in the browser; all where nothing was."""
        return self._browser.picks.scope(self.filings)

    @property
    def labels(self) -> list[str]:
        """What was picked in the browser, a short label each."""
        return self._browser.picks.chips(self.filings)

    @property
    def has_picks(self) -> bool:
        """Something was picked in the browser or among the sources, or the browser shows only some filings."""
        if not self._screen.is_mounted:
            return False
        browser = self._browser
        return bool(browser.picks or browser.is_filtered or self._screen.query_one(Sources).picks)

    def show(self, filings: Sequence[Filing]) -> None:
        """List the filings that the library holds now."""
        self.filings = filings
        self._browser.show(filings)

    def picked(self) -> None:
        """Something was picked, or no longer is: show it above the prompt."""
        sources = self._screen.query_one(Sources).picks
        self._screen.query_one(ScopeChips).show([*sources.chips, *self.labels])
        self._screen.refresh_bindings()

    def move_year(self, by: int) -> None:
        """Move the fiscal year of the scope."""
        moved = self._browser.picks.in_year(self.filings, by)
        if moved is None:
            none = f"The library holds no {'later' if by > 0 else 'earlier'} year of them."
            self._screen.notify(none, severity="warning")
        else:
            self._browser.pick(moved[0])
            self._screen.notify(f"Questions look at fiscal {moved[1]}. Alt+X clears it.", timeout=3)

    def lift(self) -> None:
        """Forget what was picked in the browser."""
        self._browser.clear_picks()

    def clear(self) -> None:
        """Forget all that was picked, pinned or excluded; the browser shows all filings again."""
        self.lift()
        self._browser.show_all()
        self._screen.query_one(Sources).pick(SourcePicks())
