"""Tables without tags -> facts: each figure with its row label path, the period of its column, unit and scale."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fin_tui.facts.cell_dates import TableDates
from fin_tui.facts.lost_labels import lost_labels
from fin_tui.facts.table_reader import TableReader
from fin_tui.records import Block, Document, Fact, Table

_MOST = 6_000
"""Figures of a filing; a table of a hundred thousand cells is data, not a statement."""


def with_table_facts(document: Document) -> Document:
    """``document`` with the facts of its untagged tables after the tagged ones. Doing it again changes nothing."""
    tagged = tuple(fact for fact in document.facts if fact.source != "table")
    return replace(document, facts=(*tagged, *facts_from_tables(document)))


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


def _of_table(block: Block, table: Table) -> Iterator[Fact]:
    if all(column.period_end is None for column in table.columns):
        return
    if named := lost_labels(table):
        paths = (tuple(named.get(number, path)) for number, path in enumerate(table.row_paths))
        table = replace(table, row_paths=tuple(paths))
    reader, dates = TableReader(table), TableDates(table)
    for number, row in enumerate(table.rows[table.header_rows :], start=table.header_rows):
        path = [label.strip().rstrip(":") for label in table.row_paths[number]] if number < len(table.row_paths) else []
        if not path or not path[-1]:
            continue
        for cell in row:
            if cell.column == 0 or (when := dates.of(number, cell.column)) is None:
                continue
            found = reader.read(number, cell)
            if found is None:
                continue
            yield Fact(
                concept=f"table:{path[-1]}",
                label=" > ".join(path),
                value=found[0],
                text=cell.text,
                unit=found[1],
                period_start=when[0],
                period_end=when[1],
                source="table",
                start=cell.start,
                end=cell.end,
                block=block.ordinal,
            )
