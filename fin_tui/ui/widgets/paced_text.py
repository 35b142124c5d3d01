"""Text that a model writes, drawn a few times a second, as each drawing lays the whole screen out anew.

Fifteen tokens a second, drawn one by one, take a third of a core from the model and make typed letters wait.
"""

from __future__ import annotations

import time

from textual.timer import Timer
from textual.widgets import Markdown

PACE_SECONDS = 0.15


class PacedText:
    """Appends to a Markdown view: the first piece at once, then what came within ``PACE_SECONDS`` together."""

    def __init__(self, view: Markdown) -> None:
        self._view = view
        self._stream = Markdown.get_stream(view)
        self._waiting: list[str] = []
        self._timer: Timer | None = None
        self._drawn = 0.0

    async def write(self, text: str) -> None:
        """Show ``text`` after what was written before, now or soon."""
        self._waiting.append(text)
        left = self._drawn + PACE_SECONDS - time.monotonic()
        if left <= 0:
            await self._draw()
        elif self._timer is None:
            self._timer = self._view.set_timer(left, self._draw)

    async def end(self) -> None:
        """Show what is left."""
        await self._draw()
        await self._stream.stop()

    async def _draw(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        text, self._waiting = "".join(self._waiting), []
        self._drawn = time.monotonic()
        await self._stream.write(text)
