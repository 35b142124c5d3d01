"""Figures of segments, products and regions: the phrase of a question against the members of dimensioned facts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fin_tui.facts.choose import Choice
from fin_tui.facts.figures import Gap, Metric, Period, agree, best_of, unit_fits, value_of
from fin_tui.facts.index import fits
from fin_tui.facts.words import best_likeness, member_names
from fin_tui.records import Fact

if TYPE_CHECKING:
    from fin_tui.facts.index import FilingFacts

Similarity = Callable[[str, Sequence[str]], Sequence[float]]
_LEAST = 0.7
_MARGIN = 0.05
_EXTRA_AXIS = 0.12
_PLAIN_AXES = frozenset(
    (
        "us-gaap:StatementBusinessSegmentsAxis",
        "srt:ProductOrServiceAxis",
        "us-gaap:ProductOrServiceAxis",
        "srt:StatementGeographicalAxis",
        "us-gaap:StatementGeographicalAxis",
    )
)
_OTHER_AXIS = 0.03
_SAME_WORDS = 0.06
"""A row called word for word as the question says, "Automotive sales", beats those that only mean it."""
_CONSOLIDATION = "srt:ConsolidationItemsAxis"
_NEUTRAL = frozenset(("us-gaap:OperatingSegmentsMember", "us-gaap:ReportableSegmentAggregationBeforeOtherOperatingSegmentMember"))
_MOST = 5


@dataclass(frozen=True, slots=True)
class _Group:
    """Facts with the same dimensions, and how well they fit the phrase."""

    score: float
    order: int
    fact: Fact


def find(
    held: FilingFacts, phrase: str, metric: Metric, year: Period, similarity: Similarity | None = None
) -> Choice | Gap | None:
    """The figure of ``metric`` whose member ``phrase`` names; a ``Gap`` with candidates when several fit as well."""
    groups = _groups(held, phrase, metric, year)
    if similarity is not None and groups and groups[0].score < _LEAST:
        groups = _by_meaning(groups, phrase, similarity)
    if not groups or groups[0].score < _LEAST:
        return None
    top = groups[0]
    rivals = [group for group in groups[1:] if group.score > top.score - _MARGIN and not agree(group.fact, top.fact)]
    # A part of the part that was named is no rival of the whole of it.
    rivals = [group for group in rivals if group.score > top.score or _axes(group.fact) <= _axes(top.fact)]
    rivals = [group for group in rivals if group.order <= top.order or group.score >= top.score]
    if rivals:
        near = (top.fact, *(group.fact for group in rivals[: _MOST - 1]))
        return Gap("", year, f"Several figures fit “{phrase}” equally well.", near)
    return Choice(top.fact, value_of(top.fact, metric), others=tuple(group.fact for group in groups[1:_MOST]))


def _groups(held: FilingFacts, phrase: str, metric: Metric, year: Period) -> list[_Group]:
    order = {concept: rank for rank, concept in enumerate(metric.concepts)}
    by_group: dict[tuple[str, frozenset[tuple[str, str]]], list[Fact]] = {}
    for fact in held.dimensioned:
        if fact.concept in order and unit_fits(fact.unit, metric.unit) and fits(fact, year, instant=metric.instant):
            by_group.setdefault((fact.concept, frozenset(fact.dimensions.items())), []).append(fact)
    groups = [
        _Group(_score(phrase, facts, held.filing.company), order[concept], best_of(facts))
        for (concept, _), facts in by_group.items()
    ]
    groups.sort(key=lambda group: (-round(group.score, 3), len(group.fact.dimensions), group.order))
    return groups


def _score(phrase: str, facts: Sequence[Fact], company: str) -> float:
    kept = _kept(facts[0])
    if not kept:
        return 0.0
    each = [member_names(member, company) for member in kept.values()]
    names = [name for member in each for name in member]
    if len(each) > 1:
        names.append(" ".join(member[0] for member in each))
    member_score = best_likeness(phrase, names)
    label_score = max((best_likeness(phrase, _label_names(fact.label)) for fact in facts), default=0.0)
    covers_all = len(kept) == 1 or best_likeness(phrase, names[-1:]) >= max(member_score, label_score)
    penalty = 0.0 if covers_all else _EXTRA_AXIS * (len(kept) - 1)
    if not any(axis in _PLAIN_AXES for axis in kept):
        penalty += _OTHER_AXIS
    said = " ".join(phrase.lower().split())
    is_same = any(said in (part.strip(" :").lower() for part in fact.label.split(" > ")) for fact in facts)
    return max(member_score, label_score - 0.01) - penalty + (_SAME_WORDS if is_same else 0.0)


def _kept(fact: Fact) -> dict[str, str]:
    """The dimensions that name a part of the company."""
    return {axis: member for axis, member in fact.dimensions.items() if not (axis == _CONSOLIDATION and member in _NEUTRAL)}


def _axes(fact: Fact) -> int:
    return len(_kept(fact))


def _label_names(label: str) -> list[str]:
    parts = [part.strip(" :") for part in label.split(" > ")]
    return [*parts, " ".join(parts)] if len(label) < 200 else []


def _by_meaning(groups: Sequence[_Group], phrase: str, similarity: Similarity) -> list[_Group]:
    """The groups ordered by an encoder's similarity where words alone find nothing."""
    names = [" ".join(name for member in group.fact.dimensions.values() for name in member_names(member)[:1]) for group in groups]
    found = [
        _Group(float(score), group.order, group.fact) for score, group in zip(similarity(phrase, names), groups, strict=True)
    ]
    return sorted(found, key=lambda group: -group.score)
