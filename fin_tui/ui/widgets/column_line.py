"""The line on which a new column of a sheet is typed."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.message import Message
from textual.widgets import Input

from fin_tui.ui.text import one_line


class ColumnLine(Input):
    """Hidden until it is asked for; says what was typed and leaves again."""

    @dataclass
    class Named(Message):
        """A column was typed."""

        text: str
        is_trial: bool

    def __init__(self, id: str) -> None:
        super().__init__(compact=True, placeholder='a figure, a question ending in "?", or NAME = FORMULA', id=id)
        self._is_trial = False

    def on_mount(self) -> None:
        self.display = False

    def ask(self, *, is_trial: bool) -> None:
        """Show the line, empty."""
        self._is_trial = is_trial
        self.value = ""
        self.display = True
        self.focus()

    def leave(self) -> None:
        """Hide the line; what is typed on it is given up."""
        self.display = False

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        self.leave()
        self.post_message(self.Named(one_line(self.value), self._is_trial))
