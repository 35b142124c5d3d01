"""The real program in a pseudo-terminal: start to prompt, key press to screen, quit.

    python -m benchmarks.terminal [--home DIR] [--json]

A key is on screen when the bytes that draw it have arrived at the terminal: what a terminal then does with them is not the
program's. Keys are pressed evenly, as fast as people type, while nothing goes on, while the model reads the prompt, and while
it writes. Nothing is emulated meanwhile: which bytes drew which key is found afterwards.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.command import measure
from benchmarks.recorded_terminal import RecordedTerminal
from fin_tui.paths import find_home

_QUESTION = "What does Apple say about its dependence on outsourcing partners?"
_READY = "Ask the filings"
_KEYS = "zebras jog by vexed quails"
_FIRST = 3
"""Keys before this one are not counted: a letter or two may stand elsewhere on the screen."""
_FEWEST = 8
"""Keys that must have been drawn while the model wrote."""
_PACE_S = 0.12
"""Between two keys: 100 words a minute."""
_CLEAR = "\x15"
"""Ctrl+U: away with what was typed."""


def run(home: Path | None, starts: int = 5) -> dict[str, Any]:
    """Seconds from start until a typed word stands in the prompt, and from Ctrl+Q until the process is gone (models still load);
    milliseconds that a key takes.
    """
    folder = find_home(home).home
    spent, quits = zip(*(_start_and_quit(folder) for _ in range(starts)), strict=True)
    keys = _keys(folder)
    return {
        "start_s": {"median": round(statistics.median(spent), 2), "best": round(min(spent), 2)},
        "quit_s": {"median": round(statistics.median(quits), 2), "max": round(max(quits), 2)},
        "key_ms": _figures(keys["writing"]),
        **{f"key_{name}_ms": _figures(taken) for name, taken in keys.items() if name != "writing"},
    }


def _start_and_quit(home: Path) -> tuple[float, float]:
    with RecordedTerminal(home) as terminal:
        terminal.wait_for(_READY)
        terminal.press("zebra")
        spent = terminal.wait_for("zebra") - terminal.started
        asked = terminal.press("\x11")
        return spent, terminal.wait_for_end() - asked


def _keys(home: Path) -> dict[str, list[float]]:
    """Milliseconds of each key, by what the program does meanwhile."""
    with RecordedTerminal(home) as terminal:
        terminal.wait_for(lambda t: "filings ·" in t.text or "filing ·" in t.text)
        taken = {"idle": _type(terminal)}
        terminal.press(_QUESTION)
        terminal.wait_for("outsourcing partners?")
        terminal.press("\r")
        terminal.wait_for("reading the sources")
        taken["reading"] = _type(terminal, "reading the sources")
        terminal.wait_for("writing…")
        taken["writing"] = _type(terminal, "writing…")
        if len(taken["writing"]) < _FEWEST:
            raise RuntimeError("The answer ended before enough keys were typed.")
        return taken


def _type(terminal: RecordedTerminal, while_shown: str = "") -> list[float]:
    """Milliseconds of each key; only those drawn while ``while_shown`` stood on the screen count."""
    pressed = []
    for key in _KEYS:
        pressed.append(terminal.press(key))
        time.sleep(_PACE_S)
    taken = []
    for at, moment in enumerate(pressed):
        arrived = terminal.wait_for(_KEYS[: at + 1].rstrip())
        if while_shown in terminal.text and _KEYS[at] != " " and at >= _FIRST:
            taken.append((arrived - moment) * 1000)
    terminal.press(_CLEAR)
    terminal.wait_for(_READY)
    return taken


def _figures(taken: Sequence[float]) -> dict[str, int]:
    if len(taken) < 2:
        return {"keys": len(taken)}
    twentieths = statistics.quantiles(taken, n=20)
    return {"median": round(statistics.median(taken)), "p95": round(twentieths[-1]), "max": round(max(taken)), "keys": len(taken)}


if __name__ == "__main__":
    measure(__doc__, run)
