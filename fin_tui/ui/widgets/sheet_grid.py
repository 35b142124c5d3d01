"""A table of cells with a frozen header and frozen row names."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import DataTable


class SheetGrid(DataTable[Text], inherit_bindings=False):
    """Moves by the arrow keys; all other keys are those of the screen around it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "cursor_up", show=False),
        Binding("down", "cursor_down", show=False),
        Binding("left", "cursor_left", show=False),
        Binding("right", "cursor_right", show=False),
        Binding("pageup", "page_up", show=False),
        Binding("pagedown", "page_down", show=False),
        Binding("home", "scroll_home", show=False),
        Binding("end", "scroll_end", show=False),
        Binding("ctrl+home", "scroll_top", show=False),
        Binding("ctrl+end", "scroll_bottom", show=False),
    ]

    def visible_rows(self) -> range:
        """The places of the rows that are on screen."""
        first = int(self.scroll_y)
        return range(first, min(first + max(self.size.height - self.header_height, 0), self.row_count))
