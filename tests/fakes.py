"""Stand-ins that behave: a language model that says what it is told to say."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from fin_tui.engine.models.protocol import Message
from fin_tui.errors import ModelFailed


@dataclass
class ScriptedModel:
    """A ``LanguageModel`` that streams ``answers`` one after the other, word by word; the last one again and again.

    One token is one word. ``asked`` keeps every prompt; ``fails`` raises instead of answering, after ``fails_after`` words.
    """

    answers: Sequence[str] = ("A scripted answer.",)
    name: str = "scripted"
    context: int = 4096
    writes: bool = True
    resting: frozenset[str] = frozenset()
    pace: float = 0.0
    fails: str = ""
    fails_after: int = 0
    pause: float = 0.0
    asked: list[list[Message]] = field(default_factory=list)

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def generate(self, messages: Sequence[Message], *, max_tokens: int, cancelled: Callable[[], bool]) -> Iterator[str]:
        self.asked.append(list(messages))
        if sum(self.count_tokens(message.content) for message in messages) + max_tokens > self.context:
            raise ModelFailed("The prompt does not fit.")
        words = self.answers[min(len(self.asked), len(self.answers)) - 1].split(" ")
        for count, word in enumerate(words[:max_tokens]):
            if cancelled():
                return
            if self.fails and count >= self.fails_after:
                raise ModelFailed(self.fails)
            time.sleep(self.pause)
            yield word if count == 0 else f" {word}"
        if self.fails:
            raise ModelFailed(self.fails)
