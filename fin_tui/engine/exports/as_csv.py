"""The figures of a page for a spreadsheet (pure)."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from fin_tui.engine.exports.page import Page
from fin_tui.filings.cleaning import clean

COLUMNS = (
    *("question", "company", "label", "concept", "dimensions", "period_start", "period_end", "value", "unit", "as_reported"),
    *("restated", "source", "filing", "accession", "file", "item", "page_label", "page", "note"),
)
_FORMULA = ("=", "+", "-", "@")
_DIGITS = 15
"""What a double holds for sure: the noise of arithmetic lies behind them."""


def figures_csv(page: Page) -> str:
    """A row for each figure, header first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for figure in page.figures:
        writer.writerow([safe_cell(figure.get(column)) for column in COLUMNS])
    return out.getvalue()


def safe_cell(value: Any) -> str:
    """A value as a spreadsheet takes it: numbers stay numbers, text that it would run as a formula is put as text."""
    if value is None:
        return ""
    if isinstance(value, Mapping):
        value = "; ".join(f"{name}={member}" for name, member in value.items())
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() else f"{value:.{_DIGITS}g}"
    text = clean(str(value))
    return f"'{text}" if isinstance(value, str) and text.startswith(_FORMULA) else text
