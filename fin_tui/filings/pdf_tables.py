"""Rows of a page -> tables found by position: where they begin and end, their columns, and their cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from fin_tui.filings.pdf_grid import Band, grid
from fin_tui.filings.pdf_lines import Row, Segment, make_segment
from fin_tui.filings.table_cells import RawCell
from fin_tui.language import any_of

_MAX_GAP = 4.0
"""Widest vertical gap inside a table, in ems."""
_MAX_BLANK = 6.0
"""Widest gap before rows that stand in the same columns without a header of their own."""
_MAX_SINGLES = 6
"""Most rows in sequence without a second cell inside a table: headings of row groups and wrapped labels."""
_MAX_HEADER = 8


_ANNOUNCES = any_of("the following table(s), as follows, table(s) below/above, is/are presented, summarises, summarizes")
"""Prose between two tables that stand close together."""


@dataclass(slots=True)
class FoundTable:
    """A table as cells, ready for the document builder, with the rows it was made of."""

    rows: list[Row]
    cells: list[RawCell] = field(default_factory=list)


def split_tables(flow: Sequence[Row]) -> Iterator[Row | FoundTable]:
    """The rows of a flow in order, with those that form a table taken together."""
    rows = list(flow)
    left = min((row.x0 for row in rows), default=0.0)
    width = max((row.x1 for row in rows), default=0.0) - left
    for index, row in enumerate(rows):
        if _is_justified(rows, index, width):
            _join(row)
    at = 0
    while at < len(rows):
        end = _table_end(rows, at, left, width)
        if end is None:
            yield rows[at]
            at += 1
            continue
        table = FoundTable(rows[at:end])
        table.cells = grid(table.rows)
        yield table
        at = end


def is_data(row: Row) -> bool:
    """Whether the row holds a figure that stands apart from a label: the body of a numeric table."""
    values = [segment for segment in row.segments if segment.is_value]
    if not values or all(segment.is_year for segment in values):
        return False
    if row.segments[0].is_value and len(row.segments) == 1:
        return row.segments[0].text[:1].isdigit() or row.segments[0].text[:1] in "$(€£"
    return any(segment.is_value and not segment.is_year for segment in row.segments[1:]) or len(values) == len(row.segments)


def _is_justified(rows: list[Row], index: int, width: float) -> bool:
    """Whether the gaps of a row are only wide word spaces of justified prose."""
    row = rows[index]
    if len(row.segments) < 2:
        return False
    gaps = [(a.x1, b.left) for a, b in pairwise(row.segments)]
    if len(row.words) < 8 or row.x1 - row.x0 < 0.6 * width or any(high - low > 1.7 * row.size for low, high in gaps):
        return False
    if sum(len(segment.words) == 1 and not segment.is_value for segment in row.segments) > 0.5 * len(row.words):
        return True
    if len(row.segments[-1].words) == 1 and row.segments[-1].is_value and len(row.segments) > 2:
        return False
    near = [other for other in rows[max(0, index - 1) : index + 2] if other is not row and len(other.segments) > 1]
    return not any(
        min(high, b.left) - max(low, a.x1) > 0.5 * row.size
        for low, high in gaps
        for other in near
        for a, b in pairwise(other.segments)
    )


def _join(row: Row) -> None:
    row.segments = [make_segment(row.words)]


def _table_end(rows: list[Row], start: int, left: float, width: float) -> int | None:
    """Index after the last row of the table that starts at ``start``; None when none does."""
    if not _may_start(rows, start, left, width):
        return None
    bands: list[Band] = []
    body: list[Row] = []
    end, singles, at = start, 0, start
    while at < len(rows):
        row = rows[at]
        gap = (row.y - rows[at - 1].y) / max(row.size, rows[at - 1].size) if at > start else 0.0
        if gap > _MAX_GAP and not (gap < _MAX_BLANK and _goes_on(rows[at : at + 2], bands)):
            break
        if is_data(row):
            grown = _grown(bands, row)
            joined = grown is not None and any(_held(band, bands) > 1 for band in grown)
            if (
                grown is None
                or (joined and any(_clash(other, grown) for other in body))
                or _new_layout(rows, body, at, grown, bands)
            ):
                end = _cut(rows, start, at)
                break
            bands = grown
            body.append(row)
            singles, end = 0, at + 1
        elif len(row.segments) > 1:
            singles, end = 0, at + 1
        else:
            singles += 1
            if singles > _MAX_SINGLES or not _fits(row, bands, width, rows[start]):
                break
        at += 1
    return end if _is_table(rows[start:end], body) else None


def _may_start(rows: list[Row], start: int, left: float, width: float) -> bool:
    """A table starts with a row of several cells, or with a line of its header that stands over its columns."""
    row = rows[start]
    if len(row.segments) > 1 or is_data(row):
        return True
    if row.x0 < left + 0.25 * width:
        return start + 1 < len(rows) and _heads_group(row, rows[start + 1])
    below = rows[start + 1 : start + 1 + _MAX_HEADER]
    for other in below:
        if len(other.segments) > 1:
            first = next((s.left for s in other.segments if s.left > left + 0.25 * width), row.x0)
            near = other.y - row.y < 2.2 * row.size * (1 + below.index(other))
            return near and row.x0 > first - 4 * row.size and not _is_title(row, left, width)
        if other.x0 < left + 0.25 * width:
            return False
    return False


def _heads_group(row: Row, following: Row) -> bool:
    """Whether the row is a short label that the indented first row of figures under it belongs to: "Current assets:"."""
    if not is_data(following) or len(row.words) > 8 or row.marker or _ANNOUNCES.search(row.text):
        return False
    near = following.y - row.y < 1.8 * row.size
    return near and following.x0 > row.x0 + 0.3 * row.size and row.x1 < following.segments[-1].left


def _is_title(row: Row, left: float, width: float) -> bool:
    """Whether the row is centred on the page in capitals or bold: the title of a table, not a header of its columns."""
    centred = abs((row.x0 + row.x1) / 2 - (left + width / 2)) < 0.03 * width
    return centred and (row.bold or row.text.isupper() or row.text.startswith("("))


def _new_layout(rows: Sequence[Row], body: Sequence[Row], at: int, grown: Sequence[Band], bands: Sequence[Band]) -> bool:
    """Whether row ``at`` begins a table of its own: more columns than before, under a header of theirs."""
    headed = not is_data(rows[at - 1]) and any(len(row.segments) > 2 for row in rows[max(0, at - 3) : at] if not is_data(row))
    return len(body) >= 2 and headed and len(grown) >= len(bands) + 2


def _goes_on(rows: Sequence[Row], bands: Sequence[Band]) -> bool:
    """Whether ``rows`` go on in the columns ``bands``, with at most a heading before the next figures."""
    for row in rows:
        if is_data(row):
            ends = [segment.x1 for segment in _figures(row)]
            return len(ends) == len(bands) and all(abs(x - band.x1) < 1.2 * row.size for x, band in zip(ends, bands, strict=True))
        if len(row.segments) > 1 or not bands or row.x1 > bands[0].x0:
            return False
    return False


def _grown(bands: list[Band], row: Row) -> list[Band] | None:
    """``bands`` widened by the figures of ``row``; None when two figures of the row would fall into one band."""
    grown = list(bands)
    for segment in _figures(row):
        touching = [band for band in grown if band.x0 < segment.x1 and segment.x0 < band.x1]
        low = min([segment.x0, *(band.x0 for band in touching)])
        high = max([segment.x1, *(band.x1 for band in touching)])
        grown = [band for band in grown if band not in touching]
        grown.append(Band(low, high, low))
    grown.sort(key=lambda band: band.x0)
    return None if _clash(row, grown) else grown


def _held(band: Band, bands: Sequence[Band]) -> int:
    """How many of ``bands`` the wider ``band`` holds."""
    return sum(band.x0 <= other.x0 and other.x1 <= band.x1 for other in bands)


def _figures(row: Row) -> list[Segment]:
    segments = row.segments if row.segments[0].is_value and not row.segments[0].is_year else row.segments[1:]
    return [segment for segment in segments if segment.is_value]


def _clash(row: Row, bands: list[Band]) -> bool:
    figures = _figures(row)
    taken = [next(i for i, band in enumerate(bands) if band.x0 < f.x1 and f.x0 < band.x1) for f in figures]
    return len(set(taken)) < len(taken)


def _cut(rows: list[Row], start: int, at: int) -> int:
    """Where a table ends whose row ``at`` has other columns: before the headers of those, if any stand above it."""
    end = at
    while end - 1 > start and not is_data(rows[end - 1]):
        end -= 1
    return end


def _fits(row: Row, bands: list[Band], width: float, top: Row) -> bool:
    """Whether a row with one segment may stand inside a table: left of its figures, or over them in the header."""
    if row.marker and len(row.marker) == 1 and not row.marker.isalnum() and row.marker not in "*-–—":
        return False
    if _ANNOUNCES.search(row.text) or (row.marker and len(row.words) > 9):
        return False
    if not bands:
        return row.x1 - row.x0 < 0.75 * width
    if row.x1 <= bands[0].x0 + 0.5 * row.size:
        return True
    return row.x0 >= bands[0].x0 - 4 * row.size and row.x1 - row.x0 < 0.75 * (bands[-1].x1 - bands[0].x0 + 8 * row.size)


def _is_table(rows: Sequence[Row], body: Sequence[Row]) -> bool:
    if len(body) >= 2:
        return True
    several = [row for row in rows if len(row.segments) > 1]
    if body:
        return len(several) >= 2 or (len(rows) == 1 and len(rows[0].segments) >= 4)
    return len(several) >= 2 and _aligned(several)


def _aligned(rows: Sequence[Row]) -> bool:
    """Whether second and later segments of text rows start, end or centre at the same place on most rows."""
    marks: list[tuple[int, float, float, float, float]] = []
    for index, row in enumerate(rows):
        marks += [(index, s.left, s.x1, (s.left + s.x1) / 2, row.size) for s in row.segments[1:]]
    matched = {
        a[0]
        for a in marks
        for b in marks
        if a[0] != b[0] and abs(a[0] - b[0]) <= 3 and any(abs(a[k] - b[k]) < 0.4 * a[4] for k in (1, 2, 3))
    }
    return len(matched) >= 0.6 * len(rows)
