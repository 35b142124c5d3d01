"""The command line's entry: global options, the commands' registration, and the one place that shows errors.

Nothing heavy is imported before a command runs: ``--help`` and ``--version`` answer at once.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from fin_tui import __version__
from fin_tui.cli import ask, check, conversations, evaluate, facts, library, models, search, setup
from fin_tui.cli.context import Context
from fin_tui.config import load_settings
from fin_tui.errors import FinTuiError
from fin_tui.paths import find_home

app = typer.Typer(
    name="fin-tui",
    help="Ask SEC 10-K filings questions, offline, with every sentence and number cited. Without a command the app opens.",
    no_args_is_help=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fin-tui {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    ctx: typer.Context,
    home: Annotated[Path | None, typer.Option(help="Folder that holds models/, index/ and data/.", show_default=False)] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show the log on standard error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Read the settings; open the app when no command is given."""
    from fin_tui.cli.logs import start_logging

    paths = find_home(home)
    settings = load_settings(paths.settings)
    start_logging(paths, verbose=verbose)
    ctx.obj = Context(paths=paths, settings=settings, verbose=verbose)
    if ctx.invoked_subcommand is None:
        from fin_tui.ui.app import run

        run(paths, settings)


for module in (ask, conversations, check, search, facts, library, setup, models, evaluate):
    module.register(app)


def main() -> None:
    """Run the command line; turns errors into one line, a hint, and the exit code of the contract."""
    try:
        app(standalone_mode=True)
    except FinTuiError as error:
        _show(error)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of our output went away (a pager, head); Python must not complain about it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _show(error: FinTuiError) -> None:
    from fin_tui.filings.cleaning import clean

    print(f"fin-tui: {clean(error.message)}", file=sys.stderr)
    if error.hint:
        print(f"  {clean(error.hint)}", file=sys.stderr)
