"""What the flow of an HTML page is made of before it becomes blocks: paragraphs, grids and page breaks. Tables of a page become
data grids; tables that only lay out text, the paragraphs in them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from fin_tui.filings.dom import Attributes
from fin_tui.filings.section_headings import ROMAN
from fin_tui.language import is_enumerator

_POINTS = {"pt": 1.0, "px": 0.75, "em": 10.0, "rem": 10.0, "in": 72.0, "cm": 28.35, "mm": 2.83, "%": 5.0, "": 0.75}
_FONT_SIZES = {"1": 7.5, "2": 10.0, "3": 12.0, "4": 13.5, "5": 18.0, "6": 24.0, "7": 36.0}
_BREAKS = ("always", "page", "left", "right", "recto", "verso")
_HEADINGS = {"h1": 18.0, "h2": 14.0, "h3": 12.0, "h4": 10.0, "h5": 10.0, "h6": 10.0}


@dataclass(frozen=True, slots=True)
class Css:
    """The declarations of one ``style`` attribute; None means not declared. Lengths are points."""

    hidden: bool = False
    inline: bool = False
    bold: bool | None = None
    italic: bool | None = None
    underline: bool | None = None
    raised: bool | None = None
    align: str = ""
    size: float | None = None
    symbol: bool | None = None
    break_before: bool = False
    break_after: bool = False
    indent: float = 0.0
    """Left padding, left margin and first-line indent together."""
    padding: float = 0.0
    """Left padding and margin alone: what sets a word apart from the one before it."""


@dataclass(frozen=True, slots=True)
class Look:
    """The inherited look of text at one place."""

    bold: bool = False
    italic: bool = False
    underline: bool = False
    raised: bool = False
    symbol: bool = False
    hidden: bool = False
    pre: bool = False
    centered: bool = False
    size: float = 10.0


PLAIN = Look()
NO_CSS = Css()


def points(value: str) -> float:
    """A CSS length in points; 0 when it isn't one."""
    number = value.rstrip("abcdefghijklmnopqrstuvwxyz%")
    try:
        return float(number) * _POINTS[value[len(number) :]]
    except (ValueError, KeyError):
        return 0.0


@lru_cache(maxsize=8192)
def parse_css(style: str) -> Css:
    """The declarations in a ``style`` attribute."""
    declarations = (part.partition(":") for part in style.lower().split(";"))
    found = {name.strip(): value.strip() for name, _, value in declarations if value}
    if not found:
        return NO_CSS
    family = found.get("font-family", "") + found.get("font", "")
    padding = _left(found, "padding") + _left(found, "margin")
    decoration = found.get("text-decoration", "") + found.get("text-decoration-line", "")
    return Css(
        hidden=found.get("display") == "none" or found.get("visibility") == "hidden",
        inline=found.get("display") in ("inline", "inline-block"),
        bold=_bold(found),
        italic=_italic(found),
        underline=("underline" in decoration) if decoration else None,
        raised=(found["vertical-align"] in ("super", "text-top") or None) if "vertical-align" in found else None,
        align=found.get("text-align", ""),
        size=_size(found),
        symbol=("wingdings" in family or "symbol" in family) if family else None,
        break_before=_breaks(found, "before"),
        break_after=_breaks(found, "after"),
        indent=padding + points(found.get("text-indent", "")),
        padding=padding,
    )


def _bold(found: dict[str, str]) -> bool | None:
    weight = found.get("font-weight")
    if weight is None:
        return True if "bold" in found.get("font", "").split() else None
    return weight.startswith("bold") or (weight.isdigit() and int(weight) >= 600)


def _italic(found: dict[str, str]) -> bool | None:
    style = found.get("font-style")
    if style is None:
        return True if "italic" in found.get("font", "").split() else None
    return style in ("italic", "oblique")


def _size(found: dict[str, str]) -> float | None:
    named = found.get("font-size")
    if named is None:
        words = found.get("font", "").replace("/", " ").split()
        named = next((word for word in words if word.endswith(("pt", "px", "em")) and points(word)), "")
    size = points(named)
    return size if 0 < size < 200 else None


def _left(found: dict[str, str], name: str) -> float:
    if f"{name}-left" in found:
        return points(found[f"{name}-left"])
    parts = found.get(name, "").split()
    if not parts:
        return 0.0
    return points(parts[3] if len(parts) == 4 else parts[1] if len(parts) > 1 else parts[0])


def _breaks(found: dict[str, str], side: str) -> bool:
    value = found.get(f"page-break-{side}") or found.get(f"break-{side}") or ""
    return value in _BREAKS


