"""What falls due in a later year, from the schedules of filings without tags: maturities of debt, lease payments, amortization.

A schedule names its years in the rows or over the columns; what it is a schedule of stands in its title or just above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fin_tui.facts.figures import Metric
from fin_tui.facts.table_reader import TableReader, read_cell
from fin_tui.language import any_of
from fin_tui.records import Block, BlockKind, Cell, Fact, Table

if TYPE_CHECKING:
    from fin_tui.facts.index import FilingFacts

_Kind = tuple[str, re.Pattern[str], re.Pattern[str]]


def _kind(concept: str, falls_due: str, matter: str) -> _Kind:
    return concept, any_of(falls_due), any_of(matter)


_KINDS = (
    _kind(
        "LongTermDebtMaturities",
        "maturit*, repay*, repaid*, principal payments, payment(s) due/required, mature",
        "debt, borrowings, notes payable",
    ),
    _kind("OperatingLease", "minimum, future, payments, commitments", "lease(s), rental*"),
    _kind("FinanceLease", "minimum, future, payments", "capital/finance lease(s)"),
    _kind("Amortization", "estimated, expected, future", "amortization"),
    _kind("PurchaseObligation", "due, commitments, payments", "purchase obligation(s)/commitment(s)"),
)
"""A part of the tag that filings of later years give it, and the words that schedules have."""
_OTHER = any_of("investment(s), securities, fair value, pension(s), benefit, receivable(s), sublease*, income")
_YEAR_ROW = re.compile(r"^(?:fiscal\s+)?(?:years?\s+)?(?:ending\s+)?(?:\w+\s+\d{1,2},?\s+)?(?P<year>(?:19|20)\d\d)\W*$", re.I)
_TOTAL = any_of("total")
_ABOVE = 3
"""Blocks over a table that may say what it is."""
_LONGEST = 700


def find(held: FilingFacts, metric: Metric, year: int) -> Fact | None:
    """The amount of ``metric`` that falls due in ``year``; None when no schedule says it, or schedules differ."""
    kind = next((kind for kind in _KINDS if metric.ahead and kind[0] in metric.ahead[0]), None)
    if kind is None or held.tagged:
        return None
    blocks = held.library.document(held.filing.id).blocks
    text = held.library.text(held.filing.id)
    found: list[Fact] = []
    for at, block in enumerate(blocks):
        if (
            block.table is None
            or _is_unscaled(held, block.table)
            or not _is_of(kind, block.table, _words_above(blocks, at, text))
        ):
            continue
        found.extend(_of_table(block, block.table, year, metric))
    return found[0] if found and all(fact.value == found[0].value for fact in found) else None


def _is_unscaled(held: FilingFacts, table: Table) -> bool:
    """Whether no caption tells the scale of amounts that the statements have in thousands or millions."""
    return table.scale == 1 and not table.units and held.statement_scale > 1


def _words_above(blocks: Sequence[Block], at: int, text: str) -> str:
    near = [block for block in blocks[max(0, at - _ABOVE) : at] if block.kind is not BlockKind.TABLE]
    return " ".join(text[block.start : block.end][-_LONGEST:] for block in near)


def _is_of(kind: _Kind, table: Table, above: str) -> bool:
    """Whether title and headers speak of the matter, or without a title the last words above do."""
    headers = " ".join(cell.text for row in table.rows[: table.header_rows] for cell in row)
    said = f"{table.title} {headers}" if table.title else above.rstrip(" :(").rpartition(". ")[2]
    return all(pattern.search(said) for pattern in kind[1:]) and not _OTHER.search(said)


def _of_table(block: Block, table: Table, year: int, metric: Metric) -> Iterator[Fact]:
    cell = _by_row(table, year, metric) or _by_column(table, year)
    read = TableReader(table).read(cell[0], cell[1]) if cell else None
    if cell is None or read is None or read[1] != "usd":
        return
    place = cell[1]
    yield Fact(
        "table:due",
        metric.names[0],
        read[0],
        place.text,
        "usd",
        None,
        None,
        source="table",
        start=place.start,
        end=place.end,
        block=block.ordinal,
    )


def _by_row(table: Table, year: int, metric: Metric) -> tuple[int, Cell] | None:
    """The figure in the row of ``year``: the only one, or that of the column named after the matter or a total."""
    for number in range(table.header_rows, min(len(table.rows), len(table.row_paths))):
        path = table.row_paths[number]
        match = _YEAR_ROW.match(path[-1]) if path else None
        if match is None or int(match["year"]) != year:
            continue
        figures = [cell for cell in table.rows[number] if cell.column and read_cell(cell.text) is not None]
        named = [cell for cell in figures if _heads(table, cell.column, metric)]
        chosen = figures if len(figures) == 1 else named
        return (number, chosen[0]) if len(chosen) == 1 else None
    return None


def _heads(table: Table, column: int, metric: Metric) -> bool:
    header = " ".join(table.columns[column].header) if column < len(table.columns) else ""
    if "OperatingLease" in metric.ahead[0]:
        return any_of("operating").search(header) is not None
    if "FinanceLease" in metric.ahead[0]:
        return any_of("capital, finance").search(header) is not None
    return any_of("total").search(header) is not None


def _by_column(table: Table, year: int) -> tuple[int, Cell] | None:
    """The figure in the column of ``year``: of the only row, or of the total."""
    named = ((number, _YEAR_ROW.match(" ".join(column.header))) for number, column in enumerate(table.columns) if number)
    columns = [number for number, match in named if match and int(match["year"]) == year]
    if len(columns) != 1:
        return None
    rows = [
        (number, cell)
        for number, row in enumerate(table.rows[table.header_rows :], start=table.header_rows)
        for cell in row
        if cell.column == columns[0] and read_cell(cell.text) is not None
    ]
    totals = [(number, cell) for number, cell in rows if _is_total(table, number)]
    return rows[0] if len(rows) == 1 else totals[-1] if totals else None


def _is_total(table: Table, row: int) -> bool:
    path = table.row_paths[row] if row < len(table.row_paths) else ()
    return not path or not path[-1] or _TOTAL.match(path[-1]) is not None
