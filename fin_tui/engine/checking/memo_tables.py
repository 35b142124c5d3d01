"""Tables of a user's text (rows of cells between bars) -> one statement for each cell that holds a number (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_RULE = re.compile(r"^[\s|:+-]*-[\s|:+-]*$")
_YEAR = re.compile(r"\b(?:FY\s*'?\d{2,4}|(?:19|20)\d\d)\b", re.I)
_SCALE = re.compile(r"\bin\s+(?P<scale>thousand|million|billion)s?\b|\(\s*(?:US)?\$?\s*(?P<short>mm|mn|m|bn|b)\s*\)", re.I)
_WORDS = {"mm": "million", "mn": "million", "m": "million", "bn": "billion", "b": "billion"}
_UNSCALED = re.compile(r"\b(?:per\s+share|eps|ratio|margin|rate|employees|stores|days)\b|%", re.I)
_HAS_SCALE = re.compile(r"%|\b(?:thousand|million|billion|trillion)\b|\d\s*(?:[BMK]|bn|mm)\b", re.I)


def is_row(line: str) -> bool:
    """Whether a line is a row of a table."""
    return line.lstrip().startswith("|") and line.count("|") >= 3


def table_statements(rows: Sequence[str], caption: str = "") -> Iterator[str]:
    """ "Revenue, FY2024: $391.0 billion" for each cell under a column that names a year; ``caption`` may give the scale."""
    cells = [[cell.strip(" *_`") for cell in row.strip().strip("|").split("|")] for row in rows if not _RULE.match(row)]
    if not cells:
        return
    header, *body = cells
    for row in body:
        for title, cell in zip(header[1:], row[1:], strict=False):
            if row[0] and re.search(r"\d", cell) and _YEAR.search(title):
                yield f"{row[0]}, {title}: {cell}{_scale(row[0], cell, (header[0], title, caption))}"


def _scale(label: str, cell: str, places: Sequence[str]) -> str:
    """The scale word that a caption, a header or the label gives to a bare number; "" when it has its own or needs none."""
    if _UNSCALED.search(label) or _HAS_SCALE.search(cell):
        return ""
    found = next((match for place in (label, *places) if (match := _SCALE.search(place))), None)
    if found is None:
        return ""
    return f" {found['scale'].lower() if found['scale'] else _WORDS[found['short'].lower()]}"
