"""The one owner of openpyxl: workbooks written from our own types, a user's read into them, and copies with marks.

What is text stays text, whatever it begins with. What is read is a stranger's file: it is looked at before it is opened,
nothing in it is run, and no link is followed.
"""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from textwrap import wrap
from typing import Any
from urllib.parse import urlsplit

from fin_tui.errors import FinTuiError, NotFound
from fin_tui.language import clean, printable
from fin_tui.sheets.view import Book, BookCell, BookGrid, Formula, Mark, ReadCell, ReadSheet, Token, TokenKind

_LONGEST_TEXT = 32_000
"""A cell takes 32,767 characters."""
_LONGEST_NOTE = 1_500
_WORDS = ("text", "muted")
_LINE_HEIGHT = 15
"""Points of a line of text."""
_MOST_LINES = 8
"""Of a row: what does not fit is read in the cell."""
_LONGEST_LINK = 2_000
MOST_BYTES = 30_000_000
"""Of a workbook as a file."""
MOST_UNPACKED = 300_000_000
"""Of its parts together."""
MOST_CELLS = 200_000
_MOST_TAGS = 6_000_000
"""In all parts: several times those of so many cells with formulas."""
_MOST_SHEETS = 200
_PIECE = 1 << 20
_ENCODING = re.compile(rb"""\s*(?:\xef\xbb\xbf)?<\?xml[^>]*?\bencoding\s*=\s*["']([^"']*)""")
_WRITTEN = re.compile(rb"<(?:[\w.-]+:)?(?:c|row)[\s/>]")
_MERGED = re.compile(rb"<(?:[\w.-]+:)?mergeCell\s[^>]*?\bref\s*=\s*[\"']([^\"']*)")
_OLE = bytes.fromhex("d0cf11e0a1b11ae1")
"""How encrypted workbooks and those of before 2007 begin."""
_LIMITS = f"At most {MOST_BYTES // 1_000_000} MB, {MOST_CELLS:,} cells and {_MOST_SHEETS} sheets are read."
_FILLS: Mapping[Mark, str] = {"supported": "C6EFCE", "contradicted": "FFC7CE", "unknown": "FFEB9C", "check": "FCE4D6"}
_KINDS: Mapping[str, TokenKind] = {"SEP": "separator", "WHITE-SPACE": "space"}
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
            "total": Font(bold=True, **plain),
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
        self.words = Alignment(horizontal="left", indent=1)
        """Words keep off the number that ends before them."""
        self.wrapped_words = Alignment(wrap_text=True, horizontal="left", vertical="top", indent=1)
        self.top = Alignment(vertical="top")
        self.right_at_top = Alignment(horizontal="right", vertical="top")
        self.right = Alignment(horizontal="right")
        self.centred = Alignment(wrap_text=True, vertical="bottom", horizontal="center")

    def at_top(self, cell: BookCell) -> Any:
        """The alignment in a row of several lines: all begin at its top."""
        if cell.wrap:
            return self.wrapped_words if cell.role in _WORDS else self.wrapped
        return self.right_at_top if cell.is_right else self.top


def _write_grid(sheet: Any, grid: BookGrid, looks: _Looks) -> None:
    from openpyxl.utils import get_column_letter

    for (row, column), cell in grid.cells.items():
        _write_cell(sheet.cell(row=row, column=column), cell, looks)
    for column, width in grid.widths.items():
        sheet.column_dimensions[get_column_letter(column)].width = width
    tall = _heights(grid)
    for row, lines in tall.items():
        sheet.row_dimensions[row].height = lines * _LINE_HEIGHT
    for (row, column), cell in grid.cells.items():
        if row in tall and cell.role != "head":
            sheet.cell(row, column).alignment = looks.at_top(cell)
    if grid.freeze is not None:
        sheet.freeze_panes = sheet.cell(row=grid.freeze[0], column=grid.freeze[1])
    sheet.sheet_view.showGridLines = False
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToHeight = 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True


def _heights(grid: BookGrid) -> dict[int, int]:
    """Row -> lines of its longest wrapped text, for rows of more than one: not every program finds that out by itself."""
    found: dict[int, int] = {}
    for (row, column), cell in grid.cells.items():
        if isinstance(cell.value, str) and column in grid.widths and (cell.wrap or cell.role == "head"):
            width = max(int(grid.widths[column]) - 2, 1)  # Bold letters are a little wider.
            lines = sum(len(wrap(line, width)) or 1 for line in cell.value[:_LONGEST_TEXT].split("\n"))
            if lines > 1:
                found[row] = max(found.get(row, 1), min(lines, _MOST_LINES))
    return found


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
        target.alignment = looks.wrapped_words if cell.role in _WORDS else looks.wrapped
    elif cell.is_right:
        target.alignment = looks.right
    elif cell.role in _WORDS and target.column > 1:
        target.alignment = looks.words
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


