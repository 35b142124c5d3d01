"""One line of tabs for narrow screens, where one pane fills the width."""

from __future__ import annotations

from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import Static

PANES = ("filings", "chat", "sources")


class PaneTabs(Static):
    """Names the panes with their keys; the shown one stands in brackets."""

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, pane: str) -> None:
            super().__init__()
            self.pane = pane

    def show(self, current: str, sources: int) -> None:
        """Mark ``current``; ``sources`` counts the passages of the turn."""
        parts: list[Content] = []
        for number, pane in enumerate(PANES):
            count = f" {sources}" if pane == "sources" and sources else ""
            label = f"{pane.capitalize()}{count}"
            style = "bold reverse" if pane == current else "$foreground-muted"
            tab = Content.styled(f" F{number + 2} {label} ", style)
            parts.append(tab.stylize(Style.from_meta({"@click": f"choose('{pane}')"})))
        self.update(Content(" ").join(parts))

    def action_choose(self, pane: str) -> None:
        self.post_message(self.Chosen(pane))
