"""A list in which the mouse can choose a line without doing anything to it yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from textual import events
from textual.widgets import OptionList

T = TypeVar("T")


class PickList(OptionList):
    """A click moves the cursor; a click on the line under the cursor is Enter. So every key of the footer has its line."""

    def on_click(self, event: events.Click) -> None:
        at = event.style.meta.get("option")
        if isinstance(at, int) and at != self.highlighted and not self.get_option_at_index(at).disabled:
            event.prevent_default()
            self.highlighted = at

    def chosen_of(self, lines: Sequence[T]) -> T | None:
        """That of ``lines``, which the list shows, under the cursor."""
        at = self.highlighted
        return lines[at] if at is not None and at < len(lines) else None
