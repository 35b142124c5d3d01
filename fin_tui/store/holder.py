"""Who is writing to the library: a small record beside the database, read when another process has to wait too long."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from fin_tui.errors import LibraryBusy


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
