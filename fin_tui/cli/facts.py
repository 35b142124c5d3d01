"""``fin-tui facts``: figures by metric, company and year as a grid with citations; or which figure a number is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from fin_tui.cli.context import current
from fin_tui.cli.scope_options import Companies, Filings, Forms, Items, Years, chosen_scope
from fin_tui.errors import NotFound, UsageError

if TYPE_CHECKING:
    from fin_tui.cli.facts_grid import GridCell
    from fin_tui.records import Fact, Filing, Scope
    from fin_tui.store.library import Library

_SPAN = re.compile(r"\s*(?:FY)?(\d{4})\s*(?:(?:-|–|:|\.\.)\s*(?:FY)?(\d{4})\s*)?$", re.I)
_MOST_YEARS = 60


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
    value: Annotated[float | None, typer.Option(help="Find which figures this number is.", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Comma-separated values on standard output.")] = False,
) -> None:
    """Look figures up: each as first reported, with its place, restatements and gaps named."""
    from fin_tui.cli.facts_output import print_cells, print_found
    from fin_tui.store.library import Library

    if bool(metric) == (value is not None):
        raise UsageError("Name metrics, or give --value.", 'Example: fin-tui facts revenue "operating income" --company AAPL')
    if as_json and as_csv:
        raise UsageError("Give either --json or --csv.")
    wanted = sorted({*(year or ()), *_span(years)})
    shape = "json" if as_json else "csv" if as_csv else "text"
    with Library.open(current(ctx).paths) as library:
        # A figure of a year may stand in a later filing: years choose periods here, not filings.
        scope = chosen_scope(library.filings(), company, None, item, form, filing)
        held = _allowed(library, scope)
        if value is not None:
            found = _by_value(library, held, value, wanted)
            print_found(found, library, shape)
            if not found:
                raise NotFound(f"No figure of these filings is {value:,.10g}.", "Give it in base units: 31370000000, not 31,370.")
            return
        cells = _cells(library, held, metric or [], wanted)
        print_cells(cells, library, shape)
        if all(cell.value is None for cell in cells):
            raise NotFound("None of these figures is in the library.", "fin-tui search finds the passages that mention them.")


def _cells(library: Library, held: Sequence[Filing], names: Sequence[str], years: Sequence[int]) -> Sequence[GridCell]:
    from fin_tui.cli.facts_grid import make_grid
    from fin_tui.facts.lookup import FactBook

    return make_grid(FactBook(library), held, names, years)


def _by_value(library: Library, held: Sequence[Filing], value: float, years: Sequence[int]) -> Sequence[tuple[Filing, Fact]]:
    from fin_tui.facts.lookup import FactBook

    chosen = [filing for filing in held if not years or filing.fiscal_year in years]
    return FactBook(library).nearest(value, chosen)


def _allowed(library: Library, scope: Scope) -> list[Filing]:
    from fin_tui.retrieval.scope import allowed_filings

    if scope.items:
        raise UsageError("Figures are looked up in whole filings; --item does not apply.")
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
