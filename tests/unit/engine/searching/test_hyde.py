"""An imagined passage, or none: a search never waits for it or fails by it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from fin_tui.engine.models.protocol import Message
from fin_tui.engine.searching.hyde import Hyde
from fin_tui.errors import ModelFailed
from tests.unit.engine.answering.test_answer import Model


class Slow(Model):
    def generate(self, messages: Sequence[Message], *, max_tokens: int, cancelled: Callable[[], bool]) -> Iterator[str]:
        for piece in self.pieces:
            time.sleep(0.05)
            if cancelled():
                return
            yield piece


def test_the_passage_is_what_the_model_says() -> None:
    model = Model([" Partners assemble ", "hardware in Asia.\n"])
    assert Hyde(model, seconds=5)("Where is hardware assembled?") == "Partners assemble hardware in Asia."
    assert model.asked[0][-1].content == "Where is hardware assembled?"


def test_a_model_that_fails_gives_none() -> None:
    assert Hyde(Model(["Half a"], error=ModelFailed("It died.")), seconds=5)("Where?") == ""


def test_a_model_that_is_too_slow_gives_none() -> None:
    started = time.monotonic()
    assert Hyde(Slow(["word "] * 100), seconds=0.12)("Where?") == ""
    assert time.monotonic() - started < 2
