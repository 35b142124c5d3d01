"""The process that the app runs in: how it ends, what it leaves on the terminal, how often it looks for garbage."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, NoReturn, TypeVar

_Item = TypeVar("_Item")
_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class _End:
    error: BaseException | None = None


@dataclass(frozen=True, slots=True)
class _Next(Generic[_Item]):
    item: _Item


def detached(items: Iterator[_Item], cancelled: Callable[[], bool]) -> Iterator[_Item]:
    """The ``items``, made in a thread of their own; ends at once when ``cancelled``, leaving that thread to itself.

    Raises what the items raise.
    """
    made: queue.SimpleQueue[_Next[_Item] | _End] = queue.SimpleQueue()

    def make() -> None:
        try:
            for item in items:
                made.put(_Next(item))
                if cancelled():
                    break
        except BaseException as error:  # noqa: BLE001 - whoever reads the items raises it again
            made.put(_End(error))
        else:
            made.put(_End())

    threading.Thread(target=make, name="detached", daemon=True).start()
    while not cancelled():
        try:
            got = made.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            continue
        if isinstance(got, _Next):
            yield got.item
        elif got.error is not None:
            raise got.error
        else:
            return


def end_process(code: int) -> NoReturn:
    """End the process now, all being closed: without the interpreter's own shutdown.

    That takes longer than all else at quitting, as native libraries free what they hold, and it would take the ground from
    under one that still loads in a detached thread.
    """
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def start_process_tracker() -> None:
    """Start multiprocessing's resource tracker while standard error is still the real one.

    Textual replaces ``sys.stderr`` by an object whose ``fileno()`` is -1, and the tracker, which every spawned process
    needs, hands that number to the system when it is started later.
    """
    from multiprocessing.resource_tracker import ensure_running

    ensure_running()


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


_GRACE_SECONDS = 2.0
"""What may still be stored once the app has nobody to show it to."""


def end_with_terminal(leave: Callable[[int], None], grace: float = _GRACE_SECONDS) -> None:
    """Call ``leave`` in the running loop once the terminal is gone, and end the process ``grace`` seconds later whatever it does.

    No signal need come of it, and the loop may stand still by then: Textual's writer dies with the terminal, and the loop waits
    for room in its queue. Nothing is watched where there is no terminal of its own, or where the system can't tell.
    """
    if sys.__stdin__ is None or not sys.__stdin__.isatty() or not hasattr(select, "poll"):
        return
    loop, code = asyncio.get_running_loop(), _SHELL_BASE + int(signal.SIGHUP)
    terminal = select.poll()
    terminal.register(sys.__stdin__.fileno(), 0)  # Nothing but its end is asked for.

    def watch() -> None:
        if not any(event & select.POLLHUP for _, event in terminal.poll()):
            return
        with contextlib.suppress(RuntimeError):  # The loop has ended by itself.
            loop.call_soon_threadsafe(leave, code)
        time.sleep(grace)
        os._exit(code)

    threading.Thread(target=watch, name="terminal-watch", daemon=True).start()


def end_after(seconds: float, code: int) -> None:
    """End the process then, whatever its threads still wait for."""
    timer = threading.Timer(seconds, os._exit, (code,))
    timer.daemon = True
    timer.start()


_LEAVE = (
    r"\033[<u"  # the keyboard as it was
    r"\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?1015l"  # no mouse reports
    r"\033[?1004l\033[?2004l\033[?2048l"  # no reports of focus, pastes and sizes
    r"\033[0m\033[?1049l\033[?25h"  # the shell's own screen and cursor
)
_SCRIPT = f"""trap '' INT QUIT TSTP TTOU TTIN
read -r ended || printf '{_LEAVE}fin-tui was killed. Its conversations are kept.\\r\\n' > /dev/tty"""


class TerminalGuard:
    """A small shell that waits for the app's word that all is well; where the app goes without one, it clears up."""

    def __init__(self) -> None:
        self._shell: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begin to watch. Without a shell, or a terminal of its own as in a browser, there is nothing to watch with, or for."""
        if sys.__stdin__ is None or not sys.__stdin__.isatty():
            return
        with contextlib.suppress(OSError):
            self._shell = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )

    def end(self) -> None:
        """The terminal has been given back."""
        shell, self._shell = self._shell, None
        if shell is not None:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                shell.communicate(b"ended\n", timeout=1)


_THRESHOLDS = (20_000, 10, 10)
"""Objects made before the youngest are looked through, then how often that happens before older ones are. By default 700, 10, 10:
a layout of a long filing makes tens of thousands, and each look at the oldest passes over all that was ever imported.
"""


def collect_seldom() -> None:
    """From now on, in this process."""
    gc.set_threshold(*_THRESHOLDS)


def spare_what_stays() -> None:
    """What lives now, as modules, styles and indexes do, is not looked through any more."""
    gc.freeze()