@lru_cache(maxsize=65536)
def look_of(outer: Look, tag: str, style: str, align: str, size: str, face: str) -> Look:
    """The look inside an element ``tag`` with these attributes, whose surroundings look like ``outer``."""
    css = parse_css(style) if style else NO_CSS
    look = _tag_look(outer, tag, size, face)
    alignment = css.align or align.lower()
    return replace(
        look,
        bold=look.bold if css.bold is None else css.bold,
        italic=look.italic if css.italic is None else css.italic,
        # Underlining can't be switched off from inside.
        underline=look.underline or bool(css.underline),
        raised=look.raised if css.raised is None else css.raised,
        symbol=look.symbol if css.symbol is None else css.symbol,
        hidden=look.hidden or css.hidden,
        centered=alignment == "center" if alignment else look.centered,
        size=look.size if css.size is None else css.size,
    )


def _tag_look(outer: Look, tag: str, size: str, face: str) -> Look:
    if tag in ("b", "strong", "th"):
        return replace(outer, bold=True)
    if tag in _HEADINGS:
        return replace(outer, bold=True, size=_HEADINGS[tag])
    if tag in ("i", "em"):
        return replace(outer, italic=True)
    if tag in ("u", "ins"):
        return replace(outer, underline=True)
    if tag == "sup":
        return replace(outer, raised=True)
    if tag == "pre":
        return replace(outer, pre=True)
    if tag == "center":
        return replace(outer, centered=True)
    if tag in ("td", "table"):
        return replace(outer, centered=False, raised=False)
    if tag == "font" and (size or face):
        symbol = any(name in face.lower() for name in ("wingdings", "symbol")) if face else outer.symbol
        return replace(outer, size=_FONT_SIZES.get(size.strip(), outer.size), symbol=symbol)
    return outer


def element_look(outer: Look, tag: str, attributes: Attributes) -> tuple[Look, Css]:
    """The look inside an element, and its own declarations."""
    if not attributes and tag in ("span", "div", "p", "tr", "td", "tbody"):
        return outer, NO_CSS
    style = attributes.get("style") or ""
    look = look_of(outer, tag, style, attributes.get("align") or "", attributes.get("size") or "", attributes.get("face") or "")
    if "hidden" in attributes:
        look = replace(look, hidden=True)
    return look, parse_css(style) if style else NO_CSS


BreakSource = Literal["style", "comment", "rule"]


@dataclass(frozen=True, slots=True)
class Mark:
    """Where the printed text of a tagged fact stands in its paragraph."""

    fact: int
    """Index into the tagged facts in document order."""
    start: int
    end: int


@dataclass(slots=True)
class Para:
    """One run of text between block boundaries, white space collapsed."""

    text: str
    marks: tuple[Mark, ...] = ()
    look: Look = PLAIN
    """What most of the letters look like: bold, italic and underline are set only when (nearly) all letters are."""
    indent: float = 0.0
    note: str = ""
    """The innermost text block around it: its concept, or "#" and the id of a continuation."""
    listed: bool = False
    """It stood in an ``<li>``."""
    linked: bool = False
    """All of it is a link."""
    lead: int = 0
    """How many characters at its start are bold, italic or underlined: a run-in heading."""
    page: int = 1
    label: str = ""


@dataclass(slots=True)
class GridCell:
    """A table cell with its paragraphs joined into one text."""

    row: int
    column: int
    colspan: int
    rowspan: int
    text: str
    marks: tuple[Mark, ...] = ()
    header: bool = False
    indent: int = 0
    bold: bool = False


@dataclass(slots=True)
class Grid:
    """A data table."""

    cells: list[GridCell]
    note: str = ""
    page: int = 1
    label: str = ""

    def rows(self) -> list[list[GridCell]]:
        """Non-empty cells by row, ascending by column."""
        rows: dict[int, list[GridCell]] = {}
        for cell in self.cells:
            if cell.text:
                rows.setdefault(cell.row, []).append(cell)
        return [sorted(rows[key], key=lambda cell: cell.column) for key in sorted(rows)]

    @property
    def text(self) -> str:
        return " ".join(cell.text for row in self.rows() for cell in row)


@dataclass(frozen=True, slots=True)
class Break:
    """A page ends here."""

    source: BreakSource


Content = Para | Grid
Piece = Para | Grid | Break


@dataclass(slots=True)
class Page:
    """The content of one page; running headers and footers still in it, or taken out."""

    number: int
    pieces: list[Content] = field(default_factory=list)
    label: str = ""