def read_book(path: Path) -> tuple[ReadSheet, ...]:
    """The sheets of a user's .xlsx or .xlsm. Raises ``FinTuiError`` for what is missing, broken, encrypted or huge."""
    raw = _checked(path)
    plain = _load(raw, path, data_only=False)
    has_formulas = any(cell.data_type == "f" for sheet in plain.worksheets for cell in _cells_of(sheet))
    results = _load(raw, path, data_only=True) if has_formulas else plain
    return tuple(_read_sheet(sheet, results[sheet.title]) for sheet in plain.worksheets)


def mark_copy(path: Path, target: Path, marks: Mapping[tuple[str, str], tuple[Mark, str]]) -> None:
    """Write a copy of a workbook with coloured cells and notes: (sheet, address) -> mark and note. The original is not touched.

    Charts and pictures are not kept in the copy; a macro is kept as it is, and never run. Raises ``FinTuiError``.
    """
    from openpyxl.comments import Comment
    from openpyxl.styles import PatternFill

    if target.exists() and target.samefile(path):
        raise FinTuiError(f"{target} is the workbook itself, which is never changed.", "Name another file for the copy.")
    workbook = _load(_checked(path), path, data_only=False, keep_vba=path.suffix.lower() == ".xlsm")
    for (title, place), (mark, note) in marks.items():
        cell = workbook[title][place]
        cell.fill = PatternFill("solid", start_color=_FILLS[mark])
        if note:
            before = f"{cell.comment.text}\n\n" if cell.comment is not None else ""
            text = f"{before}fin-tui, {mark}: {clean(note)}"[:_LONGEST_NOTE]
            cell.comment = Comment(text, "fin-tui", width=360, height=140)
    for sheet in workbook.worksheets:
        for cell in _cells_of(sheet):
            if cell.hyperlink is not None and cell.hyperlink.target and not safe_link(cell.hyperlink.target):
                cell.hyperlink = None
    try:
        workbook.save(target)
    except OSError as error:
        raise FinTuiError(f"{target} can't be written: {error.strerror}.", "Name another file for the copy.") from error


@lru_cache(maxsize=20_000)
def tokens_of(formula: str) -> tuple[Token, ...]:
    """The pieces of a formula; none where it can't be read."""
    from openpyxl.formula import Tokenizer
    from openpyxl.formula.tokenizer import TokenizerError

    try:
        items = Tokenizer(formula).items
    except (TokenizerError, IndexError):
        return ()
    return tuple(Token(_kind(item), item.value) for item in items)


def _kind(item: Any) -> TokenKind:
    if item.type == "OPERAND":
        return {"NUMBER": "number", "RANGE": "range"}.get(item.subtype, "text")  # type: ignore[return-value]
    if item.type in ("FUNC", "PAREN", "ARRAY"):
        return "open" if item.subtype == "OPEN" else "close"
    return "operator" if item.type.startswith("OPERATOR") else _KINDS.get(item.type, "other")


