"""A sheet is filled cell by cell: what is stale first found, then made, stored as it comes, and marked where it changed."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from fin_tui.records import Filing, Sheet, SheetCell, SheetColumn, SheetRow
from fin_tui.sheets.filling import Filler
from fin_tui.sheets.formulas import compute
from fin_tui.store.sheets import CellKey, Sheets
from fin_tui.version import __version__

TRIAL_ROWS = 3
"""Rows on which a new column is tried."""
_STORE_EVERY = 0.5
"""Seconds between two transactions: one for each cell would wait for the disk each time."""


def fingerprints(sheet: Sheet, filings: Sequence[Filing], versions: Mapping[str, str]) -> dict[CellKey, str]:
    """What makes each cell of the figure and question columns: its column and row, the program, and the filings of the company
    with their versions (``versions``: filing id -> version). Another filing of a company makes its own rows stale and no others.
    """
    of_company: dict[str, list[str]] = {}
    for filing in filings:
        of_company.setdefault(filing.company_key, []).append(f"{filing.id}={versions.get(filing.id, '')}")
    prints: dict[CellKey, str] = {}
    for row in sheet.rows:
        held = sorted(one for one in of_company.get(row.company, ()) if not row.filing or one.startswith(f"{row.filing}="))
        for column in sheet.columns:
            if column.kind != "formula":
                said = "\n".join((__version__, column.kind, column.text, row.key, *held))
                prints[row.key, column.key] = hashlib.sha256(said.encode()).hexdigest()[:16]
    return prints


def stale(sheet: Sheet, cells: Mapping[CellKey, SheetCell], prints: Mapping[CellKey, str]) -> list[CellKey]:
    """The cells that were never filled, broke off, or were made by something that has changed since; row by row."""
    return [
        (row.key, column.key)
        for row in sheet.rows
        for column in sheet.columns
        if (row.key, column.key) in prints
        and (
            (cell := cells.get((row.key, column.key))) is None
            or cell.state == "failed"
            or cell.fingerprint != prints[row.key, column.key]
        )
    ]


def trial(sheet: Sheet, column: str) -> list[CellKey]:
    """The cells of a column (by key) in the first rows, to try it before all."""
    return [(row.key, column) for row in sheet.rows[:TRIAL_ROWS]]


class Run:
    """Fills cells of one stored sheet."""

    def __init__(self, sheet: Sheet, store: Sheets, filler: Filler, prints: Mapping[CellKey, str]) -> None:
        self._sheet = sheet
        self._store = store
        self._filler = filler
        self._prints = prints
        self._cells = dict(store.cells(sheet.name))

    @property
    def cells(self) -> Mapping[CellKey, SheetCell]:
        """All cells as they stand."""
        return self._cells

    def fill(
        self,
        wanted: Sequence[CellKey],
        cancelled: Callable[[], bool] = lambda: False,
        first: Callable[[], Sequence[CellKey]] = tuple,
    ) -> Iterator[SheetCell]:
        """Make the ``wanted`` cells one after another, those that ``first`` names at that moment before others, then
        every formula over them. What is made is stored also when the work is cancelled or the iteration ends early.
        """
        rows = {row.key: row for row in self._sheet.rows}
        columns = {column.key: column for column in self._sheet.columns}
        waiting = dict.fromkeys(key for key in wanted if key in self._prints)
        unstored: list[SheetCell] = []
        stored_at = time.monotonic()
        try:
            while waiting and not cancelled():
                key = next((key for key in first() if key in waiting), None) or next(iter(waiting))
                del waiting[key]
                cell = self._make(rows[key[0]], columns[key[1]], cancelled)
                if cell is None:
                    break
                unstored.append(cell)
                if time.monotonic() - stored_at > _STORE_EVERY:
                    self._store.put(self._sheet.name, unstored)
                    unstored, stored_at = [], time.monotonic()
                yield cell
            for cell in compute(self._sheet, self._cells):
                if self._cells.get((cell.row, cell.column)) != cell:
                    changed = self._marked(cell)
                    unstored.append(changed)
                    yield changed
        finally:
            if unstored:
                self._store.put(self._sheet.name, unstored)

    def _make(self, row: SheetRow, column: SheetColumn, cancelled: Callable[[], bool]) -> SheetCell | None:
        made = self._filler.fill(row, column, cancelled)
        return self._marked(replace(made, fingerprint=self._prints[row.key, column.key])) if made is not None else None

    def _marked(self, cell: SheetCell) -> SheetCell:
        """The cell with what stood there before, where that was something else."""
        known = self._cells.get((cell.row, cell.column))
        if known is not None and known.state != "failed" and known.line != cell.line:
            cell = replace(cell, before=known.line or "nothing")
        self._cells[cell.row, cell.column] = cell
        return cell
