"""Cells of a sheet as lines and pictures (pure)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from fin_tui.engine.figures.shown import Figures
from fin_tui.language import count
from fin_tui.sheets.view import (
    WORDS,
    Shown,
    column_cells,
    printed,
    ranks,
    scale_of,
    shown_state,
    sorted_rows,
    sum_text,
    summary,
)
from fin_tui.ui.plotting import Chart, chart_of
from fin_tui.ui.text import one_line, shorten

if TYPE_CHECKING:
    from fin_tui.records import SheetCell, SheetColumn, SheetRow, TableRecord
    from fin_tui.sheets.filling import OpenSheet

_STYLES = {"restated": "bold", "several": "italic", "stale": "dim", "running": "dim"}
_WIDEST = 40
_ASKED = 48
SUMS = ("total", "average", "median")


class SheetView:
    """A sheet as the screen shows it: its order, its scales, what is running."""

    def __init__(self, opened: OpenSheet) -> None:
        self.opened = opened
        self.cells = dict(opened.cells)
        self.rows: list[SheetRow] = list(opened.sheet.rows)
        self.columns = [column for column in opened.sheet.columns if not column.is_hidden]
        self.running: set[tuple[str, str]] = set()
        self.with_ranks = False
        self._sorted: tuple[str, bool] | None = None
        self._ranked: dict[str, dict[str, int]] = {}
        self.scale_all()

    def reopened(self, opened: OpenSheet) -> SheetView:
        """The sheet as it is stored now, shown as this one is; in its order where the column of it is still shown."""
        view = SheetView(opened)
        view.with_ranks = self.with_ranks
        if self._sorted is not None and self._sorted[0] in view._scales:
            view._order(self._sorted)
        return view

    def scale_all(self) -> None:
        """Choose every column's scale anew."""
        self._scales = {c.key: scale_of(c, column_cells(self.opened.sheet, c, self.cells)) for c in self.columns}

    def put(self, cells: Sequence[SheetCell]) -> bool:
        """Take filled cells in; whether a column's scale is another one now."""
        for cell in cells:
            self.cells[cell.row, cell.column] = cell
            self.running.discard((cell.row, cell.column))
        self._ranked.clear()
        before = self._scales
        self.scale_all()
        return before != self._scales

    def sort(self, column: str) -> None:
        """By the numbers of a column, highest first; the same column again lowest first, then as the rows were."""
        self._order(None if self._sorted == (column, False) else (column, self._sorted != (column, True)))

    def _order(self, by: tuple[str, bool] | None) -> None:
        """By a column, highest first or not; None for the order of the rows themselves."""
        self._sorted = by
        sheet = self.opened.sheet
        self.rows = list(sorted_rows(sheet, by[0], self.cells, down=by[1]) if by else sheet.rows)

    def head(self, column: SheetColumn) -> Text:
        """A column's name with its unit."""
        unit = self._scales[column.key].head
        arrow = {None: "", True: " ↓", False: " ↑"}[self._sorted[1] if self._sorted and self._sorted[0] == column.key else None]
        return Text(shorten(one_line(column.name), _WIDEST) + (f"\n{unit}" if unit else "\n") + arrow)

    def state(self, row: str, column: str) -> Shown:
        key = (row, column)
        return shown_state(self.cells.get(key), self.opened.prints.get(key), is_running=key in self.running)

    def text(self, row: SheetRow, column: SheetColumn) -> Text:
        """A cell: its value with the glyph of its state; without a value the word."""
        state = self.state(row.key, column.key)
        glyph, word = WORDS[state]
        cell = self.cells.get((row.key, column.key))
        side = "left" if column.kind == "question" else "right"
        if cell is None or not cell.line:
            return Text(f"{word} {glyph}", style="dim", justify=side)  # type: ignore[arg-type]
        said = one_line(printed(cell, self._scales[column.key]))
        place = f" #{self._ranks(column.key)[row.key]}" if self.with_ranks and cell.value is not None else ""
        changed = " *" if cell.before else ""
        text = f"{shorten(said, _ASKED)}{place}{changed} {glyph}"
        return Text(text, style=_STYLES.get(state, ""), justify=side)  # type: ignore[arg-type]

    def _ranks(self, column: str) -> dict[str, int]:
        if column not in self._ranked:
            self._ranked[column] = ranks(self.rows, column, self.cells)
        return self._ranked[column]

    def sums(self) -> Iterator[tuple[str, list[Text]]]:
        """Total, average and median of every column that has numbers."""
        sheet = self.opened.sheet
        found = {c.key: summary(sheet, c, self.cells) for c in self.columns}
        for name in SUMS:
            texts = [sum_text(name, found[c.key], self._scales[c.key], len(sheet.rows)) for c in self.columns]
            if any(texts):
                yield name, [Text(f"{text}  " if text else "", style="dim", justify="right") for text in texts]

    def title(self) -> str:
        """Name, size, and how far it is filled."""
        sheet = self.opened.sheet
        states = [self.state(row.key, column.key) for row in sheet.rows for column in sheet.columns]
        told = [one_line(sheet.name), f"{count(len(sheet.rows), 'row')}, {count(len(sheet.columns), 'column')}"]
        for state in ("running", "stale", "empty"):
            number = states.count(state)
            if number:
                told.append(f"{number} {WORDS[state][1]}")
        return " · ".join(told)

    def line(self, row: SheetRow, column: SheetColumn) -> str:
        """All of a cell in one line, its state in a word."""
        glyph, word = WORDS[self.state(row.key, column.key)]
        cell = self.cells.get((row.key, column.key))
        said = [f"{glyph} {word}", row.label, column.name]
        if cell is not None:
            said += [cell.line, cell.note, f"before: {cell.before}" if cell.before else ""]
        return one_line(" · ".join(filter(None, said)))

    def chart_of_column(self, column: SheetColumn) -> Chart | None:
        """Its numbers along the years of each company, or row beside row."""
        years = sorted({row.year for row in self.rows})
        by_company: dict[str, list[SheetRow]] = {}
        for row in self.rows:
            by_company.setdefault(row.company, []).append(row)
        along = len(years) > 1 and any(len(rows) > 1 for rows in by_company.values())
        if along:
            names = {key: rows[0].label.rpartition(" FY")[0] for key, rows in by_company.items()}
            held = {(row.company, row.year): self.cells.get((row.key, column.key)) for row in self.rows}
            rows = [(names[key], [held.get((key, year)) for year in years]) for key in by_company]
            return _chart([f"FY{year}" for year in years], rows)
        return _chart([column.name], [(row.label, [self.cells.get((row.key, column.key))]) for row in self.rows])

    def chart_of_row(self, row: SheetRow, column: SheetColumn) -> Chart | None:
        """The numbers of a row that have the unit of that in ``column``, column beside column."""
        chosen = self.cells.get((row.key, column.key))
        cells = [(one.name, self.cells.get((row.key, one.key))) for one in self.columns]
        held = [(name, cell) for name, cell in cells if cell is not None and chosen is not None and cell.unit == chosen.unit]
        return _chart([row.label], [(name, [cell]) for name, cell in held])


def _chart(columns: Sequence[str], rows: Sequence[tuple[str, Sequence[SheetCell | None]]]) -> Chart | None:
    table: TableRecord = {
        "columns": list(columns),
        "rows": [
            {"label": name, "cells": [{"value": c.value if c else None, "unit": c.unit if c else None} for c in cells]}
            for name, cells in rows
        ],
    }
    return chart_of(Figures((), None, table), ())
