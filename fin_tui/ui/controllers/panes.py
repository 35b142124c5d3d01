"""Which of the three panes are shown: side by side where there is room, one at a time on narrow screens."""

from __future__ import annotations

from textual.screen import Screen

from fin_tui.ui.widgets.pane_tabs import PANES, PaneTabs

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
