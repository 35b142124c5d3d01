"""What the table of a figure that was told states beside it: the same of another year that rows or columns name, and its total.

Tables of maturities have a row for each year ahead, tables of commitments a column: "and in 2027?" after what falls due in 2026,
"as % of the total?" after either, ask for the cell beside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fin_tui.candidates import Candidate
from fin_tui.engine.figures.linked_book import Linked, figure_of
from fin_tui.engine.questions.periods import find_periods
from fin_tui.engine.rank.ranker import Scored
from fin_tui.engine.rank.wanted import Wanted
from fin_tui.facts.figures import Figure


def in_year_named(figure: Figure, year: int, linked: Linked) -> Figure | None:
    """The cell whose row or column names ``year`` where that of ``figure`` names another one; None where there is none."""
    own = _cell(figure, linked)
    told = find_periods(own.path[-1]).years or find_periods(own.column).years if own is not None and own.path else ()
    if own is None or len(told) != 1:
        return None

    def moved(text: str) -> str:
        return text.replace(str(told[0]), str(year))

    of_row = moved(own.path[-1]) != own.path[-1]
    path, column = ((*own.path[:-1], moved(own.path[-1])), own.column) if of_row else (own.path, moved(own.column))
    found = _only(own, figure, linked, lambda one: one.path == path and one.column == column)
    if found is None or (path, column) == (own.path, own.column):
        return None
    period = replace(figure.period, label=moved(figure.period.label))
    return replace(_figure(found, figure), label=moved(figure.label), period=period)


def total_beside(figure: Figure, linked: Linked) -> Figure | None:
    """The total over the years, where the row or the column of ``figure`` names one; else that of its column or of its row. None
    where none is called so, both are, or it is no larger.
    """
    own = _cell(figure, linked)
    if own is None or not own.path:
        return None
    *above, last = own.path
    over_rows, over_columns = bool(find_periods(last).years), bool(find_periods(own.column).years)

    def ends_column(one: Candidate) -> bool:
        return one.path[:-1] == tuple(above) and one.path[-1].lower().startswith("total") and one.column == own.column

    of_column = _only(own, figure, linked, ends_column) if over_rows or not over_columns else None
    of_row = _only(own, figure, linked, lambda one: one.path == own.path and one.column == "Total") if not over_rows else None
    least = abs(figure.fact.value or 0.0)
    found = [one for one in (of_column, of_row) if one is not None and abs(one.fact.value or 0.0) > least]
    return _figure(found[0], figure) if len(found) == 1 else None


def _cell(figure: Figure, linked: Linked) -> Candidate | None:
    """The cell of a table that ``figure`` stands in; None for one of a sentence."""
    if figure.fact.source == "text" or figure.fact.block is None:
        return None
    return next((one for one in linked.ranker.figures(figure.filing) if one.fact.start == figure.fact.start), None)


def _only(own: Candidate, figure: Figure, linked: Linked, is_it: Callable[[Candidate], bool]) -> Candidate | None:
    """The one cell of the same table, period and unit that is wanted; None where there are several."""
    same = (one for one in linked.ranker.figures(figure.filing) if one.fact.block == own.fact.block and one.path)
    alike = [one for one in same if one.fact.period_end == own.fact.period_end and one.fact.unit == own.fact.unit and is_it(one)]
    return alike[0] if len({one.fact.value for one in alike}) == 1 else None


def _figure(cell: Candidate, beside: Figure) -> Figure:
    """``cell`` as a figure, as sure as the one ``beside`` it."""
    wanted = Wanted(beside.label, "count" if beside.unit == "count" else "")
    return figure_of([Scored(cell, beside.sure if beside.sure is not None else 1.0)], wanted, beside.filing, beside.period)
