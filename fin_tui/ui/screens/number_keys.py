"""Two digits typed one after the other name one passage."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

_PAUSE = 1.0


class NumberKeys:
    """Turns single digits into numbers: "1" then at once "2" is 12, where there is a 12."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = 0
        self._when = float("-inf")

    def press(self, digit: int, known: Collection[int]) -> int | None:
        """The number that is meant now, or None when no passage has it (yet)."""
        now = self._clock()
        both = self._last * 10 + digit
        joins = now - self._when < _PAUSE and self._last and both in known
        number = both if joins else digit
        self._last = 0 if joins else digit
        self._when = now
        return number if number in known else None
