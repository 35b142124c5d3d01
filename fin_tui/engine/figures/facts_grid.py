"""Figures by name: a cell for each company, metric and fiscal year, as ``fin-tui facts`` and other programs ask for them.

Then the cells as the objects of ``facts --json``, and as people read them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from fin_tui.engine.figures.as_json import fact_json
from fin_tui.engine.figures.ground import Grounder, Missing, over_years, safe_growth
from fin_tui.engine.questions.wanted import Item
from fin_tui.facts import vocabulary
from fin_tui.facts.expression import CalculationError, Name
from fin_tui.facts.figures import Figure, Gap, Metric, Unit, show, show_printed
from fin_tui.facts.lookup import FactBook
from fin_tui.language import any_of
from fin_tui.records import Filing, placed
from fin_tui.records.answer import page_name

if TYPE_CHECKING:
    from fin_tui.facts.figures import Figure
    from fin_tui.records import Fact, Filing, PlacedFact
    from fin_tui.store import Corpus


_GROWTH_IN = any_of("(yoy) growth/increase in/of")
_GROWTH_ENDS = (" growth rate", " growth", " yoy", " y/y", " y/o/y")
_LATEST = 4
"""Years shown when none are asked for."""


@dataclass(frozen=True, slots=True)
class GridCell:
    """One figure, a computed value, or why there is none."""

    company: str
    name: str
    """The metric as people call it, or the words asked for."""
    metric: str
    """Metric id; "" when found by label."""
    year: int
    value: Decimal | None
    unit: Unit | None
    figures: tuple[Figure, ...] = ()
    """The figure itself, or those that the value was computed from."""
    computed: bool = False
    formula: str = ""
    gap: str = ""
    near: tuple[str, ...] = ()
    """Labels of close candidates."""


def make_grid(
    book: FactBook, filings: Sequence[Filing], names: Sequence[str], years: Sequence[int], *, latest: bool = False
) -> tuple[GridCell, ...]:
    """The cells by company, then metric in the order asked, then year. Without ``years``: the latest that each company covers.

    Each figure is the one first reported; with ``latest`` that of the latest filing which covers its year, all on one basis.
    """
    by_company: defaultdict[str, list[Filing]] = defaultdict(list)
    for filing in filings:
        by_company[filing.company_key].append(filing)
    cells: list[GridCell] = []
    for own in by_company.values():
        wanted = list(years) or _latest(book, own)
        for name in names:
            cells.extend(_cell(book, own, name, year, latest) for year in wanted)
    return tuple(cells)


def _latest(book: FactBook, filings: Sequence[Filing]) -> list[int]:
    labels = [period.label for period in book.periods(filings)[:_LATEST]]
    return sorted(int(label.removeprefix("FY")) for label in labels if label.startswith("FY"))


def _grown(name: str) -> str:
    """Whose growth ``name`` is: "revenue growth", "growth in revenue"; "" for no growth."""
    said = name.lower().rstrip(" .?!:%)")
    ending = next((ending for ending in _GROWTH_ENDS if said.endswith(ending)), "")
    lead = _GROWTH_IN.match(name)
    return name[: len(said) - len(ending)].rstrip() if ending else name[lead.end() :].strip() if lead else ""


def _cell(book: FactBook, filings: Sequence[Filing], name: str, year: int, latest: bool) -> GridCell:
    company = filings[-1].company or filings[-1].file
    metric = vocabulary().named(name)
    growth = "" if metric else _grown(name.strip())
    if growth and (metric := vocabulary().named(growth)) is None:
        growth = ""
    shown = (metric.names[0] if metric else name.strip()) + (" growth" if growth else "")
    identifier = metric.id if metric else ""
    grounder = Grounder(book, vocabulary(), {"x": _item(name, metric)}, filings)
    try:
        if growth:
            grounded = safe_growth(grounder.ground(over_years(Name("x"), "growth", 1), year, trend=latest))
        else:
            grounded = grounder.ground(Name("x"), year, trend=latest)
        measure = grounded.value("%" if growth else metric.unit if metric else None)
    except Missing as missing:
        return GridCell(company, shown, identifier, year, None, None, gap=_why(missing.gap), near=_near(missing.gap))
    except CalculationError as error:
        return GridCell(company, shown, identifier, year, None, None, gap=error.message)
    computed = grounded.single is None
    figures = tuple(grounded.figures if computed or latest else (_split_marked(book, grounded.figures[0], metric, filings),))
    formula = f"growth of {metric.names[0]}" if metric and growth else metric.formula if metric and computed else ""
    return GridCell(company, shown, identifier, year, measure.value, measure.unit, figures, computed, formula)


def _split_marked(book: FactBook, figure: Figure, metric: Metric | None, filings: Sequence[Filing]) -> Figure:
    """A per-share figure of before a stock split says what it is after it."""
    if metric is None or metric.unit not in ("usd/share", "shares") or figure.restated is not None:
        return figure
    after = book.series(metric, filings, [figure.period])[0]
    if isinstance(after, Gap) or after.value == figure.value or "split" not in after.note:
        return figure
    split = after.note.rpartition("after a ")[2]
    note = f"before a {split}: {after.value.normalize():,f} after it"
    return replace(figure, note="; ".join(filter(None, (figure.note, note))))


def _item(name: str, metric: Metric | None) -> Item:
    """A segment or region beside a metric's name ("Greater China net sales") asks for its dimensioned figure."""
    if metric is not None:
        return Item(metric)
    mentions = vocabulary().find(name)
    if len(mentions) == 1:
        mention = mentions[0]
        rest = f"{name[: mention.start]} {name[mention.end :]}".strip(" ,:-")
        if rest:
            return Item(mention.metric, rest)
    return Item(None, name)


def _why(gap: Gap) -> str:
    return gap.why or "Not found."


def _near(gap: Gap) -> tuple[str, ...]:
    found = [candidate.label or candidate.concept for candidate in gap.candidates]
    return tuple(dict.fromkeys(found))[:4]


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
    return show_printed(figure.value, figure.unit, figure.fact)
