"""The disk and the terminal."""

from __future__ import annotations

import locale
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from fin_tui.doctor.finding import Finding, ok
from fin_tui.paths import Paths

DISK, TERMINAL = "disk", "terminal"
FULL_BYTES = 200 << 20
"""Less than this and adding a few filings fails."""
LOW_BYTES = 1 << 30
COLUMNS, LINES = 80, 24


def look_at_disk(paths: Paths) -> Iterator[Finding]:
    """Room and permissions where the library is."""
    free = shutil.disk_usage(_existing(paths.home)).free
    said = f"{free / (1 << 30):.1f} GB free at {paths.home}"
    if free < FULL_BYTES:
        yield Finding(DISK, "problem", f"The disk is nearly full: {said}", "Free some space.")
    elif free < LOW_BYTES:
        yield Finding(DISK, "note", said, "A large fetch may not fit.")
    else:
        yield ok(DISK, said)
    for folder in (paths.data, paths.index):
        place = _existing(folder)
        if not os.access(place, os.W_OK):
            what = f"{place} can't be written: the library can be read and no more"
            yield Finding(DISK, "problem", what, "Check its permissions, or choose another folder with --home.")


def look_at_terminal(environment: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    """What the app will find: kind, colours, characters, size."""
    if not sys.stderr.isatty() and not sys.stdout.isatty():
        yield ok(TERMINAL, "There is none here to look at")
        return
    size = shutil.get_terminal_size()
    kind = environment.get("TERM", "")
    colours = _colours(environment)
    yield ok(TERMINAL, f"{kind or 'unknown'}, {size.columns} x {size.lines}, {colours}, {locale.getencoding()}")
    if kind in ("", "dumb"):
        yield Finding(TERMINAL, "note", "The app can't draw here", "Set TERM, e.g. xterm-256color.")
    if locale.getencoding().lower().replace("-", "") != "utf8":
        yield Finding(TERMINAL, "note", "The terminal is not set to UTF-8: lines may look wrong", "Set LANG to C.UTF-8.")
    if size.columns < COLUMNS or size.lines < LINES:
        what = f"The window is smaller than {COLUMNS} x {LINES}"
        yield Finding(TERMINAL, "note", what, "The app shows one pane at a time there.")


def _colours(environment: Mapping[str, str]) -> str:
    if environment.get("NO_COLOR"):
        return "no colours"
    return "24-bit colours" if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit") else "256 colours or fewer"


def _existing(folder: Path) -> Path:
    return next(place for place in (folder, *folder.parents) if place.exists())
