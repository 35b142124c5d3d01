"""Raw grids -> cells, columns and rows as a reader sees them; note markers, note rows, and labels of rows as paths."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from fin_tui.language import clean, is_enumerator, is_year
from fin_tui.records import Block, BlockKind, Table

_MARKER = r"(?:\(\d{1,2}\)|\([a-z]{1,2}\)|\([A-Z]\)|\[\d{1,2}\]|\[[a-z]\]|\*{1,4}+(?!\*)|[†‡§#]|[¹²³⁴⁵⁶⁷⁸⁹]++)"
"""Nothing in it is tried twice: a row of asterisks, of which each could be a mark, would take for ever."""
_TRAILING = re.compile(rf"(?<!\s)(?P<gap>\s*+)(?P<marks>{_MARKER}(?:[\s,]*{_MARKER})*+)$")
_EACH = re.compile(_MARKER)
_MOST_NOTES, _SHORTEST_NOTE = 15, 9


def stands_alone(text: str) -> bool:
    """Whether ``text`` is nothing but note markers."""
    return text[-1:] not in (" ", ",") and _EACH.match(text) is not None and not _EACH.sub("", text).strip(" ,")


def split_markers(text: str, is_number: Callable[[str], bool]) -> tuple[int, tuple[str, ...]]:
    """(length of ``text`` without the markers at its end, those markers).

    After a number any marker counts; after words only one that a blank sets off, or digits: "401(k)" keeps its bracket.
    """
    found = _TRAILING.search(text)
    if found is None or not found.start():
        return len(text), ()
    head, marks = text[: found.start()], found.group("marks")
    if not any(c.isalnum() for c in head) or is_number(text):
        return len(text), ()
    if not is_number(head) and not found.group("gap") and marks[:1] in "([" and marks[1:2].isalpha():
        return len(text), ()
    return found.start(), tuple(_EACH.findall(marks))


def note_of_row(texts: list[str]) -> tuple[str, str] | None:
    """(marker, note) when the row's cells are a note under a table, else None."""
    if len(texts) == 1:
        return _note_in(texts[0])
    if len(texts) == 2 and len(texts[1].split()) >= 3 and _is_loose_mark(texts[0]):
        return texts[0], texts[1]
    return None


def _note_in(text: str) -> tuple[str, str] | None:
    """(marker, note) of a line that opens with a marker, or with a number and a stop."""
    mark, _, note = text.partition(" ")
    is_mark = _EACH.fullmatch(mark) or (mark.endswith((".", ")")) and _is_loose_mark(mark) and mark[0].isdigit())
    return (mark, note) if is_mark and len(note) >= _SHORTEST_NOTE else None


def _is_loose_mark(text: str) -> bool:
    bare = text[:-1] if text.endswith((".", ")")) else text
    return (is_enumerator(bare) and (bare.isdigit() or (len(bare) == 1 and bare.islower()))) or _EACH.fullmatch(text) is not None


def with_notes_below(blocks: Sequence[Block], text: str) -> list[Block]:
    """``blocks`` with each table's footnotes completed by the paragraphs right under it that open with one of its markers."""
    out = list(blocks)
    for index, block in enumerate(blocks):
        if block.table is not None and (markers := _used(block.table) - block.table.footnotes.keys()):
            notes = _notes_below(blocks[index + 1 : index + 1 + _MOST_NOTES], text, markers)
            if notes:
                out[index] = replace(block, table=replace(block.table, footnotes={**block.table.footnotes, **notes}))
    return out


def _used(table: Table) -> set[str]:
    return {marker for row in table.rows for cell in row for marker in cell.footnotes}


