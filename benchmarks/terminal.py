"""The real program in a pseudo-terminal: start to prompt, key press to screen, quit.

    python -m benchmarks.terminal [--home DIR] [--json]

A key is on screen when the bytes that draw it have arrived at the terminal: what a terminal then does with them is not the
program's. Keys are pressed evenly, as fast as people type, while nothing goes on, and while the model reads a prompt or writes:
as many questions are asked as it takes. Nothing is emulated meanwhile: which bytes drew which key is found afterwards.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.command import measure
from benchmarks.recorded_terminal import RecordedTerminal
from fin_tui.paths import find_home

_QUESTIONS = (
    "What does Apple say about its dependence on outsourcing partners?",
    "How does Target describe competition?",
    "What does Amazon say about its suppliers?",
    "What does Apple say about foreign currency risk?",
    "What does Target say about its supply chain?",
    "What does Amazon say about competition?",
)
_GENERATING = ("reading the sources", "writing…")
_READY = "Ask the filings"
_KEYS = "zebras jog by vexed quails"
_FIRST = 3
"""Keys before this one are not counted: a letter or two may stand elsewhere on the screen."""
_FEWEST = 40
"""Keys that must have been drawn while the model read or wrote."""
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
        "key_ms": _figures(keys["generating"]),
        "key_idle_ms": _figures(keys["idle"]),
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
        idle, generating = _type(terminal), list[float]()
        for question in _QUESTIONS:
            terminal.press(question)
            terminal.wait_for(question[-12:])
            terminal.press("\r")
            terminal.wait_for(_is_generating)
            generating += _type(terminal, _is_generating)
            terminal.wait_for(lambda t: not _is_generating(t))
            if len(generating) >= _FEWEST:
                return {"idle": idle, "generating": generating}
        raise RuntimeError(f"Only {len(generating)} keys were drawn while the model worked.")


def _is_generating(terminal: RecordedTerminal) -> bool:
    return any(told in terminal.text for told in _GENERATING)


def _type(terminal: RecordedTerminal, counts: Callable[[RecordedTerminal], bool] = lambda _: True) -> list[float]:
    """Milliseconds of each key; only those count that were drawn while ``counts`` held."""
    pressed = []
    for key in _KEYS:
        pressed.append(terminal.press(key))
        time.sleep(_PACE_S)
    taken = []
    for at, moment in enumerate(pressed):
        arrived = terminal.wait_for(_KEYS[: at + 1].rstrip())
        if counts(terminal) and _KEYS[at] != " " and at >= _FIRST:
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
