"""``fin-tui doctor``: looks everything over, says what to do, and mends what can be made again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from fin_tui.cli.output import AsJson, current, dumps, shown
from fin_tui.language import count

if TYPE_CHECKING:
    from fin_tui.doctor.checks import Finding
    from fin_tui.paths import Paths

_MARKS = {"ok": "ok", "note": "note", "problem": "PROBLEM", "mended": "mended"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="doctor")(doctor)


def doctor(
    ctx: typer.Context,
    repair: Annotated[
        bool, typer.Option("--repair", help="Mend what can be made again; nothing that you wrote or added is deleted.")
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Leave out loading the encoder and the language model.")] = False,
    as_json: AsJson = False,
) -> None:
    """Look over library, indexes, weights and machine, and say what to do. Exit code 0: healthy, or repaired.

    Example: fin-tui doctor --repair
    """
    from fin_tui.doctor import examine

    context = current(ctx)
    found = []
    for finding in examine(context.paths, context.settings, repair=repair, engines=not quick):
        found.append(finding)
        if not as_json:
            _print(finding)
    problems = sum(finding.state == "problem" for finding in found)
    if as_json:
        document = {"healthy": not problems, "findings": [_json(f) for f in found], "filings": _parse_health(context.paths)}
        print(dumps(document))
    else:
        print(_last_line(problems, sum(finding.state == "mended" for finding in found), repair=repair))
    if problems:
        raise typer.Exit(1)


def _print(finding: Finding) -> None:
    print(f"{_MARKS[finding.state]:<8} {finding.check:<10} {shown(finding.what)}", flush=True)
    if finding.fix:
        print(f"{'':<19} {shown(finding.fix)}", flush=True)


def _last_line(problems: int, mended: int, *, repair: bool) -> str:
    if problems:
        said = count(problems, "problem")
        return said if repair else f"{said}; fin-tui doctor --repair mends what it can"
    return f"Healthy; {mended} mended." if mended else "Healthy."


def _json(finding: Finding) -> dict[str, Any]:
    return {
        "check": finding.check,
        "state": finding.state,
        "what": finding.what,
        "fix": finding.fix or None,
        "filing": finding.filing or None,
    }


def _parse_health(paths: Paths) -> list[dict[str, Any]]:
    """How well each filing was read; empty when the library can't be opened, which is a finding of its own."""
    from fin_tui.errors import FinTuiError
    from fin_tui.store.library import Library

    try:
        with Library.open(paths, read_only=True) as library:
            return [
                {
                    "filing": filing.id,
                    "items": list(filing.items),
                    "coverage": round(filing.coverage, 4),
                    "crosscheck": None if filing.crosscheck is None else round(filing.crosscheck, 4),
                    "crosscheck_cells": filing.crosscheck_cells,
                    "chunks": filing.chunks,
                    "embedded": filing.embedded,
                    "warnings": list(filing.warnings),
                }
                for filing in library.filings()
            ]
    except FinTuiError:
        return []
