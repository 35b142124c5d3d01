"""A process that can be killed with or without its children, and whether any of them is left over (Linux: reads /proc)."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

MARK = "FIN_TUI_TEST_FAMILY"
Victim = Literal["all", "parent", "child"]
_CHECKOUT = Path(__file__).resolve().parents[2]


class Family:
    """A Python process and whatever it starts, told by a variable of their environment."""

    def __init__(self, words: list[str], environment: Mapping[str, str]) -> None:
        self._mark = uuid.uuid4().hex
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.said: list[list[str]] = []
        """The reports so far, each split at its tabs."""
        self.process = subprocess.Popen(
            [sys.executable, *words],
            env={**os.environ, **environment, MARK: self._mark},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=_CHECKOUT,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._errors: list[str] = []
        self._error_reader = threading.Thread(target=self._read_errors, daemon=True)
        self._error_reader.start()

    def wait_for(self, word: str, seconds: float) -> bool:
        """Whether a report that begins with ``word`` came in time; False also when the process ended without it."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                line = self._lines.get(timeout=left)
            except queue.Empty:
                return False
            if line is None:
                return False
            self.said.append(line.split("\t"))
            if self.said[-1][0] == word:
                return True
        return False

    def kill(self, victim: Victim) -> bool:
        """SIGKILL to the process, to it and all its children, or to one child alone; whether there was anybody to kill."""
        own = self.process.pid
        if victim != "child" and self.process.poll() is not None:
            return False
        targets = {"all": self.members(), "parent": [own], "child": self._workers()[:1]}[victim]
        for pid in targets:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return bool(targets)

    def end(self, seconds: float) -> list[int]:
        """Wait until nobody of the family is left and take in the last reports; the processes that are still there then."""
        deadline = time.monotonic() + seconds
        while left := self.members():
            if time.monotonic() > deadline:
                break
            self.process.poll()
            time.sleep(0.02)
        if not left:
            self.process.wait()
            self._reader.join()
            self._error_reader.join()
            while not self._lines.empty():
                if (line := self._lines.get()) is not None:
                    self.said.append(line.split("\t"))
        return left

    @property
    def errors(self) -> str:
        """What it wrote on standard error."""
        return "".join(self._errors)

    def members(self) -> list[int]:
        """Living processes of the family, the first one first."""
        found = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit() and self._is_ours(entry)]
        return sorted(found, key=lambda pid: (pid != self.process.pid, pid))

    def _workers(self) -> list[int]:
        """Children that do work: not the interpreter's own tracker of shared resources."""
        found = []
        for pid in self.members():
            with contextlib.suppress(OSError):
                if pid != self.process.pid and b"resource_tracker" not in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(pid)
        return found

    def _is_ours(self, entry: Path) -> bool:
        try:
            is_ours = f"{MARK}={self._mark}".encode() in (entry / "environ").read_bytes().split(b"\0")
            return is_ours and (entry / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            # A kill may cut the last line; what was not told whole was not told.
            if line.endswith("\n"):
                self._lines.put(line[:-1])
        self._lines.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self._errors.extend(self.process.stderr)
