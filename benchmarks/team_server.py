"""milvus-lite's own server in a process of its own, for what is measured over a team's corpus."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

_START_SECONDS = 120.0


@dataclass(frozen=True)
class Server:
    """A server on the loopback address."""

    uri: str
    folder: Path
    process: subprocess.Popen[bytes]

    def megabytes(self) -> float:
        """What it holds in memory now."""
        return float(psutil.Process(self.process.pid).memory_info().rss) / 1e6

    def stored(self) -> float:
        """What it holds on disk, in megabytes."""
        return sum(file.stat().st_size for file in self.folder.rglob("*") if file.is_file()) / 1e6


@contextlib.contextmanager
def served(folder: Path) -> Iterator[Server]:
    """A server that keeps its data in ``folder``; it ends with the block."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = ["-m", "milvus_lite.cmdline", "server", "--data-dir", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.log").open("ab") as log:
        process = subprocess.Popen([sys.executable, *words], stdout=log, stderr=log, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    try:
        _wait_for(port, process)
        yield Server(f"http://127.0.0.1:{port}", folder, process)
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit(f"the server did not start on port {port}; its log is beside its data")
