"""What the flow of an HTML page is made of before it becomes blocks: paragraphs, grids and page breaks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from fin_tui.filings.html_style import PLAIN, Look

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
