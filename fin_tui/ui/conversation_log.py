"""Writes the turns of one conversation as they end, from whichever worker thread made them."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from fin_tui.engine.answering.events import Passage
from fin_tui.records import Answer
from fin_tui.ui.services import Services


class ConversationLog:
    """One conversation; it is made in the library with its first answer."""

    def __init__(self, conversation: str = "") -> None:
        self._id = conversation
        self._lock = threading.Lock()

    @property
    def id(self) -> str:
        """Empty until there is a first answer."""
        return self._id

    def append(self, services: Services, answer: Answer, passages: Sequence[Passage]) -> None:
        """Add a turn with the passages beside it; two threads never make two conversations of one. Raises ``FinTuiError``."""
        with self._lock:
            self._id = services.keep(self._id, answer, passages)
