"""``fin-tui mcp``: the library for assistants and other programs that speak MCP."""

from __future__ import annotations

from typing import Annotated

import typer

from fin_tui.cli.output import current


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="mcp")(mcp)


def mcp(
    ctx: typer.Context,
    allow_fetch: Annotated[bool, typer.Option("--allow-fetch", help="Let tools download missing filings from EDGAR.")] = False,
) -> None:
    """Serve the library over MCP on standard input and output, until the client closes it.

    An assistant's configuration names this command and its arguments.

    Example: fin-tui --home ~/filings mcp
    """
    from fin_tui.mcp_server.server import serve

    context = current(ctx)
    if allow_fetch:
        from fin_tui.filings.edgar.client import contact
        from fin_tui.network import require_network

        require_network("mcp --allow-fetch")
        contact(context.settings.edgar)
    serve(context.paths, context.settings, allow_fetch=allow_fetch)
