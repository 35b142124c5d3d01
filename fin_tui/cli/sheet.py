"""``fin-tui sheet``: filings against figures, formulas and questions, cell by cell; ``fin-tui audit``: a user's own model."""

from __future__ import annotations

import contextlib
import csv
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import typer

from fin_tui.cli.output import AsJson, CorpusUri, asking, dumps, shown, wide_console
from fin_tui.errors import FinTuiError, UsageError
from fin_tui.language import count

if TYPE_CHECKING:
    from fin_tui.cli.output import Context
    from fin_tui.engine.services import Services
    from fin_tui.records import Sheet, SheetCell, SheetColumn, SheetRow
    from fin_tui.sheets.filling import OpenSheet
    from fin_tui.sheets.view import Shown
    from fin_tui.store.kept import CellKey


group = typer.Typer(help="Sheets of figures and questions: new, run, show, edit, list, remove.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="The sheet's name.")]
Rows = Annotated[
    list[str] | None,
    typer.Option(
        "--rows", help="V,MA:2022-2025; a FILING; a company for all its filings; all. May be repeated.", show_default=False
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column", help='A figure, a question ending in "?", or "NAME = FORMULA". May be repeated.', show_default=False
    ),
]
Template = Annotated[
    list[str] | None,
    typer.Option(help="Ready-made columns: income, balance, cash-flow, margins, returns, leverage, per-share, segments, banks."),
]


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="sheet")
    app.command(name="audit")(audit)


@group.command()
def new(ctx: typer.Context, name: Name, rows: Rows = None, column: Columns = None, template: Template = None) -> None:
    """Make a sheet. Rows are companies in fiscal years, or filings; columns are figures, questions or formulas.

    Example: fin-tui sheet new cards --rows V,MA:2022-2025 --column revenue --column "operating income" --column "x % = B / A"
    """
    from fin_tui.sheets import new_sheet, read_columns, read_rows
    from fin_tui.sheets import template as named

    with _services(ctx, None) as services:
        texts = [*(text for one in template or () for text in named(one).columns), *(column or ())]
        sheet = new_sheet(name, read_rows(rows or (), services.corpus.filings()), read_columns(texts))
        services.library.sheets.add(sheet)
    print(f"{sheet.name}: {len(sheet.rows)} rows, {len(sheet.columns)} columns. fin-tui sheet run {_word(sheet.name)} fills it.")


@group.command()
def edit(
    ctx: typer.Context,
    name: Name,
    rows: Rows = None,
    column: Columns = None,
    template: Template = None,
    drop: Annotated[list[str] | None, typer.Option(help="Column to remove, by name or letter.", show_default=False)] = None,
    drop_row: Annotated[list[str] | None, typer.Option(help="Row to remove, by its label.", show_default=False)] = None,
    hide: Annotated[list[str] | None, typer.Option(help="Column to hide.", show_default=False)] = None,
    unhide: Annotated[list[str] | None, typer.Option(help="Column to show again.", show_default=False)] = None,
) -> None:
    """Add rows and columns to a sheet, remove or hide some. What was filled stays.

    Example: fin-tui sheet edit cards --column "net debt / EBITDA" --hide A
    """
    from fin_tui.sheets import find_column, hidden, new_sheet, read_columns, read_rows, without
    from fin_tui.sheets import template as named

    with _services(ctx, None) as services:
        sheet = services.library.sheets.get(name)
        texts = [*(text for one in template or () for text in named(one).columns), *(column or ())]
        more = {row.key: row for row in (*sheet.rows, *read_rows(rows or (), services.corpus.filings()))}
        sheet = new_sheet(sheet.name, tuple(more.values()), read_columns(texts, sheet.columns))
        for one in hide or ():
            sheet = hidden(sheet, find_column(sheet, one).key, is_hidden=True)
        for one in unhide or ():
            sheet = hidden(sheet, find_column(sheet, one).key, is_hidden=False)
        if drop or drop_row:
            sheet = without(sheet, columns=drop or (), rows=drop_row or ())
        services.library.sheets.change(sheet)
    print(f"{sheet.name}: {len(sheet.rows)} rows, {len(sheet.columns)} columns.")


