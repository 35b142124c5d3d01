"""``fin-tui audit``: a user's own model held against the filings."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from fin_tui.cli.options import CorpusUri, asking
from fin_tui.cli.output import AsJson, dumps, shown
from fin_tui.errors import FinTuiError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="audit")(audit)


def audit(
    ctx: typer.Context,
    model: Annotated[Path, typer.Argument(help="A workbook: .xlsx or .xlsm.", metavar="MODEL.xlsx")],
    company: Annotated[
        str, typer.Option(help="Whose numbers they are where the workbook does not say: name, ticker or CIK.", show_default=False)
    ] = "",
    copy: Annotated[
        Path | None, typer.Option(help="Write a copy with coloured cells and notes here.", metavar="FILE", show_default=False)
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write the report as Markdown here.", metavar="FILE", show_default=False)
    ] = None,
    corpus: CorpusUri = None,
    as_json: AsJson = False,
) -> None:
    """Look up every typed number of a workbook: supported, contradicted (with the likely slip) or unknown; and check its sums.

    Macros and links are never run, and the workbook is never changed.

    Example: fin-tui audit model.xlsx --company AAPL --copy checked.xlsx --report audit.md
    """
    from fin_tui.cli.output import advance, stage_bars
    from fin_tui.engine.services import open_services
    from fin_tui.records import Progress
    from fin_tui.sheets.audit.audit import audit as run
    from fin_tui.sheets.audit.audit import report as markdown
    from fin_tui.sheets.xlsx import mark_copy
    from fin_tui.team import corpus_of

    context = asking(ctx, corpus)
    served = corpus_of(context.paths, context.settings)
    with open_services(context.paths, context.settings, with_model=False, corpus=served) as services, stage_bars() as bars:

        def tell(done: int, total: int) -> None:
            advance(bars, Progress("sheets", done, total), f"{done} of {total} sheets")

        found = run(services, model, company=company, tell=tell)
    if copy is not None:
        mark_copy(model, copy, found.marks)
    if report is not None:
        try:
            report.write_text(markdown(found), encoding="utf-8")
        except OSError as error:
            raise FinTuiError(f"{report} can't be written: {error.strerror}.", "Name another file with --report.") from error
    if as_json:
        print(dumps(found.document))
        return
    for cell in found.cells:
        if cell.status == "contradicted":
            slip = f" [{cell.slip}]" if cell.slip != "other" else ""
            print(f"✗ {shown(cell.sheet)}!{cell.cell} {shown(cell.label)}: {cell.typed:,.10g}{slip}")
            print(f"    {shown(cell.why)}")
    for check in found.checks:
        print(f"! {shown(check.sheet)}!{check.cell} {check.kind}: {shown(check.why)}")
    print(", ".join(f"{number} {status}" for status, number in found.counts.items()))
    if not found.cells:
        print("The workbook holds no typed number.", file=sys.stderr)
