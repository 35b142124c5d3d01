"""Paragraphs and tables that a page boundary cut in two, put together again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from fin_tui.filings.html_pieces import Content, Grid, GridCell, Page, Para, shifted
from fin_tui.filings.html_tables import BULLET

_OPEN_ENDED = re.compile(
    r"(?:[,–—-]|\b(?:the|a|an|of|and|or|to|in|on|by|with|for|from|as|at|our|its|their|this|that|which|is|are|was|were|be|has|have|not))$",
    re.IGNORECASE,
)
_ENDED = re.compile(r"[.!?:;][\"'”’)\]]*$")
_CONTINUED = re.compile(r"\(?\bcontinued\b\)?", re.IGNORECASE)
_FIGURE = re.compile(r"^[$€£(\s-]*\d[\d,.]*[)%\s]*$")
_PERIOD_WORDS = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\b(?:fiscal|for|the|years?|months?|weeks?|quarters?|ended|ending|as|of|at|"
    r"in|millions|thousands|billions|dollars|except|per|share|data|amounts|and|continued|three|six|nine|twelve)\b",
    re.IGNORECASE,
)
_MONTH = re.compile(r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b", re.IGNORECASE)
_SHORTEST = 40
_MOST_HEADER_ROWS = 6
_LONGEST = 50_000
"""Characters of a paragraph, and"""
_LARGEST = 6_000
"""cells of a table, from which nothing more is joined to it."""
_END = 60
"""Characters that show how a text ends."""


def join_pages(pages: Sequence[Page], taken: list[Content]) -> list[Content]:
    """All pieces in reading order, with what runs on over a page boundary joined into one piece on its first page.

    Titles and header rows that a continued table repeats are added to ``taken`` instead.
    """
    pieces: list[Content] = []
    for page in pages:
        fresh = list(page.pieces)
        if pieces and fresh and page.number > 1:
            _join_boundary(pieces, fresh, taken)
        pieces.extend(fresh)
    return pieces


def _join_boundary(pieces: list[Content], fresh: list[Content], taken: list[Content]) -> None:
    last, first = pieces[-1], fresh[0]
    if isinstance(last, Para) and isinstance(first, Para):
        if _runs_on(last, first):
            pieces[-1] = _joined(last, first)
            fresh.pop(0)
        return
    if not isinstance(last, Grid):
        return
    titles = 0
    while titles < min(4, len(fresh)) and isinstance(fresh[titles], Para):
        titles += 1
    if titles == len(fresh):
        return
    following = fresh[titles]
    said = any(_CONTINUED.search(piece.text) for piece in fresh[:titles] if isinstance(piece, Para))
    if (titles and not said) or not isinstance(following, Grid):
        return
    merged = _merged(last, following, said=said)
    if merged is not None:
        pieces[-1], repeated = merged
        taken.extend((*fresh[:titles], repeated))
        del fresh[: titles + 1]


def _runs_on(last: Para, first: Para) -> bool:
    head = first.text[0]
    end = last.text[-_END:]
    if not _SHORTEST <= len(last.text) <= _LONGEST or _ENDED.search(end) or last.look.bold != first.look.bold:
        return False
    if BULLET.match(first.text.split(" ", 1)[0]) and len(first.text) > 2 and not head.isalnum():
        return False
    if head.islower():
        return not re.match(r"\(?(?:[a-z]|[ivx]+)[.)]\s", first.text)
    return _OPEN_ENDED.search(end) is not None and (head.isalnum() or head in '$“"(')


def _joined(last: Para, first: Para) -> Para:
    # A word divided at the boundary keeps its hyphen: whether it belongs to the word can't be known.
    gap = "" if last.text.endswith("-") and first.text[0].islower() else " "
    offset = len(last.text) + len(gap)
    return replace(last, text=last.text + gap + first.text, marks=(*last.marks, *shifted(first.marks, offset)), lead=last.lead)


def _merged(last: Grid, following: Grid, *, said: bool) -> tuple[Grid, Grid] | None:
    """``following`` put under ``last``, and the header rows it repeats; None when it is another table.

    Tables of two years often stand one above the other with the same columns, so a header that names only periods, or that
    differs in its last row, is no sign of one table.
    """
    if len(last.cells) > _LARGEST:
        return None
    old, new = last.rows(), following.rows()
    same = 0
    limit = min(_MOST_HEADER_ROWS, len(old), len(new) - 1)
    while same < limit and not _is_data(new[same]) and _key(old[same]) == _key(new[same]):
        same += 1
    headless = same == 0 and bool(new) and _is_data(new[0]) and _columns(old) == _columns(new)
    repeats = same > 0 and _width(old) == _width(new) and (said or not _only_periods(new[:same]))
    if repeats and len(old) > same and _differs_in_dates(old[same], new[same]):
        repeats = False
    if not (repeats or headless):
        return None
    offset = 1 + max((cell.row for cell in last.cells), default=0)
    first_row = new[same][0].row
    moved = [replace(cell, row=cell.row - first_row + offset) for cell in following.cells if cell.row >= first_row]
    repeated = [cell for cell in following.cells if cell.row < first_row]
    return replace(last, cells=[*last.cells, *moved]), replace(following, cells=repeated)


def _only_periods(rows: Sequence[Sequence[GridCell]]) -> bool:
    words = " ".join(cell.text for row in rows for cell in row)
    return not re.search(r"[A-Za-z]", _PERIOD_WORDS.sub("", words))


def _differs_in_dates(old: Sequence[GridCell], new: Sequence[GridCell]) -> bool:
    """Whether two header rows are the same but for their dates."""
    if _is_data(new):
        return False
    first, second = ([re.sub(r"[\d,\s]+", "#", _MONTH.sub("", text)) for text in _key(row)] for row in (old, new))
    return first == second and any(re.search(r"\d", cell.text) for cell in new)


def _key(row: Sequence[GridCell]) -> tuple[str, ...]:
    return tuple(_CONTINUED.sub("", cell.text).strip(" –—-():").casefold() for cell in row)


def _is_data(row: Sequence[GridCell]) -> bool:
    """A row with a label and figures that are no bare years."""
    figures = [cell for cell in row[1:] if _FIGURE.match(cell.text) and not re.fullmatch(r"(?:19|20)\d\d", cell.text)]
    return len(row) > 1 and bool(figures) and not _FIGURE.match(row[0].text)


def _columns(rows: Sequence[Sequence[GridCell]]) -> set[int]:
    return {cell.column for row in rows for cell in row if _FIGURE.match(cell.text)}


def _width(rows: Sequence[Sequence[GridCell]]) -> int:
    return max((cell.column + cell.colspan for row in rows for cell in row), default=0)
