"""A piece of blocking work whose progress is yielded while it runs."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Generator
from typing import TypeVar

from fin_tui.records import Progress

T = TypeVar("T")
Advance = Callable[[float, float], None]
_EVERY_SECONDS = 0.1


def told(work: Callable[[Advance], T], label: str, stop: Callable[[], None]) -> Generator[Progress, None, T]:
    """Do ``work`` in a thread; ``Progress`` in bytes while it goes on, its result at the end. What it raises is raised here.

    ``stop`` is called when the generator is closed or interrupted; the work must end soon after that.
    """
    said: queue.SimpleQueue[Progress | None] = queue.SimpleQueue()
    results: list[T] = []
    errors: list[BaseException] = []
    latest = 0.0

    def advance(done: float, total: float) -> None:
        nonlocal latest
        if time.monotonic() - latest > _EVERY_SECONDS or done == total:
            latest = time.monotonic()
            said.put(Progress("download", done, total, label))

    def do() -> None:
        try:
            results.append(work(advance))
        except BaseException as error:  # noqa: BLE001 - raised again by the one who waits
            errors.append(error)
        said.put(None)

    thread = threading.Thread(target=do, name="fin-tui-download", daemon=True)
    thread.start()
    try:
        while (progress := said.get()) is not None:
            yield progress
    except BaseException:  # also closed or interrupted: the work must not go on by itself
        stop()
        raise
    finally:
        thread.join()
    if errors:
        raise errors[0]
    return results[0]
