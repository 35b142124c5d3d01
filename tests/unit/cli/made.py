"""Commands as a user runs them, without the entry of the whole program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import typer
from typer.testing import CliRunner, Result

from fin_tui.cli.output import Context
from fin_tui.config import Settings
from fin_tui.paths import Paths
from fin_tui.store.library import Library
from tests.unit.store.made import make_entry

Run = Callable[..., Result]


class Commands(Protocol):
    """A module of the command line."""

    def register(self, app: typer.Typer) -> None: ...


def invoker(commands: Commands, paths: Paths, *first: str) -> Run:
    """Runs ``commands`` in the home ``paths``, each call beginning with the words ``first``; errors stand in the result."""
    app = typer.Typer()

    @app.callback()
    def start(ctx: typer.Context) -> None:
        ctx.obj = Context(paths, Settings())

    commands.register(app)
    return lambda *words, text=None: CliRunner().invoke(app, [*first, *map(str, words)], input=text)


def two_filings(home: Path) -> Paths:
    """A home without weights that holds two years of a company, EXM."""
    paths = Paths(home)
    with Library.open(paths) as library:
        library.add(make_entry(year=2022, ticker="EXM"))
        library.add(make_entry(year=2023, ticker="EXM"))
    return paths
