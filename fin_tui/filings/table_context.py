"""What tables leave to the filing around them: the day on which "2024" ended, and "in millions" said once for several tables."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import replace

from fin_tui.filings.table_notes import with_notes_below
from fin_tui.filings.table_periods import FISCAL_LENGTH, fiscal_year_in, start_of
from fin_tui.filings.table_units import caption_in, scale_of
from fin_tui.records import Block, BlockKind, Column, Document, Table

_LONGEST_CAPTION = 240
_OPENS_PART = re.compile(
    r"^(?:part\s+[iv]+\W+)?(?:item\s+\d+[abc]?\b|notes?\s+to\s+(?:the\s+)?consolidated\s+financial\s+statements\b)", re.IGNORECASE
)
"""A heading over all that follows it to the next such heading."""
_STANDING = re.compile(
    r"\btabular\b|\ball (?:dollar )?(?:tables|amounts)\b|otherwise|\bthroughout\b|except (?:as|where) (?:noted|indicated|stated)",
    re.IGNORECASE,
)
_FRACTION = re.compile(r"^\(?\d[\d,]*\.\d\)?$")
_SHARES = re.compile(r"\bshares\b(?!.*\bper\b)", re.IGNORECASE)
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
        expected = _anniversary(last, year - shift)
        near = [end for end in known if abs((end - expected).days) <= 10]
        ends[year] = min(near, key=lambda end: abs((end - expected).days)) if near else expected
    ends[label] = last
    return ends


def _annual_ends(table: Table) -> Sequence[dt.date]:
    return [c.period_end for c in table.columns if c.period_end and c.period_start and _is_year(c.period_start, c.period_end)]


def _is_year(start: dt.date, end: dt.date) -> bool:
    return FISCAL_LENGTH[0] <= (end - start).days <= FISCAL_LENGTH[1]


def _anniversary(last: dt.date, year: int) -> dt.date:
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
            opens = block.kind is BlockKind.HEADING and _OPENS_PART.match(text) is not None
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
            if table.units:
                units, scale, at, level = table.units, table.scale, block.ordinal, 0
            elif given[0] and (_has_money(table) or _has_part_shares(table)):
                block = replace(block, table=replace(table, units=given[0], scale=given[1]))
        out.append(block)
    return out


def _standing_caption(text: str) -> str:
    if len(text) > _LONGEST_CAPTION or not _STANDING.search(text):
        return ""
    return caption_in(text)


def _part_caption(text: str) -> str:
    """The caption in the heading of a part, or that stands alone under it: "Notes … (amounts in millions)"."""
    caption = caption_in(text) if len(text) <= _LONGEST_CAPTION else ""
    return caption if caption and (_OPENS_PART.match(text) or caption == text.strip()) else ""


def _has_money(table: Table) -> bool:
    return any(cell.text[:1] == "$" or cell.text[:2] == "($" for row in table.rows for cell in row)


def _has_part_shares(table: Table) -> bool:
    """Whether a row of shares has a fraction: such a table has a scale, wherever it is stated."""
    return any(
        _FRACTION.match(cell.text)
        for row, path in zip(table.rows, table.row_paths, strict=False)
        if path and _SHARES.search(path[-1])
        for cell in row
        if cell.column
    )
