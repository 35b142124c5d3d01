"""``fin-tui eval``: question sets in, one table of scores out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fin_tui.cli.context import current

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fin_tui.evaluation.run import Result


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="eval")(evaluate)


def evaluate(
    ctx: typer.Context,
    sets: Annotated[list[Path], typer.Argument(help="Question sets, JSON lines.", show_default=False)],
    misses: Annotated[bool, typer.Option("--misses", help="List each question that missed, and why.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")] = False,
) -> None:
    """Score retrieval, values and refusals over the library as it stands, without a language model."""
    import msgspec
    from rich.console import Console
    from rich.progress import track

    from fin_tui.engine.services import open_services
    from fin_tui.evaluation.run import run, summarise
    from fin_tui.evaluation.sets import load

    context = current(ctx)
    loaded = {file.name: load(file) for file in sets}
    console = Console(stderr=True)
    report: dict[str, Any] = {}
    with open_services(context.paths, context.settings, with_model=False) as services:
        held = services.library.filings()
        for name, rows in loaded.items():
            steps = track(run(services.engine, rows, held), name, total=len(rows), console=console)
            results = list(steps)
            report[name] = {"scores": summarise(results), "misses": _misses(results)}
            if not as_json:
                _show(name, report[name]["scores"])
                if misses:
                    _show_misses(report[name]["misses"])
    if as_json:
        print(msgspec.json.encode({"filings": len(held), "sets": report}).decode())


def _misses(results: Sequence[Result]) -> list[dict[str, Any]]:
    return [
        {"id": r.row.line.id, "question": r.row.line.question, "outcome": r.verdict.outcome, "why": r.verdict.why, "rank": r.rank}
        for r in results
        if r.verdict.outcome != "right" or r.verdict.why or (r.row.evidence and (r.rank is None or r.rank > 5))
    ]


def _show(name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=name, title_justify="left")
    for column in rows[0]:
        table.add_column(column, justify="left" if column == "class" else "right")
    for row in rows:
        table.add_row(*("–" if value is None else str(value) for value in row.values()))
    Console(width=120).print(table)


def _show_misses(misses: Sequence[Mapping[str, Any]]) -> None:
    for miss in misses:
        print(f"{miss['id']}  {miss['outcome']}  rank {miss['rank']}  {miss['why']}  {miss['question'][:100]}")
