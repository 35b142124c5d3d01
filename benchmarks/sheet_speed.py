"""A sheet of everyday figures over many filings, filled without a language model: how long until the first screen and all cells?

    python -m benchmarks.sheet_speed [--home DIR] [--filings 50] [--cells FILE] [--json]

The library is a copy of the home's, so that nothing is filled from before. Indexes and weights are loaded first, as the app does
while it starts; no filing has been read. ``--cells`` writes every cell as JSON, to compare two versions.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.command import parser, show
from fin_tui.config import Settings
from fin_tui.engine.services import Services, open_services
from fin_tui.paths import Paths, find_home
from fin_tui.records import Sheet, SheetCell
from fin_tui.sheets import new_sheet, read_columns, read_rows
from fin_tui.sheets.filling import open_run, stale
from fin_tui.store import codec
from fin_tui.store.kept import CellKey

FIGURES = (
    "revenue", "cost of revenue", "gross profit", "operating income", "net income", "diluted EPS", "total assets",
    "total liabilities", "shareholders' equity", "cash and cash equivalents", "long-term debt", "operating cash flow", "capex",
    "free cash flow", "R&D", "gross margin", "operating margin", "net debt / EBITDA", "effective tax rate", "return on equity",
)  # fmt: skip
ROWS, COLUMNS = 18, 4
"""What a terminal of 80 by 24 shows of a sheet."""


def measured(home: Path | None, filings: int, cells_to: Path | None) -> Mapping[str, Any]:
    """Seconds until the first screens and the whole sheet are filled."""
    paths = find_home(home)
    with tempfile.TemporaryDirectory(prefix="sheet-speed-") as folder:
        copied = Paths(Path(folder))
        shutil.copytree(paths.home, copied.home, dirs_exist_ok=True)
        with open_services(copied, Settings(), with_model=False) as services:
            held = read_rows(["all"], services.corpus.filings())
            sheet = new_sheet("speed", held[:filings], read_columns(FIGURES))
            services.library.sheets.add(sheet)
            loading = Seconds()
            for _ in services.warm_up():
                pass
            figures = {"loading": str(loading)}
            filled, cells = _fill(services, sheet)
    if cells_to is not None:
        cells_to.write_text(json.dumps([_as_json(cell) for cell in cells.values()], indent=1))
    return {**figures, **filled}


def _fill(services: Services, sheet: Sheet) -> tuple[dict[str, Any], Mapping[CellKey, SheetCell]]:
    work, opened = open_run(services, sheet.name)
    shown = {(row.key, column.key) for row in sheet.rows[:ROWS] for column in sheet.columns[:COLUMNS]}
    wanted = stale(sheet, opened.cells, opened.prints)
    first = [key for key in wanted if key in shown]
    waiting, seen = set(first), Seconds()
    screenful = ""
    for cell in work.fill(wanted, first=lambda: first):
        waiting.discard((cell.row, cell.column))
        screenful = screenful or ("" if waiting else str(seen))
    states = Counter(cell.state for cell in work.cells.values())
    return {
        "cells": f"{len(work.cells)}: {', '.join(f'{state} {number}' for state, number in states.most_common())}",
        "first screen": screenful,
        "all": str(seen),
    }, dict(work.cells)


class Seconds:
    """Wall and processor seconds since it was made."""

    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), time.process_time()

    def __str__(self) -> str:
        return f"{time.perf_counter() - self._wall:.1f} s, {time.process_time() - self._processor:.1f} s of processor"


def _as_json(cell: SheetCell) -> Mapping[str, Any]:
    return {**json.loads(codec.to_json(cell)), "fingerprint": ""}


def main() -> None:
    """Measure, and check where it is asked for."""
    options = parser(__doc__)
    options.add_argument("--filings", type=int, default=50)
    options.add_argument("--cells", type=Path)
    given = options.parse_args()
    show(measured(given.home, given.filings, given.cells), as_json=given.json)


if __name__ == "__main__":
    main()
