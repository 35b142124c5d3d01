"""Walks through the sources of a turn: by step, by number, opened, explained."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import Literal

from textual.screen import Screen

from fin_tui.ui.controllers.panes import Panes
from fin_tui.ui.conversation import TurnState
from fin_tui.ui.widgets.sources import Sources

_PAUSE = 1.0
Way = Literal["next", "previous", "open", "explain"]


class SourcesController:
    """Works on a screen with sources in one of its panes."""

    def __init__(self, screen: Screen[None], panes: Panes) -> None:
        self._screen = screen
        self._panes = panes
        self._numbers = NumberKeys()

    @property
    def pane(self) -> Sources:
        return self._screen.query_one(Sources)

    @property
    def has_any(self) -> bool:
        return self._screen.is_mounted and bool(self.pane.passages)

    def show(self, turn: TurnState, number: int | None = None) -> None:
        """Show the passages of ``turn``, with ``number`` chosen (else what was chosen, or what the evidence names first)."""
        pane = self.pane
        pane.explain_with(turn.ranks, turn.figures.facts)
        if number is not None or pane.passages != turn.passages or pane.chosen is None:
            pane.show(turn.passages, number or turn.first_cited, turn.before)
        self._panes.count(len(turn.passages))
        self._screen.refresh_bindings()

    def cite(self, turn: TurnState, number: int) -> None:
        """Bring the passage that ``turn`` cites as ``number`` into view."""
        self._panes.show("sources")
        self.show(turn, number)

    def go(self, way: Way) -> None:
        """Go on among the sources, or look closer at the chosen one."""
        if way == "open":
            self.pane.action_open_reader()
            return
        self._panes.show("sources")
        if way == "explain":
            self.pane.toggle_explain()
        else:
            self.pane.step(1 if way == "next" else -1)

    def press(self, digit: int) -> None:
        """A digit was typed: show the passage of that number."""
        number = self._numbers.press(digit, [p.citation.id for p in self.pane.passages])
        if number is not None:
            self._panes.show("sources")
            self.pane.choose(number)


class NumberKeys:
    """Two digits typed one after the other name one passage: "1" then at once "2" is 12, where there is a 12."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = 0
        self._when = float("-inf")

    def press(self, digit: int, known: Collection[int]) -> int | None:
        """The number that is meant now, or None when no passage has it (yet)."""
        now = self._clock()
        both = self._last * 10 + digit
        joins = now - self._when < _PAUSE and self._last and both in known
        number = both if joins else digit
        self._last = 0 if joins else digit
        self._when = now
        return number if number in known else None
