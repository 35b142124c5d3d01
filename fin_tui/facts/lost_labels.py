"""Rows of statements whose labels stand elsewhere or nowhere: what they are called by the rows around them (pure)."""

from __future__ import annotations

import re

from fin_tui.facts.statements import statement_of
from fin_tui.records import Cell, Table

_PER_SHARE = re.compile(
    r"\b(?:earnings|income|loss)\b.*\bper\b.*\bshares?\b.*\b(?:basic|dilut\w+)|\b(?:basic|diluted)\b.*\bper\b.*\bshare", re.I
)
_CENTS = re.compile(r"^\W*\d*\.\d\d\W*$")


def lost_labels(table: Table) -> dict[int, list[str]]:
    """Row -> its label path, for the rows of a statement that do not carry it."""
    match statement_of(table):
        case "balance":
            return _sums(table)
        case "income":
            return _per_share_totals(table)
        case _:
            return {}


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
            heading = path[-1] if _PER_SHARE.search(path[-1]) else heading if len(path) > 1 else ""
        elif heading and len(path) == 1:
            if path[0].lower() in seen and _in_cents(amounts):
                found[number] = [heading]
            heading = ""
        seen.add(path[-1].lower())
    return found


def _in_cents(cells: list[Cell]) -> bool:
    return all(_CENTS.match(cell.text) for cell in cells)
