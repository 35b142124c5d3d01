"""A user's text -> its sentences, as they read without layout: wrapped lines joined, headings, items and cells alone (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fin_tui.language import split_sentences

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


_ALONE = re.compile(r"^\s*(?:#{1,6}\s|[-*+•]\s+|\d{1,2}[.)]\s+|>|\||={3,}|-{3,})")
_MARK = re.compile(r"^\s*(?:#{1,6}\s+|[-*+•]\s+|\d{1,2}[.)]\s+|(?:>\s*)+)")
_EMPHASIS = re.compile(r"(\*\*|__|\*|`)(?=\S)(.+?)(?<=\S)\1")
_DIVIDER = re.compile(r"^\s*(?:[-=*_]\s*){3,}$")
_SMALL_START = re.compile(r"(?<=[a-z%\d)]\.)\s+(?=[a-z][A-Z])")
"""Sentences that begin with a name like "iPhone"."""
_SHORT = 45
"""A line shorter than this that ends without a stop is a heading, not a wrapped line."""
_FULL = 60


class Piece(NamedTuple):
    """A sentence, heading or table cell of a text."""

    text: str
    in_table: bool = False
    """A cell speaks for itself: what follows the table is not told of its column."""


def statements_of(text: str) -> tuple[Piece, ...]:
    """The sentences, headings and table cells of ``text`` in order."""
    found: list[Piece] = []
    for paragraph in _paragraphs(text):
        if is_row(paragraph):
            caption = found[-1].text if found else ""
            found.extend(Piece(cell, True) for cell in table_statements(paragraph.split("\n"), caption))
            continue
        for start, end in split_sentences(paragraph):
            pieces = _SMALL_START.split(paragraph[start:end])
            found.extend(Piece(piece.strip()) for piece in pieces if re.search(r"\w", piece))
    return tuple(found)


def _paragraphs(text: str) -> list[str]:
    found: list[str] = []
    open_ = in_table = False
    for line in text.splitlines():
        if is_row(line):
            if in_table:
                found[-1] += f"\n{line}"
            else:
                found.append(line)
            in_table, open_ = True, False
            continue
        in_table = False
        bare = _EMPHASIS.sub(r"\2", _MARK.sub("", line)).strip()
        if not bare or _DIVIDER.match(line):
            open_ = False
            continue
        if open_ and not _ALONE.match(line) and _goes_on(found[-1]):
            found[-1] = f"{found[-1]} {bare}"
        else:
            found.append(bare)
        open_ = not line.lstrip().startswith(("#", "|"))
    return found


def _goes_on(before: str) -> bool:
    """Whether a paragraph that so far ends in ``before`` is wrapped: a line as long as a page is wide."""
    return len(before) >= _FULL or (not before.endswith((".", "!", "?", ":")) and len(before) > _SHORT)
