"""What ``fin-tui facts`` looks up: a cell for each company, metric and fiscal year."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from fin_tui.engine.ground import Grounder, Missing
from fin_tui.engine.wanted import Item
from fin_tui.facts.expression import CalculationError, Name
from fin_tui.facts.figures import Figure, Gap, Metric, Unit
from fin_tui.facts.lookup import FactBook
from fin_tui.facts.metrics import vocabulary
from fin_tui.records import Filing

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


def make_grid(book: FactBook, filings: Sequence[Filing], names: Sequence[str], years: Sequence[int]) -> tuple[GridCell, ...]:
    """The cells by company, then metric in the order asked, then year. Without ``years``: the latest that each company covers."""
    by_company: defaultdict[str, list[Filing]] = defaultdict(list)
    for filing in filings:
        by_company[filing.company_key].append(filing)
    cells: list[GridCell] = []
    for own in by_company.values():
        wanted = list(years) or _latest(book, own)
        for name in names:
            metric = vocabulary().named(name)
            cells.extend(_cell(book, own, name, metric, year) for year in wanted)
    return tuple(cells)


def _latest(book: FactBook, filings: Sequence[Filing]) -> list[int]:
    labels = [period.label for period in book.periods(filings)[:_LATEST]]
    return sorted(int(label.removeprefix("FY")) for label in labels if label.startswith("FY"))


def _cell(book: FactBook, filings: Sequence[Filing], name: str, metric: Metric | None, year: int) -> GridCell:
    company = filings[-1].company or filings[-1].file
    shown = metric.names[0] if metric else name.strip()
    identifier = metric.id if metric else ""
    grounder = Grounder(book, vocabulary(), {"x": _item(name, metric)}, filings)
    try:
        grounded = grounder.ground(Name("x"), year)
        measure = grounded.value(metric.unit if metric else None)
    except Missing as missing:
        return GridCell(company, shown, identifier, year, None, None, gap=_why(missing.gap), near=_near(missing.gap))
    except CalculationError as error:
        return GridCell(company, shown, identifier, year, None, None, gap=error.message)
    computed = grounded.single is None
    figures = tuple(grounded.figures)
    formula = metric.formula if metric and computed else ""
    return GridCell(company, shown, identifier, year, measure.value, measure.unit, figures, computed, formula)


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