def join_paragraphs(paragraphs: Sequence[Para]) -> tuple[str, tuple[Mark, ...]]:
    """Texts joined by one space, with the marks moved along."""
    if len(paragraphs) == 1:
        return paragraphs[0].text, paragraphs[0].marks
    parts: list[str] = []
    marks: list[Mark] = []
    at = 0
    for paragraph in paragraphs:
        marks.extend(shifted(paragraph.marks, at))
        parts.append(paragraph.text)
        at += len(paragraph.text) + 1
    return " ".join(parts), tuple(marks)


def shifted(marks: Sequence[Mark], by: int) -> Iterator[Mark]:
    """``marks`` moved ``by`` characters to the right."""
    return (replace(mark, start=mark.start + by, end=mark.end + by) for mark in marks)


_MOST_COLUMNS = 400
_MOST_ROWS = 20_000
_FURTHEST = 500
"""Columns from which a cell of a row is set no further right, however much the rows above span."""
_WIDEST = 150
"""Columns of text above which a table is no grid that a person could read."""
_SIGNS = frozenset("• · ● ○ ■ □ ▪ ▫ ◦ ‣ ➢ ► ▶ → ✓ ❖ * ** *** **** (*) (**) (***) § – — - ☐ ☒ ☑ † †† ‡".split())
_NAMES = ("item", "part", "note")
_PROSE = 1200
"""Characters from which a cell's text is prose laid out in columns, not data."""


def is_bullet(word: str) -> bool:
    """Whether a first word marks an item of a list: "•", "(a)", "12.", "iv)", "**"."""
    mark = word.removeprefix("(")[:-1]
    return word in _SIGNS or (word.endswith((".", ")")) and is_enumerator(mark) and (len(mark) == 1 or not mark.isupper()))


@dataclass(slots=True)
class _Cell:
    row: int
    column: int
    colspan: int
    rowspan: int
    header: bool
    pieces: list[Piece] = field(default_factory=list)

    @property
    def paragraphs(self) -> list[Para]:
        return [piece for piece in self.pieces if isinstance(piece, Para)]


class TableFrame:
    """A table while it is read. ``outer`` is where its pieces go when it closes."""

    def __init__(self, outer: list[Piece]) -> None:
        self.outer = outer
        self._cells: list[_Cell] = []
        self._row = -1
        self._column = 0
        self._taken: dict[int, int] = {}
        """Column -> first row that is free again, for cells that span rows."""

    def start_row(self) -> None:
        """A ``<tr>`` opens."""
        self._row += 1
        self._column = 0

    def start_cell(self, attributes: Attributes, *, header: bool) -> list[Piece]:
        """A cell opens; the list returned takes its pieces."""
        row = max(self._row, 0)
        while self._column < _FURTHEST and self._taken.get(self._column, 0) > row:
            self._column += 1
        colspan = _span(attributes.get("colspan"), _MOST_COLUMNS)
        rowspan = _span(attributes.get("rowspan"), _MOST_ROWS)
        cell = _Cell(row, self._column, colspan, rowspan, header)
        if rowspan > 1:
            for column in range(self._column, min(self._column + colspan, _FURTHEST)):
                self._taken[column] = row + rowspan
        self._column += colspan
        self._cells.append(cell)
        return cell.pieces

    def close(self) -> list[Piece]:
        """What the table comes to: one grid, or the pieces in it when it only lays out text."""
        filled = [cell for cell in self._cells if cell.pieces]
        rows: dict[int, list[_Cell]] = {}
        for cell in filled:
            if cell.paragraphs or any(isinstance(piece, Grid) for piece in cell.pieces):
                rows.setdefault(cell.row, []).append(cell)
        if not rows:
            return [piece for cell in filled for piece in cell.pieces]
        nested = any(isinstance(piece, Grid) for cell in filled for piece in cell.pieces)
        if nested or len({cell.column for cell in filled}) > _WIDEST:
            return [piece for cell in filled for piece in cell.pieces]
        unwrapped = _unwrap(list(rows.values()))
        if unwrapped is not None:
            breaks = [piece for cell in filled for piece in cell.pieces if isinstance(piece, Break)]
            inside = any(isinstance(piece, Break) for piece in unwrapped)
            return unwrapped if inside else [*unwrapped, *breaks]
        cells = _compact([_joined(cell) for row in rows.values() for cell in row])
        breaks = [piece for cell in filled for piece in cell.pieces if isinstance(piece, Break)]
        return [Grid(cells, note=_note(rows.values())), *breaks]


def _span(text: str | None, most: int) -> int:
    try:
        return min(max(int(text or 1), 1), most)
    except ValueError:
        return 1


def _note(rows: Iterable[list[_Cell]]) -> str:
    notes = (paragraph.note for row in rows for cell in row for paragraph in cell.paragraphs)
    return next(filter(None, notes), "")


