"""What the flow of an HTML page is made of before it becomes blocks: paragraphs, grids and page breaks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from fin_tui.filings.dom import Attributes

_DECLARATION = re.compile(r"([\w-]+)\s*:\s*([^;]+)")
_LENGTH = re.compile(r"^(-?\d*\.?\d+)\s*(pt|px|em|rem|in|cm|mm|%|)$")
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
    match = _LENGTH.match(value)
    return float(match[1]) * _POINTS[match[2]] if match else 0.0


@lru_cache(maxsize=8192)
def parse_css(style: str) -> Css:
    """The declarations in a ``style`` attribute."""
    found = {name: value.strip() for name, value in _DECLARATION.findall(style.lower())}
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
        short = re.search(r"(-?\d*\.?\d+(?:pt|px|em))\b", found.get("font", ""))
        named = short[1] if short else ""
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