def _notes_below(blocks: Sequence[Block], text: str, markers: Collection[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    bare = {marker.strip("()[]"): marker for marker in markers}
    for block in blocks:
        note = _note_in(text[block.start : block.end]) if block.kind in (BlockKind.LIST, BlockKind.PARAGRAPH) else None
        if note is None:
            break
        if marker := bare.get(note[0].strip("()[].")):
            found.setdefault(marker, note[1])
    return found


_PREFIXES = frozenset(
    ("$", "€", "£", "¥", "US$", "C$", "A$", "R$", "HK$", "(", "$(", "($", "€(", "(€", "£(", "(£", "-$", "$-", "-")
)
_SUFFIXES = frozenset((")", "%", ")%", "%)", ") %", "% )", "x", "pts", "pts.", "pt", "bps", "bp", "¢", "]"))
_NUMBER = re.compile(
    r"^[(\[]?\s?[-–—−+]?\s?(?:US|CA?|AU?|HK|R)?\s?[$€£¥]?\s?[(\-–—−]?\s?(?:\d[\d,]*(?:\.\d*)?|\.\d+)(?:\s\d{1,2}/\d{1,2})?"
    r"\s?(?:%|x|X|pts?\.?|bps?|¢)?\s?[)\]]?\s?%?$"
)
_SPANS = frozenset("year years yr yrs yr. yrs. month months".split())
_ABSENT = frozenset("n/a na n/m nm n.m n.m. n.a n.a. nil nmf".split())
_DASHES = frozenset("-–—−")
_TO = re.compile(r"(?<=[\d%])\s?(?:[-–—−]|to)\s?(?=[\d$.—–-])")
_FEWEST_LEADERS = 3
_RULE, _SHORTEST_RULE = "-=_–—", 3
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
        return is_year(self.value)

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
    return _NUMBER.match(text) is not None or _is_absent(text) or _is_span(text) or _is_range(text)


def _is_absent(text: str) -> bool:
    """ "—", "N/A", "$ -", "(—)%"."""
    core = text.lstrip("([$€£¥ ").rstrip(")]% ").lower()
    return core in _ABSENT or (bool(core) and _DASHES.issuperset(core) and (len(core) <= 3 or not core.strip("-")))


def _is_span(text: str) -> bool:
    """ "4.5 years"."""
    number, _, unit = text.partition(" ")
    whole, _, part = number.partition(".")
    return whole.isdecimal() and part.isdecimal() and unit.lower() in _SPANS


def _is_range(text: str) -> bool:
    parts = _TO.split(text)
    return len(parts) == 2 and all(_NUMBER.match(part) and not is_year(part) for part in parts) and any(c in text for c in ".%$")


def tidy(text: str) -> str:
    """Clean text of one raw cell: no leader dots, no blanks inside a number."""
    text = clean(text)
    if len(text) >= _SHORTEST_RULE and all(char in _RULE or char.isspace() for char in text):
        return text if len(text) < 4 and not text.startswith("=") else ""
    for leader in "._":
        bare = text.rstrip(f"{leader} ")
        text = bare if text.count(leader, len(bare)) >= _FEWEST_LEADERS else text
    first, *rest = text.split(" ")
    return first + "".join(word if _is_one(before[-1:], word[0]) else f" {word}" for before, word in pairwise((first, *rest)))


def _is_one(end: str, begin: str) -> bool:
    """Whether a blank between these two characters stands inside a number, or between it and its signs."""
    return (
        (end in ("$", "€", "£", "¥") and (begin.isdecimal() or begin in "(.-–—−"))
        or (end == "(" and (begin.isdecimal() or begin in "$."))
        or ((end == "%" or end.isdecimal()) and begin in ")%")
    )


def join_cells(cells: Sequence[RawCell]) -> list[list[GridCell]]:
    """Non-empty rows from the top down, cells by column, signs and markers joined."""
    rows: dict[int, list[tuple[int, RawCell, str]]] = {}
    for index, cell in enumerate(cells):
        text = tidy(cell.text)
        if text:
            rows.setdefault(cell.row, []).append((index, cell, text))
    ordered = [sorted(rows[number], key=lambda item: (item[1].column, item[0])) for number in sorted(rows)]
    marker_columns = _marker_columns(item for row in ordered for item in row)
    figures = Counter(cell.column for row in ordered for _, cell, text in row if cell.colspan == 1 and _NUMBER.match(text))
    joined = [_join_row(row, marker_columns, figures) for row in ordered]
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


def _join_row(row: Sequence[tuple[int, RawCell, str]], marker_columns: set[int], figures: Counter[int]) -> list[GridCell]:
    """``figures``: how many numbers each grid column has."""
    out: list[GridCell] = []
    pending: GridCell | None = None
    for index, raw, text in row:
        right = raw.column + max(1, raw.colspan)
        if pending is not None:
            if is_number(text) and not _is_dash_beside(pending, raw, text, figures):
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


def _is_dash_beside(pending: GridCell, raw: RawCell, text: str, figures: Counter[int]) -> bool:
    """Whether a dash in a cell of its own says that there is nothing there: a minus stands right before digits, and not where
    other rows have a number, with one more behind it.
    """
    is_apart = raw.column > pending.right or (figures[pending.left] > 0 and figures[raw.column] > 1)
    return pending.text in _DASHES and (is_apart or _is_absent(text))


def _closes(last: GridCell, text: str) -> bool:
    if text not in _SUFFIXES or not last.is_number:
        return False
    if text.startswith((")", "%)")):
        return last.text.count("(") > last.text.count(")")
    # "2024 | %" is a header, not 2024 percent.
    return not last.is_year


class Columns:
    """Disjoint grid intervals from left to right, one per logical column."""

    def __init__(self) -> None:
        self._spans: list[list[int]] = []

    def __len__(self) -> int:
        return len(self._spans)

    def overlapping(self, left: int, right: int) -> list[int]:
        return [i for i, (a, b) in enumerate(self._spans) if a < right and left < b]

    def learn(self, cells: Iterable[GridCell]) -> None:
        """Add the intervals of ``cells``, narrow ones first; a cell that covers several columns makes none."""
        intervals = sorted({(cell.left, cell.right) for cell in cells}, key=lambda pair: (pair[1] - pair[0], pair))
        for left, right in intervals:
            hit = self.overlapping(left, right)
            if not hit:
                self._spans.append([left, right])
                self._spans.sort()
            elif len(hit) == 1:
                span = self._spans[hit[0]]
                low = max((b for a, b in self._spans if b <= span[0]), default=0)
                high = min((a for a, b in self._spans if a >= span[1]), default=right)
                span[0] = max(min(span[0], left), low)
                span[1] = min(max(span[1], right), high) if high >= span[1] else span[1]

    def place(self, cell: GridCell) -> int:
        """The column of a body cell: numbers go where they overlap most, words to the first column they cover."""
        hit = self.overlapping(cell.left, cell.right)
        if not hit:
            return self.nearest(cell)
        if not cell.is_number:
            return hit[0]
        return max(hit, key=lambda i: (min(self._spans[i][1], cell.right) - max(self._spans[i][0], cell.left), i))

    def nearest(self, cell: GridCell) -> int:
        middle = (cell.left + cell.right) / 2
        return min(range(len(self._spans)), key=lambda i: abs((self._spans[i][0] + self._spans[i][1]) / 2 - middle), default=0)


def find_columns(rows: Sequence[Sequence[GridCell]], header_end: int) -> Columns:
    """Columns learnt from the body rows (from ``header_end``), numbers before words; from all rows when there is no body.

    Sets ``column`` of every cell. Header cells are placed as well; what they span is for the header module.
    """
    columns = Columns()
    body = [cell for row in rows[header_end:] for cell in row]
    columns.learn(cell for cell in body if cell.is_number)
    columns.learn(cell for cell in body if not cell.is_number)
    if not body:
        columns.learn(cell for row in rows for cell in row)
    for row in rows:
        for cell in row:
            cell.column = columns.place(cell)
        _keep_apart(row, len(columns))
    return columns


def _keep_apart(row: Sequence[GridCell], count: int) -> None:
    """Two cells of one row never share a column while the next one is free."""
    for i in range(1, len(row)):
        if row[i].column <= row[i - 1].column:
            following = row[i + 1].column if i + 1 < len(row) else count
            row[i].column = min(row[i - 1].column + 1, max(following - 1, row[i - 1].column), count - 1)


_DEEPEST = 4
# Labels that mean nothing without the line of figures above them. Other indented lines, totals above all, stand for themselves.
_PARTS = tuple("percent % basic diluted growth change increase decrease margin organic constant".split())
_PARTS += ("of which", "year over", "year-over")


@dataclass(slots=True)
class _Open:
    label: str
    indent: int
    heading: bool
    flat: bool = False
    """A heading whose rows are not indented: it holds until the next heading or the total."""


def row_paths(rows: Sequence[Sequence[GridCell]], header_rows: int, note_rows: int) -> list[tuple[str, ...]]:
    """For each row its labels from the outermost in; header and note rows and rows without a label have none of their own."""
    paths: list[tuple[str, ...]] = [()] * len(rows)
    stack: list[_Open] = []
    last = len(rows) - note_rows
    pending = ""
    for i in range(header_rows, last):
        row = rows[i]
        label = row[0].value if row and row[0].column == 0 and not row[0].is_data else ""
        if not label:
            paths[i] = _unlabelled(row, stack)
            continue
        indent = row[0].raw.indent
        if pending:
            label, pending = f"{pending} {label}", ""
        if _heads(row):
            following = rows[i + 1][0].value if i + 1 < last and rows[i + 1] else ""
            if following[:1].islower() and not label.endswith(":"):
                pending = label
                paths[i] = (*(entry.label for entry in stack if entry.indent < indent), label)
                continue
            _close(stack, indent, heading=True)
            paths[i] = (*(entry.label for entry in stack), label)
            stack.append(_Open(label, indent, heading=True))
            del stack[:-_DEEPEST]
            continue
        _settle(stack, indent)
        _close(stack, indent, heading=False)
        part_of = label.lower().removeprefix("as ").removeprefix("a ").startswith(_PARTS)
        parents = [entry for entry in stack if entry.heading or (part_of and entry.indent < indent)]
        paths[i] = (*(entry.label for entry in parents), label)
        if label.lower().startswith("total"):
            _end_group(stack)
        else:
            stack.append(_Open(label, indent, heading=False))
    return paths


def _unlabelled(row: Sequence[GridCell], stack: Sequence[_Open]) -> tuple[str, ...]:
    """A row that has no label of its own: a total of the open headings, or a further line of the label above it."""
    words = next((cell.value for cell in row if not cell.is_number), "")
    if words and row[0].value == words:
        return (*(entry.label for entry in stack), words)
    return tuple(entry.label for entry in stack if entry.heading)


def _heads(row: Sequence[GridCell]) -> bool:
    return len(row) == 1


def _end_group(stack: list[_Open]) -> None:
    """A total ends the group that it sums up."""
    while stack:
        if stack.pop().heading:
            return


def _settle(stack: list[_Open], indent: int) -> None:
    """The first row under a heading tells whether its rows are indented."""
    if stack and stack[-1].heading and not stack[-1].flat and stack[-1].indent >= indent:
        stack[-1].flat = True
        stack[-1].indent = min(stack[-1].indent, indent)


def _close(stack: list[_Open], indent: int, *, heading: bool) -> None:
    while stack:
        top = stack[-1]
        if top.flat and not heading and top.indent <= indent:
            return
        if top.flat and heading and top.indent < indent:
            return
        if top.indent >= indent:
            stack.pop()
        else:
            return
