"""Logical columns: the columns a reader sees, each made of several grid columns (currency sign, number, bracket, spacer)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fin_tui.filings.table_cells import GridCell


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
