"""The program's entry, and what comes before the app and every command: places, settings, the log; how failures are told.

Without arguments the app opens, past the command line, which takes as long to load as the app itself.
"""

from __future__ import annotations

import contextlib
import logging
import logging.handlers
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from fin_tui.errors import FinTuiError
from fin_tui.paths import Paths

if TYPE_CHECKING:
    from fin_tui.config import Settings


def prepare(home: Path | None = None, *, offline: bool = False, verbose: bool = False) -> tuple[Paths, Settings]:
    """Find the home folder, read its settings, go offline where that is wished, begin the log. Raises ``FinTuiError``."""
    from fin_tui.config import load_settings
    from fin_tui.network import go_offline, is_offline
    from fin_tui.paths import find_home

    paths = find_home(home)
    settings = load_settings(paths.settings)
    if offline or settings.network.offline or is_offline():
        go_offline()
    start_logging(paths, verbose=verbose)
    return paths, settings


def open_app(paths: Paths, settings: Settings) -> None:
    """Run the app until the reader leaves it; ends the process."""
    from fin_tui.ui.process import collect_seldom

    collect_seldom()  # Before the imports, which make more than all else.
    from fin_tui.ui.app import run

    run(paths, settings)


@contextlib.contextmanager
def failures_told() -> Iterator[None]:
    """Turns errors into one line, a hint, and the exit code of the contract."""
    try:
        yield
    except FinTuiError as error:
        _show(error)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of our output went away (a pager, head); Python must not complain about it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _show(error: FinTuiError) -> None:
    from fin_tui.language import clean

    print(f"fin-tui: {clean(error.message)}", file=sys.stderr)
    if error.hint:
        print(f"  {clean(error.hint)}", file=sys.stderr)


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


_COMPLETING = "_FIN_TUI_COMPLETE"
"""Set by a shell that asks how a command line goes on."""


def main() -> None:
    """Open the app, or run the command line."""
    if len(sys.argv) > 1 or _COMPLETING in os.environ:
        from fin_tui.cli.main import main as command_line

        command_line()
    else:
        _open_app()


def _open_app() -> None:

    with failures_told():
        open_app(*prepare())
