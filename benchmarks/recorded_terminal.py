"""The real program in a pseudo-terminal, with the moment at which each piece of what it draws arrived.

A thread reads and stamps; the emulator that turns bytes into a screen runs afterwards, so that its time is in no measure.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pexpect
import pyte

SIZE = (40, 120)
"""Rows and columns."""
_PATIENCE_S = 120
_PIECE = 65536


class RecordedTerminal:
    """The app over a home, and a screen that can be read. A context manager: at its end the program is gone."""

    def __init__(self, home: Path, size: tuple[int, int] = SIZE, more: Mapping[str, str] | None = None) -> None:
        self.screen = pyte.Screen(size[1], size[0])
        self._stream = pyte.ByteStream(self.screen)
        self._pieces: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()
        self._drawn = 0.0
        """When the last piece that is on the screen arrived."""
        environment = {**os.environ, "FIN_TUI_HOME": str(home), "TERM": "xterm-256color", "LANG": "C.UTF-8", **(more or {})}
        self.started = time.perf_counter()
        # Without echo: a key that the terminal itself prints before the program reads it would count as shown.
        self._child = pexpect.spawn(sys.executable, ["-m", "fin_tui"], env=environment, dimensions=size, echo=False)
        self._child.delaybeforesend = None  # By default 50 ms, which would be in every figure.
        self._reader = threading.Thread(target=self._read, name="pty", daemon=True)
        self._reader.start()

    def __enter__(self) -> RecordedTerminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self._child.isalive():
            self._child.kill(signal.SIGTERM)
            self._child.wait()
        self._reader.join(timeout=10)
        self._child.close()

    @property
    def pid(self) -> int:
        return int(self._child.pid)

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    def press(self, keys: str) -> float:
        """Send the keys; the moment just before."""
        pressed = time.perf_counter()
        self._child.send(keys)
        return pressed

    def wait_for(self, shown: str | Callable[[RecordedTerminal], bool], seconds: float = _PATIENCE_S) -> float:
        """Draw until the screen holds the text, or is as told: the moment at which the last piece that it took arrived.

        Raises ``RuntimeError`` when that never comes.
        """
        is_there = (lambda terminal: shown in terminal.text) if isinstance(shown, str) else shown
        end = time.perf_counter() + seconds
        while not is_there(self):
            try:
                self._drawn, piece = self._pieces.get(timeout=max(end - time.perf_counter(), 0))
            except queue.Empty:
                raise RuntimeError(f"{shown!r} never came:\n{self.text}") from None
            if not piece:
                raise RuntimeError(f"the program ended:\n{self.text}")
            self._stream.feed(piece)
        return self._drawn

    def wait_for_end(self) -> float:
        """The moment at which the program was gone."""
        self._child.wait()
        return time.perf_counter()

    def _read(self) -> None:
        while True:
            try:
                piece = os.read(self._child.child_fd, _PIECE)
            except OSError:
                piece = b""
            self._pieces.put((time.perf_counter(), piece))
            if not piece:
                return
