"""Rows of a page -> reading order, where parts of a page are set in two columns."""

from __future__ import annotations

from itertools import pairwise

from fin_tui.filings.pdf_lines import Row, build_rows

_MAX_ROWS = 150
"""Rows that one pair of columns may have; keeps odd pages cheap."""


def reading_flows(rows: list[Row]) -> list[list[Row]]:
    """``rows`` of a page in reading order, cut where the page changes between one and two columns of prose.

    Within a flow the rows run from the top down. A page set in one column gives one flow.
    """
    flows: list[list[Row]] = [[]]
    index = 0
    while index < len(rows):
        found = _gutter(rows, index)
        if found is None:
            flows[-1].append(rows[index])
            index += 1
            continue
        end, middle = found
        words = [word for row in rows[index:end] for word in row.words]
        flows.append(build_rows([word for word in words if word.x0 < middle]))
        flows.append(build_rows([word for word in words if word.x0 >= middle]))
        flows.append([])
        index = end
    return [flow for flow in flows if flow]


def _gutter(rows: list[Row], start: int) -> tuple[int, float] | None:
    """``(end, x)`` when rows ``[start, end)`` are two columns of prose with the gutter at ``x``."""
    first = rows[start]
    gaps = [(a.words[-1].x1, b.words[0].x0) for a, b in pairwise(first.segments)]
    if start + 1 < len(rows) and rows[start + 1].y - first.y < 0.9 * first.size:  # the columns' baselines are not the same
        other = rows[start + 1]
        gaps += [(a.x1, b.x0) for a, b in ((first, other), (other, first)) if a.x1 < b.x0]
    for left, right in gaps:
        low, high, end = left, right, start + 1
        while end < min(len(rows), start + _MAX_ROWS):
            room = _room(rows[end], low, high)
            if room is None:
                break
            low, high = room
            end += 1
        if end - start >= 6 and _is_prose_pair(rows[start:end], (low + high) / 2):
            return end, (low + high) / 2
    return None


def _room(row: Row, low: float, high: float) -> tuple[float, float] | None:
    """What the row leaves free of the interval ``(low, high)``, when that is still a gutter."""
    for word in row.words:
        if word.x1 > low and word.x0 < high:
            middle = (low + high) / 2
            if word.x1 <= middle:
                low = word.x1
            elif word.x0 >= middle:
                high = word.x0
            else:
                return None
    return (low, high) if high - low >= 0.8 * row.size else None


def _is_prose_pair(rows: list[Row], middle: float) -> bool:
    for side in (0, 1):
        lines = [[w for w in row.words if (w.x0 >= middle) == bool(side)] for row in rows]
        lines = [line for line in lines if line]
        words = [word for line in lines for word in line]
        if len(lines) < 0.5 * len(rows) or len(words) < 4 * len(lines):
            return False
        right = max(word.x1 for word in words)
        left = min(word.x0 for word in words)
        filled = sum(line[-1].x1 - line[0].x0 > 0.7 * (right - left) for line in lines)
        lower = sum(word.text[:1].islower() for word in words)
        if filled < 0.55 * len(lines) or lower < 0.45 * len(words):
            return False
    return True
