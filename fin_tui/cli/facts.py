"""``fin-tui facts``: figures by metric, company and year as a grid with citations; or which figure a number is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from fin_tui.cli.options import Companies, CorpusUri, Filings, Forms, Items, Years, asking, chosen_scope, opened
from fin_tui.cli.output import AsJson
from fin_tui.errors import NotFound, UsageError

if TYPE_CHECKING:
    from fin_tui.engine.figures.facts_grid import GridCell
    from fin_tui.facts.lookup import FoundFigure, Wanted
    from fin_tui.records import Filing, Scope
    from fin_tui.store import Corpus

_SPAN = re.compile(r"\s*(?:FY)?(\d{4})\s*(?:(?:-|–|:|\.\.)\s*(?:FY)?(\d{4})\s*)?$", re.I)
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
    from fin_tui.cli.facts_output import print_cells, print_found

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
    match = _SPAN.match(years)
    if match is None:
        raise UsageError(f"Years {years!r} are not understood.", "Give one year or a span: --years 2022-2025.")
    first, last = int(match[1]), int(match[2] or match[1])
    if not first <= last <= first + _MOST_YEARS:
        raise UsageError(f"Years {years!r} are no span.", "The first year comes first: --years 2022-2025.")
    return list(range(first, last + 1))
