"""A line to type into that is on screen only while it is needed."""

from __future__ import annotations

from textual.widgets import Input


class PassingLine(Input):
    """Hidden until it is opened."""

    def __init__(self, *, id: str) -> None:
        super().__init__(compact=True, id=id)
        self.display = False

    def open(self, placeholder: str, value: str = "") -> None:
        """Show it with the cursor in it."""
        self.display = True
        self.placeholder, self.value = placeholder, value
        self.focus()

    def leave(self) -> None:
        """Hide it, without what was typed."""
        self.value = ""
        self.display = False
