"""Workbooks: what is in them, what LibreOffice makes of them, and that no text of a filing becomes a formula."""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from fin_tui.engine.services import Services
from fin_tui.records import Citation, Sentence
from fin_tui.sheets.filling import open_sheet
from fin_tui.sheets.view import Book, BookCell, BookGrid, safe_title
from fin_tui.sheets.workbook import SavedAnswer, answers_book, sheet_book
from fin_tui.sheets.xlsx import safe_link, save, to_bytes
from tests.unit.sheets import test_filling as running

COLUMNS = (
    *running.COLUMNS,
    "return on assets",
    "net debt / EBITDA",
    "days sales outstanding",
    "EPS x 2 = 2 * [diluted EPS]",
    "diluted EPS",
)


@pytest.fixture
def book(services: Services, tmp_path: Path) -> Path:
    running.make(services, columns=COLUMNS)
    running.run(services)
    opened = open_sheet(services, "s")
    save(sheet_book(opened.sheet, opened.cells, opened.prints), tmp_path / "s.xlsx")
    return tmp_path / "s.xlsx"


def test_inputs_are_blue_linked_and_noted_and_the_rest_formulas(book: Path) -> None:
    workbook = openpyxl.load_workbook(book)
    assert workbook.sheetnames == ["s", "Derivations", "Sources"]
    inputs = formulas = 0
    for sheet in (workbook["s"], workbook["Derivations"]):
        for cell in (cell for row in sheet.iter_rows() for cell in row if cell.value is not None):
            if isinstance(cell.value, (int, float)) and cell.column_letter != "J":
                assert cell.font.color.rgb == "000000FF"
                assert cell.hyperlink is not None
                assert "as printed" in cell.comment.text
                inputs += 1
            elif cell.data_type == "f":
                assert not any(token.isdigit() and token not in "01" for token in numbers_of(cell.value)), cell.value
                formulas += 1
    assert inputs > 15
    assert formulas > 20
    assert "col_revenue" in workbook.defined_names
    assert "row_EXM_FY2023" in workbook.defined_names


def numbers_of(formula: str) -> list[str]:
    from openpyxl.formula import Tokenizer

    return [token.value for token in Tokenizer(formula).items if token.type == "OPERAND" and token.subtype == "NUMBER"]


def test_libreoffice_computes_what_we_compute(book: Path, services: Services, tmp_path: Path) -> None:
    program = shutil.which("soffice")
    if program is None:
        pytest.skip("LibreOffice is not installed: soffice recalculates the workbook")
    done = recalculated(program, book, tmp_path)
    opened = open_sheet(services, "s")
    compared = 0
    for line, row in enumerate(opened.sheet.rows, start=5):
        for at, column in enumerate(opened.sheet.columns, start=3):
            cell = opened.cells[row.key, column.key]
            if cell.value is not None:
                value = cell.value / 100 if cell.unit == "%" else cell.value
                assert done["s"].cell(line, at).value == pytest.approx(value, abs=0.005), (row.label, column.name)
                compared += 1
    assert compared >= 30


def recalculated(program: str, book: Path, folder: Path) -> Any:
    command = [program, f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", "xlsx", "--outdir"]
    subprocess.run([*command, str(folder / "out"), str(book)], check=True, capture_output=True, timeout=120)
    return openpyxl.load_workbook(folder / "out" / book.name, data_only=True)


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", "\t=1", '=HYPERLINK("http://x")', "%0A=1"]
)
def test_text_never_becomes_a_formula(text: str) -> None:
    citation = Citation(1, "c", "f", text, text, None, None, text, 2023, None, None, text, 1, None, text, 0, 5, None, text)
    told = SavedAnswer(text, (Sentence(text, (1,), "grounded"),), citations=(citation,), note=text)
    workbook = openpyxl.load_workbook(io.BytesIO(to_bytes(answers_book(text, [told]))))
    cells = [cell for sheet in workbook for row in sheet.iter_rows() for cell in row]
    found = [cell for cell in cells if isinstance(cell.value, str) and cell.value.lstrip("'").strip() == text.strip()]
    assert len(found) >= 4
    assert all(cell.data_type != "f" for cell in cells)
    assert all(cell.quotePrefix for cell in found)


def test_links_that_run_something_are_left_out() -> None:
    assert safe_link("https://www.sec.gov/x") == "https://www.sec.gov/x"
    assert safe_link("#'a'!A1") == "#'a'!A1"
    assert safe_link("aapl.htm") == "aapl.htm"
    for bad in (
        "javascript:alert(1)",
        "file:///etc/passwd",
        "\\\\host\\share",
        "../../x.exe",
        "/etc/passwd",
        "https:x",
        "vbscript:x",
    ):
        assert safe_link(bad) == ""


def test_control_characters_do_not_break_the_file() -> None:
    grid = BookGrid("x")
    grid.put(1, 1, BookCell("a\x00b\x1b[31m" + "y" * 40_000, note="n\x07ote"))
    workbook = openpyxl.load_workbook(io.BytesIO(to_bytes(Book([grid]))))
    assert workbook["x"]["A1"].value.startswith("ab[31my")


def test_titles_fit_and_differ() -> None:
    taken: set[str] = set()
    assert safe_title("a/b:c?", taken) == "a b c"
    assert safe_title("x" * 40, taken) != safe_title("x" * 40, taken)
    assert safe_title("", taken) == "Sheet"
