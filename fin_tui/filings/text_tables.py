"""ASCII tables -> cell grids: headers of several lines, wrapped labels, wrapped words in cells, group headings over rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from fin_tui.filings.tables import RawCell
from fin_tui.filings.text_columns import Token, is_number, nearest, number_columns, spanned, text_columns, tokens
from fin_tui.filings.text_pages import SourceLine, is_rule

_OPEN_END = re.compile(r"(?:,|\b(?:and|of|the|to|for|from|in|before|by|on|with|or|under|net|at)|-)$", re.I)
_NIL = re.compile(r"(?<=^)-$|(?<=^\$ )-$|(?<=^\$)-$")
_MAX_HEADER = 9


@dataclass(slots=True)
class Row:
    """A line of a table: label and the tokens that stand in columns."""

    label: str
    indent: int
    cells: dict[int, str]
    spans: dict[int, int] = field(default_factory=dict)
    after_gap: bool = False
    """A blank line or rule stands before it."""


@dataclass(slots=True)
class Grid:
    """A table read from lines, with the lines that belong before and after it as prose."""

    cells: list[RawCell]
    before: list[SourceLine]
    after: list[SourceLine]
    page: int


def read_grid(lines: Sequence[SourceLine]) -> Grid | None:
    """The table in ``lines``; None when they hold prose, or too little to be one."""
    note_at = next((n for n, line in enumerate(lines) if line.note), len(lines))
    after = [line for line in lines[note_at:] if not is_rule(line.text)]
    body = list(lines[:note_at])
    mark_at = next((n for n, line in enumerate(body) if line.columns), None)
    marks = next((line.columns for line in body if line.columns), ())
    split = [tokens(line.text) if line.text.strip() and not is_rule(line.text) else [] for line in body]
    columns = _columns(split, marks)
    if not columns:
        return None
    first = columns[0][0]
    header_end = mark_at + (0 if split[mark_at] else 1) if mark_at is not None else _header_end(split, first)
    before_count = _title_lines(split, header_end, columns)
    header = _header_rows(body, split, before_count, header_end, columns)
    rows = _join_wrapped(_body_rows(body, split, header_end, columns))
    filled = sum(1 for row in rows if row.cells)
    if filled < 2 and sum(len(row.cells) for row in rows) < 2 + (not header):
        return None
    page = next((line.page for line in body[before_count:] if line.text.strip()), body[0].page)
    return Grid(_cells(header, rows), body[:before_count], after, page)


def _columns(split: Sequence[Sequence[Token]], marks: Sequence[int]) -> list[tuple[int, int]]:
    has_label = sum(1 for row in split if row and not row[0].is_number) * 4 > sum(1 for row in split if row)
    rows = [row[1:] if has_label and not (row[0].is_number and row[0].start > 24) else row for row in split if row]
    numbers = number_columns(rows)
    words = text_columns([row for row in split if row], marks, numbers)
    return sorted([*numbers, *words])


def _header_end(split: Sequence[Sequence[Token]], first: int) -> int:
    """The first line with an amount in a column: figures that are no years."""
    for n, row in enumerate(split):
        if any(token.is_number and not token.is_year and token.end > first for token in row):
            while n > 0 and len(split[n - 1]) == 1 and split[n - 1][0].end <= first:
                n -= 1
            return n
    return 0


def _title_lines(split: Sequence[Sequence[Token]], header_end: int, columns: Sequence[tuple[int, int]]) -> int:
    """How many lines at the top are titles: one token that begins left of the columns and is no column heading."""
    count = 0
    for n in range(header_end):
        row = split[n]
        if not row:
            continue
        label_only = row[0].end <= columns[0][0] + 1 and any(split[n + 1 : header_end])
        # Words two spaces apart are still one title; column headings stand further apart.
        one = all(after.start - before.end <= 2 and not after.is_number for before, after in pairwise(row))
        across = row[0].start < columns[0][0] - 4 and row[-1].end > columns[0][0] + 1
        if one and (
            across or label_only or (row[0].start <= columns[0][0] and len(columns) > 1 and _spread(split[n + 1 : header_end]))
        ):
            count = n + 1
        else:
            break
    return count


def _spread(rows: Sequence[Sequence[Token]]) -> bool:
    """Whether a line of several column headings follows."""
    return any(len(row) > 1 for row in rows)


def _header_rows(
    body: Sequence[SourceLine], split: Sequence[Sequence[Token]], start: int, end: int, columns: Sequence[tuple[int, int]]
) -> list[Row]:
    """Header lines as rows; lines over the same columns with no rule between are one wrapped heading."""
    rows: list[Row] = []
    ruled = True
    for n in range(max(start, end - 3 * _MAX_HEADER), end):
        if not split[n]:
            ruled = ruled or bool(is_rule(body[n].text))
            continue
        row = Row("", 0, {}, after_gap=ruled)
        extents = _rule_extents(body, n + 1, end)
        for token in split[n]:
            if token.end <= columns[0][0] + 1 and token.start < columns[0][0] - 4:
                row.label = f"{row.label} {token.text}".strip()
                continue
            extent = _extent_of(token, split[n], extents)
            column, span = spanned(
                Token(token.text, min(token.start, extent[0]), max(token.end, extent[1])) if extent else token, columns
            )
            row.cells[column] = f"{row.cells[column]} {token.text}" if column in row.cells else token.text
            row.spans[column] = max(span, row.spans.get(column, 1))
        if rows and not ruled and _stacks(rows[-1], row):
            _stack(rows[-1], row)
        else:
            rows.append(row)
        ruled = False
    return rows


def _rule_extents(body: Sequence[SourceLine], start: int, end: int) -> list[tuple[int, int]]:
    """The segments of the next rule, when it comes before the next blank line or within two lines."""
    for n in range(start, min(start + 1, end)):
        if is_rule(body[n].text):
            return [(found.start(), found.end()) for found in re.finditer(r"[-_=]{3,}", body[n].text)]
    return []


def _extent_of(token: Token, row: Sequence[Token], extents: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """The segment of the rule under ``token`` when it is the only word over that segment: a group heading spans it."""
    for start, end in extents:
        inside = [other for other in row if start - 2 <= (other.start + other.end) / 2 <= end + 2]
        if token in inside:
            return (start, end) if len(inside) == 1 and (token.is_year or not token.is_number) else None
    return None


def _stacks(above: Row, below: Row) -> bool:
    """Whether two header lines are one heading wrapped: each column heading stands under one over the same columns, or alone."""
    for column, span in below.spans.items():
        for other, wide in above.spans.items():
            meets = column < other + wide and other < column + span
            if meets and (column, span) != (other, wide):
                return False
    return True


def _stack(above: Row, below: Row) -> None:
    above.label = f"{above.label} {below.label}".strip()
    for column, text in below.cells.items():
        above.cells[column] = f"{above.cells[column]} {text}" if column in above.cells else text
        above.spans[column] = max(below.spans[column], above.spans.get(column, 1))


def _body_rows(
    body: Sequence[SourceLine], split: Sequence[Sequence[Token]], start: int, columns: Sequence[tuple[int, int]]
) -> list[Row]:
    rows: list[Row] = []
    gap = False
    first = columns[0][0]
    for n in range(start, len(body)):
        if not split[n]:
            gap = True
            continue
        row = Row("", split[n][0].start, {}, after_gap=gap)
        labels: list[str] = []
        for index, token in enumerate(split[n]):
            if _is_label(token, index, first, split[n]):
                label, rest = _label_and_number(token, first)
                labels.append(label)
                token = rest or token
                if rest is None:
                    continue
            column = nearest(token, columns)
            row.cells[column] = f"{row.cells[column]} {token.text}" if column in row.cells else token.text
        row.label = " ".join(" ".join(labels).split())
        rows.append(row)
        gap = False
    return rows


def _is_label(token: Token, index: int, first: int, row: Sequence[Token]) -> bool:
    if token.end <= first:
        return True
    if token.is_number and (index or token.start >= first - 12):
        return False
    begins_left = token.start < first - 6
    return begins_left and (index == 0 or not token.is_number)


def _label_and_number(token: Token, first: int) -> tuple[str, Token | None]:
    """A label that reaches its number with one space between: the two taken apart."""
    found = re.match(r"(.*\S)\s(\$?\s?\(?[\d,.]+\)?%?)$", token.text)
    if found and token.start + found.start(2) >= first - 3 and is_number(found[2]) and re.search(r"[A-Za-z]", found[1]):
        return found[1], Token(found[2], token.start + found.start(2), token.end)
    return token.text, None


def _join_wrapped(rows: Sequence[Row]) -> list[Row]:
    """Labels and cells that go on in the next line are joined."""
    out: list[Row] = []
    for row in rows:
        last = out[-1] if out else None
        if last and not row.after_gap and _continues(last, row):
            if not row.label:
                for column, text in row.cells.items():
                    last.cells[column] = f"{last.cells[column]} {text}" if column in last.cells else text
            else:
                last.label = f"{last.label[:-1] if last.label.endswith(' -') else last.label} {row.label}"
                last.cells |= row.cells
        else:
            out.append(row)
    return out


def _continues(last: Row, row: Row) -> bool:
    if not row.label:
        words = [text for text in row.cells.values() if not is_number(text)]
        return len(words) == len(row.cells) and all(column in last.cells for column in row.cells)
    if last.label.endswith(":") or not last.label:
        return False
    if any(is_number(text) for text in last.cells.values()):
        wrapped = not row.cells and row.indent > last.indent
        return wrapped and (row.label[0].islower() or bool(_OPEN_END.search(last.label)))
    if last.cells:
        return not row.cells and row.indent > last.indent and row.label[0].islower()
    if row.label[0].islower() or re.match(r"[($]|of\s", row.label):
        return True
    return bool(_OPEN_END.search(last.label)) and row.indent >= last.indent


def _cells(header: Sequence[Row], rows: Sequence[Row]) -> list[RawCell]:
    cells: list[RawCell] = []
    for number, row in enumerate([*header, *rows]):
        is_header = number < len(header)
        if row.label:
            cells.append(RawCell(row.label, number, 0, header=is_header, indent=0 if is_header else row.indent))
        for column, text in sorted(row.cells.items()):
            # A hyphen alone is a nil amount here; as a dash it can't be taken for the sign of the next column's figure.
            text = _NIL.sub("–", text)
            cells.append(RawCell(text, number, column + 1, colspan=row.spans.get(column, 1), header=is_header))
    return cells
