"""Who is writing to the library: a small record beside the database, read when another process has to wait too long."""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from fin_tui.errors import LibraryBusy
from fin_tui.paths import Paths


class Holder(msgspec.Struct, frozen=True):
    """The process that holds, or last held, the write lock."""

    pid: int
    command: str
    since: str


def record_path(database: Path) -> Path:
    """Where the record of ``database`` stands."""
    return database.with_name(database.name + ".holder")


@contextlib.contextmanager
def recorded(database: Path) -> Iterator[None]:
    """While inside, name this process as the writer. To be entered with the write lock held; failing to write it is harmless."""
    path = record_path(database)
    holder = Holder(os.getpid(), _command(), dt.datetime.now().astimezone().isoformat(timespec="seconds"))
    with contextlib.suppress(OSError):
        path.write_bytes(msgspec.json.encode(holder))
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink()


def busy(database: Path, waited: float) -> LibraryBusy:
    """The error for a write lock that did not come free in ``waited`` seconds, naming its holder when that is known."""
    holder = _read(database)
    who = f"process {holder.pid} ({holder.command}, since {holder.since})" if holder else "another process"
    return LibraryBusy(
        f"The library {database} is locked by {who}; waited {waited:.0f} s",
        "Wait for it to finish, or end that process, and try again.",
    )


def _read(database: Path) -> Holder | None:
    try:
        holder = msgspec.json.decode(record_path(database).read_bytes(), type=Holder)
    except (OSError, msgspec.DecodeError):
        return None
    return holder if is_alive(holder.pid) else None


def is_alive(pid: int) -> bool:
    """Whether a process of this number runs on this machine."""
    if pid <= 0:
        return False
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _command() -> str:
    words = [Path(sys.argv[0] or "python").name, *sys.argv[1:4]]
    line = " ".join(words)
    return "".join(c if c.isprintable() else " " for c in line)[:120]


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
