"""Where the program's log goes: a rotating file, and standard error on request."""

from __future__ import annotations

import logging
import logging.handlers
import sys

from fin_tui.paths import Paths

_MEGABYTE = 1024 * 1024


def start_logging(paths: Paths, *, verbose: bool) -> None:
    """Log to ``data/logs/fin-tui.log`` (three files of 1 MB); a folder that can't be written leaves the program without a log."""
    root = logging.getLogger("fin_tui")
    root.setLevel(logging.DEBUG if verbose else logging.INFO)
    root.handlers.clear()
    root.propagate = False
    form = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        paths.logs.mkdir(parents=True, exist_ok=True)
        file = logging.handlers.RotatingFileHandler(
            paths.logs / "fin-tui.log", maxBytes=_MEGABYTE, backupCount=2, encoding="utf-8", delay=True
        )
        file.setFormatter(form)
        root.addHandler(file)
    except OSError:
        root.addHandler(logging.NullHandler())
    if verbose:
        shown = logging.StreamHandler(sys.stderr)
        shown.setFormatter(form)
        root.addHandler(shown)
