"""The line above the footer: what is going on, which model, how search is set."""

from __future__ import annotations

from collections.abc import Iterator

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from fin_tui.records import Progress
from fin_tui.ui.services import ModelState
from fin_tui.ui.text import one_line

_GAP = 2
"""Cells between the two sides, at least."""
_OWN_WORDS = (
    "the filing's own words · F12 brings a model that writes",
    "filing's own words · F12: a model that writes",
    "filing's own words · F12: a model",
    "filing's own words",
)
"""Where no model writes, and what brings one: as much as there is room for."""


class StatusLine(Horizontal):
    """State on the left, what answers are made with on the right."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._busy = ""
        self._vectors = ""
        self._jobs = ""
        self._idle = "ready"
        self._model: ModelState | None = None
        self._search = ""

    def compose(self) -> ComposeResult:
        yield Static("", markup=False, id="state")
        yield Static("", markup=False, id="made-with")

    def busy(self, text: str) -> None:
        """Say what is being done; empty when nothing is."""
        self._busy = one_line(text)
        self._draw()

    def jobs(self, text: str) -> None:
        """What is being done in the background, besides vectors; empty for nothing."""
        self._jobs = one_line(text)
        self._draw()

    def idle(self, text: str) -> None:
        """What stands there when nothing is being done: how much the library holds."""
        self._idle = one_line(text)
        self._draw()

    def vectors(self, progress: Progress | None) -> None:
        """How far the vectors are; None when they are done."""
        self._vectors = ""
        if progress is not None and progress.total > 0 and progress.done < progress.total:
            self._vectors = f"indexing {100 * progress.done / progress.total:.0f}%"
        self._draw()

    def made_with(self, model: ModelState | None, search: str) -> None:
        """Which model writes answers, if any may, and the search mode."""
        self._model, self._search = model, search
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        self._draw()

    def _draw(self) -> None:
        if not self.is_mounted:
            return
        left = self._going_on()
        room = self.content_region.width - left.cell_length - _GAP
        self.query_one("#state", Static).update(left)
        # What goes on is worth more than how search is set.
        right = next((told for told in self._made_with() if told.cell_length <= room), Content(""))
        self.query_one("#made-with", Static).update(right)

    def _going_on(self) -> Content:
        dot = Content.styled("◌ ", "$warning") if self._busy or self._jobs else Content.styled("● ", "$success")
        left = dot + Content(self._busy or self._jobs or self._idle)
        if self._busy and self._jobs:
            left = left + Content.styled(f"  ·  {self._jobs}", "$foreground-muted")
        if self._vectors:
            left = left + Content.styled(f"  ·  {self._vectors}", "$foreground-muted")
        return left

    def _made_with(self) -> Iterator[Content]:
        """The search mode and the model, from all that there is to say to the least."""
        search = Content(self._search)
        if self._model is not None and self._model.name:
            yield search + Content(f"{'  ·  ' if self._search else ''}{one_line(self._model.name)}")
        elif self._model is not None:
            chips = [Content.styled(f" {chip} ", "$foreground-muted on $panel") for chip in _OWN_WORDS]
            yield search + Content("  ") + chips[0]
            yield from chips
        yield search
