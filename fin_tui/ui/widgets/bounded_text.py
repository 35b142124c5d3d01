"""A box to write into that refuses a paste beyond its limit, before any of it is on screen."""

from __future__ import annotations

from textual import events
from textual.widgets import TextArea


class BoundedTextArea(TextArea):
    """May hold ``longest`` characters with what is pasted."""

    @property
    def longest(self) -> int:
        """Characters."""
        return 2_000_000

    def on_paste(self, event: events.Paste) -> None:
        total = len(self.text) - len(self.selected_text) + len(event.text)
        if total > self.longest:
            event.prevent_default()
            event.stop()
            told = f"The text would have {total:,} characters; at most {self.longest:,} are read. Nothing was pasted."
            self.notify(told, severity="warning", timeout=8)
