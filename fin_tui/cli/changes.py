"""``fin-tui changes``: what a filing says that the one of the year before did not."""

from __future__ import annotations

from typing import Annotated

import typer

from fin_tui.cli.corpus_option import CorpusUri, asking, opened
from fin_tui.cli.output import AsJson, dumps, shown


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="changes")(changes)


def changes(
    ctx: typer.Context,
    filing: Annotated[str, typer.Argument(help="Id, unique prefix, base name or COMPANY:YEAR.")],
    corpus: CorpusUri = None,
    as_json: AsJson = False,
) -> None:
    """One page on what changed since the year before: risk headings, Items, restated figures, segments, auditor; each cited.

    Example: fin-tui changes AAPL:2024
    """
    from fin_tui.engine.reader.whats_new import markdown, whats_new

    with opened(asking(ctx, corpus)) as library:
        found = whats_new(library, library.resolve(filing).id)
    if as_json:
        parts = [{"title": part.title, "lines": part.lines} for part in found.parts]
        print(dumps({"filing": found.newer.id, "before": found.older.id, "parts": parts}))
        return
    for line in markdown(found).splitlines():
        print(shown(line))
