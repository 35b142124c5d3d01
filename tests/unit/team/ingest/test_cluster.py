from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from fin_tui.team.ingest.cluster import end_all_of, reach, scratch_folder

NO_PROCESS = 2**22 + 1
"""No process of Linux has a number as large."""
needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="no /proc to look processes up in")


@needs_proc
def test_folders_of_processes_that_are_gone_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in (f"fin-tui-ray-{NO_PROCESS}-left", f"fin-tui-ray-{os.getpid()}-mine", "fin-tui-ray-other"):
        (tmp_path / name).mkdir()
    made = Path(scratch_folder())
    assert made.parent == tmp_path
    assert {path.name for path in tmp_path.iterdir()} == {made.name, f"fin-tui-ray-{os.getpid()}-mine", "fin-tui-ray-other"}


@needs_proc
def test_what_names_the_folder_is_ended_and_nothing_else(tmp_path: Path) -> None:
    sleep = "import sys, time; time.sleep(600)"
    ours = subprocess.Popen([sys.executable, "-c", sleep, str(tmp_path / "scratch")])
    other = subprocess.Popen([sys.executable, "-c", sleep, str(tmp_path / "another")])
    try:
        end_all_of("")
        end_all_of(str(tmp_path / "scratch"))
        assert ours.wait(timeout=60) == -signal.SIGKILL
        assert other.poll() is None
    finally:
        for process in (ours, other):
            process.kill()
            process.wait()


def test_where_nobody_listens_is_told_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        reach(f"127.0.0.1:{port}")
        reach(f"ray://127.0.0.1:{port}")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        with pytest.raises(OSError, match="refused"):
            reach(f"127.0.0.1:{silent.getsockname()[1]}")
    reach("auto")