@group.command()
def run(
    ctx: typer.Context,
    name: Name,
    column: Annotated[list[str] | None, typer.Option(help="Only this column; may be repeated.", show_default=False)] = None,
    trial: Annotated[bool, typer.Option("--try", help="Only the first three rows.")] = False,
    all_cells: Annotated[bool, typer.Option("--all", help="Also cells that are not stale.")] = False,
    with_model: Annotated[bool, typer.Option("--model", help="The language model may write answers to questions.")] = False,
    corpus: CorpusUri = None,
    as_json: AsJson = False,
) -> None:
    """Fill the cells of a sheet that are empty or stale. Ctrl+C stops; what was filled stays.

    Example: fin-tui sheet run cards --try
    """
    from fin_tui.sheets import find_column
    from fin_tui.sheets.filling import TRIAL_ROWS, open_run, stale

    stopped = threading.Event()
    with _services(ctx, corpus, with_model=with_model) as services, _stopping(stopped):
        work, opened = open_run(services, name, use_model=with_model)
        wanted = list(opened.prints) if all_cells else stale(opened.sheet, opened.cells, opened.prints)
        if column:
            keys = {find_column(opened.sheet, one).key for one in column}
            wanted = [key for key in wanted if key[1] in keys]
        if trial:
            first = {row.key for row in opened.sheet.rows[:TRIAL_ROWS]}
            wanted = [key for key in wanted if key[0] in first]
        with progress(len(wanted)) as tell:
            made = [tell(cell) for cell in work.fill(wanted, stopped.is_set)]
        tell_run(opened.sheet, made, work.cells, was_stopped=stopped.is_set(), as_json=as_json)
    if stopped.is_set():
        sys.exit(1)


@group.command()
def show(
    ctx: typer.Context,
    name: Name,
    sort: Annotated[str | None, typer.Option(help="Column to sort by, highest first.", show_default=False)] = None,
    ranks: Annotated[bool, typer.Option("--ranks", help="The place of each number within its column.")] = False,
    cell: Annotated[
        tuple[str, str] | None, typer.Option(help="One cell with its proof: row's label, column.", metavar="ROW COLUMN")
    ] = None,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Comma-separated values on standard output.")] = False,
) -> None:
    """Show a sheet: values with their state, totals and averages below.

    Example: fin-tui sheet show cards --sort "operating margin"
    """
    from fin_tui.sheets import find_column
    from fin_tui.sheets.filling import open_sheet

    if as_json and as_csv:
        raise UsageError("Give either --json or --csv.", "Example: fin-tui sheet show cards --csv")
    with _services(ctx, None) as services:
        opened = open_sheet(services, name)
    opened = _sorted(opened, sort) if sort else opened
    if cell:
        row = next((row for row in opened.sheet.rows if row.label.casefold() == cell[0].strip().casefold()), None)
        if row is None:
            raise UsageError(f"The sheet has no row {cell[0]!r}.", f"Rows: {', '.join(r.label for r in opened.sheet.rows[:20])}.")
        print_cell(opened, row, find_column(opened.sheet, cell[1]), as_json=as_json)
    elif as_json:
        print(dumps(sheet_json(opened)))
    elif as_csv:
        print_csv(opened)
    else:
        print_sheet(opened, with_ranks=ranks)


@group.command(name="list")
def list_sheets(ctx: typer.Context, as_json: AsJson = False) -> None:
    """The sheets that there are.

    Example: fin-tui sheet list --json
    """
    from fin_tui.cli.output import shown
    from fin_tui.store.library import Library

    with Library.open(asking(ctx, None).paths) as library:
        found = library.sheets.all()
    if as_json:
        print(dumps(found))
        return
    for one in found:
        filled = f"{one.cells:>5} of {one.rows * one.columns} filled"
        print(f"{shown(one.name):<24} {one.rows:>4} rows  {one.columns:>3} columns  {filled}")


@group.command()
def remove(ctx: typer.Context, name: Name) -> None:
    """Delete a sheet with its cells.

    Example: fin-tui sheet remove cards
    """
    from fin_tui.store.library import Library

    with Library.open(asking(ctx, None).paths) as library:
        library.sheets.remove(name)


def export_sheet(context: Context, name: str, output: Path) -> None:
    """Write a sheet as a workbook. Raises ``NotFound``."""
    from fin_tui.engine.services import open_services
    from fin_tui.sheets.filling import open_sheet
    from fin_tui.sheets.workbook import sheet_book
    from fin_tui.sheets.xlsx import save
    from fin_tui.team import corpus_of

    served = corpus_of(context.paths, context.settings)
    with open_services(context.paths, context.settings, with_model=False, corpus=served) as services:
        opened = open_sheet(services, name)
    save(sheet_book(opened.sheet, opened.cells, opened.prints), output)


