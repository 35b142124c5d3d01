"""Sheets of a home, written as workbooks and recalculated by LibreOffice: does every formula give what we computed?

    python -m benchmarks.workbook_check SHEET... [--home DIR] [-o FOLDER] [--json]

Needs ``soffice``. Each numeric cell of a sheet is compared with what LibreOffice makes of it, to the cent, and percentages to a
hundredth; each input must have a link, and each formula hold no number but 0 and 1. The workbooks stay in FOLDER.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.command import parser, show
from fin_tui.config import Settings
from fin_tui.engine.services import open_services
from fin_tui.paths import find_home
from fin_tui.sheets.filling import OpenSheet, open_sheet
from fin_tui.sheets.workbook import sheet_book
from fin_tui.sheets.xlsx import save

_BLUE = "000000FF"
_FIRST_ROW, _FIRST_COLUMN = 5, 3


def main() -> None:
    """Write, recalculate, compare."""
    options = parser(__doc__)
    options.add_argument("sheets", nargs="+")
    options.add_argument("-o", "--output", type=Path)
    given = options.parse_args()
    program = shutil.which("soffice")
    if program is None:
        sys.exit("LibreOffice is not installed: soffice recalculates the workbooks.")
    folder = given.output or Path(tempfile.mkdtemp(prefix="workbooks-"))
    folder.mkdir(parents=True, exist_ok=True)
    counts: Counter[str] = Counter(sheets=len(given.sheets))
    lines: list[str] = []
    with open_services(find_home(given.home), Settings(), with_model=False) as services:
        opened = {f"sheet-{at}.xlsx": open_sheet(services, name) for at, name in enumerate(given.sheets, start=1)}
    for name, sheet in opened.items():
        save(sheet_book(sheet.sheet, sheet.cells, sheet.prints), folder / name)
    _recalculate(program, folder, list(opened))
    for name, sheet in opened.items():
        lines += _compared(folder, name, sheet, counts)
    if not given.json:
        print("\n".join(lines))
    show(dict(counts), as_json=given.json)


def _recalculate(program: str, folder: Path, names: Sequence[str]) -> None:
    command = [program, f"-env:UserInstallation=file://{folder.resolve()}/profile", "--headless", "--convert-to", "xlsx"]
    books = [str(folder / name) for name in names]
    subprocess.run([*command, "--outdir", str(folder / "recalculated"), *books], check=True, capture_output=True, timeout=300)


def _compared(folder: Path, name: str, opened: OpenSheet, counts: Counter[str]) -> list[str]:
    """A line for each number that differs, each input without a link, and each number within a formula."""
    from openpyxl import load_workbook

    written, done = load_workbook(folder / name), load_workbook(folder / "recalculated" / name, data_only=True)
    title = written.sheetnames[0]
    columns = [column for column in opened.sheet.columns if not column.is_hidden]
    lines = []
    for line, row in enumerate(opened.sheet.rows, start=_FIRST_ROW):
        for at, column in enumerate(columns, start=_FIRST_COLUMN):
            cell = opened.cells.get((row.key, column.key))
            if cell is None or cell.value is None:
                continue
            counts["numbers compared"] += 1
            ours, theirs = cell.value / 100 if cell.unit == "%" else cell.value, done[title].cell(line, at).value
            if not isinstance(theirs, (int, float)) or abs(theirs - ours) > (0.0001 if cell.unit == "%" else 0.005):
                counts["differ"] += 1
                lines.append(f"{name} {row.label} {column.name}: {ours} here, {theirs} in LibreOffice")
    for sheet in written.worksheets:
        lines += [f"{name} {sheet.title}!{cell.coordinate}: {why}" for cell, why in _faults(sheet, counts)]
    return lines


def _faults(sheet: Any, counts: Counter[str]) -> list[tuple[Any, str]]:
    from openpyxl.formula import Tokenizer

    found = []
    for row in sheet.iter_rows():
        for cell in row:
            is_number = isinstance(cell.value, (int, float))
            if is_number and cell.font.color is not None and cell.font.color.rgb == _BLUE:
                is_constant = sheet.title == "Derivations" and sheet.cell(1, cell.column).value == "Constants"
                counts["constants" if is_constant else "inputs"] += 1
                if cell.hyperlink is None and not is_constant:
                    counts["inputs without a link"] += 1
                    found.append((cell, "no link"))
            elif cell.data_type == "f":
                counts["formulas"] += 1
                held = [t.value for t in Tokenizer(cell.value).items if t.type == "OPERAND" and t.subtype == "NUMBER"]
                if set(held) - {"0", "1"}:
                    counts["formulas with numbers"] += 1
                    found.append((cell, cell.value))
    return found


if __name__ == "__main__":
    main()
