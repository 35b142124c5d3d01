"""What every command gets: paths, settings and how much to say."""

from __future__ import annotations

from dataclasses import dataclass

import typer

from fin_tui.config import Settings
from fin_tui.paths import Paths


@dataclass(frozen=True, slots=True)
class Context:
    """Made once by the entry of the command line."""

    paths: Paths
    settings: Settings
    verbose: bool = False


def current(ctx: typer.Context) -> Context:
    """The context of a running command."""
    context = ctx.find_object(Context)
    if context is None:
        raise RuntimeError("a command ran without the entry of the command line")
    return context
