"""The one owner of openpyxl: workbooks written from our own types. What is text stays text, whatever it begins with."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fin_tui.errors import FinTuiError
from fin_tui.filings.cleaning import clean, printable
from fin_tui.sheets.book import Book, BookCell, BookGrid, Formula

_LONGEST_TEXT = 32_000
"""A cell takes 32,767 characters."""
_LONGEST_NOTE = 1_500
_LONGEST_LINK = 2_000
_RISKY = ("=", "+", "-", "@", "\t", "\r", "|", "%")
_BLUE, _GREY, _AMBER, _LINE, _HEAD = "0000FF", "808080", "9C5700", "BFBFBF", "F2F2F2"


def save(book: Book, path: Path) -> None:
    """Write ``book`` to ``path``, over what is there. Raises ``FinTuiError`` when the file can't be written."""
    raw = to_bytes(book)
    try:
        path.write_bytes(raw)
    except OSError as error:
        raise FinTuiError(f"{path} can't be written: {error.strerror}.", "Name another file with -o.") from error


def to_bytes(book: Book) -> bytes:
    """``book`` as the bytes of an .xlsx file."""
    from openpyxl import Workbook
    from openpyxl.workbook.defined_name import DefinedName

    workbook = Workbook()
    workbook.remove(workbook.active)
    workbook.calculation.fullCalcOnLoad = True
    looks = _Looks()
    for grid in book.grids:
        _write_grid(workbook.create_sheet(grid.title), grid, looks)
    for name, reference in book.names.items():
        workbook.defined_names[name] = DefinedName(name, attr_text=reference)
    out = io.BytesIO()
    workbook.save(out)
    return out.getvalue()


class _Looks:
    """Fonts, fills and borders, made once for all cells."""

    def __init__(self) -> None:
        from openpyxl.styles import Alignment, Border, Font, PatternFill, Side

        plain = {"name": "Calibri", "size": 11}
        self.fonts = {
            "title": Font(name="Calibri", size=14, bold=True),
            "head": Font(bold=True, **plain),
            "label": Font(**plain),
            "input": Font(color=_BLUE, **plain),
            "formula": Font(color="000000", **plain),
            "text": Font(**plain),
            "muted": Font(color=_GREY, italic=True, **plain),
            "warning": Font(color=_AMBER, **plain),
            "link": Font(color=_BLUE, underline="single", **plain),
        }
        self.head_fill = PatternFill("solid", start_color=_HEAD)
        self.head_border = Border(bottom=Side(style="thin", color=_LINE))
        self.wrapped = Alignment(wrap_text=True, vertical="top")
        self.centred = Alignment(wrap_text=True, vertical="bottom", horizontal="center")


def _write_grid(sheet: Any, grid: BookGrid, looks: _Looks) -> None:
    from openpyxl.utils import get_column_letter

    for (row, column), cell in grid.cells.items():
        _write_cell(sheet.cell(row=row, column=column), cell, looks)
    for column, width in grid.widths.items():
        sheet.column_dimensions[get_column_letter(column)].width = width
    if grid.freeze is not None:
        sheet.freeze_panes = sheet.cell(row=grid.freeze[0], column=grid.freeze[1])
    sheet.sheet_view.showGridLines = False


def _write_cell(target: Any, cell: BookCell, looks: _Looks) -> None:
    from openpyxl.comments import Comment

    if isinstance(cell.value, Formula):
        target.value = cell.value.text
    elif isinstance(cell.value, str):
        text = printable(cell.value)[:_LONGEST_TEXT]
        target.value = text
        target.data_type = "s"  # A text that begins with "=" would be stored as a formula.
        target.quotePrefix = text.startswith(_RISKY)
    else:
        target.value = cell.value
    if cell.link and (link := safe_link(cell.link)):
        if link.startswith("#"):
            from openpyxl.worksheet.hyperlink import Hyperlink

            target.hyperlink = Hyperlink(ref=target.coordinate, location=link[1:])
        else:
            target.hyperlink = link
    target.font = looks.fonts[cell.role]
    if cell.role == "head":
        target.fill, target.border, target.alignment = looks.head_fill, looks.head_border, looks.centred
    elif cell.wrap:
        target.alignment = looks.wrapped
    if cell.number_format:
        target.number_format = cell.number_format
    if cell.note:
        comment = Comment("\n".join(clean(line) for line in cell.note.splitlines())[:_LONGEST_NOTE], "fin-tui")
        comment.width, comment.height = 420, 160
        target.comment = comment


def safe_link(link: str) -> str:
    """``link`` when it is a web address, a place in the workbook or a file beside it; "" for anything that a click would run."""
    link = clean(link)[:_LONGEST_LINK]
    if link.startswith("#"):
        return link
    parts = urlsplit(link)
    if parts.scheme in ("http", "https"):
        return link if parts.netloc else ""
    is_beside = not parts.scheme and not parts.netloc and not link.startswith(("/", "\\")) and ".." not in link
    return link if is_beside else ""
