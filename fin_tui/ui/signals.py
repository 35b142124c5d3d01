"""Signals that end the program: it leaves as when the reader quits, so that terminal and child processes are put right."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

_ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
_SHELL_BASE = 128
"""Added to a signal's number: how shells tell of a program that a signal ended."""


def on_ending(leave: Callable[[int], None]) -> None:
    """Call ``leave`` with the exit code in the running loop when a signal asks the program to end.

    Does nothing where the loop can't watch signals: not in the main thread, and on Windows.
    """
    loop = asyncio.get_running_loop()
    for number in _ENDING:
        try:
            loop.add_signal_handler(number, leave, _SHELL_BASE + number)
        except (NotImplementedError, RuntimeError, ValueError):
            return