def _joined(cell: _Cell) -> GridCell:
    paragraphs = cell.paragraphs
    text, marks = join_paragraphs(paragraphs)
    letters = sum(len(paragraph.text) for paragraph in paragraphs)
    bold = sum(len(paragraph.text) for paragraph in paragraphs if paragraph.look.bold)
    return GridCell(
        row=cell.row,
        column=cell.column,
        colspan=cell.colspan,
        rowspan=cell.rowspan,
        text=text,
        marks=marks,
        header=cell.header,
        indent=max(0, round(paragraphs[0].indent)),
        bold=2 * bold > letters,
    )


def _compact(cells: list[GridCell]) -> list[GridCell]:
    """The cells on a grid without the columns and rows in which no text begins; spans shrink with them."""
    columns_kept = sorted({cell.column for cell in cells})
    rows_kept = sorted({cell.row for cell in cells})
    columns = {old: new for new, old in enumerate(columns_kept)}
    rows = {old: new for new, old in enumerate(rows_kept)}
    for cell in cells:
        first = columns[cell.column]
        last = cell.column + cell.colspan
        width = bisect_left(columns_kept, last) - first
        height = bisect_left(rows_kept, cell.row + cell.rowspan) - rows[cell.row]
        cell.column, cell.colspan = first, max(1, width)
        cell.row, cell.rowspan = rows[cell.row], max(1, height)
    return cells


def _unwrap(rows: Sequence[list[_Cell]]) -> list[Piece] | None:
    """The pieces of a layout table in reading order; None for a data table."""
    heads = sum(_is_item_heading(row) for row in rows)
    if heads and (heads > 2 or len(rows) > 3):
        return None
    laid_out = all(len(row) == 1 or _is_bullet(row) or _is_item_heading(row) for row in rows)
    if not laid_out and not _is_columns_of_prose(rows):
        return None
    pieces: list[Piece] = []
    for row in rows:
        if len(row) == 2 and laid_out:
            pieces.extend(_merged(row, listed=not _is_item_heading(row)))
        else:
            pieces.extend(piece for cell in row for piece in cell.pieces)
    return pieces


def _first_text(cell: _Cell) -> str:
    paragraphs = cell.paragraphs
    return paragraphs[0].text if len(paragraphs) == 1 else ""


def _is_bullet(row: Sequence[_Cell]) -> bool:
    return len(row) == 2 and is_bullet(_first_text(row[0])) and not _is_figure(row[1])


def _is_figure(cell: _Cell) -> bool:
    text = _first_text(cell)
    return bool(text) and not any(c.isalpha() for c in text)


def _names_item(text: str) -> bool:
    """ "Item 7A.", "PART II –", "Note 3", "Items"."""
    word = "".join(text.casefold().split()).rstrip(".:–—-")
    number = next((word.removeprefix(name).removeprefix("s") for name in _NAMES if word.startswith(name)), "?")
    digits, roman = number.rstrip("abc"), number.rstrip("abc").lstrip("0123456789")
    return len(number) - len(digits) <= 1 and len(digits) - len(roman) <= 2 and (not roman or roman in ROMAN)


def _is_item_heading(row: Sequence[_Cell]) -> bool:
    return len(row) == 2 and _names_item(_first_text(row[0])) and not _is_figure(row[1])


def _is_columns_of_prose(rows: Sequence[list[_Cell]]) -> bool:
    if len(rows) > 2:
        return False
    lengths = [sum(len(paragraph.text) for paragraph in cell.paragraphs) for row in rows for cell in row]
    return max(lengths) > _PROSE and any(len(cell.paragraphs) > 2 for row in rows for cell in row)


def _merged(row: Sequence[_Cell], *, listed: bool) -> Iterator[Piece]:
    """A marker cell and the text beside it as one paragraph, then what else the text cell holds."""
    marker = row[0].paragraphs[0]
    body = row[1].pieces
    first = next((piece for piece in body if isinstance(piece, Para)), None)
    if first is None:
        yield from (*row[0].pieces, *body)
        return
    offset = len(marker.text) + 1
    look = first.look if first.look.bold or marker.look.bold == first.look.bold else replace(first.look, bold=False)
    yield replace(
        first,
        text=f"{marker.text} {first.text}",
        marks=(*marker.marks, *shifted(first.marks, offset)),
        look=look,
        indent=marker.indent,
        listed=listed,
        lead=first.lead + offset if first.lead else 0,
    )
    yield from (piece for piece in (*row[0].pieces, *body) if piece is not first and piece is not marker)
