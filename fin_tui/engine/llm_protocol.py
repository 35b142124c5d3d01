"""A language model as the engine sees it. ``llm.py`` is the real one; tests script their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat prompt."""

    role: str
    """system, user or assistant."""
    content: str


class LanguageModel(Protocol):
    """One user at a time; every method may block and is called from worker threads only."""

    @property
    def name(self) -> str:
        """What an answer names as its model."""
        ...

    @property
    def context(self) -> int:
        """Tokens that prompt and answer may take together."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of ``text`` by the model's own tokenizer. Raises ``ModelFailed`` when the model can't run."""
        ...

    def generate(self, messages: Sequence[Message], *, max_tokens: int, cancelled: Callable[[], bool]) -> Iterator[str]:
        """The answer's text, piece by piece, without control characters or thinking; ends early when ``cancelled`` turns true.

        Raises ``ModelFailed`` for a prompt that doesn't fit, or a model that can't load or dies.
        """
        ...
