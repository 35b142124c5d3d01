"""Work that nothing can interrupt, such as a native library that loads weights, in threads that the exit need not wait for."""

from __future__ import annotations

import logging
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, NoReturn, TypeVar

_Item = TypeVar("_Item")
_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class _End:
    error: BaseException | None = None


@dataclass(frozen=True, slots=True)
class _Next(Generic[_Item]):
    item: _Item


def detached(items: Iterator[_Item], cancelled: Callable[[], bool]) -> Iterator[_Item]:
    """The ``items``, made in a thread of their own; ends at once when ``cancelled``, leaving that thread to itself.

    Raises what the items raise.
    """
    made: queue.SimpleQueue[_Next[_Item] | _End] = queue.SimpleQueue()

    def make() -> None:
        try:
            for item in items:
                made.put(_Next(item))
                if cancelled():
                    break
        except BaseException as error:  # noqa: BLE001 - whoever reads the items raises it again
            made.put(_End(error))
        else:
            made.put(_End())

    threading.Thread(target=make, name="detached", daemon=True).start()
    while not cancelled():
        try:
            got = made.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            continue
        if isinstance(got, _Next):
            yield got.item
        elif got.error is not None:
            raise got.error
        else:
            return


def end_process(code: int) -> NoReturn:
    """End the process now, all being closed: without the interpreter's own shutdown.

    That takes longer than all else at quitting, as native libraries free what they hold, and it would take the ground from
    under one that still loads in a detached thread.
    """
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
