"""Figures, cells and grids as the JSON contract names their fields (pure)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fin_tui.engine.figures.as_text import letter, letters, result, substituted
from fin_tui.engine.figures.cell import Cell
from fin_tui.engine.figures.grid import Grid
from fin_tui.engine.questions.wanted import Item
from fin_tui.facts.figures import Figure
from fin_tui.facts.labels import unit_of
from fin_tui.records import Fact, Filing

_DIGITS = 12


def number(value: Any) -> float:
    """A decimal as a float of twelve digits: enough for any figure, and free of binary noise."""
    return float(f"{value:.{_DIGITS}g}")


def fact_json(figure: Figure, citation: int | None) -> Mapping[str, Any]:
    """A fact object."""
    fact = figure.fact
    return {
        "concept": fact.concept,
        "label": figure.label,
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


def candidate_json(fact: Fact, filing: Filing | None) -> Mapping[str, Any]:
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


def calculation_json(cell: Cell, facts: Mapping[int, int], scale: int, places: int | None) -> Mapping[str, Any] | None:
    """The calculation object of a computed cell; None for a figure as it stands. ``facts`` maps figure to fact number."""
    if cell.grounded is None or cell.measure is None or cell.single is not None:
        return None
    return {
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


def plan_json(grid: Grid, items: Mapping[str, Item]) -> tuple[Mapping[str, Any], ...]:
    """One step for each figure that was looked up, then what was computed of them."""
    steps: dict[tuple[str, str, str], Mapping[str, Any]] = {}
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


def table_json(grid: Grid, facts: Mapping[int, Sequence[int]], cited: Sequence[int | None]) -> Mapping[str, Any] | None:
    """The table object of a grid of several cells: a row for each company and figure, a column for each year.

    ``facts``: place of a cell in the grid -> its fact numbers; ``cited``: citation of each fact.
    """
    if len(grid.cells) < 2:
        return None
    is_trend = any(not cell.back for cell in grid.cells)
    years = sorted({cell.year for cell in grid.cells})
    several = len({cell.part.label for cell in grid.cells}) > 1
    companies = len({cell.company for cell in grid.cells}) > 1
    rows: dict[str, dict[int, Mapping[str, Any]]] = {}
    for place, cell in enumerate(grid.cells):
        if cell.back and is_trend:
            continue  # What a trend comes to is told in a sentence.
        label = " · ".join(filter(None, (cell.company if companies or not several else "", cell.part.label)))
        rows.setdefault(label, {})[cell.year] = _cell_json(cell, facts[place], cited)
    empty = {
        "value": None,
        "unit": None,
        "display": None,
        "period_end": None,
        "fact": None,
        "citation": None,
        "gap": "not asked for",
    }
    return {
        "columns": [f"FY{year}" for year in years],
        "rows": [{"label": label, "cells": [cells.get(year, empty) for year in years]} for label, cells in rows.items()],
    }


def _cell_json(cell: Cell, facts: Sequence[int], cited: Sequence[int | None]) -> Mapping[str, Any]:
    first = facts[0] if facts else None
    return {
        "value": number(cell.measure.value) if cell.measure else None,
        "unit": cell.measure.unit if cell.measure else None,
        "display": result(cell) if cell.measure else None,
        "period_end": cell.end.isoformat() if cell.end else None,
        "fact": first,
        "citation": cited[first] if first is not None else None,
        "gap": cell.gap.why if cell.gap else None,
    }
