"""Tables of a filing as facts and as plain rows, and how well that goes where tags state the same figures."""

from __future__ import annotations

import datetime as dt
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, TypedDict

from fin_tui.facts.index import statement_of
from fin_tui.facts.parts import PartColumns
from fin_tui.facts.quarters import QuarterTable
from fin_tui.facts.table_reader import TableReader, fact_of, read_cell, side_labels
from fin_tui.filings.table_header import FISCAL_LENGTH, dates_in
from fin_tui.filings.tables import year_ends
from fin_tui.language import any_of, is_followed
from fin_tui.records import Block, Cell, Column, Document, Fact, Section, Table

_PER, _SHARE, _DILUTION = any_of("per"), any_of("share*"), any_of("basic, dilut*")
_AROUND_CENTS = "$€£¥()[]-–—− "


Dates = tuple[dt.date | None, dt.date]
"""(first day, or None for an instant; last day)."""
_BALANCE, _AT_BEGINNING, _AT_END = any_of("balance(s)"), any_of("beginning"), any_of("end(ing)")
_BEGINNING = any_of("beginning/start/opening of (the) (fiscal) year/period, beginning/opening balance(s)")
_NEW_YEAR = tuple(f"{mark} january 1" for mark in "–—,-")
_OF_THE_BALANCE = any_of("included in, recognised, recognized, income, revenue(s)")
"""A flow out of an opening balance: "Revenue recognized that was deferred at the beginning of the period"."""
_END = any_of("end of (the) (fiscal) year/period, ending/closing balance(s), year-end balance(s)")
_OWN_DATE, _MOST_BEFORE = any_of("balance(s), as of, outstanding, at"), 4
_BALANCES = any_of(
    "assets, liabilities, inventory, inventories, receivable(s), payable(s), property, equipment, goodwill, debt, "
    "borrowings, allowance(s)"
)
_FLOWS = (
    "activit change roll expense income earning flow depreciation amortization sales revenue payment cost gain loss proceeds "
    "purchase acqui written charge provision result operation"
).split()
"""How words for flows begin, or what is in them."""


