"""The line above the footer: what is going on, which model, how search is set."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from fin_tui.records import Progress
from fin_tui.ui.services import ModelState
from fin_tui.ui.text import one_line


class StatusLine(Horizontal):
    """State on the left, what answers are made with on the right."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._busy = ""
        self._vectors = ""
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

    def idle(self, text: str) -> None:
        """What stands there when nothing is being done: how much the library holds."""
        self._idle = one_line(text)
        self._draw()

    def vectors(self, progress: Progress | None) -> None:
        """How far the vectors are; None when they are done."""
        self._vectors = ""
        if progress is not None and progress.total > 0 and progress.done < progress.total:
            self._vectors = f"vectors {100 * progress.done / progress.total:.0f} %"
        self._draw()

    def made_with(self, model: ModelState, search: str) -> None:
        """Which model words answers, and the search mode."""
        self._model, self._search = model, search
        self._draw()

    def _draw(self) -> None:
        if not self.is_mounted:
            return
        dot = Content.styled("◌ ", "$warning") if self._busy else Content.styled("● ", "$success")
        left = dot + Content(self._busy or self._idle)
        if self._vectors:
            left = left + Content.styled(f"  ·  {self._vectors}", "$foreground-muted")
        self.query_one("#state", Static).update(left)
        right = Content(self._search)
        if self._model is not None:
            right = right + Content("  ·  ") + Content(one_line(self._model.name) or "no model: extracts only")
            if self._model.is_draft:
                right = right + Content(" ") + Content.styled(" draft model ", "$warning on $panel")
        self.query_one("#made-with", Static).update(right)
