"""How ``fin-tui facts`` prints its grid: for people, as JSON, as CSV."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fin_tui.cli.output import dumps, shown
from fin_tui.engine.exports.file import safe_cell
from fin_tui.engine.figures.facts_json import Pages, cell_json, display
from fin_tui.facts.figures import show_fact

if TYPE_CHECKING:
    from fin_tui.engine.figures.facts_grid import GridCell
    from fin_tui.facts.figures import Figure
    from fin_tui.facts.lookup import FoundFigure
    from fin_tui.records import Fact, Filing
    from fin_tui.store import Corpus

_COLUMNS = (
    *("company", "metric", "fiscal_year", "period_end", "value", "unit", "as_reported", "restated", "restated_in"),
    *("source", "concept", "label", "file", "page", "note"),
)
_PLACES = 6
"""Further places that are named."""


def print_cells(cells: Sequence[GridCell], library: Corpus, form: str) -> None:
    """Print the grid as "text", "json" or "csv"."""
    pages = Pages(library)
    if form == "json":
        print(dumps([cell_json(cell, pages) for cell in cells]))
    elif form == "csv":
        _csv([cell_json(cell, pages) for cell in cells])
    else:
        _text(cells, pages)


def _csv(documents: Sequence[dict[str, Any]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for document in documents:
        row = {**document, "note": document.get("gap") or document.get("note") or document.get("expression") or ""}
        writer.writerow([safe_cell(row.get(column)) for column in _COLUMNS])


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
        return f"{display(cell)}  = {cell.formula}  ({inputs})"
    figure = cell.figures[0]
    parts = [display(cell), f"{shown(figure.label)}, {_end(figure)}", _place(figure, pages)]
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


def print_found(found: Sequence[FoundFigure], library: Corpus, form: str) -> None:
    """The figures that a number is, nearest first, each with its other places."""
    pages = Pages(library)
    documents = [_figure_found(figure, pages) for figure in found]
    if form == "json":
        print(dumps(documents))
    elif form == "csv":
        _csv(documents)
    else:
        for document in documents:
            _print_found(document)


def _print_found(document: dict[str, Any]) -> None:
    members = ", ".join(member.partition(":")[2] for member in document["dimensions"].values())
    period = " to ".join(filter(None, (document["period_start"], document["period_end"])))
    label = shown(document["label"] or document["concept"])[-100:]
    exact = "" if document["value"] is None else f"= {safe_cell(document['value'])} {document['unit']}"
    print(f"{shown(document['as_reported'])} {exact}  {label}{f' ({shown(members)})' if members else ''}  {period}")
    print(f"    {shown(document['company'])}  {shown(document['concept'])}  [{_at(document)}]")
    others = list(dict.fromkeys(_at(place) for place in document["places"]))
    others = [place for place in others if place != _at(document)]
    if others:
        more = f" and {len(others) - _PLACES} more" if len(others) > _PLACES else ""
        print(f"    also {'; '.join(others[:_PLACES])}{more}")


def _at(place: dict[str, Any]) -> str:
    item = f"Item {place['item']}, " if place["item"] else ""
    return f"{shown(place['file'])}, {item}{'p. ' + str(place['page']) if place['page'] else 'cover data'}"


def _figure_found(figure: FoundFigure, pages: Pages) -> dict[str, Any]:
    """The fact object with ``places``, the other facts that state the same figure."""
    document = _found_json(figure.best.filing, figure.best.fact, pages)
    places = []
    for place in figure.others:
        page, item = pages.of(place.fact, place.filing)
        where = {"filing": place.filing.id, "file": place.filing.file, "page": page, "item": item or None}
        places.append({**where, "label": place.fact.label, "source": place.fact.source})
    note = "the digits as printed" if figure.as_printed else ""
    return {**document, "note": note, "places": places}


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