@contextmanager
def _services(ctx: typer.Context, corpus: str | None, *, with_model: bool = False) -> Iterator[Services]:
    from fin_tui.engine.services import open_services
    from fin_tui.team import corpus_of

    context = asking(ctx, corpus)
    served = corpus_of(context.paths, context.settings)
    with open_services(context.paths, context.settings, with_model=with_model, corpus=served) as services:
        yield services


@contextmanager
def _stopping(stopped: threading.Event) -> Iterator[None]:
    """Ctrl+C ends the run after the cell that is being filled, so that what there is gets stored."""
    before = signal.signal(signal.SIGINT, lambda *_: stopped.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _sorted(opened: OpenSheet, sort: str) -> OpenSheet:
    from dataclasses import replace

    from fin_tui.sheets import find_column
    from fin_tui.sheets.view import sorted_rows

    rows = sorted_rows(opened.sheet, find_column(opened.sheet, sort).key, opened.cells)
    return replace(opened, sheet=replace(opened.sheet, rows=rows))


def _word(name: str) -> str:
    import shlex

    return shlex.quote(name)


_LINE = 60


@contextlib.contextmanager
def progress(total: int) -> Iterator[Callable[[SheetCell], SheetCell]]:
    """A bar on standard error that counts cells; gives them back."""
    from fin_tui.cli.output import advance, stage_bars
    from fin_tui.records import Progress

    done = 0
    with stage_bars() as bars:

        def tell(cell: SheetCell) -> SheetCell:
            nonlocal done
            done += 1
            advance(bars, Progress("cells", min(done, total), total), f"{done} of {total} cells")
            return cell

        yield tell


def tell_run(
    sheet: Sheet, made: Sequence[SheetCell], cells: Mapping[CellKey, SheetCell], *, was_stopped: bool, as_json: bool
) -> None:
    """What a run did: states counted, and each cell that says something else than before."""
    from fin_tui.sheets.view import WORDS

    changed = [cell for cell in made if cell.before]
    counts: dict[str, int] = {}
    for cell in made:
        counts[cell.state] = counts.get(cell.state, 0) + 1
    if as_json:
        names = [{"row": c.row, "column": c.column, "before": c.before, "now": c.line} for c in changed]
        print(dumps({"filled": len(made), "states": counts, "changed": names, "stopped": was_stopped}))
        return
    told = ", ".join(f"{number} {WORDS[state][1]}" for state, number in counts.items())  # type: ignore[index]
    end = " Stopped; the rest is as it was." if was_stopped else ""
    print(f"{count(len(made), 'cell')} filled{f': {told}' if told else ''}.{end}")
    rows = {row.key: row.label for row in sheet.rows}
    columns = {column.key: column.name for column in sheet.columns}
    for cell in changed:
        now = shown(cell.line) or "nothing"
        print(f"  changed: {shown(rows[cell.row])}, {shown(columns[cell.column])}: {shown(cell.before)} -> {now}")


def print_sheet(opened: OpenSheet, *, with_ranks: bool = False) -> None:
    """The grid with states as glyphs and words, totals and averages below."""
    from rich.table import Table
    from rich.text import Text

    from fin_tui.sheets.view import ranks, scale_of, sum_text, summary

    sheet, cells = opened.sheet, opened.cells
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    columns = [column for column in sheet.columns if not column.is_hidden]
    of = {column.key: [c for row in sheet.rows if (c := cells.get((row.key, column.key)))] for column in columns}
    scales = {column.key: scale_of(column, of[column.key]) for column in columns}
    places = {column.key: ranks(sheet.rows, column.key, cells) if with_ranks else {} for column in columns}
    for column in columns:
        head = scales[column.key].head
        title = f"{shown(column.name)}{f' ({head})' if head else ''}"
        table.add_column(
            Text(title), justify="left" if column.kind == "question" else "right", max_width=_LINE, overflow="ellipsis"
        )
    for row in sheet.rows:
        line = [Text(shown(row.label))]
        for column in columns:
            line.append(Text(_cell_text(opened, row, column, scales[column.key], places[column.key].get(row.key))))
        table.add_row(*line)
    sums = {column.key: summary(sheet, column, cells) for column in columns}
    for title in ("total", "average", "median"):
        texts = [sum_text(title, sums[c.key], scales[c.key], len(sheet.rows)) for c in columns]
        if any(texts):
            table.add_row(Text(title, style="dim"), *(Text(f"{text}  " if text else "", style="dim") for text in texts))
    wide_console().print(table)
    print(_legend(opened))


def _cell_text(opened: OpenSheet, row: SheetRow, column: SheetColumn, scale: Any, rank: int | None) -> str:
    from fin_tui.sheets.view import WORDS, printed, shown_state

    key = (row.key, column.key)
    cell = opened.cells.get(key)
    glyph, word = WORDS[shown_state(cell, opened.prints.get(key))]
    if cell is None or not cell.line:
        return f"{word} {glyph}"
    text = shown(printed(cell, scale))
    place = f" #{rank}" if rank is not None else ""
    return f"{text}{place}{' *' if cell.before else ''} {glyph}"


def _legend(opened: OpenSheet) -> str:
    from fin_tui.sheets.view import WORDS, shown_state

    states = [shown_state(opened.cells.get(key), opened.prints.get(key)) for key in _keys(opened)]
    used = dict.fromkeys(state for state in WORDS if state in states)
    changed = "  * changed by the last run" if any(cell.before for cell in opened.cells.values()) else ""
    return "  ".join(f"{WORDS[state][0]} {WORDS[state][1]}" for state in used) + changed


def _keys(opened: OpenSheet) -> Iterator[CellKey]:
    for row in opened.sheet.rows:
        for column in opened.sheet.columns:
            yield row.key, column.key


def print_cell(opened: OpenSheet, row: SheetRow, column: SheetColumn, *, as_json: bool) -> None:
    """One cell with its state, sentences, calculation and sources."""
    from fin_tui.sheets.view import WORDS, shown_state

    cell = opened.cells.get((row.key, column.key))
    if as_json:
        print(dumps(cell))
        return
    glyph, word = WORDS[shown_state(cell, opened.prints.get((row.key, column.key)))]
    print(f"{shown(row.label)} · {shown(column.name)}: {glyph} {word}")
    if cell is None:
        return
    for text in (cell.line, cell.note and f"note: {cell.note}", cell.before and f"before: {cell.before}"):
        if text:
            print(f"  {shown(text)}")
    if cell.calculation:
        print(f"  {shown(str(cell.calculation['expression']))} = {shown(str(cell.calculation['display']))}")
        for name, given in cell.calculation["inputs"].items():
            print(f"    {name}: {shown(str(given['item']))} {given['value']:,.12g} {given['unit']} ({given['period_end']})")
    for fact in cell.candidates:
        print(f"  candidate: {shown(str(fact['label']))}: {shown(str(fact['as_reported']))} ({fact['period_end']})")
    for citation in cell.citations:
        print(f"  [{citation.id}] {shown(citation.reference)}: “{shown(citation.quote)[:200]}”")


def print_csv(opened: OpenSheet) -> None:
    """A row for each row of the sheet; numbers in base units, text that a spreadsheet would run put as text."""
    from fin_tui.engine.exports.file import safe_cell

    columns = [column for column in opened.sheet.columns if not column.is_hidden]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["row", *(safe_cell(column.name) for column in columns)])
    for row in opened.sheet.rows:
        found = (opened.cells.get((row.key, column.key)) for column in columns)
        writer.writerow(
            [safe_cell(row.label), *(safe_cell(None if c is None else c.line if c.value is None else c.value) for c in found)]
        )


class CellRow(TypedDict):
    """A cell of ``sheet --json``."""

    row: str
    column: str
    shown: Shown
    """The state that is shown."""
    cell: SheetCell | None


class SheetDocument(TypedDict):
    """The document of ``sheet --json``."""

    name: str
    rows: Sequence[SheetRow]
    columns: Sequence[SheetColumn]
    cells: list[CellRow]


def sheet_json(opened: OpenSheet) -> SheetDocument:
    """Rows, columns and cells; each cell with the state that is shown, and its proof."""
    from fin_tui.sheets.view import shown_state

    cells: list[CellRow] = []
    for key in _keys(opened):
        cell = opened.cells.get(key)
        cells.append({"row": key[0], "column": key[1], "shown": shown_state(cell, opened.prints.get(key)), "cell": cell})
    return {"name": opened.sheet.name, "rows": opened.sheet.rows, "columns": opened.sheet.columns, "cells": cells}


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
    from fin_tui.sheets.audit import audit as run
    from fin_tui.sheets.audit import report as markdown
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
