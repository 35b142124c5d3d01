"""What ``fin-tui sheet`` prints: a grid, one cell with its proof, CSV and JSON."""

from __future__ import annotations

import contextlib
import csv
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fin_tui.cli.output import dumps, shown, wide_console
from fin_tui.plural import count

if TYPE_CHECKING:
    from fin_tui.records import Sheet, SheetCell, SheetColumn, SheetRow
    from fin_tui.sheets.filling import OpenSheet
    from fin_tui.store.sheets import CellKey

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

    from fin_tui.sheets.view import number_text, ranks, scale_of, summary

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
    sums = {column.key: summary(of[column.key]) for column in columns}
    for title in ("total", "average", "median"):
        values = [(getattr(sums[c.key], title) if sums[c.key] else None, scales[c.key]) for c in columns]
        if any(value is not None for value, _ in values):
            texts = ["" if value is None else f"{number_text(value, scale)}  " for value, scale in values]
            table.add_row(Text(title, style="dim"), *(Text(text, style="dim") for text in texts))
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


def sheet_json(opened: OpenSheet) -> dict[str, Any]:
    """Rows, columns and cells; each cell with the state that is shown, and its proof."""
    from fin_tui.sheets.view import shown_state

    cells = []
    for key in _keys(opened):
        cell = opened.cells.get(key)
        cells.append({"row": key[0], "column": key[1], "shown": shown_state(cell, opened.prints.get(key)), "cell": cell})
    return {"name": opened.sheet.name, "rows": opened.sheet.rows, "columns": opened.sheet.columns, "cells": cells}
