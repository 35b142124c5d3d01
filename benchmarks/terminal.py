"""The real program in a pseudo-terminal: start to prompt, and key press to screen while an answer is generated.

python -m benchmarks.terminal [--home DIR] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import pexpect
import pyte

from fin_tui.paths import find_home

_SIZE = (40, 120)
_QUESTION = "What does Apple say about its dependence on outsourcing partners?"
_READY = "Ask the filings"
_KEYS = "the quick brown fox jumps"


class Screen:
    """The program on a screen that can be read."""

    def __init__(self, home: Path) -> None:
        self._screen = pyte.Screen(_SIZE[1], _SIZE[0])
        self._stream = pyte.ByteStream(self._screen)
        environment = {**os.environ, "FIN_TUI_HOME": str(home), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        self.started = time.perf_counter()
        # Without echo: a key that the terminal itself prints before the program reads it would count as shown.
        self.child = pexpect.spawn(sys.executable, ["-m", "fin_tui"], env=environment, dimensions=_SIZE, echo=False)

    def wait_for(self, text: str, seconds: float = 60) -> float:
        """Read until ``text`` stands on the screen; the moment it did."""
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            try:
                self._stream.feed(self.child.read_nonblocking(65536, timeout=0.01))
            except pexpect.TIMEOUT:
                continue
            except pexpect.EOF as error:
                raise RuntimeError("the program ended:\n" + "\n".join(self._screen.display)) from error
            if text in "\n".join(self._screen.display):
                return time.perf_counter()
        raise RuntimeError(f"{text!r} never came:\n" + "\n".join(self._screen.display))


def run(home: Path | None, starts: int = 5) -> dict[str, Any]:
    """Seconds from start until a typed word stands in the prompt, and from Ctrl+Q until the process is gone (models still load);
    milliseconds that a key takes while the model generates.
    """
    folder = find_home(home).home
    spent, quits = [], []
    for _ in range(starts):
        screen = Screen(folder)
        screen.wait_for(_READY)
        screen.child.send("zebra")
        spent.append(screen.wait_for("zebra") - screen.started)
        asked = time.perf_counter()
        screen.child.sendcontrol("q")
        screen.child.expect(pexpect.EOF, timeout=20)
        screen.child.wait()
        quits.append(time.perf_counter() - asked)
    screen = Screen(folder)
    screen.wait_for(_READY)
    screen.child.send(_QUESTION)
    screen.wait_for("outsourcing partners?")
    screen.child.send("\r")
    screen.wait_for("[1]")
    keys = []
    typed = ""
    for key in _KEYS:
        typed += key
        sent = time.perf_counter()
        screen.child.send(key)
        if key != " ":
            keys.append((screen.wait_for(typed) - sent) * 1000)
        time.sleep(0.05)
    screen.child.sendcontrol("q")
    return {
        "start_s": {"median": round(statistics.median(spent), 2), "best": round(min(spent), 2)},
        "quit_s": {"median": round(statistics.median(quits), 2), "max": round(max(quits), 2)},
        "key_ms": {"median": round(statistics.median(keys)), "max": round(max(keys))},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures = run(arguments.home)
    print(json.dumps(figures) if arguments.json else "\n".join(f"{name:<10} {value}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
