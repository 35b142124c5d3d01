"""The footer of a screen that stays open all day. The key of the palette is in sight however many others there are."""

from __future__ import annotations

from typing import Any

from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import Screen
from textual.widgets import Footer

_RENEW_AFTER = 60
"""Changes of the keys that are shown."""


class KeyBar(Container):
    """Textual's footer holds on to every key it ever showed, for as long as it lives: now and then a new one takes its place."""

    def __init__(self) -> None:
        super().__init__()
        self._changes = 0

    def compose(self) -> ComposeResult:
        yield Footer(compact=True)

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
