"""``fin-tui facts``: figures by metric, company and year as a grid with citations; or which figure a number is."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterable, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from fin_tui.cli.output import (
    AsJson,
    Companies,
    CorpusUri,
    Filings,
    Forms,
    Items,
    Years,
    asking,
    chosen_scope,
    dumps,
    opened,
    shown,
)
from fin_tui.errors import NotFound, UsageError
from fin_tui.language import year_span

if TYPE_CHECKING:
    from fin_tui.engine.figures.facts_grid import GridCell, Pages
    from fin_tui.facts.figures import Figure
    from fin_tui.facts.lookup import FoundFigure, Place, Wanted
    from fin_tui.records import Filing, PlacedFact, Scope
    from fin_tui.store import Corpus


_COLUMNS = (
    *("company", "metric", "fiscal_year", "period_end", "value", "unit", "as_reported", "restated", "restated_in"),
    *("source", "concept", "label", "file", "page_label", "page", "note"),
)
_PLACES = 6
"""Further places that are named."""


def print_cells(cells: Sequence[GridCell], library: Corpus, form: str) -> None:
    """Print the grid as "text", "json" or "csv"."""
    from fin_tui.engine.figures.facts_grid import Pages, cell_json

    pages = Pages(library)
    if form == "json":
        print(dumps([cell_json(cell, pages) for cell in cells]))
    elif form == "csv":
        _csv([cell_json(cell, pages) for cell in cells])
    else:
        _text(cells, pages)


def _csv(documents: Iterable[PlacedFact]) -> None:
    from fin_tui.engine.exports.file import safe_cell

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
    from fin_tui.engine.figures.facts_grid import display
    from fin_tui.facts.figures import show_printed

    if cell.value is None or cell.unit is None:
        near = f" Near: {'; '.join(shown(label) for label in cell.near)}." if cell.near else ""
        return f"–  {cell.gap}{near}"
    if cell.computed:
        inputs = "; ".join(f"{shown(f.label)} {show_printed(f.value, f.unit, f.fact)}" for f in cell.figures)
        return f"{display(cell)}  = {cell.formula}  ({inputs})"
    figure = cell.figures[0]
    parts = [display(cell), f"{shown(figure.label)}, {_end(figure)}", _place(figure, pages)]
    if figure.restated is not None and figure.restated_in is not None:
        year = figure.restated_in.fiscal_year or "?"
        parts.append(f"restated {show_printed(figure.restated, figure.unit, figure.fact)} in FY{year}")
    if figure.note:
        parts.append(shown(figure.note))
    return "  ".join(parts)


def _end(figure: Figure) -> str:
    return f"{figure.period.end}"


def _place(figure: Figure, pages: Pages) -> str:
    from fin_tui.engine.figures.facts_grid import place_name

    return f"[{shown(figure.filing.file)}, {place_name(*pages.of(figure.fact, figure.filing))}]"


def print_found(found: Sequence[FoundFigure], library: Corpus, form: str) -> None:
    """The figures that a number is, nearest first, each with its other places."""
    from fin_tui.engine.figures.facts_grid import Pages

    pages = Pages(library)
    documents = [_figure_found(figure, pages) for figure in found]
    if form == "json":
        print(dumps(documents))
    elif form == "csv":
        _csv(documents)
    else:
        for document in documents:
            _print_found(document)


def _print_found(document: PlacedFact) -> None:
    from fin_tui.engine.exports.file import safe_cell

    members = ", ".join(member.partition(":")[2] for member in document["dimensions"].values())
    period = " to ".join(filter(None, (document["period_start"], document["period_end"])))
    label = shown(document["label"] or document["concept"])[-100:]
    exact = "" if document["value"] is None else f"= {safe_cell(document['value'])} {document['unit']}"
    print(f"{shown(document['as_reported'])} {exact}  {label}{f' ({shown(members)})' if members else ''}  {period}")
    print(f"    {shown(document['company'] or '')}  {shown(document['concept'])}  [{_at(document)}]")
    others = list(dict.fromkeys(_at(place) for place in document["places"]))
    others = [place for place in others if place != _at(document)]
    if others:
        more = f" and {len(others) - _PLACES} more" if len(others) > _PLACES else ""
        print(f"    also {'; '.join(others[:_PLACES])}{more}")


def _at(place: PlacedFact) -> str:
    from fin_tui.engine.figures.facts_grid import place_name

    return f"{shown(place['file'] or '')}, {place_name(place['page'], place['page_label'], place['item'])}"


def _figure_found(figure: FoundFigure, pages: Pages) -> PlacedFact:
    filing, fact = figure.best.filing, figure.best.fact
    page, page_label, item = pages.of(fact, filing)
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
        "page_label": page_label,
        "item": item,
        "note": "the digits as printed" if figure.as_printed else "",
        "places": [_where(place, pages) for place in figure.others],
    }


def _where(place: Place, pages: Pages) -> PlacedFact:
    page, page_label, item = pages.of(place.fact, place.filing)
    return {
        "filing": place.filing.id,
        "file": place.filing.file,
        "page": page,
        "page_label": page_label,
        "item": item,
        "label": place.fact.label,
        "source": place.fact.source,
    }


_EXPONENT = re.compile(r"\d+(?:\.\d+)?e[+-]?\d{1,2}", re.I)
_MOST_YEARS = 60


class Basis(StrEnum):
    """Which of several values of one period is given."""

    FIRST = "first"
    LATEST = "latest"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="facts")(facts)


def facts(
    ctx: typer.Context,
    metric: Annotated[
        list[str] | None, typer.Argument(help='Everyday names in quotes: revenue "operating income" dso.', show_default=False)
    ] = None,
    company: Companies = None,
    year: Years = None,
    item: Items = None,
    form: Forms = None,
    filing: Filings = None,
    years: Annotated[str | None, typer.Option(help="Fiscal years, e.g. 2022-2025.", show_default=False)] = None,
    value: Annotated[
        str | None,
        typer.Option(help='Which figures is this number: 31370000000, "31.37 billion", 31,370, 14.2%.', show_default=False),
    ] = None,
    basis: Annotated[
        Basis, typer.Option(help="first: as first reported. latest: from the latest filing, per-share figures after all splits.")
    ] = Basis.FIRST,
    corpus: CorpusUri = None,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Comma-separated values on standard output.")] = False,
) -> None:
    """Look figures up, each with its place, restatements and gaps named.

    Example: fin-tui facts revenue "gross margin" "diluted eps" --company NVDA --years 2022-2025 --basis latest
    """

    if bool(metric) == (value is not None):
        raise UsageError("Name metrics, or give --value.", 'Example: fin-tui facts revenue "operating income" --company AAPL')
    if as_json and as_csv:
        raise UsageError("Give either --json or --csv.", "Example: fin-tui facts revenue --company AAPL --csv")
    wanted = sorted({*(year or ()), *_span(years)})
    shape = "json" if as_json else "csv" if as_csv else "text"
    with opened(asking(ctx, corpus)) as library:
        # A figure of a year may stand in a later filing: years choose periods here, not filings.
        scope = chosen_scope(library.filings(), company, None, item, form, filing)
        held = _allowed(library, scope)
        if value is not None:
            found = _by_value(library, held, value, wanted)
            print_found(found, library, shape)
            if not found:
                raise NotFound(f"No figure of these filings is {value}.", "fin-tui search finds numbers that stand in prose.")
            return
        cells = _cells(library, held, metric or [], wanted, latest=basis is Basis.LATEST)
        print_cells(cells, library, shape)
        if all(cell.value is None for cell in cells):
            raise NotFound("None of these figures is in the library.", "fin-tui search finds the passages that mention them.")


def _cells(
    library: Corpus, held: Sequence[Filing], names: Sequence[str], years: Sequence[int], *, latest: bool
) -> Sequence[GridCell]:
    from fin_tui.engine.figures.facts_grid import make_grid
    from fin_tui.facts.lookup import FactBook

    return make_grid(FactBook(library), held, names, years, latest=latest)


def _by_value(library: Corpus, held: Sequence[Filing], value: str, years: Sequence[int]) -> Sequence[FoundFigure]:
    from fin_tui.facts.lookup import FactBook

    chosen = [filing for filing in held if not years or filing.fiscal_year in years]
    return FactBook(library).stating(_typed(value), chosen)


def _typed(value: str) -> Wanted:
    """The number that somebody typed; raises ``UsageError`` when it is none, or several."""
    from fin_tui.engine.evidence.numbers import find_numbers
    from fin_tui.facts.lookup import Wanted

    text = _EXPONENT.sub(lambda match: f"{Decimal(match.group()):f}", value)
    numbers = list(find_numbers(text))
    if len(numbers) != 1:
        raise UsageError(f"{value!r} is not one number.", 'Examples: --value 31370000000, --value "31.37 billion", --value 14.2%')
    number = numbers[0]
    return Wanted(number.value, number.accuracy, number.kind == "percent", number.scaled)


def _allowed(library: Corpus, scope: Scope) -> list[Filing]:
    from fin_tui.retrieval.scope import allowed_filings

    if scope.items:
        raise UsageError("Figures are looked up in whole filings; --item does not apply.", "fin-tui search takes it.")
    return list(allowed_filings(library.filings(), scope))


def _span(years: str | None) -> list[int]:
    if years is None:
        return []
    span = year_span(years.replace(":", "-"))
    if span is None:
        raise UsageError(f"Years {years!r} are not understood.", "Give one year or a span: --years 2022-2025.")
    first, last = span
    if not first <= last <= first + _MOST_YEARS:
        raise UsageError(f"Years {years!r} are no span.", "The first year comes first: --years 2022-2025.")
    return list(range(first, last + 1))
