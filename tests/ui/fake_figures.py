"""Answers from facts, as the engine gives them to the app."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.records import CalculationInput, CalculationRecord, FactRecord, TableCell, TableRecord, TableRow
from tests.ui.fakes import ACME


def fact(label: str, as_reported: str, value: float, year: int, citation: int, **more: Any) -> FactRecord:
    """A fact object of the answer's contract, of a fiscal year that ends in September."""
    own: FactRecord = {
        "concept": "us-gaap:Revenues", "label": label, "value": value, "unit": "usd", "period_start": f"{year - 1}-09-28",
        "period_end": f"{year}-09-27", "dimensions": {}, "source": "xbrl", "as_reported": as_reported, "restated": None,
        "citation": citation, "filing": ACME.id, "file": ACME.file, "note": None,
    }  # fmt: skip
    return cast("FactRecord", {**own, **more})


def growth() -> FigureAnswer:
    """Two figures, one of them restated, and what was computed of them."""
    facts = (
        fact("Total net sales", "416,161", 416_161e6, 2025, 2),
        fact("Total net sales", "391,035", 391_035e6, 2024, 2, restated=391_100e6),
    )
    inputs: dict[str, CalculationInput] = {
        "a": {"item": "revenue", "value": 416_161e6, "unit": "usd", "period_end": "2025-09-27", "fact": 0},
        "b": {"item": "revenue", "value": 391_035e6, "unit": "usd", "period_end": "2024-09-27", "fact": 1},
    }
    calculation: CalculationRecord = {
        "expression": "(a - b) / b", "inputs": inputs, "substituted": "(416,161 - 391,035) / 391,035", "result": 6.43,
        "unit": "%", "display": "6.4%",
    }  # fmt: skip
    return FigureAnswer((), (), facts, (), 6.43, "%", calculation, None, "6.4%")


def comparison() -> FigureAnswer:
    """Two companies in two years, one value missing."""
    facts = (fact("Total net sales", "416,161", 416_161e6, 2025, 2), fact("Total net sales", "391,035", 391_035e6, 2024, 2))
    known: list[TableCell] = [
        {"value": f["value"], "unit": "usd", "display": f"${f['as_reported']} million", "citation": 2, "gap": None} for f in facts
    ]
    missing: TableCell = {"value": None, "unit": None, "display": None, "citation": None, "gap": "no filing of FY2024"}
    table: TableRecord = {
        "columns": ["FY2024", "FY2025"],
        "rows": [{"label": "Acme Corp", "cells": known[::-1]}, {"label": "Zenith [Holdings] Inc.", "cells": [missing, known[0]]}],
    }
    return FigureAnswer((), (), facts, (), None, None, None, table)


def page(columns: Mapping[str, str], *rows: tuple[str, str, Sequence[float]]) -> FigureAnswer:
    """A page of figures: ``columns`` with the day on which each period ends; of each row label, unit and values (in millions of
    dollars, percent, dollars per share).
    """
    shown = {"usd": ("${:,.0f} million", 1e6), "%": ("{:.1f}%", 1.0), "usd/share": ("${:.2f} per share", 1.0)}
    facts: list[FactRecord] = []
    made: list[TableRow] = []
    for label, unit, values in rows:
        display, scale = shown[unit]
        cells: list[TableCell] = []
        for value, (name, end) in zip(values, columns.items(), strict=True):
            facts.append(fact(label, f"{value:,}", value * scale, int(end[:4]), 2, unit=unit))
            text = display.format(abs(value)).replace("$", "$(", 1).replace(" m", ") m") if value < 0 else display.format(value)
            cells.append(
                {"value": value * scale, "unit": unit, "display": text, "period_end": end, "fact": len(facts) - 1, "citation": 2,
                 "gap": None}
            )  # fmt: skip
            assert name
        made.append({"label": label, "cells": cells})
    return FigureAnswer((), (), tuple(facts), (), None, None, None, {"columns": list(columns), "rows": made})


def key_figures() -> FigureAnswer:
    """The page of one company against its year before."""
    return page(
        {"FY2024": "2024-09-27", "FY2025": "2025-09-27"},
        ("revenue", "usd", (391_035, 416_161)), ("operating margin", "%", (31.5, 32.0)), ("net income", "usd", (-4_202, 112_010)),
        ("diluted earnings per share", "usd/share", (6.08, 7.46)), ("total assets", "usd", (364_980, 359_241)),
    )  # fmt: skip


def side_by_side() -> FigureAnswer:
    """The page of two companies, each in a year of its own."""
    return page(
        {"Acme FY2025": "2025-09-27", "Zenith FY2023": "2023-12-31"},
        ("revenue", "usd", (416_161, 81_288)), ("operating margin", "%", (32.0, 13.6)), ("net income", "usd", (112_010, -21_979)),
        ("diluted earnings per share", "usd/share", (7.46, 3.85)), ("total assets", "usd", (359_241, 181_476)),
    )  # fmt: skip


def five_years() -> FigureAnswer:
    """One figure over five years, with the days on which they end: too wide for a narrow screen as a row."""
    years = {f"FY{year}": f"{year}-09-27" for year in range(2021, 2026)}
    return page(years, ("Acme Corp · revenue", "usd", (365_817, 394_328, 383_285, 391_035, 416_161)))


def parts() -> FigureAnswer:
    """Revenue of three segments in three years, and the total."""
    years, named = (
        (2023, 2024, 2025),
        {"North America": 352_828, "International": 131_200, "Cloud": 90_757, "total revenue": 574_785},
    )
    grows = {"total revenue": 30_000}
    stated = [(name, year, value + grows.get(name, 10_000) * (year - 2023)) for name, value in named.items() for year in years]
    facts = tuple(fact(name, f"{value:,}", value * 1e6, year, 2) for name, year, value in stated)
    cells: list[TableCell] = [
        {"value": f["value"], "unit": "usd", "display": f"${f['as_reported']} million", "period_end": f["period_end"],
         "fact": at, "citation": 2, "gap": None}
        for at, f in enumerate(facts)
    ]  # fmt: skip
    rows: list[TableRow] = [{"label": name, "cells": cells[3 * at : 3 * at + 3]} for at, name in enumerate(named)]
    return FigureAnswer((), (), facts, (), None, None, None, {"columns": [f"FY{year}" for year in years], "rows": rows})


def segments() -> FigureAnswer:
    """Two figures of each segment, with their totals."""
    return page(
        {"FY2024": "2024-09-28", "FY2025": "2025-09-27"},
        ("North America: revenue", "usd", (352_828, 372_828)),
        ("Cloud: revenue", "usd", (90_757, 110_757)),
        ("North America: operating income", "usd", (24_967, 29_619)),
        ("Cloud: operating income", "usd", (-2_656, 4_750)),
    )
