"""A workbook as we think of it: grids of cells with looks, links, notes and formulas; independent of any library (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Role = Literal["title", "head", "total", "label", "input", "formula", "text", "muted", "warning", "link"]
"""What a cell is, which decides how it looks: inputs blue, formulas black."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A live formula with its "="; made by us alone, never from text of a filing."""

    text: str


@dataclass(frozen=True, slots=True)
class BookCell:
    """One cell to be written."""

    value: float | str | Formula | None
    role: Role = "text"
    number_format: str = ""
    link: str = ""
    """A web address, a file beside the workbook, or "#Sheet!A1" within it."""
    note: str = ""
    wrap: bool = False
    is_right: bool = False
    """Stands at the right, as numbers do: a word in a column of numbers."""


@dataclass(slots=True)
class BookGrid:
    """One sheet of a workbook; places count from 1, as spreadsheets count."""

    title: str
    cells: dict[tuple[int, int], BookCell] = field(default_factory=dict)
    """(row, column) -> cell."""
    widths: dict[int, float] = field(default_factory=dict)
    """Column -> width in characters."""
    freeze: tuple[int, int] | None = None
    """The first cell that scrolls."""

    def put(self, row: int, column: int, cell: BookCell) -> str:
        """Place a cell; gives its address within the sheet."""
        self.cells[row, column] = cell
        return address(row, column)

    def ref(self, row: int, column: int) -> str:
        """An address as another sheet writes it: 'My sheet'!$B$3."""
        return f"{quoted(self.title)}!{address(row, column, absolute=True)}"


@dataclass(slots=True)
class Book:
    """All sheets of a workbook, first to last, and names for ranges."""

    grids: list[BookGrid]
    names: dict[str, str] = field(default_factory=dict)
    """Defined name -> reference with its sheet."""


@dataclass(frozen=True, slots=True)
class ReadCell:
    """One cell of a user's workbook."""

    row: int
    column: int
    value: float | str | None
    """A number, a text, or None for what is neither. A date is its ISO text."""
    formula: str = ""
    """With its "="; ``value`` is then what the file says that it came to."""
    number_format: str = ""
    is_date: bool = False
    is_bold: bool = False

    @property
    def address(self) -> str:
        """ "B3"."""
        return address(self.row, self.column)


@dataclass(frozen=True, slots=True)
class ReadSheet:
    """One sheet of a user's workbook: its cells that are not empty."""

    title: str
    cells: Mapping[tuple[int, int], ReadCell]
    is_hidden: bool = False


TokenKind = Literal["number", "text", "range", "open", "close", "operator", "separator", "space", "other"]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a formula."""

    kind: TokenKind
    text: str
    """As written; a function with its bracket: "SUM("."""


Mark = Literal["supported", "contradicted", "unknown", "check"]


def address(row: int, column: int, *, absolute: bool = False) -> str:
    """(3, 2) -> "B3"; "$B$3" when ``absolute``."""
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"${letters}${row}" if absolute else f"{letters}{row}"


def quoted(title: str) -> str:
    """A sheet's title as a reference writes it."""
    doubled = title.replace("'", "''")
    return f"'{doubled}'"


def safe_title(text: str, taken: set[str]) -> str:
    """A title that spreadsheets take (31 characters, none of them special) and that is not ``taken``; it is added there."""
    base = "".join(" " if c in "[]:*?/\\'" else c for c in text).strip()[:31] or "Sheet"
    title, count = base, 2
    while title.casefold() in taken:
        title, count = f"{base[:27]} {count}", count + 1
    taken.add(title.casefold())
    return title
