"""Raw grid cells -> cells as a reader sees them: currency signs, brackets, percent signs and note markers join their number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from fin_tui.filings.cleaning import clean
from fin_tui.filings.table_notes import split_markers, stands_alone

_PREFIXES = frozenset(
    ("$", "€", "£", "¥", "US$", "C$", "A$", "R$", "HK$", "(", "$(", "($", "€(", "(€", "£(", "(£", "-$", "$-", "-")
)
_SUFFIXES = frozenset((")", "%", ")%", "%)", ") %", "% )", "x", "pts", "pts.", "pt", "bps", "bp", "¢", "]"))
_NUMBER = re.compile(
    r"^[(\[]?\s?[-–—−+]?\s?(?:US|CA?|AU?|HK|R)?\s?[$€£¥]?\s?[(\-–—−]?\s?(?:\d[\d,]*(?:\.\d*)?|\.\d+)(?:\s\d{1,2}/\d{1,2})?"
    r"\s?(?:%|x|X|pts?\.?|bps?|¢)?\s?[)\]]?\s?%?$"
)
_YEARS_LONG = re.compile(r"^\d+\.\d+\s(?:years?|yrs?\.?|months?)$", re.IGNORECASE)
_ABSENT = re.compile(r"^[(\[]?[$€£¥]?\s?(?:[-–—−]{1,3}|--+|n/?a|n/?m|n\.m\.?|n\.a\.?|nil|nmf?)\s?%?[)\]]?%?$", re.IGNORECASE)
_YEAR = re.compile(r"^(?:19|20)\d\d$")
_TO = re.compile(r"(?<=[\d%])\s?(?:[-–—−]|to)\s?(?=[\d$.—–-])")
_LEADERS = re.compile(r"(?:\s?\.){3,}\s*$|\s?_{3,}\s*$")
_LOOSE = (
    (re.compile(r"([$€£¥])\s+(?=[\d(.\-–—−])"), r"\1"),
    (re.compile(r"\(\s+(?=[\d$.])"), "("),
    (re.compile(r"(?<=[\d%])\s+(?=[)%])"), ""),
)
_RULE = re.compile(r"^[-=_–—\s]{3,}$")
_GAP = 2  # Empty grid columns that may lie between a number and its bracket or percent sign.


@dataclass(frozen=True, slots=True)
class RawCell:
    """A cell as a reader found it, before currency signs, brackets and percent signs are joined to their numbers."""

    text: str
    row: int
    column: int
    colspan: int = 1
    rowspan: int = 1
    header: bool = False
    """The source marked it as a header (``<th>``)."""
    indent: int = 0
    """Left indentation of a row label, in any unit that grows with depth."""
    bold: bool = False


@dataclass(slots=True)
class GridCell:
    """One visible cell. ``[left, right)`` are the grid columns it covers."""

    text: str
    left: int
    right: int
    raw: RawCell
    parts: list[tuple[int, int, int]] = field(default_factory=list)
    """(index of a raw cell, start, end) relative to ``text``."""
    markers: tuple[str, ...] = ()
    length: int = 0
    """Characters of ``text`` before its markers."""
    column: int = 0
    """Logical column, set once columns are known."""

    @property
    def value(self) -> str:
        return self.text[: self.length]

    @property
    def is_year(self) -> bool:
        return _YEAR.match(self.value) is not None

    @property
    def is_number(self) -> bool:
        """A number, or a mark that stands where one could (a dash, "N/A")."""
        return is_number(self.value)

    @property
    def is_data(self) -> bool:
        """A number that is no bare year."""
        return not self.is_year and is_number(self.value)

    def append(self, index: int, text: str, right: int, gap: str = "") -> None:
        start = len(self.text) + len(gap)
        self.text += gap + text
        self.right = max(self.right, right)
        self.parts.append((index, start, len(self.text)))


def is_number(text: str) -> bool:
    """Whether ``text`` is a figure, a range of figures, or a mark for none."""
    return bool(_NUMBER.match(text) or _ABSENT.match(text) or _YEARS_LONG.match(text)) or _is_range(text)


def _is_range(text: str) -> bool:
    parts = _TO.split(text)
    return (
        len(parts) == 2 and all(_NUMBER.match(part) and not _YEAR.match(part) for part in parts) and any(c in text for c in ".%$")
    )


def tidy(text: str) -> str:
    """Clean text of one raw cell: no leader dots, no blanks inside a number."""
    text = clean(text)
    if _RULE.match(text):
        return text if len(text) < 4 and not text.startswith("=") else ""
    text = _LEADERS.sub("", text)
    for pattern, replacement in _LOOSE:
        text = pattern.sub(replacement, text)
    return text


def join_cells(cells: Sequence[RawCell]) -> list[list[GridCell]]:
    """Non-empty rows from the top down, cells by column, signs and markers joined."""
    rows: dict[int, list[tuple[int, RawCell, str]]] = {}
    for index, cell in enumerate(cells):
        text = tidy(cell.text)
        if text:
            rows.setdefault(cell.row, []).append((index, cell, text))
    ordered = [sorted(rows[number], key=lambda item: (item[1].column, item[0])) for number in sorted(rows)]
    marker_columns = _marker_columns(item for row in ordered for item in row)
    joined = [_join_row(row, marker_columns) for row in ordered]
    for made in (cell for row in joined for cell in row):
        if not made.markers:
            made.length, made.markers = split_markers(made.text, is_number)
    return joined


def _marker_columns(items: Iterable[tuple[int, RawCell, str]]) -> set[int]:
    """Grid columns that hold note markers and closing signs only: there "(1)" is a marker, not minus one."""
    columns: dict[int, bool] = {}
    for _, cell, text in items:
        ok = cell.colspan == 1 and (text in _SUFFIXES or stands_alone(text))
        columns[cell.column] = columns.get(cell.column, True) and (ok or cell.colspan > 1)
    return {column for column, ok in columns.items() if ok}


def _join_row(row: Sequence[tuple[int, RawCell, str]], marker_columns: set[int]) -> list[GridCell]:
    out: list[GridCell] = []
    pending: GridCell | None = None
    for index, raw, text in row:
        right = raw.column + max(1, raw.colspan)
        if pending is not None:
            if is_number(text):
                pending.append(index, text, right)
                pending.length = len(pending.text)
                out.append(pending)
                pending = None
                continue
            out.append(pending)
            pending = None
        last = out[-1] if out else None
        if last is not None and raw.column - last.right < _GAP:
            if _closes(last, text):
                last.append(index, text, right)
                last.length = len(last.text)
                continue
            if raw.column in marker_columns and stands_alone(text) and not last.markers and last.left > row[0][1].column:
                last.length = len(last.text)
                last.append(index, text, right, gap=" ")
                last.markers = (text,)
                continue
        made = GridCell(text, raw.column, right, raw, [(index, 0, len(text))], length=len(text))
        if text in _PREFIXES:
            pending = made
        else:
            out.append(made)
    if pending is not None:
        out.append(pending)
    return out


def _closes(last: GridCell, text: str) -> bool:
    if text not in _SUFFIXES or not last.is_number:
        return False
    if text.startswith((")", "%)")):
        return last.text.count("(") > last.text.count(")")
    # "2024 | %" is a header, not 2024 percent.
    return not last.is_year
