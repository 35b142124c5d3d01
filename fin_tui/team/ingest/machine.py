"""A Ray that is started on this machine: its folder, the end of all its processes; and whether one listens elsewhere."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import tempfile
from pathlib import Path

_SCRATCH = "fin-tui-ray-"
_REACH_SECONDS = 10.0


def reach(address: str) -> None:
    """Raises ``OSError`` where nobody listens at ``HOST:PORT``: Ray itself would try for many minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), _REACH_SECONDS).close()


def scratch_folder() -> str:
    """A folder for Ray's sockets and logs; its path must be short. Those of processes that were killed go."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_SCRATCH}*"):
        owner = folder.name.removeprefix(_SCRATCH).partition("-")[0]
        if owner.isdigit() and Path("/proc/self").exists() and not Path(f"/proc/{owner}").exists():
            shutil.rmtree(folder, ignore_errors=True)
    return tempfile.mkdtemp(prefix=f"{_SCRATCH}{os.getpid()}-")


def end_all_of(scratch: str) -> None:
    """End what a start that failed has left running: Ray itself forgets it. Told by the folder that only we use (Linux)."""
    mark = scratch.encode()
    for entry in Path("/proc").glob("[0-9]*") if scratch else ():
        with contextlib.suppress(OSError):
            if mark in (entry / "cmdline").read_bytes() and int(entry.name) != os.getpid():
                os.kill(int(entry.name), signal.SIGKILL)
