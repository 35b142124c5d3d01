"""Which tables are chunks of their own, and how a long one is split between rows."""

from __future__ import annotations

from collections.abc import Iterator

from fin_tui.filings.table_cells import is_number
from fin_tui.records import Block, Table

LARGEST = 250
"""Words of clean text up to which a table is one chunk."""
_SMALLEST = 12


def is_data_table(block: Block) -> bool:
    """A table with figures in more than one row; layout tables and small ones are read as prose."""
    table = block.table
    if table is None:
        return False
    with_numbers = sum(any(is_number(cell.text) for cell in row) for row in table.rows[table.header_rows :])
    words = sum(len(cell.text.split()) for row in table.rows for cell in row)
    cells = sum(len(row) for row in table.rows)
    # Bullets and paragraphs laid out as a table have long cells.
    return with_numbers >= 2 and words >= _SMALLEST and words <= 12 * cells


def split_rows(block: Block, table: Table) -> Iterator[tuple[int, int, int, int]]:
    """(first row, row after the last, start, end) of each part of at most LARGEST words; spans are of the clean text."""
    rows = table.rows
    sizes = [sum(len(cell.text.split()) for cell in row) for row in rows]
    parts = max(1, -(-sum(sizes) // LARGEST))
    target = sum(sizes) / parts + 10
    first = 0
    words = 0
    for index, size in enumerate(sizes):
        if words and index > table.header_rows and (words + size > LARGEST or (words >= target and index < len(rows) - 1)):
            yield first, index, _start(block, table, first), _start(block, table, index) - 1
            first, words = index, 0
        words += size
    yield first, len(rows), _start(block, table, first), block.end


def _start(block: Block, table: Table, index: int) -> int:
    return table.rows[index][0].start if index else block.start
