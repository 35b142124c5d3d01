"""Gives the terminal back when the app is killed outright, as a system short of memory does: then none of its own code runs."""

from __future__ import annotations

import contextlib
import subprocess
import sys

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
