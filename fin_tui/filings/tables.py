"""Builds a filing's clean text, the blocks over it and its tables, one block at a time, for all readers.

Blocks are separated by one blank line. A table's rows are lines and its cells are separated by one tab, so that the clean
text of a table is readable, copies into a spreadsheet, and has a span for every cell. Grids of cells become tables with header
paths, units, scale, periods and linked footnotes.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from fin_tui.filings.section_headings import opening_divisions
from fin_tui.filings.table_cells import GridCell, RawCell, find_columns, join_cells, note_of_row, row_paths, with_notes_below
from fin_tui.filings.table_header import (
    FISCAL_LENGTH,
    NO_PERIOD,
    Header,
    Period,
    caption_in,
    count_header_rows,
    counts_things,
    find_title,
    find_units,
    fiscal_year_in,
    has_period_words,
    is_per_thing,
    read_header,
    read_periods,
    scale_of,
    start_of,
)
from fin_tui.language import any_of, clean, runs_of
from fin_tui.records import Block, BlockKind, Cell, Column, Document, Span, Table


@dataclass(frozen=True, slots=True)
class MadeTable:
    """The clean text of a table (rows are lines, cells separated by tabs), its grid, and where each raw cell went."""

    text: str
    table: Table
    spans: tuple[Span, ...]


def make_table(cells: Sequence[RawCell], *, offset: int, above: Sequence[str] = ()) -> MadeTable:
    """Build a table whose text will start at ``offset`` of the clean text.

    ``above`` holds the texts of the blocks before the table, nearest last: titles and unit captions are taken from them.

    Signs, brackets and note markers that had cells of their own are joined to their number, and grid columns that make up
    one visible column become one; ``Cell.column`` and ``Table.columns`` count those. ``spans[i]`` is where the text of
    ``cells[i]`` stands, an empty span where it has none.
    """
    rows = join_cells(cells)
    if not rows:
        return MadeTable("", Table((), 0, ()), tuple(Span(offset, offset) for _ in cells))
    count = count_header_rows(rows)
    columns = find_columns(rows, count)
    header = read_header(rows, count, columns)
    notes = _notes(rows, count)
    text, made, spans = _lay_out(rows, offset, len(cells))
    units, scale = find_units([*header.captions, *header.paths[0][::-1], *_nearest(above), *_corner(header)])
    table = Table(
        rows=made,
        header_rows=count,
        columns=tuple(
            Column(path, period.start, period.end) for path, period in zip(header.paths, _periods(header, above), strict=True)
        ),
        title=find_title(header.captions, above),
        units=units,
        scale=scale,
        row_paths=tuple(row_paths(rows, count, len(notes))),
        footnotes=dict(reversed(notes)),
    )
    return MadeTable(text, table, spans)


def _nearest(above: Sequence[str]) -> list[str]:
    return list(reversed(above[-3:]))


def _corner(header: Header) -> list[str]:
    """Units that only column headers state ("2024 (in millions)")."""
    return [text for path in header.paths[1:] for text in path]


def _periods(header: Header, above: Sequence[str]) -> list[Period]:
    captions = [*reversed(header.captions), *header.paths[0]]
    context = [*captions, *(text for text in _nearest(above) if len(text.split()) <= 40)]
    spanning = [text for path in header.paths[1:] for text in path if has_period_words(text)]
    # "Years ended December 31," centred over the first column only still speaks for all of them.
    context.extend(dict.fromkeys(spanning))
    return [NO_PERIOD, *read_periods(header.paths[1:], context)]


def _notes(rows: Sequence[Sequence[GridCell]], header_rows: int) -> list[tuple[str, str]]:
    """Note rows at the foot of the table, last first."""
    notes: list[tuple[str, str]] = []
    for row in reversed(rows[header_rows:]):
        note = note_of_row([cell.text for cell in row])
        if note is None:
            break
        notes.append(note)
    return notes if len(notes) < len(rows) - header_rows else []


def _lay_out(
    rows: Sequence[Sequence[GridCell]], offset: int, count: int
) -> tuple[str, tuple[tuple[Cell, ...], ...], tuple[Span, ...]]:
    spans = [Span(offset, offset)] * count
    lines: list[str] = []
    made: list[tuple[Cell, ...]] = []
    at = offset
    for number, row in enumerate(rows):
        out: list[Cell] = []
        for cell in row:
            out.append(Cell(cell.value, number, cell.column, at, at + cell.length, cell.markers))
            for index, start, end in cell.parts:
                spans[index] = Span(at + start, at + end)
            at += len(cell.text) + 1
        lines.append("\t".join(cell.text for cell in row))
        made.append(tuple(out))
    return "\n".join(lines), tuple(made), tuple(spans)


_LONGEST_CAPTION = 240
_NOTES = any_of("note(s) to (the) consolidated financial statements")
_STANDING = any_of("tabular, all (dollar) tables/amounts, otherwise, throughout, except as/where noted/indicated/stated")
_REACH = 14  # Blocks after a unit caption that it may still speak for, within its own heading.


def complete_tables(document: Document) -> Document:
    """``document`` with columns headed by a bare fiscal year dated, units handed on between tables of one heading, and the
    footnotes under tables linked.

    A year is dated only when the filing's own fiscal year and period end are known and the year is not a later one, such as
    a year of maturity. Text and spans stay as they are.
    """
    ends = year_ends(document)
    blocks = with_notes_below(_with_units(document), document.text)
    if ends:
        blocks = [replace(b, table=_dated(b.table, ends)) if b.table is not None else b for b in blocks]
    return replace(document, blocks=tuple(blocks))


def year_ends(document: Document) -> dict[int, dt.date]:
    """Fiscal year -> its last day, for the filing's own year and the fifteen before it."""
    last, label = document.cover.period_end, document.cover.fiscal_year
    if last is None:
        return {}
    label = label or last.year
    shift = label - last.year
    if abs(shift) > 1:
        return {}
    known = {end for block in document.blocks if block.table for end in _annual_ends(block.table)}
    known |= {f.period_end for f in document.facts if f.period_end and f.period_start and _is_year(f.period_start, f.period_end)}
    ends: dict[int, dt.date] = {}
    for year in range(label - 15, label + 1):
        expected = anniversary(last, year - shift)
        near = [end for end in known if abs((end - expected).days) <= 10]
        ends[year] = min(near, key=lambda end: abs((end - expected).days)) if near else expected
    ends[label] = last
    return ends


