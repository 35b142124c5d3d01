"""Figures of filings without tags: rows of the primary statements by their labels."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from fin_tui.facts.choose import Choice, agree, unit_fits, value_of
from fin_tui.facts.figures import Metric, Period
from fin_tui.facts.periods import fits
from fin_tui.facts.words import stems
from fin_tui.records import Fact

if TYPE_CHECKING:
    from fin_tui.facts.index import FilingFacts

_PLACES: Mapping[str, Sequence[str]] = {
    "income": ("income",),
    "balance": ("balance",),
    "cash_flow": ("cash_flow",),
    "equity": ("balance",),
    "debt": ("balance", "cash_flow"),
    "lease": ("balance",),
    "tax": ("income", "cash_flow"),
    "per_share": ("income",),
    "shares": ("income", "balance"),
}
_OUTFLOW = re.compile(
    r":(?:Payments|Repayments|Cost|TreasuryStock|Dividends)|Expenses?$|Paid(?:Net)?$|:(?:Depreciation|Amortization)"
)
_LEAST = 0.9
_NOTES = re.compile(r"\(?\bnotes?\s+[\dA-Z, and]+\)?|\(\d\)|\$|[\d,]{4,}")
_BRACKETS = re.compile(r"\([^)]*\)")
_DETAIL = re.compile(r",?\s*(?:net of|less|including|excluding|which includes|at)\b.*", re.I)


def choose(held: FilingFacts, metric: Metric, year: Period) -> Choice | None:
    """The row of the metric's own statement that bears one of its labels; else of any table, when all such rows agree."""
    best: list[tuple[float, Fact]] = []
    wanted = [stems(name) for name in metric.labels]
    for fact in held.numeric:
        if fact.source == "xbrl" or not unit_fits(fact.unit, metric.unit) or not _fits(fact, year, metric):
            continue
        score = _score(fact.label, wanted)
        if score >= _LEAST:
            best.append((score, fact))
    if not best:
        return None
    places = _PLACES.get(metric.statement, ())
    own = [pair for pair in best if pair[1].block is not None and held.statements.get(pair[1].block) in places]
    if own:
        return _chosen(own, metric)
    top = max(score for score, _ in best)
    sure = [fact for score, fact in best if score == top]
    if all(agree(sure[0], fact) for fact in sure) and top >= 1.0:
        return _chosen(best, metric)
    return None


def _chosen(best: Sequence[tuple[float, Fact]], metric: Metric) -> Choice:
    top = max(score for score, _ in best)
    facts = [fact for score, fact in best if score == top]
    fact = facts[0]
    value = value_of(fact, metric)
    if value < 0 and metric.concepts and _OUTFLOW.search(metric.concepts[0]):
        # Statements print outflows and expenses in brackets; people speak of their size.
        value = -value
    return Choice(fact, value, "read from an untagged table", tuple(other for other in facts[1:4] if not agree(other, fact)))


def _fits(fact: Fact, year: Period, metric: Metric) -> bool:
    if fits(fact, year, instant=metric.instant):
        return True
    # A column that says only "2018" has no length; its statement tells what it is.
    return not metric.instant and fits(fact, year, instant=True)


def _score(label: str, wanted: Sequence[tuple[str, ...]]) -> float:
    """1 for a label that is one of the names, less where only a detail differs ("Inventories, net of reserves")."""
    parts = label.split(" > ")
    own = _NOTES.sub(" ", parts[-1])
    forms = [(stems(own), 1.0), (stems(_BRACKETS.sub(" ", own)), 0.98), (stems(_DETAIL.sub("", _BRACKETS.sub(" ", own))), 0.95)]
    if len(parts) > 1:
        forms.append((stems(f"{parts[-2]} {_BRACKETS.sub(' ', own)}"), 0.97))
    best = 0.0
    for form, score in forms:
        if score <= best or not form:
            continue
        if any(sorted(form) == sorted(name) for name in wanted):
            best = score
    return best
