"""milvus-lite's own server on the loopback address, for tests that want the real client and a real server."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_START_SECONDS = 120.0


def needs(*packages: str) -> None:
    """Skip when the extra ``team`` is not installed."""
    for package in packages:
        if importlib.util.find_spec(package) is None:
            pytest.skip(reason=f"{package} is not installed: pip install 'fin-tui[team]'")


@contextmanager
def milvus_lite(folder: Path, port: int = 0) -> Iterator[str]:
    """The address of a server that keeps its data in ``folder``; it ends with the block. Skips without milvus-lite."""
    needs("pymilvus", "milvus_lite")
    if not port:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
    words = ["-m", "milvus_lite.cmdline", "server", "--data-dir", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    with (folder.parent / f"{folder.name}.log").open("wb") as log:
        process = subprocess.Popen([sys.executable, *words], stdout=log, stderr=log, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    try:
        _wait_for(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server ended at once"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError(f"no server on port {port} after {_START_SECONDS} s")
