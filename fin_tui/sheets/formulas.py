"""Columns that are computed from others: read, checked, evaluated by the one evaluator (pure)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from fin_tui.errors import UsageError
from fin_tui.facts.expression import CalculationError, Measure, Name, Node, evaluate, names, parse, rewrite, write
from fin_tui.facts.figures import Unit, show
from fin_tui.records import Sheet, SheetCell, SheetColumn, SheetRow
from fin_tui.store.sheets import CellKey

_BRACKETS = re.compile(r"\[([^\[\]]+)\]")
_PLACES: Mapping[str, int] = {"%": 1, "days": 1, "ratio": 2, "usd/share": 2}
_PER_SHARE = ("usd/share", "shares")
_DIGITS = 12


class _Missing(Exception):
    """A cell that the formula needs has no value."""


def named(column: SheetColumn, columns: Sequence[SheetColumn]) -> SheetColumn:
    """``column`` with every column that its formula names written by its name in brackets: letters change when columns move."""
    by_key = {other.key: other.name for other in columns}
    node = _read(column, columns)
    return replace(column, text=write(node, lambda name: _with_prior(f"[{by_key[name.name]}]", name.back)))


def resolve(column: SheetColumn, columns: Sequence[SheetColumn]) -> Node:
    """The tree of a formula; its names are column keys. Raises ``UsageError`` for a column that is not there, and for formulas
    that rest on each other in a circle.
    """
    node = _read(column, columns)
    by_key = {other.key: other for other in columns}
    waiting, seen = [(column.key, node)], {column.key}
    while waiting:
        _, inner = waiting.pop()
        for name in names(inner):
            if name.name == column.key and name.back == 0:
                raise UsageError(f"The formula of {column.name!r} rests on itself.", "Take it out of the circle.")
            other = by_key[name.name]
            if other.kind == "formula" and other.key not in seen:
                seen.add(other.key)
                waiting.append((other.key, _read(other, columns)))
    return node


def _read(column: SheetColumn, columns: Sequence[SheetColumn]) -> Node:
    known = {other.name.casefold(): other.key for other in columns}
    known |= {other.name.casefold().replace(" ", "_"): other.key for other in columns}
    for at, other in enumerate(columns):
        known.setdefault(_letter(at), other.key)
    brackets: dict[str, str] = {}

    def token(match: re.Match[str]) -> str:
        name = f"column_{len(brackets)}"
        brackets[name] = match[1].strip()
        return name

    def key(name: Name) -> Node:
        wanted = brackets.get(name.name, name.name)
        found = known.get(wanted.casefold())
        if found is None:
            shown = ", ".join(f"[{other.name}]" for other in columns if other.key != column.key)
            raise UsageError(f"The formula of {column.name!r} names no column: {wanted!r}.", f"Columns: {shown}.")
        return replace(name, name=found)

    try:
        return rewrite(parse(_BRACKETS.sub(token, column.text)), key)
    except CalculationError as error:
        raise UsageError(f"The formula of {column.name!r} can't be read: {error.message}", error.hint) from error


def _letter(at: int) -> str:
    return (chr(ord("a") + at // 26 - 1) if at >= 26 else "") + chr(ord("a") + at % 26)


def _with_prior(text: str, back: int) -> str:
    return f"prior({_with_prior(text, back - 1)})" if back else text


def in_order(columns: Sequence[SheetColumn]) -> tuple[SheetColumn, ...]:
    """The formula columns of a sheet, each behind those that it rests on."""
    by_key = {column.key: column for column in columns}
    ordered: dict[str, SheetColumn] = {}

    def add(column: SheetColumn) -> None:
        if column.kind != "formula" or column.key in ordered:
            return
        for name in names(resolve(column, columns)):
            if name.name != column.key:
                add(by_key[name.name])
        ordered[column.key] = column

    for column in columns:
        add(column)
    return tuple(ordered.values())


def compute(sheet: Sheet, cells: Mapping[CellKey, SheetCell]) -> tuple[SheetCell, ...]:
    """The cells of all formula columns over ``cells``; those that rest on a cell without a value say which."""
    known = dict(cells)
    rows = {(row.company, row.year): row for row in sheet.rows}
    made: list[SheetCell] = []
    for column in in_order(sheet.columns):
        node = resolve(column, sheet.columns)
        # Earlier years come first: a formula may rest on its own cell of the year before.
        for row in sorted(sheet.rows, key=lambda row: row.year):
            cell = _cell(sheet, column, node, row, rows, known)
            if cell is not None:
                known[row.key, column.key] = cell
                made.append(cell)
    return tuple(made)


def _cell(
    sheet: Sheet,
    column: SheetColumn,
    node: Node,
    row: SheetRow,
    rows: Mapping[tuple[str, int], SheetRow],
    cells: Mapping[CellKey, SheetCell],
) -> SheetCell | None:
    """None where a cell that it rests on was never filled."""
    labels = {other.key: other.name for other in sheet.columns}
    reaches_back = any(name.back for name in names(node))
    inputs: dict[str, SheetCell] = {}
    waits = False

    def figure(name: Name) -> Measure:
        nonlocal waits
        of = row if not name.back else rows.get((row.company, row.year - name.back))
        if of is None:
            raise _Missing(f"The sheet has no row of FY{row.year - name.back}.")
        cell = cells.get((of.key, name.name))
        if cell is None:
            waits = True
            raise _Missing(f"{labels[name.name]} has not been filled.")
        if cell.value is None or cell.unit is None:
            raise _Missing(f"{labels[name.name]} of {of.label} has no value.")
        if reaches_back and cell.unit in _PER_SHARE and any("split" in str(fact.get("note")) for fact in cell.facts):
            raise _Missing(f"{labels[name.name]} of {of.label} stands before a stock split: the years are not on one basis.")
        inputs[_input(name)] = cell
        return Measure(Decimal(str(cell.value)), _unit(cell.unit))

    unit: Unit | None = "%" if column.is_percent else None
    try:
        measure = evaluate(node, figure, unit=unit)
    except (_Missing, CalculationError) as error:
        if waits:
            return None
        why = error.message if isinstance(error, CalculationError) else str(error)
        return SheetCell(row.key, column.key, "nothing", "", note=why, fingerprint=_print(column, inputs))
    value = float(f"{measure.value:.{_DIGITS}g}")
    line = show(measure.value, measure.unit, places=_PLACES.get(measure.unit))
    calculation = {
        "expression": write(node, _input),
        "inputs": {
            name: {"item": labels[cell.column], "value": cell.value, "unit": cell.unit, "period_end": cell.period_end,
                   "cell": [cell.row, cell.column]}
            for name, cell in inputs.items()
        },
        "result": value,
        "unit": measure.unit,
        "display": line,
    }  # fmt: skip
    ends = [cell.period_end for cell in inputs.values() if cell.period_end]
    return SheetCell(
        row.key, column.key, "computed", line, value, measure.unit, max(ends, default=None),
        calculation=calculation, fingerprint=_print(column, inputs),
    )  # fmt: skip


def _input(name: Name) -> str:
    return f"{name.name}_{name.back}" if name.back else name.name


def _unit(unit: str) -> Unit:
    """Counts are plain numbers for arithmetic; all other units are those of facts."""
    return unit  # type: ignore[return-value]  # Only units of facts are stored.


def _print(column: SheetColumn, inputs: Mapping[str, SheetCell]) -> str:
    said = [
        column.text,
        str(column.is_percent),
        *(f"{name}:{cell.fingerprint}:{cell.line}" for name, cell in sorted(inputs.items())),
    ]
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:16]
