"""Which pane is shown, and which source: by step, by number, opened, explained."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import Literal

from textual.screen import Screen

from fin_tui.ui.conversation import TurnState
from fin_tui.ui.widgets.bars import PANES, PaneTabs
from fin_tui.ui.widgets.sources import Sources

NARROW = "-narrow"


class Panes:
    """Shows, hides and focuses the panes of a screen by classes that its style sheet reads."""

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen
        self.current = "chat"
        self._sources = 0

    @property
    def is_narrow(self) -> bool:
        return self._screen.has_class(NARROW)

    @property
    def covers_chat(self) -> bool:
        """Another pane stands where the chat would."""
        return self.is_narrow and self.current != "chat"

    def go(self, pane: str) -> None:
        """Show ``pane`` and focus it; where it has the focus already, hide it again."""
        has_focus = self._has_focus(pane)
        if pane == "chat" or not has_focus:
            self.show(pane)
            self._focus(pane)
        elif self.is_narrow:
            self.go("chat")
        else:
            self._screen.add_class(f"-no-{pane}")
            self._focus("chat")

    def show(self, pane: str) -> None:
        """Make ``pane`` visible; the focus stays where it is, unless its pane gives way to this one."""
        if self.is_narrow and pane != self.current:
            self._focus(pane)
        self.current = pane
        self._screen.remove_class(f"-no-{pane}")
        for name in PANES:
            self._screen.set_class(name == pane, f"-pane-{name}")
        self.count(self._sources)

    def count(self, sources: int) -> None:
        """How many passages the tab of the sources names."""
        self._sources = sources
        self._screen.query_one(PaneTabs).show(self.current, sources)

    def _has_focus(self, pane: str) -> bool:
        focused = self._screen.focused
        return focused is not None and any(node.id == pane for node in focused.ancestors_with_self)

    def _focus(self, pane: str) -> None:
        target = {"filings": "#tree", "chat": "#prompt", "sources": "#source-list"}[pane]
        widget = self._screen.query_one(target)
        if not widget.display:
            widget = self._screen.query_one("#chat")
        self._screen.call_after_refresh(widget.focus)


_PAUSE = 1.0
Way = Literal["next", "previous", "explain"]


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
        pane.belongs_to_answer()
        if number is not None or pane.passages != turn.passages or pane.chosen is None:
            pane.show(turn.passages, number or turn.first_cited, turn.before)
        self._panes.count(len(turn.passages))
        self._screen.refresh_bindings()

    def give_way(self) -> None:
        """Where the chat has no room beside another pane, bring it into view."""
        if self._panes.covers_chat:
            self._panes.go("chat")

    def clear(self) -> None:
        """Show none, as a conversation without a question has none."""
        self.pane.show(())
        self._panes.count(0)

    def cite(self, turn: TurnState, number: int) -> None:
        """Bring the passage that ``turn`` cites as ``number`` into view."""
        self._panes.show("sources")
        self.show(turn, number)

    def go(self, way: Way) -> None:
        """Go on among the sources, or look closer at the chosen one."""
        self._panes.show("sources")
        if way == "explain":
            self.pane.toggle_explain()
        else:
            self.pane.step(1 if way == "next" else -1)

    def open_reader(self) -> None:
        """Read the filing at the chosen passage."""
        self.pane.action_open_reader()

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
