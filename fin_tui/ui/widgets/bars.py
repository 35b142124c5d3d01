"""The lines around a conversation: tabs of panes, scope, status, keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Horizontal
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.style import Style
from textual.widgets import Footer, Input, Static

from fin_tui.records import Progress
from fin_tui.ui.services import ModelState
from fin_tui.ui.text import one_line

_RENEW_AFTER = 60
"""Changes of the keys that are shown."""


_PALETTE_FRAME = 3
"""Cells around the key of the palette: its border, and a space on either side."""


class KeyFooter(Footer):
    """Shows as many keys as there is room for beside that of the palette, none cut."""

    def compose(self) -> ComposeResult:
        keys: list[Any] = [key for key in super().compose() if hasattr(key, "key_display")]
        sizes = {key: cell_len(f"{key.key_display} {key.description} ") for key in keys}
        palette = [key for key in keys if key.has_class("-command-palette")]
        room = self.screen.size.width - sum(sizes[key] + _PALETTE_FRAME for key in palette)
        for key in keys:
            if key not in palette:
                room -= sizes[key]
            if key in palette or room >= 0:
                yield key

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self.recompose)


class KeyBar(Container):
    """Textual's footer holds on to every key it ever showed, for as long as it lives: now and then a new one takes its place."""

    def __init__(self) -> None:
        super().__init__()
        self._changes = 0

    def compose(self) -> ComposeResult:
        yield KeyFooter(compact=True)

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def _changed(self, _: Screen[Any]) -> None:
        self._changes += 1
        if self._changes >= _RENEW_AFTER:
            self._changes = 0
            self.call_after_refresh(self._renew)

    async def _renew(self) -> None:
        await self.recompose()
        self.screen.refresh_bindings()


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


_MOST = 4


class ScopeChips(Static):
    """Hidden while nothing is picked: then a question may look at everything. A click on its end clears it."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("", markup=False, id=id)
        self.display = False

    def show(self, labels: Sequence[str]) -> None:
        """Show ``labels`` as chips; more than a few are counted."""
        self.display = bool(labels)
        parts: list[Content] = [Content.styled("scope ", "$foreground-muted")]
        for label in labels[:_MOST]:
            parts += [Content.styled(f" {label} ", "$foreground on $panel"), Content(" ")]
        if len(labels) > _MOST:
            parts.append(Content.styled(f"and {len(labels) - _MOST} more ", "$foreground-muted"))
        parts.append(Content.styled("Alt+X clears", Style.from_meta({"@click": "screen.clear_scope"})))
        self.update(Content("").join(parts))


_GAP = 2
"""Cells between the two sides, at least."""
_OWN_WORDS = (
    "the filing's own words · F12 downloads a model that writes",
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
