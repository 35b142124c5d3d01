"""What was found for the last questions, as long as the library stays as it is."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")
MOST = 128
"""Results kept; one is about 20 KB."""


class Remembered(Generic[T]):
    """A bounded memory of results by key; the least used goes first, and any change of ``state`` empties it.

    Safe to share between threads. A result is computed outside the lock: two threads may compute the same one.
    """

    def __init__(self, state: Callable[[], Hashable] | None, most: int = MOST) -> None:
        """``state`` tells the version of what results are made from; None remembers nothing."""
        self._state = state
        self._most = most
        self._lock = Lock()
        self._seen: Hashable = None
        self._held: OrderedDict[Hashable, T] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The result remembered for ``key``, else what ``make`` gives."""
        if self._state is None:
            return make()
        before = self._state()
        with self._lock:
            if before != self._seen:
                self._held.clear()
                self._seen = before
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
        made = make()
        # What was made while the library changed may be of either state: it is not kept.
        if self._state() == before:
            with self._lock:
                if self._seen == before:
                    self._held[key] = made
                    while len(self._held) > self._most:
                        self._held.popitem(last=False)
        return made

    def __len__(self) -> int:
        return len(self._held)
