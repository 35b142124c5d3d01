"""Which rows of a table are its header, and what they say about each column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from fin_tui.filings.table_cells import GridCell
from fin_tui.filings.table_columns import Columns
from fin_tui.filings.table_periods import has_period_words
from fin_tui.filings.table_units import caption_in

_FIGURE = re.compile(r"(?<![\w,.])\$?\s?\(?\d[\d,]*(?:\.\d+)?%?(?![\w,]\w)")
_BRACKETED = re.compile(r"^\([^()]*\)$")
_COMPANY = re.compile(
    r"(?:\b(?:inc|corp|corporation|company|companies|co|ltd|limited|plc|llc|l\.?p|n\.?v|group|trust|holdings|subsidiar(?:y|ies))\b\.?,?\s*)$",
    re.IGNORECASE,
)
_STATEMENT = re.compile(r"statement|balance|schedule|summary|data|results|earnings|income", re.IGNORECASE)
_PERIOD_WORDS = frozenset(
    (
        "fiscal year years ended ending end the for as of at and in quarter quarters month months week weeks three six nine "
        "twelve january february march april may june july august september october november december change vs percent amount "
        "total"
    ).split()
)
_LONG = 25  # Words: a longer cell is prose, not a header.


@dataclass(slots=True)
class Header:
    """``rows`` leading rows are header; ``paths`` has one tuple per logical column."""

    rows: int
    paths: list[tuple[str, ...]]
    captions: list[str] = field(default_factory=list)
    """Texts that speak for the whole table, top down: titles, unit captions, "Years ended December 31,"."""


def count_header_rows(rows: Sequence[Sequence[GridCell]]) -> int:
    """How many leading rows are header.

    These are the rows above the first row of data that name columns. A row with nothing but a label ("Net sales:") below the
    last of them opens the body.
    """
    first = next((i for i, row in enumerate(rows) if any(cell.is_data for cell in row)), None)
    if first is None:
        return _count_in_words(rows)
    left = min(cell.left for row in rows for cell in row)
    count = 0
    for i, row in enumerate(rows[:first]):
        if any(len(cell.text.split()) > _LONG for cell in row):
            continue
        names_columns = len(row) > 1 or row[0].left > left or row[0].raw.header
        opens = not any(len(r) > 1 or r[0].left > left for r in rows[:i])
        if names_columns or (opens and _is_caption(row[0])) or caption_in(row[0].text) == row[0].text:
            count = i + 1
    return count


def _is_caption(cell: GridCell) -> bool:
    return bool(caption_in(cell.text)) or (has_period_words(cell.text) and cell.right - cell.left > 1)


def _count_in_words(rows: Sequence[Sequence[GridCell]]) -> int:
    """Tables without numbers: leading rows whose cells all are marked as headers or bold, while the body's are not."""
    count = 0
    for row in rows:
        if len(row) < 2 or not all(cell.raw.header or cell.raw.bold for cell in row):
            break
        count += 1
    if count < len(rows):
        return count
    return 0


def read_header(rows: Sequence[Sequence[GridCell]], count: int, columns: Columns) -> Header:
    """Header paths from the first ``count`` rows; spanning cells stand in the path of each column that they cover."""
    paths: list[list[str]] = [[] for _ in range(len(columns))]
    captions: list[str] = []
    for row in rows[:count]:
        covered = [_covered(cell, row, columns) for cell in row]
        if len(row) == 1 and _speaks_for_all(row[0], covered[0], len(columns)):
            captions.append(row[0].text)
            if len(covered[0]) < 2 or caption_in(row[0].text) == row[0].text:
                continue
        for cell, hit in zip(row, covered, strict=True):
            if caption_in(cell.text) == cell.text and cell is not row[0]:
                captions.append(cell.text)
                continue
            for column in hit:
                if column or len(hit) == 1 or len(columns) == 1:
                    _extend(paths[column], cell.value)
    return Header(count, [tuple(path) for path in paths], captions)


def _extend(path: list[str], text: str) -> None:
    if text and (not path or path[-1] != text):
        path.append(text)


def _speaks_for_all(cell: GridCell, covered: Sequence[int], count: int) -> bool:
    return 0 in covered or len(covered) >= count - 1 or count < 3


def _covered(cell: GridCell, row: Sequence[GridCell], columns: Columns) -> list[int]:
    """Columns that a header cell stands over; those of the other cells of its row are left to them."""
    taken = {other.column for other in row if other is not cell}
    hit = [column for column in columns.overlapping(cell.left, cell.right) if column not in taken]
    return hit or [cell.column]


def find_title(captions: Sequence[str], above: Sequence[str]) -> str:
    """The caption row that names the table, else the nearest text above that does; empty when none does."""
    for text in captions:
        if _names_table(text):
            return text
    for text in reversed(above[-4:]):
        text = text.strip()
        if len(_FIGURE.findall(text)) >= 6:
            return ""  # Another table: what stands above that is its title.
        bare = text.replace(caption_in(text) or "\0", "").strip(" :")
        if text.endswith(":") and len(text.split()) <= 45:
            return _last_sentence(bare)
        if _names_table(text) and bare:
            return bare
        if len(text.split()) > _LONG:
            return ""
    return ""


def _last_sentence(text: str) -> str:
    return text.rsplit(". ", 1)[-1]


def _names_table(text: str) -> bool:
    if caption_in(text) == text or len(text.split()) > _LONG or text.endswith((";", ",")) or _BRACKETED.match(text):
        return False
    if text.endswith(".") and len(text.split()) > 8:
        return False
    if _COMPANY.search(text) and not _STATEMENT.search(text):
        return False
    words = [word for word in text.split() if any(c.isalpha() for c in word)]
    if len(_FIGURE.findall(text)) >= 3:
        return False
    letters = sum(c.isalpha() for c in text)
    return bool(words) and letters >= 4 and not _only_period(words)


def _only_period(words: Sequence[str]) -> bool:
    text = " ".join(words)
    if all(word.strip(",.:()").lower() in _PERIOD_WORDS for word in words):
        return True
    return has_period_words(text) and len(words) <= 4 and not _STATEMENT.search(text)
