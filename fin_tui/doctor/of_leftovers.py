"""What processes that were killed left behind in the home folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from fin_tui.doctor.finding import Finding, ok
from fin_tui.paths import Paths
from fin_tui.plural import count
from fin_tui.store.holder import is_alive, record_path
from fin_tui.store.pause import one_at_a_time

CHECK = "leftovers"


def look_at_leftovers(paths: Paths) -> Iterator[Finding]:
    """Marks of dead processes, half-written files, downloads that were not taken in."""
    dead = [*_dead_marks(paths), *_parts(paths)]
    if dead:
        what = f"{count(len(dead), 'file')} left by processes that are gone: {', '.join(path.name for path in dead[:3])}"
        yield Finding(CHECK, "problem", what, "fin-tui doctor --repair.", mend=partial(_unlink, dead))
    if waiting := _downloads(paths):
        what = f"{count(waiting, 'download')} from EDGAR not taken in yet"
        yield Finding(CHECK, "note", what, "The same fin-tui fetch goes on.")
    incoming = paths.models / ".incoming"
    if incoming.is_dir():
        what = "A download of weights broke off"
        yield Finding(CHECK, "note", what, "fin-tui setup goes on; --repair drops it.", mend=partial(shutil.rmtree, incoming))
    if not dead and not waiting and not incoming.is_dir():
        yield ok(CHECK, "Nothing was left behind")


def _dead_marks(paths: Paths) -> list[Path]:
    folder = paths.data / "answering"
    marks = sorted(folder.iterdir()) if folder.is_dir() else []
    found = [mark for mark in marks if not _is_alive(mark.name.partition("-")[0])]
    record = record_path(paths.database)
    if record.is_file():
        import msgspec

        try:
            pid = int(msgspec.json.decode(record.read_bytes())["pid"])
        except (OSError, msgspec.DecodeError, KeyError, TypeError, ValueError):
            pid = 0
        found += [] if is_alive(pid) else [record]
    return found


def _parts(paths: Paths) -> list[Path]:
    """``NAME.PID.part`` and pointers that were never swapped in. Those of downloads stand in folders of their own."""
    found = [
        part
        for folder in (paths.data, paths.models)
        for part in (folder.glob("*.part") if folder.is_dir() else ())
        if not _is_alive(part.name.split(".")[-2])
    ]
    pointer = paths.index / "CURRENT.new"
    return [*found, pointer] if pointer.is_file() else found


def _downloads(paths: Paths) -> int:
    folder = paths.data / "edgar"
    if not folder.is_dir():
        return 0
    with one_at_a_time(paths.data / "fetch.lock") as is_free:
        if not is_free:
            return 0  # A fetch is at work: these are its own.
    whole = [path for path in folder.iterdir() if path.is_dir() and path.name != ".incoming"]
    incoming = folder / ".incoming"
    return len(whole) + (len(list(incoming.iterdir())) if incoming.is_dir() else 0)


def _is_alive(pid: str) -> bool:
    return pid.isdigit() and is_alive(int(pid))


def _unlink(left: Sequence[Path]) -> None:
    for path in left:
        path.unlink(missing_ok=True)
