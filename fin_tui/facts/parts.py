"""Figures of segments, products and regions in filings without tags: rows that name both the part and the metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fin_tui.facts.choose import Choice, agree, unit_fits, value_of
from fin_tui.facts.figures import Gap, Metric, Period
from fin_tui.facts.names import likeness
from fin_tui.facts.periods import fits
from fin_tui.facts.words import stems
from fin_tui.records import Fact

if TYPE_CHECKING:
    from fin_tui.facts.index import FilingFacts

_SURE = 0.95
_MOST = 5


def find(held: FilingFacts, phrase: str, metric: Metric, year: Period) -> Choice | Gap | None:
    """The figure whose row path has ``phrase`` and a name of ``metric`` ("Net sales > Walmart U.S.", or the other way round);
    a ``Gap`` with the candidates when such rows differ.
    """
    names = {tuple(sorted(stems(name))) for name in metric.labels}
    found = [fact for fact in held.numeric if _fits(fact, metric, year) and _names_both(fact.label, phrase, names)]
    if not found:
        return None
    different = [fact for fact in found if not agree(fact, found[0])]
    if different:
        return Gap("", year, f"Several rows fit “{phrase}”.", (found[0], *different[: _MOST - 1]))
    return Choice(found[0], value_of(found[0], metric), "read from an untagged table")


def _fits(fact: Fact, metric: Metric, year: Period) -> bool:
    if fact.source == "xbrl" or not fact.value or not unit_fits(fact.unit, metric.unit):
        return False
    return fits(fact, year, instant=metric.instant) or (not metric.instant and fits(fact, year, instant=True))


def _names_both(label: str, phrase: str, names: set[tuple[str, ...]]) -> bool:
    parts = [part.strip(" :") for part in label.split(" > ")]
    if len(parts) < 2:
        return False
    part = next((at for at, text in enumerate(parts) if likeness(phrase, text) >= _SURE), None)
    if part is None or part < len(parts) - 2:
        return False
    return any(tuple(sorted(stems(text))) in names for at, text in enumerate(parts) if at != part and at >= len(parts) - 2)
