"""What each stage of a search took."""

from __future__ import annotations

import time
from collections.abc import Callable


class Clock:
    """Adds up the stages encode, search and rerank."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._started = self._last = now()
        self._spent = {"encode": 0.0, "search": 0.0, "rerank": 0.0}

    def done(self, stage: str) -> None:
        """The time since the last call belongs to ``stage``."""
        now = self._now()
        self._spent[stage] += now - self._last
        self._last = now

    def timings(self) -> dict[str, float]:
        """Milliseconds by stage, and in total."""
        return {
            **{name: round(spent * 1000, 2) for name, spent in self._spent.items()},
            "total": round((self._now() - self._started) * 1000, 2),
        }
