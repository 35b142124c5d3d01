"""The tables of a filing as plain rows: labels, header paths, values with unit and period, for other programs."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fin_tui.facts.cell_dates import Dates, TableDates
from fin_tui.facts.quarter_tables import QuarterTable
from fin_tui.facts.table_reader import TableReader
from fin_tui.filings.table_context import year_ends
from fin_tui.records import Block, Cell, Document, Fact, Section, Table

_NO_NUMBERS: Mapping[str, Any] = {"value": None, "unit": None, "period_start": None, "period_end": None, "source": None}


def tables_as_rows(document: Document, sections: Sequence[Section]) -> Iterator[dict[str, Any]]:
    """Each table in reading order: {"table" (from 1), "title", "page", "page_label", "item", "unit" (that of most figures),
    "units" (the caption as printed), "scale", "footnotes", "rows"}.

    A row is {"label", "path", "cells"}; a cell {"text", "header" (texts from the top down), "value" (base units), "unit",
    "period_start", "period_end", "source" ("xbrl" where the cell is tagged, else "table"), "concept", "footnotes"}. Words have
    no value. The header rows are not among the rows.
    """
    tagged: defaultdict[int, dict[int, Fact]] = defaultdict(dict)
    for fact in document.facts:
        if fact.source == "xbrl" and fact.block is not None and fact.value is not None:
            tagged[fact.block].setdefault(fact.start, fact)
    ends = year_ends(document)
    tables = [(block, block.table) for block in document.blocks if block.table is not None]
    for number, (block, table) in enumerate(tables, start=1):
        rows = list(_rows(table, tagged[block.ordinal], ends))
        units = Counter(cell["unit"] for row in rows for cell in row["cells"] if cell["unit"])
        yield {
            "table": number,
            "title": table.title,
            "page": block.page,
            "page_label": block.page_label or None,
            "item": _item(block, sections),
            "unit": units.most_common(1)[0][0] if units else None,
            "units": table.units or None,
            "scale": table.scale,
            "footnotes": dict(table.footnotes),
            "rows": rows,
        }


def _rows(table: Table, tagged: Mapping[int, Fact], ends: Mapping[int, dt.date]) -> Iterator[dict[str, Any]]:
    reader, periods = TableReader(table), _CellPeriods(table, ends)
    for number, row in enumerate(table.rows[table.header_rows :], start=table.header_rows):
        path = list(table.row_paths[number]) if number < len(table.row_paths) else []
        cells = [cell for cell in row if cell.column or not path or cell.text != path[-1]]
        label = path[-1] if path else ""
        yield {"label": label, "path": path, "cells": [_cell(table, number, cell, reader, periods, tagged) for cell in cells]}


def _cell(
    table: Table, row: int, cell: Cell, reader: TableReader, periods: _CellPeriods, tagged: Mapping[int, Fact]
) -> dict[str, Any]:
    header = list(table.columns[cell.column].header) if cell.column < len(table.columns) else []
    told = {"text": cell.text, "header": header, **_NO_NUMBERS, "concept": None, "footnotes": list(cell.footnotes)}
    fact = next((tagged[at] for at in range(cell.start, cell.end) if at in tagged), None)
    if fact is not None:
        start, end = fact.period_start, fact.period_end
        told |= {"value": fact.value, "unit": fact.unit, "source": "xbrl", "concept": fact.concept}
    elif (found := reader.read(row, cell)) is not None and cell.column:
        start, end = periods.of(row, cell.column) or (None, None)
        unit = None if found[1] == "usd" and not _speaks_of_money(table) else found[1]
        told |= {"value": found[0], "unit": unit, "source": "table"}
    else:
        return told
    return told | {"period_start": start.isoformat() if start else None, "period_end": end.isoformat() if end else None}


class _CellPeriods:
    """The period of each cell: the quarter in a quarterly table, else that of its column."""

    def __init__(self, table: Table, ends: Mapping[int, dt.date]) -> None:
        self._quarters, self._dates = QuarterTable(table, ends), TableDates(table)

    def of(self, row: int, column: int) -> Dates | None:
        if self._quarters.is_of_unknown(row, column):
            return None
        quarter = self._quarters.of(row, column)
        return (quarter.start, quarter.end) if quarter else self._dates.of(row, column)


def _speaks_of_money(table: Table) -> bool:
    """Whether plain numbers are amounts: page numbers of a list have neither caption nor sign."""
    return bool(table.units) or any(sign in cell.text for row in table.rows for cell in row for sign in "$€£¥")


def _item(block: Block, sections: Sequence[Section]) -> str | None:
    return next((section.item for section in sections if section.item and section.start <= block.start < section.end), None)
