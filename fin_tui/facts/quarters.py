"""Figures of one quarter: what tables of quarterly data and facts tagged for three months state."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING

from fin_tui.facts import untagged
from fin_tui.facts.choose import Choice
from fin_tui.facts.figures import Gap, Metric, Period
from fin_tui.facts.periods import days
from fin_tui.facts.quarter_tables import quarter_end
from fin_tui.facts.values import agree, best_of, unit_fits, value_of
from fin_tui.facts.words import stems
from fin_tui.records import Fact

if TYPE_CHECKING:
    from fin_tui.facts.index import FilingFacts

ORDINALS = ("first", "second", "third", "fourth")
_DAYS = (80, 101)
"""Days of a quarter; one of fourteen weeks included."""
_ROUNDING = 1e-3
_NEAR = dt.timedelta(days=12)
"""By which a quarter of a year of 52 or 53 weeks may end beside the day that is counted for it."""


def find(held: FilingFacts, metric: Metric, year: Period, number: int) -> Choice | Gap | None:
    """The figure of ``metric`` for a quarter of ``year``; a ``Gap`` with the candidates when rows that fit as well differ."""
    end = quarter_end(year.end, number)
    facts = [fact for fact in held.numeric if not fact.dimensions and unit_fits(fact.unit, metric.unit) and is_quarter(fact, end)]
    for concept in metric.concepts:
        tagged = [fact for fact in facts if fact.concept == concept]
        if tagged:
            best = best_of(tagged)
            return Choice(best, value_of(best, metric))
    known = (_scaled(held, fact) for fact in facts if fact.source != "xbrl")
    return _of_tables([fact for fact in known if fact is not None], metric, year)


def is_quarter(fact: Fact, end: dt.date) -> bool:
    """Whether ``fact`` is of the quarter that ends about ``end``."""
    length = days(fact)
    return (
        length is not None
        and _DAYS[0] <= length <= _DAYS[1]
        and fact.period_end is not None
        and abs(fact.period_end - end) <= _NEAR
    )


def _scaled(held: FilingFacts, fact: Fact) -> Fact | None:
    """``fact`` in the scale of the statements where its table tells none and the four quarters add up to one of their lines."""
    if not held.is_unscaled(fact) or fact.value is None or fact.period_end is None:
        return fact
    row = {one.period_end: one.value for one in held.numeric if one.block == fact.block and one.label == fact.label and one.value}
    own = sorted((end, value) for end, value in row.items() if end is not None and value is not None)
    runs = [own[at : at + 4] for at in range(len(own) - 3)]
    sums = [sum(value for _, value in run) for run in runs if fact.period_end in {end for end, _ in run}]
    scale = held.statement_scale
    lines = [one.value or 0.0 for one in held.numeric if one.block in held.statements]
    if any(abs(total * scale - line) <= _ROUNDING * abs(line) for total in sums for line in lines if line):
        return replace(fact, value=fact.value * scale)
    return None


def _of_tables(facts: list[Fact], metric: Metric, year: Period) -> Choice | Gap | None:
    scored = [(score, fact) for fact in facts if (score := untagged.likeness_of_row(fact, metric)) >= untagged.LEAST]
    if not scored:
        return None
    top = max(score for score, _ in scored)
    best = [fact for score, fact in scored if score == top]
    called = [fact for fact in best if metric.said and stems(fact.label.rpartition(" > ")[2]) == stems(metric.said)]
    best = called or best
    other = next((fact for fact in best if not agree(fact, best[0])), None)
    if other is not None:
        return Gap("", year, f"Several rows fit “{metric.names[0]}” in that quarter.", (best[0], other))
    return Choice(best[0], untagged.spoken(best[0], metric), "read from an untagged table")
