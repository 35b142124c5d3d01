"""The real program in a pseudo-terminal, on a real filing with the real model: start, ask, open, stop, quit."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect
import psutil
import pyte
import pytest

ROOT = Path(__file__).parents[2]
FILING = ROOT / "data" / "samples" / "aapl_2025_10k.html"
MODEL = ROOT / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"
QUESTION = "What does Apple say about its dependence on outsourcing partners?"
SIZE = (40, 120)

pytestmark = pytest.mark.skipif(
    not (FILING.is_file() and MODEL.is_file()), reason="the sample filing and the model are not here: fin-tui setup brings them"
)


class Terminal:
    """A pseudo-terminal with a screen that can be read."""

    def __init__(self, home: Path) -> None:
        self.screen = pyte.Screen(SIZE[1], SIZE[0])
        self._stream = pyte.ByteStream(self.screen)
        environment = {**os.environ, "FIN_TUI_HOME": str(home), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        self.child = pexpect.spawn(sys.executable, ["-m", "fin_tui"], env=environment, dimensions=SIZE)
        self.raw = b""

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    def read(self, seconds: float = 0.1) -> None:
        try:
            data = self.child.read_nonblocking(65536, timeout=seconds)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return
        self.raw += data
        self._stream.feed(data)

    def wait_for(self, pattern: str, seconds: float = 60) -> str:
        """Read until the screen matches; its text then. Fails with the screen as it stands."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read()
            if re.search(pattern, self.text):
                return self.text
        raise AssertionError(f"{pattern!r} never came:\n{self.text}")

    def send(self, keys: str) -> None:
        self.child.send(keys)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one real filing and the models of the checkout."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "models").symlink_to(ROOT / "models")
    shutil.copy(FILING, folder / FILING.name)
    subprocess.run(
        [sys.executable, "-m", "fin_tui", "add", str(folder / FILING.name)],
        env={**os.environ, "FIN_TUI_HOME": str(folder), "FIN_TUI_ENCODER_MODEL": "none"},
        check=True,
        capture_output=True,
        timeout=240,
    )
    return folder


@pytest.fixture
def terminal(home: Path) -> Iterator[Terminal]:
    opened = Terminal(home)
    yield opened
    opened.child.close(force=True)


def test_ask_check_stop_and_quit(terminal: Terminal) -> None:
    terminal.wait_for("Ask the filings")
    terminal.send(QUESTION + "\r")
    terminal.wait_for("Evidence")
    seen = terminal.wait_for(r"1\s+Apple Inc\. FY2025")
    assert "outsourcing" in seen
    terminal.wait_for(r"total \d")

    terminal.send("\x0f")
    reader = terminal.wait_for(r"1A\s+Risk Factors")
    terminal.wait_for("outsourcing")
    assert "Apple Inc. FY2025 · 10-K" in reader
    underlined = [c.data for row in terminal.screen.buffer.values() for c in row.values() if c.underscore]
    assert "outsourcing" in "".join(underlined)
    terminal.send("\x1b")
    terminal.wait_for("─ Sources ─")

    for mode in ("dense", "sparse"):
        terminal.send("\x1bm")
        terminal.wait_for(mode + r" \+ rerank")
    terminal.send("\x12")
    terminal.wait_for("reading the sources|writing")
    terminal.send("\x1b")
    terminal.wait_for("stopped")

    children = psutil.Process(terminal.child.pid).children(recursive=True)
    terminal.send("\x11")
    end = time.monotonic() + 30
    while terminal.child.isalive() and time.monotonic() < end:
        terminal.read()
    assert not terminal.child.isalive()
    assert terminal.child.exitstatus == 0
    assert terminal.raw.rstrip().endswith(b"\x1b[?1049l") or b"\x1b[?1049l" in terminal.raw[-400:]
    gone, alive = psutil.wait_procs(children, timeout=10)
    assert alive == [], [p.cmdline() for p in alive]
    assert gone or not children
