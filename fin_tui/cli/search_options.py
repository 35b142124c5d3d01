"""The options that say how passages are searched for; the same for ``ask`` and ``search``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer

from fin_tui.errors import UsageError

if TYPE_CHECKING:
    from fin_tui.config import Mode

MODES = ("hybrid", "dense", "sparse")

ModeName = Annotated[str | None, typer.Option("--mode", help="hybrid, dense or sparse.", show_default=False)]
Count = Annotated[int | None, typer.Option("-k", min=1, max=100, help="How many passages.", show_default=False)]
Rerank = Annotated[bool | None, typer.Option("--rerank/--no-rerank", help="Rerank the passages.", show_default=False)]


def chosen_mode(name: str | None) -> Mode | None:
    """``name`` as a mode; None as the settings say. Raises ``UsageError`` for an unknown one."""
    if name not in (None, *MODES):
        raise UsageError(f"Unknown mode {name!r}.", f"Modes: {', '.join(MODES)}.")
    return cast("Mode | None", name)
