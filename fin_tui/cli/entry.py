"""The program's entry. Without arguments the app opens, past the command line, which takes as long to load as the app itself."""

from __future__ import annotations

import os
import sys

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
    from fin_tui.cli.opening import failures_told, open_app, prepare

    with failures_told():
        open_app(*prepare())
