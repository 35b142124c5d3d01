"""Figures, cells and grids as the JSON contract names their fields (pure)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TypeVar

from fin_tui.engine.figures.as_text import letter, letters, own_label, result, show_figure, substituted
from fin_tui.engine.figures.grid import Grid
from fin_tui.engine.figures.ground import Cell
from fin_tui.engine.figures.headline import named
from fin_tui.engine.questions.wanted import Item
from fin_tui.facts.figures import Figure
from fin_tui.facts.row_labels import unit_of
from fin_tui.facts.words import spoken_name
from fin_tui.language import count
from fin_tui.records import CalculationRecord, Fact, FactRecord, Filing, PlanStep, TableCell, TableRecord

_DIGITS = 12
_ALIKE, _MONTH, _YEAR = 31, 30.4, 366
"""Days: ends that count as one, a month, a year at the longest."""


def number(value: Decimal | float) -> float:
    """A decimal as a float of twelve digits: enough for any figure, and free of binary noise."""
    return float(f"{value:.{_DIGITS}g}")


def fact_json(figure: Figure, citation: int | None) -> FactRecord:
    """A fact object."""
    fact = figure.fact
    return {
        "concept": fact.concept,
        "label": own_label(figure),
        "value": number(figure.value),
        "unit": figure.unit,
        "period_start": fact.period_start.isoformat() if fact.period_start else None,
        "period_end": (fact.period_end or figure.period.end).isoformat(),
        "dimensions": dict(fact.dimensions),
        "source": fact.source,
        "as_reported": fact.text,
        "restated": number(figure.restated) if figure.restated is not None else None,
        "citation": citation,
        "filing": figure.filing.id,
        "file": figure.filing.file,
        "note": figure.note or None,
    }


def candidate_json(fact: Fact, filing: Filing | None) -> FactRecord:
    """A figure that was not chosen, with the fields of a fact object; values as ``fact_json`` gives them."""
    unit = unit_of(fact)
    return {
        "concept": fact.concept,
        "label": fact.label,
        "value": number((fact.value or 0.0) * (100 if unit == "%" else 1)),
        "unit": unit,
        "period_start": fact.period_start.isoformat() if fact.period_start else None,
        "period_end": fact.period_end.isoformat() if fact.period_end else None,
        "dimensions": dict(fact.dimensions),
        "source": fact.source,
        "as_reported": fact.text,
        "filing": filing.id if filing else None,
        "file": filing.file if filing else None,
    }


Cited = TypeVar("Cited", FactRecord, TableCell)


def renumbered(record: Cited, number: Callable[[int], int]) -> Cited:
    """A fact or a cell with the number that its citation has elsewhere."""
    own = record.get("citation")
    return record if own is None else {**record, "citation": number(own)}


def renumbered_table(table: TableRecord | None, number: Callable[[int], int]) -> TableRecord | None:
    """A table with the numbers that the citations of its cells have elsewhere."""
    if table is None:
        return None
    return {**table, "rows": [{**row, "cells": [renumbered(cell, number) for cell in row["cells"]]} for row in table["rows"]]}


def calculation_json(cell: Cell, facts: Mapping[int, int], scale: int, places: int | None) -> CalculationRecord | None:
    """The calculation object of a computed cell; None for a figure as it stands. ``facts`` maps figure to fact number."""
    if cell.grounded is None or cell.measure is None or cell.single is not None:
        return None
    measured: CalculationRecord = {"from_negative": True} if cell.grounded.from_negative else {}
    return {
        **measured,
        "expression": letters(cell),
        "inputs": {
            letter(index): {
                "item": figure.metric or figure.label,
                "value": number(figure.value),
                "unit": figure.unit,
                "period_end": figure.period.end.isoformat(),
                "fact": facts[index],
            }
            for index, figure in enumerate(cell.figures)
        },
        "substituted": substituted(cell),
        "result": number(cell.measure.value),
        "unit": cell.measure.unit,
        "display": result(cell, scale, places),
    }


def plan_json(grid: Grid, items: Mapping[str, Item]) -> tuple[PlanStep, ...]:
    """One step for each figure that was looked up, then what was computed of them."""
    steps: dict[tuple[str, str, str], PlanStep] = {}
    for cell in grid.cells:
        for figure in cell.figures:
            end = figure.period.end.isoformat()
            what = figure.metric or figure.label
            steps[cell.company, what, end] = {
                "question": f"{cell.company} {figure.label}, {figure.period.label or end}",
                "operation": "lookup",
                "metric": what,
                "company": cell.company,
                "period_end": end,
            }
        if cell.grounded is not None and cell.single is None:
            steps[cell.company, cell.part.label, f"{cell.year}-{cell.over}"] = {
                "question": f"{cell.company} {cell.part.label}, FY{cell.year}",
                "operation": cell.over if cell.over != "point" else "compute",
                "metric": cell.part.label,
                "company": cell.company,
                "period_end": cell.end.isoformat() if cell.end else None,
            }
    if grid.chosen is not None and len(grid.cells) > 1 and not grid.chosen.back:
        operation = grid.reading.across if grid.reading.across != "each" else grid.reading.over
        steps["", operation, ""] = {
            "question": f"{operation} {grid.chosen.part.label}",
            "operation": operation,
            "metric": grid.chosen.part.label,
            "company": grid.chosen.company,
            "period_end": grid.chosen.end.isoformat() if grid.chosen.end else None,
        }
    return tuple(steps.values())


_MOST_COLUMNS = 4
"""Companies that may have a column each."""
_NOT_ASKED: TableCell = {
    "value": None, "unit": None, "display": None, "period_end": None, "fact": None, "citation": None, "gap": "not asked for",
}  # fmt: skip

_EMPTY: TableCell = {**_NOT_ASKED, "gap": None}


def table_json(grid: Grid, facts: Mapping[int, Sequence[int]], cited: Sequence[int | None]) -> TableRecord | None:
    """The table object of a grid of several cells: a row for each company and figure, a column for each year; where each company
    has one year, its figures in a column of its own, or of a single figure a row with its year.

    ``facts``: place of a cell in the grid -> its fact numbers; ``cited``: citation of each fact.
    """
    if len(grid.cells) < 2:
        return None
    is_trend = any(not cell.back for cell in grid.cells)
    # What a trend comes to is told in a sentence.
    shown = [(place, cell) for place, cell in enumerate(grid.cells) if not (cell.back and is_trend)]
    labels = list(dict.fromkeys(named(cell) for _, cell in shown))
    own: dict[str, set[int]] = {}
    for _, cell in shown:
        own.setdefault(cell.company, set()).add(cell.year)
    has_one_year = len(own) > 1 and all(len(years) == 1 for years in own.values())
    is_of_each = has_one_year and len(labels) > 1 and len(own) <= _MOST_COLUMNS
    differ = has_one_year and len(labels) == 1 and len(set.union(*own.values())) > 1
    rows: dict[str, dict[str, TableCell]] = {}
    columns: dict[str, None] = dict.fromkeys(f"FY{year}" for year in sorted({cell.year for _, cell in shown}))
    if is_of_each or differ:
        columns = {}
    for place, cell in shown:
        who = cell.company if len(own) > 1 or len(labels) < 2 else ""
        label, column = " · ".join(filter(None, (who, named(cell)))), f"FY{cell.year}"
        if is_of_each:
            label, column = named(cell), f"{spoken_name(cell.company)} FY{cell.year}"
        elif differ:
            label, column = f"{cell.company} FY{cell.year} · {named(cell)}", named(cell)
        columns.setdefault(column)
        rows.setdefault(label, {})[column] = _cell_json(cell, facts[place], cited)
    return {
        "columns": list(columns),
        "rows": [{"label": label, "cells": [of.get(column, _NOT_ASKED) for column in columns]} for label, of in rows.items()],
        "notes": list(filter(None, (years_apart([(cell.company, cell.end) for _, cell in shown]),))),
    }


def whole_json(cell: Cell, facts: Sequence[int], cited: Sequence[int | None]) -> TableRecord:
    """The table object of one result: a row for each figure that it is computed from, a column for each period; then its own."""
    rows: dict[str, dict[str, TableCell]] = {}
    for figure, place in zip(cell.figures, facts, strict=True) if cell.single is None else ():
        end = figure.period.end.isoformat()
        rows.setdefault(figure.label, {})[figure.period.label or end] = {
            "value": number(figure.value), "unit": figure.unit, "display": show_figure(figure, in_table=True), "period_end": end,
            "fact": place, "citation": cited[place], "gap": None,
        }  # fmt: skip
    rows[named(cell)] = {f"FY{cell.year}": _cell_json(cell, facts, cited)}
    columns = sorted({column for of in rows.values() for column in of})
    label = f"{cell.company} · " if len(rows) == 1 else ""
    return {
        "columns": columns,
        "rows": [
            {"label": f"{label}{name}", "cells": [of.get(column, _EMPTY) for column in columns]} for name, of in rows.items()
        ],
    }


def years_apart(ends: Iterable[tuple[str, dt.date | None]]) -> str:
    """What to know of companies that are set against each other: how far apart their last periods end; "" within a month.

    ``ends``: company and period end of each cell.
    """
    last: dict[str, dt.date] = {}
    for company, end in ends:
        if end is not None:
            last[company] = max(end, last.get(company, end))
    if not last:
        return ""
    first, latest = min(last.values()), max(last.values())
    days = (latest - first).days
    if days <= _ALIKE:
        return ""
    if days <= _YEAR:
        return f"Fiscal years end up to {count(max(round(days / _MONTH), 1), 'month')} apart: {first} and {latest}."
    years = f"{days / _YEAR:.1f}".removesuffix(".0")
    return f"The periods set against each other end {years} years apart: {first} and {latest}."


def _cell_json(cell: Cell, facts: Sequence[int], cited: Sequence[int | None]) -> TableCell:
    first = facts[0] if facts else None
    return {
        "value": number(cell.measure.value) if cell.measure else None,
        "unit": cell.measure.unit if cell.measure else None,
        "display": result(cell, in_table=True) if cell.measure else None,
        "period_end": cell.end.isoformat() if cell.end else None,
        "fact": first,
        "citation": cited[first] if first is not None else None,
        "gap": cell.gap.why if cell.gap else None,
    }
