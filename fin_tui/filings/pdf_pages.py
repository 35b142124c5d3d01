"""Running headers and footers of a paged document, and the page numbers printed in them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from fin_tui.filings.pdf_lines import Row

_DEPTH = 4
"""How many rows from the top and bottom of a page may be running ones."""
_MIN_PAGES = 3
_ENOUGH_PAGES = 8
"""In long documents, so that the titles and closing lines of half a dozen consecutive statements stay."""
_NUMBER = re.compile(
    r"(?i)[\s\-–—|\[(]*(?:page\s*)?((?:[a-z]{1,2}\s?[-–]\s?)?\d{1,4}|[ivxl]{1,7})(?:\s*(?:of|/)\s*\d{1,4})?[\s\-–—|\])]*"
)
_EDGE_NUMBER = re.compile(
    r"^(?:page\s*)?((?:[A-Z]{1,2}[-–])?\d{1,4})\b\s*[|•·–—-]?\s*|\s*[|•·–—-]?\s*\b(?:page\s*)?((?:[A-Z]{1,2}[-–])?\d{1,4})$",
    re.IGNORECASE,
)
_KEPT = re.compile(
    r"(?i)^\(?(?:dollars |amounts |u\.s\. dollars )?\(?(?:in|millions|thousands|billions)\b"
    r"|^(?:years?|fiscal years?|twelve months|for the) .*ended"
)
"""Captions of tables that go on over pages: never running lines."""
_TOC = re.compile(r"(?i)(?:back to )?(?:table of contents|index)(?: and glossary)?")


@dataclass(slots=True)
class PageFrame:
    """A page without its running rows."""

    rows: list[Row]
    label: str = ""
    """Page number as printed; empty when none is."""
    running: list[str] = field(default_factory=list)
    """Texts of the rows left out."""


def strip_running(pages: Sequence[list[Row]]) -> list[PageFrame]:
    """``pages`` (rows from the top down) without page numbers and the lines that repeat at the edges of neighbouring pages."""
    repeated = _repeated(pages)
    numbers = _numbers(pages)
    frames: list[PageFrame] = []
    for index, rows in enumerate(pages):
        frame = PageFrame(list(rows))
        for at in (0, -1):
            taken = 0
            while frame.rows and taken < _DEPTH:
                row = frame.rows[at]
                text = row.text
                number = numbers.get((index, id(row)))
                if number is not None:
                    frame.label = frame.label or number
                elif _key(text) in repeated.get(index, ()):
                    frame.label = frame.label or _edge_number(text, index)
                else:
                    break
                frame.running.append(text)
                frame.rows.pop(at)
                taken += 1
        frames.append(frame)
    return frames


def _key(text: str) -> str:
    """What stays the same of a running line from page to page."""
    return _EDGE_NUMBER.sub("#", " ".join(text.split())).casefold()


def _edge_number(text: str, index: int) -> str:
    match = _EDGE_NUMBER.search(text)
    found = (match.group(1) or match.group(2)) if match else ""
    return "" if found.isdigit() and abs(int(found) - index - 1) > 60 else found


def _edges(rows: Sequence[Row]) -> list[Row]:
    return list(rows) if len(rows) <= 2 * _DEPTH else [*rows[:_DEPTH], *rows[-_DEPTH:]]


def _repeated(pages: Sequence[list[Row]]) -> dict[int, set[str]]:
    """For each page index the keys of its edge rows that stand at the edge of neighbouring pages too."""
    where: dict[str, list[int]] = {}
    for index, rows in enumerate(pages):
        for key in {_key(row.text) for row in _edges(rows) if _may_run(row)}:
            where.setdefault(key, []).append(index)
    repeated: dict[int, set[str]] = {}
    for key, found in where.items():
        if _TOC.fullmatch(key) and len(found) > 1:
            runs = set(found)
        else:
            present = set(found)
            runs = {i for i in found if present & {i - 2, i - 1} or present & {i + 1, i + 2}}
            if len(runs) < max(_MIN_PAGES, min(_ENOUGH_PAGES, len(pages) // 4)):
                continue
        for index in runs:
            repeated.setdefault(index, set()).add(key)
    return repeated


def _may_run(row: Row) -> bool:
    text = row.text
    if len(text) > 160 or _KEPT.search(text) or text.count(",") > 6:
        return False
    figures = sum(segment.is_value for segment in row.segments)
    return figures <= 1 and any(c.isalpha() for c in text) and not (figures and "$" in text)


def _numbers(pages: Sequence[list[Row]]) -> dict[tuple[int, int], str]:
    """(page index, id of the row) -> printed page number, where the numbers of neighbouring pages agree."""
    candidates: list[tuple[int, int, str, int]] = []
    for index, rows in enumerate(pages):
        for row in {id(r): r for r in [*rows[:2], *rows[-3:]]}.values():
            match = _NUMBER.fullmatch(row.text) if len(row.text) <= 24 else None
            if match:
                candidates.append((index, id(row), match.group(1).replace(" ", ""), _ordinal(match.group(1))))
    near: dict[tuple[str, int], list[int]] = {}
    for index, _, text, value in candidates:
        near.setdefault((_prefix(text), value - index), []).append(index)
    found: dict[tuple[int, int], str] = {}
    for index, row_id, text, value in candidates:
        pages_alike = near[_prefix(text), value - index]
        at = bisect_left(pages_alike, index)
        if any(0 < abs(other - index) <= 6 for other in pages_alike[max(0, at - 1) : at + 3]) or _lone(
            pages, index, value, row_id
        ):
            found[index, row_id] = text
    return found


def _prefix(text: str) -> str:
    """What stands before the digits: "F-" of "F-12"; "" of a Roman numeral."""
    return text.rstrip("0123456789") if text[-1:].isdigit() else ""


def _lone(pages: Sequence[list[Row]], index: int, value: int, row_id: int) -> bool:
    """Whether a number that no neighbour confirms is still a page number: last on the page, and near the physical number."""
    rows = pages[index]
    return bool(rows) and id(rows[-1]) == row_id and len(pages) > 1 and 0 <= index + 1 - value <= 12


def _ordinal(text: str) -> int:
    digits = re.search(r"\d+$", text)
    if digits:
        return int(digits.group())
    total, before = 0, 0
    for letter in reversed(text.lower()):
        value = {"i": 1, "v": 5, "x": 10, "l": 50}.get(letter, 0)
        total += -value if value < before else value
        before = max(before, value)
    return total
