"""A terminal emulator beside the app: what its repaints leave on the screen, and what one full repaint would show."""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from unittest.mock import patch

import pyte
from textual.drivers import headless_driver
from textual.pilot import Pilot

from fin_tui.ui.app import FinTuiApp
from tests.ui.conftest import running
from tests.ui.fakes import FakeServices


class EmulatedDriver(headless_driver.HeadlessDriver):
    """Writes into an emulator, once there is one."""

    stream: pyte.Stream | None = None

    @property
    def is_headless(self) -> bool:
        return self.stream is None

    def write(self, data: str) -> None:
        if self.stream is not None:
            self.stream.feed(data)


class Terminal:
    """What stands on the screen of the terminal that the app draws on."""

    def __init__(self, app: FinTuiApp, size: tuple[int, int]) -> None:
        self._app = app
        self._size = size
        self._screen = pyte.Screen(*size)
        driver = app._driver
        assert isinstance(driver, EmulatedDriver)
        driver.stream = pyte.Stream(self._screen)

    def row(self, y: int) -> str:
        """The characters of a row of the screen."""
        return str(self._screen.display[y])

    def differences(self) -> list[str]:
        """A line for each row that shows other characters than the app, drawn anew as a whole, means to be there."""
        meant = [strip.text for strip in self._app.screen._compositor.render_strips()]
        shown = self._screen.display
        return [f"row {y}: {shown[y]!r}, not {text!r}" for y, text in enumerate(meant) if _plain(shown[y]) != _plain(text)]

    def differences_of_repaint(self) -> list[str]:
        """A line for each row whose characters or colours differ from those of a full repaint."""
        fresh = pyte.Screen(*self._size)
        compositor = self._app.screen._compositor
        waiting = set(compositor._dirty_regions)
        pyte.Stream(fresh).feed(compositor.render_full_update().render_segments(self._app.console))
        compositor._dirty_regions = waiting
        return list(_differing(self._screen, fresh))


def _plain(row: str) -> str:
    """Without accents, which take no cell: the emulator joins them with their letters, and loses those on wide characters."""
    return "".join(c for c in unicodedata.normalize("NFD", row) if not unicodedata.combining(c))


def _differing(one: pyte.Screen, other: pyte.Screen) -> Iterator[str]:
    for y in range(one.lines):
        wrong = [x for x in range(one.columns) if one.buffer[y][x] != other.buffer[y][x]]
        if wrong:
            yield f"row {y}, columns {wrong[0]} to {wrong[-1]}: {one.display[y]!r}, not {other.display[y]!r}"


@asynccontextmanager
async def on_terminal(services: FakeServices, size: tuple[int, int]) -> AsyncIterator[tuple[FinTuiApp, Pilot[None], Terminal]]:
    """The app with its library open, on a terminal of ``size``."""
    with patch.object(headless_driver, "HeadlessDriver", EmulatedDriver):
        async with running(services, size) as (app, pilot):
            terminal = Terminal(app, size)
            app.refresh(layout=True)
            await pilot.pause()
            yield app, pilot, terminal
