"""Streamed text: all of it is shown, in few drawings."""

from __future__ import annotations

import asyncio

import pytest
from textual.app import App, ComposeResult
from textual.await_complete import AwaitComplete
from textual.widgets import Markdown

from fin_tui.ui.widgets.turn import PACE_SECONDS, PacedText

WORDS = [f"word{n} " for n in range(60)]


class View(Markdown):
    """Counts its drawings."""

    drawings = 0

    def append(self, markdown: str) -> AwaitComplete:
        self.drawings += 1
        return super().append(markdown)


class OneView(App[None]):
    def compose(self) -> ComposeResult:
        yield View()


@pytest.mark.parametrize("gap", [0.0, PACE_SECONDS / 10])
async def test_many_pieces_take_few_drawings_and_none_is_lost(gap: float) -> None:
    app = OneView()
    async with app.run_test():
        view = app.query_one(View)
        text = PacedText(view)
        await text.write(WORDS[0])
        await asyncio.sleep(0.05)
        assert view.source == WORDS[0], "the first piece is not held back"
        for word in WORDS[1:]:
            await text.write(word)
            await asyncio.sleep(gap)
        await text.end()
        assert view.source == "".join(WORDS)
        assert view.drawings <= len(WORDS) / 3


async def test_what_is_written_last_is_shown_without_an_end() -> None:
    app = OneView()
    async with app.run_test() as pilot:
        view = app.query_one(View)
        text = PacedText(view)
        for word in WORDS:
            await text.write(word)
        while view.source != "".join(WORDS):
            await pilot.pause(0.01)
        await text.end()
        assert view.source == "".join(WORDS), "the end shows nothing twice"
