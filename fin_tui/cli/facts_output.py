"""How ``fin-tui facts`` prints its grid: for people, as JSON, as CSV."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fin_tui.cli.output import dumps, shown
from fin_tui.facts.format import show as show_value
from fin_tui.facts.format import show_fact

if TYPE_CHECKING:
    from fin_tui.cli.facts_grid import GridCell
    from fin_tui.facts.figures import Figure
    from fin_tui.records import Fact, Filing
    from fin_tui.store.library import Library

_COLUMNS = (
    *("company", "metric", "fiscal_year", "period_end", "value", "unit", "as_reported", "restated", "restated_in"),
    *("source", "concept", "label", "file", "page", "note"),
)


def print_cells(cells: Sequence[GridCell], library: Library, form: str) -> None:
    """Print the grid as "text", "json" or "csv"."""
    pages = Pages(library)
    if form == "json":
        print(dumps([cell_json(cell, pages) for cell in cells]))
    elif form == "csv":
        _csv([cell_json(cell, pages) for cell in cells])
    else:
        _text(cells, pages)


class Pages:
    """Pages of facts, through the passages that hold them."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def of(self, fact: Fact, filing: Filing) -> tuple[int | None, str]:
        """(page from 1, Item) or (None, "") for a hidden fact."""
        if fact.end <= fact.start:
            return None, ""
        chunk = self._library.chunks.holding(filing.id, fact.start, fact.end)
        return (chunk.page, chunk.item) if chunk else (None, "")


def cell_json(cell: GridCell, pages: Pages) -> dict[str, Any]:
    """A fact object; of a computed value with its formula and ``inputs``; of a gap with ``value`` null and the reason."""
    document: dict[str, Any] = {"company": cell.company, "metric": cell.metric or cell.name, "fiscal_year": cell.year}
    if cell.value is None:
        return {**document, "value": None, "unit": None, "gap": cell.gap, "near": list(cell.near)}
    if not cell.computed:
        return {**document, **_figure_json(cell.figures[0], pages)}
    ends = [figure.period.end for figure in cell.figures]
    return {
        **document,
        "concept": f"computed:{cell.metric}",
        "label": cell.name,
        "value": float(f"{cell.value:.12g}"),
        "unit": cell.unit,
        "period_end": max(ends).isoformat() if ends else None,
        "source": "computed",
        "expression": cell.formula,
        "inputs": [_figure_json(figure, pages) for figure in cell.figures],
    }


def _figure_json(figure: Figure, pages: Pages) -> dict[str, Any]:
    from fin_tui.engine.figure_json import fact_json

    page, item = pages.of(figure.fact, figure.filing)
    later = figure.restated_in
    return {**fact_json(figure, None), "page": page, "item": item or None, "restated_in": later.file if later else None}


def _csv(documents: Sequence[dict[str, Any]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for document in documents:
        row = {**document, "note": document.get("gap") or document.get("note") or document.get("expression") or ""}
        writer.writerow([_safe(row.get(column)) for column in _COLUMNS])


def _safe(value: Any) -> Any:
    """Text that a spreadsheet would run as a formula is put as text; numbers stay numbers."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.12g}" if abs(value) < 1e12 and value % 1 else f"{value:.0f}" if value % 1 == 0 else repr(value)
    text = shown(str(value)) if isinstance(value, str) else value
    return f"'{text}" if isinstance(text, str) and text[:1] in ("=", "+", "-", "@") else text


def _text(cells: Sequence[GridCell], pages: Pages) -> None:
    group = ("", "")
    for cell in cells:
        if (cell.company, cell.name) != group:
            group = (cell.company, cell.name)
            print(f"{shown(cell.company)} · {shown(cell.name)}")
        print(f"  FY{cell.year}  {_line(cell, pages)}")


def _line(cell: GridCell, pages: Pages) -> str:
    if cell.value is None or cell.unit is None:
        near = f" Near: {'; '.join(shown(label) for label in cell.near)}." if cell.near else ""
        return f"–  {cell.gap}{near}"
    if cell.computed:
        inputs = "; ".join(f"{shown(f.label)} {show_fact(f.value, f.unit, f.fact)}" for f in cell.figures)
        places = 1 if cell.unit in ("%", "days") else 2
        # Amounts are sums of printed amounts and need no rounding.
        said = show_value(cell.value, cell.unit, places=None if cell.unit in ("usd", "shares", "count") else places)
        return f"{said}  = {cell.formula}  ({inputs})"
    figure = cell.figures[0]
    parts = [show_fact(figure.value, figure.unit, figure.fact), f"{shown(figure.label)}, {_end(figure)}", _place(figure, pages)]
    if figure.restated is not None and figure.restated_in is not None:
        year = figure.restated_in.fiscal_year or "?"
        parts.append(f"restated {show_fact(figure.restated, figure.unit, figure.fact)} in FY{year}")
    if figure.note:
        parts.append(shown(figure.note))
    return "  ".join(parts)


def _end(figure: Figure) -> str:
    return f"{figure.period.end}"


def _place(figure: Figure, pages: Pages) -> str:
    page, item = pages.of(figure.fact, figure.filing)
    place = ", ".join(filter(None, (f"Item {item}" if item else "", f"p. {page}" if page else "cover data")))
    return f"[{shown(figure.filing.file)}, {place}]"


def print_found(found: Sequence[tuple[Filing, Fact]], library: Library, form: str) -> None:
    """The figures that a number is, nearest first."""
    pages = Pages(library)
    documents = [_found_json(filing, fact, pages) for filing, fact in found]
    if form == "json":
        print(dumps(documents))
    elif form == "csv":
        _csv(documents)
    else:
        for document in documents:
            members = ", ".join(member.partition(":")[2] for member in document["dimensions"].values())
            period = " to ".join(filter(None, (document["period_start"], document["period_end"])))
            label = shown(document["label"] or document["concept"])[-100:]
            print(f"{shown(document['as_reported'])}  {label}{f' ({shown(members)})' if members else ''}  {period}")
            place = f"[{shown(document['file'])}, p. {document['page'] or '–'}]"
            print(f"    {shown(document['company'])}  {shown(document['concept'])}  {place}")


def _found_json(filing: Filing, fact: Fact, pages: Pages) -> dict[str, Any]:
    page, item = pages.of(fact, filing)
    return {
        "company": filing.company,
        "metric": "",
        "fiscal_year": filing.fiscal_year,
        "concept": fact.concept,
        "label": fact.label,
        "value": fact.value,
        "unit": fact.unit,
        "period_start": fact.period_start.isoformat() if fact.period_start else None,
        "period_end": fact.period_end.isoformat() if fact.period_end else None,
        "dimensions": dict(fact.dimensions),
        "source": fact.source,
        "as_reported": fact.text,
        "restated": None,
        "filing": filing.id,
        "file": filing.file,
        "page": page,
        "item": item or None,
    }
