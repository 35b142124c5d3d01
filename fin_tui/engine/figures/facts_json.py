"""The cells of a facts grid as the objects of ``facts --json``, and as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fin_tui.engine.figures.as_json import fact_json
from fin_tui.facts.figures import show, show_fact
from fin_tui.records import placed
from fin_tui.records.answer import page_name

if TYPE_CHECKING:
    from fin_tui.engine.figures.facts_grid import GridCell
    from fin_tui.facts.figures import Figure
    from fin_tui.records import Fact, Filing, PlacedFact
    from fin_tui.store import Corpus

_ROUNDED = {"%": 1, "days": 1, "ratio": 2, "usd/share": 2}
"""Places of computed values. Amounts are sums of printed amounts and need no rounding."""


class Pages:
    """Pages of facts, through the passages that hold them."""

    def __init__(self, library: Corpus) -> None:
        self._library = library

    def of(self, fact: Fact, filing: Filing) -> tuple[int | None, str | None, str | None]:
        """(page from 1, page as printed, Item); None each for a hidden fact."""
        chunk = self._library.chunks.holding(filing.id, fact.start, fact.end) if fact.end > fact.start else None
        if chunk is None:
            return None, None, None
        return chunk.page, chunk.page_label or None, chunk.item or None


def place_name(page: int | None, page_label: str | None, item: str | None) -> str:
    """ "Item 8, p. 29 (physical page 31)" of what :meth:`Pages.of` gives; "cover data" for a hidden fact."""
    told = page_name(page, page_label) if page else "cover data"
    return f"Item {item}, {told}" if item else told


def cell_json(cell: GridCell, pages: Pages) -> PlacedFact:
    """A fact object; of a computed value with its formula and ``inputs``; of a gap with ``value`` null and the reason."""
    document: PlacedFact = {"company": cell.company, "metric": cell.metric or cell.name, "fiscal_year": cell.year}
    if cell.value is None:
        return {**document, "value": None, "unit": None, "gap": cell.gap, "near": list(cell.near)}
    document["display"] = display(cell)
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


def _figure_json(figure: Figure, pages: Pages) -> PlacedFact:
    later = figure.restated_in
    page, label, item = pages.of(figure.fact, figure.filing)
    restated_in = later.file if later else None
    return placed(fact_json(figure, None), page=page, page_label=label, item=item, restated_in=restated_in)


def display(cell: GridCell) -> str:
    """The value in the filing's own unit and precision, a computed one rounded; "" for a gap."""
    if cell.value is None or cell.unit is None:
        return ""
    if cell.computed:
        return show(cell.value, cell.unit, places=_ROUNDED.get(cell.unit))
    figure = cell.figures[0]
    return show_fact(figure.value, figure.unit, figure.fact)
