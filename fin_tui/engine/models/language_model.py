"""The language model as the rest of the program sees it: messages in, text out, piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from fin_tui.engine.models.protocol import Message


class LanguageModel(Protocol):
    """Anything that writes an answer."""

    @property
    def name(self) -> str:
        """What answers say of themselves, e.g. "smollm2-135m-instruct"."""

    @property
    def context(self) -> int:
        """Tokens that prompt and answer share."""

    @property
    def writes(self) -> bool:
        """Whether its text may be shown: enough of its sentences were measured to be supported, or it is large and unmeasured."""

    @property
    def pace(self) -> float:
        """Prompt tokens that it reads a second on this machine; 0 where that is not known yet."""

    def count_tokens(self, text: str) -> int:
        """Tokens of ``text`` in this model's vocabulary. Raises ``ModelFailed``."""

    def generate(self, messages: Sequence[Message], *, max_tokens: int, cancelled: Callable[[], bool]) -> Iterator[str]:
        """The answer to ``messages`` as text pieces: cleaned, greedy, at most ``max_tokens`` long, ended early by ``cancelled``.

        Raises ``ModelFailed`` when the prompt does not fit the window, or the model can't run.
        """
