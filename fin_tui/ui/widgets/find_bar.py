"""A line to look for words in a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static


class FindBar(Horizontal):
    """Hidden until it is opened; posts what is looked for as it is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", show=False, id="find.close", tooltip="Leave the search line"),
    ]

    @dataclass
    class Changed(Message):
        """Look for other words; ``is_final`` when the reader pressed Enter."""

        words: str
        is_final: bool = False

    class Closed(Message):
        """The reader left the line."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.display = False

    def compose(self) -> ComposeResult:
        yield Input(placeholder="find", compact=True, id="find-words")
        yield Static("", markup=False, id="find-count")

    def open(self) -> None:
        """Show the line and type into it."""
        self.display = True
        self.query_one(Input).focus()

    def count(self, text: str) -> None:
        """Say how many places there are."""
        self.query_one("#find-count", Static).update(Content(text))

    def action_close(self) -> None:
        self.display = False
        self.post_message(self.Closed())

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Changed(event.value))

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Changed(event.value, is_final=True))
