"""The command line's entry: global options, the commands' registration, ways to serve, and the one place that shows errors.

Nothing heavy is imported before a command runs: ``--help`` and ``--version`` answer at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fin_tui.cli import (
    ask,
    check,
    evaluate,
    facts,
    fetch,
    library,
    models,
    notebook,
    search,
    setup,
    sheet,
)
from fin_tui.cli import show as changes
from fin_tui.cli.entry import failures_told, open_app, prepare
from fin_tui.cli.output import Context, CorpusUri, current, on_corpus, refuse_corpus
from fin_tui.errors import UsageError
from fin_tui.version import __version__

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
    offline: Annotated[bool, typer.Option("--offline", help="Forbid every connection, also to fetch and setup.")] = False,
    serve: Annotated[bool, typer.Option("--serve", help="Open the app for a browser, on this machine alone.")] = False,
    corpus: CorpusUri = None,
    host: Annotated[str, typer.Option(help="With --serve: another address than this machine's own.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="With --serve.", min=1, max=65535)] = 8000,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Read the settings; open the app when no command is given."""
    paths, settings = prepare(home, offline=offline, verbose=verbose)
    refuse_corpus(ctx.invoked_subcommand, corpus)
    ctx.obj = on_corpus(Context(paths=paths, settings=settings, verbose=verbose), corpus)
    if serve:
        _serve(ctx, host, port)
    elif ctx.invoked_subcommand is None:
        open_app(paths, ctx.obj.settings)


def _serve(ctx: typer.Context, host: str, port: int) -> None:
    if ctx.invoked_subcommand is not None:
        raise UsageError("--serve opens the app and takes no command.", f"Leave out {ctx.invoked_subcommand}, or --serve.")
    from fin_tui.serving import serve

    context = current(ctx)
    serve(context.paths, host, port, context.settings.corpus.uri)


def mcp(
    ctx: typer.Context,
    allow_fetch: Annotated[bool, typer.Option("--allow-fetch", help="Let tools download missing filings from EDGAR.")] = False,
) -> None:
    """Serve the library over MCP on standard input and output, until the client closes it.

    An assistant's configuration names this command and its arguments.

    Example: fin-tui --home ~/filings mcp
    """
    from fin_tui.mcp_server import serve

    context = current(ctx)
    if allow_fetch:
        from fin_tui.filings.edgar.client import contact
        from fin_tui.network import require_network

        require_network("mcp --allow-fetch")
        contact(context.settings.edgar)
    serve(context.paths, context.settings, allow_fetch=allow_fetch)


for module in (
    ask,
    notebook,
    sheet,
    changes,
    check,
    search,
    facts,
    library,
    fetch,
    setup,
    models,
    evaluate,
):
    module.register(app)
app.command(name="mcp")(mcp)


def main() -> None:
    """Run the command line; turns errors into one line, a hint, and the exit code of the contract."""
    with failures_told():
        app(standalone_mode=True)
