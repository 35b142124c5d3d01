"""Text to the clipboard by whatever this machine has: a program of the desktop, the terminal itself, or a file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence

_SECONDS = 3
_PLAIN_TERMINALS = ("linux", "dumb", "vt100", "vt220")


BY_TERMINAL = "by the terminal"


def copy(text: str, environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> str:
    """Copy ``text``; gives how, for people ("by wl-copy", "to the file …"), or ``BY_TERMINAL`` when the caller must send OSC 52.

    That is so over SSH, where programs here reach another desktop, and where there is no program; a console that ignores the
    sequence gets a file. May block for as long as a program takes.
    """
    here = os.environ if environment is None else environment
    if not here.get("SSH_CONNECTION"):
        for command in _programs(here, platform):
            if _run(command, text):
                return f"by {command[0]}"
    if here.get("TERM", "dumb") not in _PLAIN_TERMINALS:
        return BY_TERMINAL
    return f"to the file {_file(text)}"


def _programs(environment: Mapping[str, str], platform: str) -> list[Sequence[str]]:
    found: list[Sequence[str]] = []
    if platform == "darwin":
        found.append(("pbcopy",))
    if environment.get("WAYLAND_DISPLAY"):
        found.append(("wl-copy",))
    if environment.get("DISPLAY"):
        found += [("xclip", "-selection", "clipboard"), ("xsel", "--clipboard", "--input")]
    return [command for command in found if shutil.which(command[0], path=environment.get("PATH"))]


def _run(command: Sequence[str], text: str) -> bool:
    """Whether the program took the text. Its output goes nowhere: xclip stays behind and would hold a pipe open."""
    try:
        done = subprocess.run(
            command, input=text.encode(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def _file(text: str) -> str:
    """A new file that only its owner can read."""
    handle, path = tempfile.mkstemp(prefix="fin-tui-", suffix=".md")
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
    return path
