"""Tables without tags -> facts: each figure with its row label path, the period of its column, unit and scale."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fin_tui.facts.cell_units import unit_of
from fin_tui.facts.cells import read_cell
from fin_tui.facts.statements import statement_of
from fin_tui.records import Block, Cell, Document, Fact, Table

_MOST = 6_000
"""Figures of a filing; a table of a hundred thousand cells is data, not a statement."""


def with_table_facts(document: Document) -> tuple[Document, tuple[str, ...]]:
    """``document`` with the facts of its untagged tables after the tagged ones, and what a user should know of how well its
    tables are read. Doing it again changes nothing.
    """
    from fin_tui.facts.crosscheck import cross_check

    tagged = tuple(fact for fact in document.facts if fact.source != "table")
    made = replace(document, facts=(*tagged, *facts_from_tables(document)))
    warning = cross_check(document).warning
    return made, (warning,) if warning else ()


def facts_from_tables(document: Document) -> tuple[Fact, ...]:
    """A fact for each dated figure of the tables of ``document`` that hold no tagged figure, in reading order.

    The concept is "table:" and the row's own label, the label its whole path. Columns without a period give none.
    """
    tagged = {
        fact.block for fact in document.facts if fact.source == "xbrl" and fact.block is not None and fact.value is not None
    }
    found: list[Fact] = []
    for block in document.blocks:
        if block.table is None or block.ordinal in tagged or block.table.header_rows >= len(block.table.rows):
            continue
        found.extend(_of_table(block, block.table))
        if len(found) >= _MOST:
            break
    return tuple(found[:_MOST])


def read_fact(table: Table, row: int, cell: Cell) -> tuple[float, str] | None:
    """(value in base units, unit) of a cell of ``table``, by row label, column header, caption and its own signs; None when
    it holds no figure.
    """
    reading = read_cell(cell.text)
    if reading is None:
        return None
    path = table.row_paths[row] if row < len(table.row_paths) else ()
    header = table.columns[cell.column].header if cell.column < len(table.columns) else ()
    unit, factor = unit_of(path, header, table.units, table.scale, reading)
    value = reading.value / 100 if unit == "pure" else reading.value * factor
    return float(value), unit


def _of_table(block: Block, table: Table) -> Iterator[Fact]:
    dated = {i: column for i, column in enumerate(table.columns) if column.period_end is not None}
    if not dated:
        return
    totals = _unlabelled_totals(table)
    for number, row in enumerate(table.rows[table.header_rows :], start=table.header_rows):
        path = [label.strip().rstrip(":") for label in table.row_paths[number]] if number < len(table.row_paths) else []
        path = totals.get(number, path)
        if not path or not path[-1]:
            continue
        for cell in row:
            column = dated.get(cell.column)
            if column is None or cell.column == 0:
                continue
            found = read_fact(table, number, cell)
            if found is None:
                continue
            yield Fact(
                concept=f"table:{path[-1]}",
                label=" > ".join(path),
                value=found[0],
                text=cell.text,
                unit=found[1],
                period_start=column.period_start,
                period_end=column.period_end,
                source="table",
                start=cell.start,
                end=cell.end,
                block=block.ordinal,
            )


def _unlabelled_totals(table: Table) -> dict[int, list[str]]:
    """The two sums of a balance sheet that are printed without a label: they show the same amounts."""
    if statement_of(table) != "balance":
        return {}
    sums = {
        number: tuple(cell.text for cell in row if cell.column)
        for number, row in enumerate(table.rows)
        if number >= table.header_rows and number < len(table.row_paths) and not any(cell.column == 0 for cell in row)
    }
    numbers = [number for number, amounts in sums.items() if amounts and list(sums.values()).count(amounts) == 2]
    if len(numbers) != 2:
        return {}
    return {numbers[0]: ["Total assets"], numbers[1]: ["Total liabilities and equity"]}
