"""How well tables are read: the figure read from a cell against the value that its tag states."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from fin_tui.facts.cells import read_cell
from fin_tui.facts.table_reader import TableReader
from fin_tui.records import Cell, Document, Fact, Table

LEAST_RATE = 0.99
"""Below this the untagged tables of a filing are not to be trusted without a look."""
_ENOUGH = 50
_READ_AS_TAGGED = "Tables read as tagged:"


@dataclass(frozen=True, slots=True)
class CrossCheck:
    """The outcome for one filing."""

    agreeing: int
    compared: int
    differing: tuple[tuple[Fact, str], ...] = ()
    """The first tagged facts that were read otherwise, each with the cell's text."""

    @property
    def rate(self) -> float:
        """Share of cells read as tagged; 1 when there was nothing to compare."""
        return self.agreeing / self.compared if self.compared else 1.0

    @property
    def warning(self) -> str:
        """One line when too many cells were read otherwise; "" otherwise."""
        if self.compared < _ENOUGH or self.rate >= LEAST_RATE:
            return ""
        return f"{_READ_AS_TAGGED} {self.rate:.1%} of {self.compared} cells; check figures from untagged tables."


def with_warning(warnings: Sequence[str], check: CrossCheck) -> tuple[str, ...]:
    """``warnings`` of a filing with that of ``check`` in place of an earlier one."""
    others = [warning for warning in warnings if not warning.startswith(_READ_AS_TAGGED)]
    return tuple(dict.fromkeys(filter(None, (*others, check.warning))))


def cross_check(document: Document) -> CrossCheck:
    """Read every tagged table cell that holds one figure as if it had no tag, and compare sizes.

    Signs are left out: tags often turn them ("Cost of sales (210)" is tagged 210).
    """
    by_block: defaultdict[int, list[Fact]] = defaultdict(list)
    for fact in document.facts:
        if fact.source == "xbrl" and fact.value is not None and fact.block is not None:
            by_block[fact.block].append(fact)
    agreeing = compared = 0
    differing: list[tuple[Fact, str]] = []
    for block in document.blocks:
        if block.table is None or block.ordinal not in by_block:
            continue
        reader = TableReader(block.table)
        for fact, row, cell in _cells(block.table, by_block[block.ordinal]):
            found = reader.read(row, cell)
            compared += 1
            if found is not None and _same(found[0], fact.value or 0.0):
                agreeing += 1
            elif len(differing) < 20:
                differing.append((fact, cell.text))
    return CrossCheck(agreeing, compared, tuple(differing))


def _cells(table: Table, facts: list[Fact]) -> list[tuple[Fact, int, Cell]]:
    """The cells that hold one tagged figure and nothing else."""
    cells = sorted(
        ((cell.start, row, cell) for row, line in enumerate(table.rows) for cell in line if cell.end > cell.start),
        key=lambda entry: entry[0],
    )
    starts = [start for start, _, _ in cells]
    found: list[tuple[Fact, int, Cell]] = []
    for fact in facts:
        at = bisect_right(starts, fact.start) - 1
        if at < 0:
            continue
        _, row, cell = cells[at]
        if fact.end <= cell.end and cell.column > 0 and read_cell(cell.text) is not None:
            found.append((fact, row, cell))
    return found


def _same(read: float, tagged: float) -> bool:
    return abs(abs(read) - abs(tagged)) <= 1e-6 * max(abs(tagged), 1e-6)
