"""ASCII tables -> cell grids: headers of several lines, wrapped labels, wrapped words in cells, group headings over rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from fin_tui.filings.table_cells import RawCell, split_markers
from fin_tui.filings.text_pages import SourceLine, is_rule
from fin_tui.language import UNBROKEN, ends_open, is_year, only_digits

_LEADERS = re.compile(r"(?<=\S)[ ]?(?:\.[ ]?){3,}(?=\s|$|[$(\d])|(?<=\s)(?:\.[ ]?){3,}(?=\s|$|[$(\d])")
_NUMBER_BODY = r"\(?[-–—]?\s?\$?\s{0,6}\(?\s?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:\s\d/\d+)?\s?\)?\s?[%x]?\)?"
_NUMBER = re.compile(rf"^{_NUMBER_BODY}(?:\s?(?:\([a-z\d*]{{1,2}}\)|\*{{1,3}}|[a-f†‡])){{0,2}}$", re.I)
_ABSENT = frozenset(("-", "--", "---", "–", "—", "N/A", "N/M", "NA", "NM", "N.M."))
_TOKEN = re.compile(r"\S+(?: \S+)*")
_LONGEST = 400
"""No row of a table is as wide; a longer line is a paragraph that was never wrapped."""
_NUMBERS_RUN = re.compile(r"\(?\$? ?\(?\d[\d,]*(?:\.\d+)?\)?%?(?= |$)|(?<= )-{1,2}(?= |$)")


@dataclass(slots=True)
class Token:
    """A run of characters without a gap of two spaces, with its columns of characters."""

    text: str
    start: int
    end: int

    @property
    def is_number(self) -> bool:
        return is_number(self.text)

    @property
    def is_year(self) -> bool:
        text = self.text.removesuffix(":")
        year = text[: split_markers(text, is_year)[0]]
        return is_year(year) or (len(year) == len("'96") and year[0] == "'" and year[1:].isdigit())


def is_number(text: str) -> bool:
    """An amount, a per cent, a lone dash or "N/A": what stands in a column of figures."""
    if text.removeprefix("$").strip().upper() in _ABSENT:
        return True
    return bool(only_digits(text)) and bool(_NUMBER.match(text))


def tokens(line: str) -> list[Token]:
    """The tokens of a line: leader dots are gaps, a currency sign belongs to its number, numbers one space apart are two."""
    if len(line) > _LONGEST:
        return [Token(line.strip(), 0, len(line))]
    line = _LEADERS.sub(lambda dots: " " * len(dots[0]), line)
    out: list[Token] = []
    for found in _TOKEN.finditer(line):
        token = Token(found[0], found.start(), found.end())
        if token.text.endswith(" $"):
            out += _split_numbers(Token(token.text[:-2], token.start, token.end - 2))
            token = Token("$", token.end - 1, token.end)
        out += _split_numbers(token)
    return _joined_signs(out)


def _split_numbers(token: Token) -> list[Token]:
    if " " not in token.text or token.is_number:
        return [token]
    parts = list(_NUMBERS_RUN.finditer(token.text))
    if len(parts) > 1 and "".join(part[0] for part in parts).replace(" ", "") == token.text.replace(" ", ""):
        return [Token(part[0].strip(), token.start + part.start(), token.start + part.end()) for part in parts]
    return [token]


_OPENS_NUMBER = tuple("0123456789(.—–-")


def _joined_signs(found: list[Token]) -> list[Token]:
    out: list[Token] = []
    for token in found:
        last = out[-1] if out else None
        if last and last.text in ("$", "($", "(") and token.start - last.end <= 12 and token.text.startswith(_OPENS_NUMBER):
            out[-1] = Token(f"{last.text} {token.text}" if last.text == "$" else last.text + token.text, last.start, token.end)
        elif last and token.text in (")", "%", ")%") and token.start - last.end <= 3 and last.is_number:
            out[-1] = Token(last.text + token.text, last.start, token.end)
        else:
            out.append(token)
    return out


def number_columns(rows: Sequence[Sequence[Token]]) -> list[tuple[int, int]]:
    """The intervals of characters, left to right, that the numbers of ``rows`` (label left out) stand in.

    Numbers overlap down a column. Where a few stray ones bridge two columns, positions that few rows use count as gaps.
    """
    numbers = [[token for token in row if token.is_number] for row in rows]
    numbers = [row for row in numbers if row]
    if not numbers:
        return []
    width = max(token.end for row in numbers for token in row)
    profile = [0] * (width + 1)
    for row in numbers:
        for token in row:
            for at in range(token.start, token.end):
                profile[at] += 1
    best: list[tuple[int, int]] = []
    for threshold in range(max(1, len(numbers) // 5) + 1):
        columns = _intervals(profile, threshold)
        if not columns:
            break
        if not best:
            best = columns
        if not any(_collides(row, columns) for row in numbers):
            return columns
        if len(columns) > len(best):
            best = columns
    return best


def _intervals(profile: Sequence[int], threshold: int) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    start = -1
    for at, count in enumerate([*profile, 0]):
        if count > threshold and start < 0:
            start = at
        elif count <= threshold and start >= 0:
            out.append((start, at))
            start = -1
    return out


def _collides(row: Sequence[Token], columns: Sequence[tuple[int, int]]) -> bool:
    seen = [nearest(token, columns) for token in row]
    return len(set(seen)) < len(seen)


def nearest(token: Token, columns: Sequence[tuple[int, int]]) -> int:
    """Index of the column that ``token`` overlaps most, else the nearest one."""

    def distance(index: int) -> tuple[int, float]:
        start, end = columns[index]
        overlap = min(token.end, end) - max(token.start, start)
        return (-max(overlap, 0), abs((token.start + token.end) / 2 - (start + end) / 2) if overlap <= 0 else 0.0)

    return min(range(len(columns)), key=distance)


def spanned(token: Token, columns: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """First column and number of columns that a header token covers."""
    covered = [n for n, (start, end) in enumerate(columns) if min(token.end, end) - max(token.start, start) > 0]
    if len(covered) > 1:
        return covered[0], covered[-1] - covered[0] + 1
    return (covered[0] if covered else nearest(token, columns)), 1


def text_columns(
    rows: Sequence[Sequence[Token]], marks: Sequence[int], taken: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Columns of words: where ``<C>`` marks stand without numbers below, else left edges that several rows share."""
    found: list[tuple[int, int]] = []
    if marks:
        for n, start in enumerate(marks[1:], 1):
            end = marks[n + 1] - 1 if n + 1 < len(marks) else start + 400
            if not any(min(end, stop) - max(start - 2, begin) > 0 for begin, stop in taken):
                found.append((start, end))
        return found
    edges: dict[int, list[Token]] = {}
    for row in rows:
        for token in row[1:]:
            if not token.is_number:
                key = next((edge for edge in edges if abs(edge - token.start) <= 3), token.start)
                edges.setdefault(key, []).append(token)
    for edge, group in sorted(edges.items()):
        end = max(token.end for token in group)
        clear = not any(min(end, stop) - max(edge, begin) > 0 for begin, stop in [*taken, *found])
        if len(group) >= max(2, len(rows) // 4) and clear:
            found.append((edge, end))
    return found


_OPEN_WORDS = frozenset("and of the to for from in before by on with or under net at".split())
_NIL = frozenset(("-", "$-", "$ -"))
_OTHER_MARKS = str.maketrans("|.*~", "    ")
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
            return [
                (found.start(), found.end())
                for found in UNBROKEN.finditer(body[n].text.translate(_OTHER_MARKS))
                if len(found[0]) >= 3
            ]
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
    label, _, number = token.text.rpartition(" ")
    core = number.removeprefix("$").removeprefix("(").removesuffix("%").removesuffix(")")
    start = token.start + len(label) + 1
    is_figure = bool(core) and not core.strip("0123456789,.") and is_number(number)
    if is_figure and start >= first - 3 and any(char.isalpha() for char in label):
        return label, Token(number, start, token.end)
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
        return wrapped and (row.label[0].islower() or ends_open(last.label.lower(), _OPEN_WORDS, (",", "-")))
    if last.cells:
        return not row.cells and row.indent > last.indent and row.label[0].islower()
    if row.label[0].islower() or row.label.startswith(("(", "$", "of ")):
        return True
    return ends_open(last.label.lower(), _OPEN_WORDS, (",", "-")) and row.indent >= last.indent


def _cells(header: Sequence[Row], rows: Sequence[Row]) -> list[RawCell]:
    cells: list[RawCell] = []
    for number, row in enumerate([*header, *rows]):
        is_header = number < len(header)
        if row.label:
            cells.append(RawCell(row.label, number, 0, header=is_header, indent=0 if is_header else row.indent))
        for column, text in sorted(row.cells.items()):
            # A hyphen alone is a nil amount here; as a dash it can't be taken for the sign of the next column's figure.
            text = f"{text[:-1]}–" if text in _NIL else text
            cells.append(RawCell(text, number, column + 1, colspan=row.spans.get(column, 1), header=is_header))
    return cells