def _annual_ends(table: Table) -> Sequence[dt.date]:
    return [c.period_end for c in table.columns if c.period_end and c.period_start and _is_year(c.period_start, c.period_end)]


def _is_year(start: dt.date, end: dt.date) -> bool:
    return FISCAL_LENGTH[0] <= (end - start).days <= FISCAL_LENGTH[1]


def anniversary(last: dt.date, year: int) -> dt.date:
    """The end of the fiscal year that ends in ``year``: the same end of month, else the same weekday nearest to the day."""
    month_end = (last + dt.timedelta(days=1)).month != last.month
    if month_end:
        following = dt.date(year + last.month // 12, last.month % 12 + 1, 1)
        return following - dt.timedelta(days=1)
    day = dt.date(year, last.month, min(last.day, 28) if last.month == 2 else last.day)
    off = (last.weekday() - day.weekday()) % 7
    return day + dt.timedelta(days=off if off <= 3 else off - 7)


def _dated(table: Table, ends: dict[int, dt.date]) -> Table:
    columns = list(table.columns)
    years = {
        i: year for i, column in enumerate(columns) if i and column.period_end is None and (year := fiscal_year_in(column.header))
    }
    if not years or any(year not in ends for year in years.values()):
        # One later year among them makes the table a schedule of years to come.
        return table
    for i, year in years.items():
        start = start_of(ends[year], 12, list(ends.values())) if _tells_of_years(table, columns[i]) else None
        columns[i] = Column(columns[i].header, start, ends[year])
    return replace(table, columns=tuple(columns))


def _tells_of_years(table: Table, column: Column) -> bool:
    words = f"{table.title} {' '.join(column.header)}".lower()
    return not any(
        mark in words for mark in ("balance sheet", "as of", "financial position", " at december", "assets and liabilities")
    )


def _with_units(document: Document) -> list[Block]:
    """Tables without a caption of their own take that of a table shortly above them under the same heading, else the one that
    a part of the filing states for all its tables ("Tabular amounts in millions")."""
    out: list[Block] = []
    blocks = document.blocks
    units, scale, at, level = "", 1, -_REACH, 0
    standing = ("", 1)
    opened = False
    for block in blocks:
        if block.kind is not BlockKind.TABLE:
            text = document.text[block.start : block.end]
            opens = block.kind is BlockKind.HEADING and _opens_part(text)
            caption = _standing_caption(text) or (_part_caption(text) if opens or opened else "")
            standing = (caption, scale_of(caption)) if caption else standing
            opened = opens
        if block.kind is BlockKind.HEADING:
            if level and block.level < level:
                units = ""
            level = level or block.level
        elif block.table is not None:
            table = block.table
            near = scale > 1 and block.ordinal - at <= _REACH
            given = (units, scale) if units and near else standing
            if counts_things(table.units) and given[0] and _has_money(table):
                both = f"{table.units}; {given[0]}"
                block = replace(block, table=replace(table, units=both, scale=given[1]))
            elif table.units:
                units, scale, at, level = table.units, table.scale, block.ordinal, 0
            elif given[0] and (_has_money(table) or _has_part_shares(table)):
                block = replace(block, table=replace(table, units=given[0], scale=given[1]))
        out.append(block)
    return _with_usual_unit(out)


_LEAST_TABLES, _LEAST_UNSTATED, _LEAST_ALIKE = 20, 0.4, 0.8
"""Of 57 filings two leave the unit of 60 % of their tables of money unstated, all with more than twenty of them at most 15 %."""
_DIGITS_IN_FULL, _CENTS, _BASE = 7, 2, "100"
"""Digits of an amount that is printed in full, also where others are in thousands, and of the cents of a price; what an
investment is set to in the first year, when its performance is shown.
"""


def _with_usual_unit(blocks: list[Block]) -> list[Block]:
    """Tables of money without a unit in the one of nearly all others, where a filing often leaves it unstated."""
    tables = [block.table for block in blocks if block.table is not None and _has_money(block.table)]
    stated = Counter((table.units, table.scale) for table in tables if table.units)
    unstated = len(tables) - stated.total()
    if len(tables) < _LEAST_TABLES or unstated < _LEAST_UNSTATED * len(tables) or not stated:
        return blocks
    (units, scale), _ = stated.most_common(1)[0]
    alike = sum(count for (_, other), count in stated.items() if other == scale)
    if alike < _LEAST_ALIKE * stated.total():
        return blocks
    return [
        replace(block, table=replace(block.table, units=units, scale=scale))
        if block.table is not None and not block.table.units and _has_money(block.table) and not _is_in_full(block.table)
        else block
        for block in blocks
    ]


def _is_in_full(table: Table) -> bool:
    """Whether amounts are printed in full, to the cent, or tell what a hundred dollars became."""
    printed = [cell.text.strip("$() ").replace(",", "").partition(".") for row in table.rows for cell in row if cell.column]
    amounts = [(whole, part) for whole, _, part in printed if f"{whole}{part}".isdecimal()]
    is_base = sum(whole == _BASE and not part.strip("0") for whole, part in amounts) > 1
    return is_base or any(len(whole) >= _DIGITS_IN_FULL or len(part) >= _CENTS for whole, part in amounts)


def _opens_part(text: str) -> bool:
    """Whether ``text`` heads all that follows it to the next such heading: an Item, or the notes."""
    divisions = opening_divisions(text) if text[:1].isalpha() else ()
    return any(division.startswith("item") for division in divisions) or _NOTES.match(text) is not None


def _standing_caption(text: str) -> str:
    if len(text) > _LONGEST_CAPTION or not _STANDING.search(text):
        return ""
    return caption_in(text)


def _part_caption(text: str) -> str:
    """The caption in the heading of a part, or that stands alone under it: "Notes … (amounts in millions)"."""
    caption = caption_in(text) if len(text) <= _LONGEST_CAPTION else ""
    return caption if caption and (_opens_part(text) or caption == text.strip()) else ""


def _has_money(table: Table) -> bool:
    """Whether a row has sums of money, not of what one room or one barrel brings: such a table has a scale."""
    named = zip_longest(table.rows, table.row_paths, fillvalue=())
    sums = (row for row, path in named if not (path and is_per_thing(path[-1])))
    return any(cell.text[:1] == "$" or cell.text[:2] == "($" for row in sums for cell in row)


def _has_part_shares(table: Table) -> bool:
    """Whether a row of shares has a fraction: such a table has a scale, wherever it is stated."""
    return any(
        _is_fraction(cell.text)
        for row, path in zip(table.rows, table.row_paths, strict=False)
        if path and _counts_shares(path[-1])
        for cell in row
        if cell.column
    )


def _is_fraction(text: str) -> bool:
    """ "1,234.5", "(0.2)"."""
    whole, _, part = text.removeprefix("(").removesuffix(")").partition(".")
    return len(part) == 1 and part.isdecimal() and whole[:1].isdecimal() and whole.replace(",", "").isdecimal()


def _counts_shares(label: str) -> bool:
    """Whether a label speaks of shares, and of nothing per share behind that."""
    return next((word for word in reversed(runs_of(label.lower(), "_")) if word in ("shares", "per")), "") == "shares"


SEPARATOR = "\n\n"


@dataclass(slots=True)
class Added:
    """Where a block landed."""

    block: Block
    cells: tuple[Span, ...] = ()
    """Tables only: for each raw cell, in the order given, the span of its text (empty span where it was dropped)."""


class DocumentBuilder:
    """Collects blocks in reading order; ``text`` and ``blocks`` are the result."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self.blocks: list[Block] = []

    @property
    def text(self) -> str:
        return SEPARATOR.join(self._parts)

    @property
    def next_start(self) -> int:
        """Where the next block will start in the clean text."""
        return self._length + (len(SEPARATOR) if self._parts else 0)

    def block_text(self, block: Block) -> str:
        """The clean text of a block that was added."""
        return self._parts[block.ordinal]

    def add(
        self,
        kind: BlockKind,
        text: str,
        *,
        page: int,
        page_label: str = "",
        level: int = 0,
        note: str = "",
        is_clean: bool = False,
    ) -> Added | None:
        """Append a paragraph, heading or list item; None when nothing is left of it after cleaning.

        ``is_clean`` says that the caller has run :func:`clean` already, having computed offsets into the result.
        """
        text = text if is_clean else clean(text)
        if not text:
            return None
        block = self._append(text, kind, page, page_label, level, note, None)
        return Added(block)

    def add_table(
        self, cells: Sequence[RawCell], *, page: int, page_label: str = "", note: str = "", above: Sequence[str] = ()
    ) -> Added | None:
        """Append a table; ``above`` holds the texts of the few blocks before it, nearest last (titles, "(In millions)")."""
        made = make_table(cells, offset=self.next_start, above=above)
        if not made.text:
            return None
        block = self._append(made.text, BlockKind.TABLE, page, page_label, 0, note, made.table)
        return Added(block, made.spans)

    def _append(
        self, text: str, kind: BlockKind, page: int, page_label: str, level: int, note: str, table: Table | None
    ) -> Block:
        start = self.next_start
        block = Block(
            ordinal=len(self.blocks),
            kind=kind,
            start=start,
            end=start + len(text),
            page=page,
            page_label=page_label,
            level=level,
            table=table,
            note=note,
        )
        self._parts.append(text)
        self._length = start + len(text)
        self.blocks.append(block)
        return block