def _checked(path: Path) -> bytes:
    """The bytes of a workbook that may be opened: neither huge nor huge once unpacked, and without entities of its own."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise FinTuiError(f"{path.name} is too large: {path.stat().st_size / 1e6:,.0f} MB.", _LIMITS)
        raw = path.read_bytes()
    except FileNotFoundError as error:
        raise NotFound(f"There is no file {path}.", "fin-tui audit model.xlsx") from error
    except OSError as error:
        raise FinTuiError(f"{path} can't be read: {error.strerror}.") from error
    if raw.startswith(_OLE):
        raise FinTuiError(f"{path.name} is encrypted, or a workbook of before 2007.", "Save it as .xlsx without a password.")
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as parts:
            _check_parts(parts, path)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise FinTuiError(f"{path.name} is no workbook, or it is broken: {error}.", "Save it again as .xlsx.") from error
    return raw


def _check_parts(parts: zipfile.ZipFile, path: Path) -> None:
    names = [entry.filename for entry in parts.infolist()]
    if any(name.endswith("workbook.bin") for name in names):
        raise FinTuiError(f"{path.name} is a binary workbook.", "Save it as .xlsx.")
    if "[Content_Types].xml" not in names or not any(name.startswith("xl/worksheets/") for name in names):
        raise FinTuiError(f"{path.name} is no workbook.", "fin-tui audit reads .xlsx and .xlsm.")
    if sum(name.startswith("xl/worksheets/") and name.endswith(".xml") for name in names) > _MOST_SHEETS:
        raise FinTuiError(f"{path.name} has more than {_MOST_SHEETS} sheets.", _LIMITS)
    # What an entry says of its size may be a lie: what counts is what comes out of it.
    unpacked = cells = tags = 0
    for entry in parts.infolist():
        is_sheet = entry.filename.startswith("xl/worksheets/")
        is_xml = entry.filename.endswith((".xml", ".rels", ".vml"))
        begun = b""
        for piece in _pieces(parts, entry):
            unpacked += len(piece)
            xml, begun = _whole_tags(begun + piece) if is_sheet or is_xml else (b"", b"")
            cells += _cells_in(xml) if is_sheet else 0
            tags += xml.count(b"<")
            if unpacked > MOST_UNPACKED or cells > MOST_CELLS or tags > _MOST_TAGS:
                what = "has too many cells" if cells > MOST_CELLS else "unpacks to too much"
                raise FinTuiError(f"{path.name} {what}.", _LIMITS)
            if b"<!DOCTYPE" in xml or b"<!ENTITY" in xml:
                raise FinTuiError(f"{path.name} defines entities of its own, which no workbook needs.", "It is not opened.")
            if len(begun) > _PIECE or b"\0" in xml or (xml and _is_other_encoding(xml)):
                raise FinTuiError(f"{path.name} has a part that no spreadsheet writes.", "Save it again as .xlsx.")


def _whole_tags(xml: bytes) -> tuple[bytes, bytes]:
    """What ends with a whole tag or text, and the tag begun behind it."""
    at = xml.rfind(b"<")
    return (xml, b"") if at < 0 or b">" in xml[at:] else (xml[:at], xml[at:])


def _is_other_encoding(xml: bytes) -> bool:
    """Whether tags may be written in other bytes than those that are looked for."""
    declared = _ENCODING.match(xml)
    return declared is not None and declared[1].lower() not in (b"utf-8", b"us-ascii", b"iso-8859-1", b"windows-1252")


def _cells_in(xml: bytes) -> int:
    """How many cells a piece of a sheet makes: those written there, rows, and the places of merged areas."""
    return len(_WRITTEN.findall(xml)) + sum(_area(match[1].decode("ascii", "replace")) for match in _MERGED.finditer(xml))


def _area(reference: str) -> int:
    from openpyxl.utils import range_boundaries

    try:
        left, top, right, bottom = (int(place or 0) for place in range_boundaries(reference))
    except ValueError:
        return MOST_CELLS + 1  # No reference: nothing that a spreadsheet writes.
    return max(right - left + 1, 1) * max(bottom - top + 1, 1)


def _pieces(parts: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    with parts.open(entry) as stream:
        while piece := stream.read(_PIECE):
            yield piece


def _load(raw: bytes, path: Path, *, data_only: bool, keep_vba: bool = False) -> Any:
    import warnings

    from openpyxl import load_workbook

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # What openpyxl does not keep is told in the documentation.
            return load_workbook(io.BytesIO(raw), data_only=data_only, keep_links=False, keep_vba=keep_vba)
    except Exception as error:  # A damaged part raises whatever its reader meets; the file is the user's, and is named.
        raise FinTuiError(
            f"{path.name} can't be read: {clean(str(error))[:200]}.", "Open it in a spreadsheet and save it."
        ) from error


def _cells_of(sheet: Any) -> list[Any]:
    """The cells that are there, row by row. Walking the rows would make a cell for every place up to the last one: a sheet with
    a number in its last corner has seventeen billion.
    """
    return [sheet._cells[place] for place in sorted(sheet._cells)]


def _read_sheet(sheet: Any, results: Any) -> ReadSheet:
    cells: dict[tuple[int, int], ReadCell] = {}
    for cell in _cells_of(sheet):
        if cell.value is None:
            continue
        formula = _formula_text(cell.value) if cell.data_type == "f" else ""
        value = results.cell(cell.row, cell.column).value if formula else cell.value
        cells[cell.row, cell.column] = ReadCell(
            cell.row, cell.column, _plain(value), formula, str(cell.number_format or ""), cell.is_date and not formula
        )  # fmt: skip
    return ReadSheet(sheet.title, cells, sheet.sheet_state != "visible")


def _formula_text(value: Any) -> str:
    text = value if isinstance(value, str) else str(getattr(value, "text", "") or "")
    return text if text.startswith("=") else f"={text}"


def _plain(value: Any) -> float | str | None:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, (dt.datetime, dt.date)):
        return value.isoformat()[:10]
    return clean(value) if isinstance(value, str) else None
