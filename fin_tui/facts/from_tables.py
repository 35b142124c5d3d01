"""Tables without tags -> facts: each figure with its row label path, the period of its column, unit and scale."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import replace

from fin_tui.facts.cell_dates import Dates, TableDates
from fin_tui.facts.lost_labels import lost_labels
from fin_tui.facts.part_columns import PartColumns
from fin_tui.facts.quarter_tables import QuarterTable
from fin_tui.facts.table_reader import TableReader
from fin_tui.filings.table_context import year_ends
from fin_tui.records import Block, Document, Fact, Table

_MOST = 6_000
"""Figures of a filing; a table of a hundred thousand cells is data, not a statement."""


def with_table_facts(document: Document) -> Document:
    """``document`` with the facts of its untagged tables after the tagged ones. Doing it again changes nothing."""
    tagged = tuple(fact for fact in document.facts if fact.source != "table")
    return replace(document, facts=(*tagged, *facts_from_tables(document)))


def facts_from_tables(document: Document) -> tuple[Fact, ...]:
    """A fact for each dated figure of the tables of ``document`` that hold no tagged figure, in reading order.

    The concept is "table:" and the row's own label, the label its whole path. Columns without a period give none; the quarters
    of quarterly tables have their own, also where they stand in the rows: then the column's header is the label.
    So have segments side by side, whose years rows name, and columns that share a period: their headers end the label.
    """
    tagged = {
        fact.block for fact in document.facts if fact.source == "xbrl" and fact.block is not None and fact.value is not None
    }
    found: list[Fact] = []
    ends = year_ends(document)
    for block in document.blocks:
        if block.table is None or block.ordinal in tagged or block.table.header_rows >= len(block.table.rows):
            continue
        found.extend(_of_table(block, block.table, ends))
        if len(found) >= _MOST:
            break
    return tuple(found[:_MOST])


def _of_table(block: Block, table: Table, ends: Mapping[int, dt.date]) -> Iterator[Fact]:
    quarters, parts = QuarterTable(table, ends), PartColumns(table, ends)
    if not quarters and not parts and all(column.period_end is None for column in table.columns):
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
            quarter = quarters.of(number, cell.column)
            when = (quarter.start, quarter.end) if quarter else _dated(dates, parts, number, cell.column, path[-1])
            if cell.column == 0 or when is None or quarters.is_of_unknown(number, cell.column):
                continue
            label = _label(table, path, cell.column, quarters, parts, is_quarter=quarter is not None)
            found = reader.read(number, cell)
            if found is None or not label[-1]:
                continue
            yield Fact(
                concept=f"table:{label[-1]}",
                label=" > ".join(label),
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


def _dated(dates: TableDates, parts: PartColumns, row: int, column: int, label: str) -> Dates | None:
    return parts.dates(row, column, label) or dates.of(row, column)


def _label(
    table: Table, path: list[str], column: int, quarters: QuarterTable, parts: PartColumns, *, is_quarter: bool
) -> list[str]:
    """The row's path; for quarters in the rows the column's header, which says what is counted."""
    if is_quarter:
        return [" ".join(table.columns[column].header)] if quarters.by_row else path
    return parts.label(path, column)