class TableDates:
    """The dates of the figures of ``table``."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._instants = _holds_balances(table)

    def of(self, row: int, column: int) -> Dates | None:
        """When the figure in this cell is from; None when its column has no period."""
        if column >= len(self._table.columns):
            return None
        if (day := self.day_of(row)) is not None:
            return None, day
        head = self._table.columns[column]
        if head.period_end is None:
            return None
        own = self._named(row)
        if _is_beginning(own) and not _OF_THE_BALANCE.search(own):
            start = head.period_start or _start_before(self._table.columns, head.period_end)
            return (None, start - dt.timedelta(days=1)) if start else None
        if _is_end(own):
            return None, head.period_end
        return None if self._instants else head.period_start, head.period_end

    def day_of(self, row: int) -> dt.date | None:
        """The day that a row names as that of its balances, whatever its columns say; None where it names none, or several."""
        own = self._named(row)
        dates = dates_in(own) if _has_own_date(own) else []
        return dates[0] if len(dates) == 1 else None

    def _named(self, row: int) -> str:
        return self._table.row_paths[row][-1] if row < len(self._table.row_paths) and self._table.row_paths[row] else ""


def _is_beginning(own: str) -> bool:
    opens = _BALANCE.match(own) is not None and _AT_BEGINNING.search(own) is not None
    return opens or _BEGINNING.search(own) is not None or own.lower().endswith(_NEW_YEAR)


def _is_end(own: str) -> bool:
    return _END.search(own) is not None or (_BALANCE.match(own) is not None and _AT_END.search(own) is not None)


def _has_own_date(own: str) -> bool:
    """Whether a row opens as one does that names the day of its balance: "Shares outstanding at …"."""
    said = _OWN_DATE.search(own)
    before = own[: said.start()] if said is not None else ""
    return said is not None and len(before.split()) <= _MOST_BEFORE and (not before or before.replace(" ", "").isalnum())


def _holds_balances(table: Table) -> bool:
    """Whether all figures are balances, whatever length of time the words around the table speak of."""
    if statement_of(table) == "balance":
        return True
    title = table.title.lower()
    return _BALANCES.search(title) is not None and not any(word in title for word in _FLOWS)


def _start_before(columns: Sequence[Column], end: dt.date) -> dt.date | None:
    """The first day of the year to ``end``, when another column is of the year before."""
    for column in columns:
        if column.period_end and FISCAL_LENGTH[0] <= (end - column.period_end).days <= FISCAL_LENGTH[1]:
            return column.period_end + dt.timedelta(days=1)
    return None


def labelled(table: Table) -> Table:
    """``table`` with the labels of the rows that do not carry their own."""
    named = lost_labels(table)
    paths = (tuple(named.get(number, path)) for number, path in enumerate(table.row_paths))
    return replace(table, row_paths=tuple(paths)) if named else table


def lost_labels(table: Table) -> dict[int, list[str]]:
    """Row -> its label path, for the rows that do not carry it: totals of rows above them, and those that a statement tells."""
    match statement_of(table):
        case "balance":
            return _sums(table)
        case "income":
            return _per_share_totals(table)
        case "":
            return _totals(table)
        case _:
            return {}


_MOST_SUMMED, _FEWEST_SUMMED = 30, 2
"""Rows that an unnamed total may add up."""


def _totals(table: Table) -> dict[int, list[str]]:
    """The rows without label and heading that come to the sum of the rows above them in each column. In statements such a row may
    be one of several steps, and is called by none.
    """
    rows = range(table.header_rows, min(len(table.rows), len(table.row_paths)))
    unnamed = (number for number in rows if not table.row_paths[number] and _is_unnamed(table.rows[number]))
    return {number: ["Total"] for number in unnamed if _adds_rows(table, number)}


def _is_unnamed(row: Sequence[Cell]) -> bool:
    return bool(row) and all(cell.column and read_cell(cell.text) is not None for cell in row)


def _adds_rows(table: Table, number: int) -> bool:
    """Whether each number of the row is the sum of those above it in a run of rows, the same for all of them."""
    total = _amounts(table.rows[number])
    sums = dict.fromkeys(total, Decimal(0))
    summed = 0
    for row in reversed(table.rows[max(table.header_rows, number - _MOST_SUMMED) : number]):
        amounts = _amounts(row)
        summed += bool(amounts)
        sums = {column: value + amounts.get(column, Decimal(0)) for column, value in sums.items()}
        if summed >= _FEWEST_SUMMED and sums == total and any(total.values()):
            return True
    return False


def _amounts(row: Sequence[Cell]) -> dict[int, Decimal]:
    """The numbers of a row by column, percentages left out: their sum says nothing."""
    read = ((cell.column, read_cell(cell.text)) for cell in row if cell.column)
    return {column: one.value for column, one in read if one is not None and not one.percent}


def _sums(table: Table) -> dict[int, list[str]]:
    """The two sums of a balance sheet that are printed without a label: they show the same amounts."""
    sums = {
        number: tuple(cell.text for cell in row if cell.column)
        for number, row in enumerate(table.rows)
        if number >= table.header_rows and number < len(table.row_paths) and not any(cell.column == 0 for cell in row)
    }
    numbers = [number for number, amounts in sums.items() if amounts and list(sums.values()).count(amounts) == 2]
    if len(numbers) != 2:
        return {}
    return {numbers[0]: ["Total assets"], numbers[1]: ["Total liabilities and equity"]}


def _per_share_totals(table: Table) -> dict[int, list[str]]:
    """The total under "Earnings per share - diluted:" that is called like the income above, and stands level with its heading."""
    found: dict[int, list[str]] = {}
    seen: set[str] = set()
    heading = ""
    for number in range(table.header_rows, min(len(table.rows), len(table.row_paths))):
        path = [label.strip().rstrip(":") for label in table.row_paths[number]]
        amounts = [cell for cell in table.rows[number] if cell.column and any(map(str.isdigit, cell.text))]
        if not path:
            continue
        if not amounts:
            heading = path[-1] if _is_per_share(path[-1]) else heading if len(path) > 1 else ""
        elif heading and len(path) == 1:
            if path[0].lower() in seen and _in_cents(amounts):
                found[number] = [heading]
            heading = ""
        seen.add(path[-1].lower())
    return found


def _in_cents(cells: list[Cell]) -> bool:
    amounts = (cell.text.strip(_AROUND_CENTS).partition(".") for cell in cells)
    return all(len(cents) == 2 and cents.isdigit() and (not whole or whole.isdigit()) for whole, _, cents in amounts)


def _is_per_share(label: str) -> bool:
    return _DILUTION.search(label) is not None and is_followed(label, _PER, _SHARE)


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
    table = labelled(table)
    reader, dates = TableReader(table), TableDates(table)
    for number, row in enumerate(table.rows[table.header_rows :], start=table.header_rows):
        path = [label.strip().rstrip(":") for label in table.row_paths[number]] if number < len(table.row_paths) else []
        beside = side_labels(table, number)
        for cell in row:
            own = [beside[cell.column].rstrip(":")] if cell.column in beside else path
            if cell.column == 0 or not own or not own[-1]:
                continue
            quarter = quarters.of(number, cell.column)
            when = (quarter.start, quarter.end) if quarter else _dated(dates, parts, number, cell.column, own[-1])
            if when is None or quarters.is_of_unknown(number, cell.column):
                continue
            label = _label(table, own, cell.column, quarters, parts, is_quarter=quarter is not None)
            found = reader.read(number, cell)
            if found is None or not label[-1]:
                continue
            yield fact_of(cell, found, label[-1], label, when, block.ordinal)


def _dated(dates: TableDates, parts: PartColumns, row: int, column: int, label: str) -> Dates | None:
    return (dates.of(row, column) if dates.day_of(row) else None) or parts.dates(row, column, label) or dates.of(row, column)


def _label(
    table: Table, path: list[str], column: int, quarters: QuarterTable, parts: PartColumns, *, is_quarter: bool
) -> list[str]:
    """The row's path; for quarters in the rows the column's header, which says what is counted."""
    if is_quarter:
        return [" ".join(table.columns[column].header)] if quarters.by_row else path
    return parts.label(path, column)


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


class CellDocument(TypedDict):
    """A cell of ``show --tables --json``; words have no value."""

    text: str
    header: list[str]
    """Texts from the top down."""
    value: float | None
    """In base units."""
    unit: str | None
    period_start: str | None
    period_end: str | None
    source: Literal["xbrl", "table"] | None
    """``xbrl`` where the cell is tagged."""
    concept: str | None
    footnotes: list[str]


class RowDocument(TypedDict):
    """A row of ``show --tables --json``."""

    label: str
    path: list[str]
    cells: list[CellDocument]


class TableDocument(TypedDict):
    """A table of ``show --tables --json``; its header rows are not among the rows."""

    table: int
    """From 1, in reading order."""
    title: str
    page: int
    page_label: str | None
    item: str | None
    unit: str | None
    """That of most figures."""
    units: str | None
    """The caption as printed."""
    scale: int
    footnotes: dict[str, str]
    rows: list[RowDocument]


def tables_as_rows(document: Document, sections: Sequence[Section]) -> Iterator[TableDocument]:
    """Each table in reading order."""
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


def _rows(table: Table, tagged: Mapping[int, Fact], ends: Mapping[int, dt.date]) -> Iterator[RowDocument]:
    reader, periods = TableReader(table), _CellPeriods(table, ends)
    for number, row in enumerate(table.rows[table.header_rows :], start=table.header_rows):
        path = list(table.row_paths[number]) if number < len(table.row_paths) else []
        cells = [cell for cell in row if cell.column or not path or cell.text != path[-1]]
        label = path[-1] if path else ""
        yield {"label": label, "path": path, "cells": [_cell(table, number, cell, reader, periods, tagged) for cell in cells]}


def _cell(
    table: Table, row: int, cell: Cell, reader: TableReader, periods: _CellPeriods, tagged: Mapping[int, Fact]
) -> CellDocument:
    header = list(table.columns[cell.column].header) if cell.column < len(table.columns) else []
    told: CellDocument = {
        "text": cell.text,
        "header": header,
        "value": None,
        "unit": None,
        "period_start": None,
        "period_end": None,
        "source": None,
        "concept": None,
        "footnotes": list(cell.footnotes),
    }
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
