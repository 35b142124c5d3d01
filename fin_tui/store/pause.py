"""Processes of one home, side by side: background work waits while an answer is made, and one of a kind runs at a time."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from fin_tui.paths import Paths
from fin_tui.store.holder import is_alive

STALE_SECONDS = 300.0
_POLL_SECONDS = 0.05
_counter = itertools.count()


def _folder(paths: Paths) -> Path:
    return paths.data / "answering"


@contextlib.contextmanager
def answering(paths: Paths) -> Iterator[None]:
    """While inside, embedding pauses after its current batch. Failing to say so only costs speed."""
    mark = _folder(paths) / f"{os.getpid()}-{next(_counter)}"
    with contextlib.suppress(OSError):
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            mark.unlink()


def is_answering(paths: Paths) -> bool:
    """Whether an answer is being made now by any process of this home; stale marks are removed."""
    found = False
    with contextlib.suppress(OSError):
        for mark in list(_folder(paths).iterdir()):
            if _is_live(mark):
                found = True
            else:
                mark.unlink(missing_ok=True)
    return found


def wait_while_answering(paths: Paths, cancelled: Callable[[], bool] = lambda: False) -> None:
    """Return when no answer is being made, or when ``cancelled``."""
    while is_answering(paths) and not cancelled():
        time.sleep(_POLL_SECONDS)


def _is_live(mark: Path) -> bool:
    pid = mark.name.partition("-")[0]
    try:
        age = time.time() - mark.stat().st_mtime
    except OSError:
        return False
    # A clock that was set back makes a mark from the future, which would hold for as long as the jump.
    return pid.isdigit() and is_alive(int(pid)) and abs(age) < STALE_SECONDS


@contextlib.contextmanager
def one_at_a_time(lock: Path) -> Iterator[bool]:
    """Whether it is this process's turn; never waits. Raises ``OSError`` when the folder can't be written."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a+b") as stream:
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        yield True
