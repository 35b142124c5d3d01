"""Figures by the words of their row label, for what the vocabulary does not know."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from fin_tui.facts.choose import Choice
from fin_tui.facts.figures import Gap, Period, Unit, agree, exact
from fin_tui.facts.index import fits
from fin_tui.facts.words import camel_words, stem, stems
from fin_tui.records import Fact

if TYPE_CHECKING:
    from fin_tui.facts.index import FilingFacts

Similarity = Callable[[str, Sequence[str]], Sequence[float]]
_COUNTED = re.compile(
    r"^(?!.*(?:\b(?:per|from|to|due|paid|deposits?|receivables?|payables?|revenues?|sales|income|costs?|expenses?|loans?|compensation|"
    r"benefits?|value|fees?|amounts?|payments?|earnings|dollars)\b|\$))(?:[\w'’&.,/()-]+\s+){0,5}?"
    r"(?:(?:\w+-?)?(?:card)?holders|(?:card)?members|memberships|customers|subscribers|employees|associates|headcount|users|guests|"
    r"stores|locations|restaurants|warehouses|hotels|rooms|branches|countries|clubs|cards(?:-in-force)?|households|visitors|patients|"
    r"beds|dealers|suppliers)\b(?:\W+\w+){0,6}\W*$",
    re.I,
)
"""A row named after people, places or things: "Total cardholders", "Stores at the end of the year"."""
_OF_SHARES = frozenset(
    map(stem, "share shares stock option options unit units award awards rsu rsus eps warrants price number".split())
)
_LEAST = 0.78
_MARGIN = 0.06
_DIMENSION = 0.1
_UNTAGGED = 0.07
_MEANING = 0.3
_MOST = 5
_SHORTLIST = 40


def find(held: FilingFacts, phrase: str, year: Period, similarity: Similarity | None = None) -> Choice | Gap | None:
    """The figure of ``year`` whose label says ``phrase``; a ``Gap`` with candidates when others fit nearly as well."""
    asked = stems(phrase)
    if not asked:
        return None
    scored = _scored(held, asked, year)
    if similarity is not None:
        scored = _with_meaning(scored, phrase, similarity)
    scored.sort(key=lambda pair: -pair[0])
    if not scored or scored[0][0] < _LEAST:
        return None
    score, top = scored[0]
    rivals = [fact for other, fact in scored[1:] if other > score - _MARGIN and not agree(fact, top)]
    if rivals:
        return Gap("", year, f"Several rows fit “{phrase}” about equally well.", (top, *rivals[: _MOST - 1]))
    return Choice(top, _value(top), others=tuple(fact for _, fact in scored[1:_MOST]))


def unit_of(fact: Fact) -> Unit:
    """The unit in which a fact's value is shown. An untagged row that is called by what can be counted is no money."""
    if fact.source != "xbrl" and fact.unit == "usd" and "$" not in fact.text and _COUNTED.search(fact.label.rpartition(" > ")[2]):
        return "count"
    if fact.unit.endswith(("/share", "/shares")):
        return "usd/share"
    if fact.unit in ("pure", "percent", "%"):
        return "%"
    if fact.unit == "shares":
        return "shares"
    return "usd" if len(fact.unit) == 3 and fact.unit.isalpha() else "count"


def _value(fact: Fact) -> Decimal:
    value = exact(fact.value or 0.0)
    return value * 100 if unit_of(fact) == "%" else value


def _scored(held: FilingFacts, asked: Sequence[str], year: Period) -> list[tuple[float, Fact]]:
    weights = _weights(held)
    wanted = set(asked)
    found: list[tuple[float, Fact]] = []
    for fact, label in zip(held.numeric, held.label_stems, strict=True):
        if not wanted & set(label) and not fact.concept:
            continue
        if (
            not (fits(fact, year, instant=False) or fits(fact, year, instant=True))
            or not _measures(fact, wanted)
            or held.is_unscaled(fact)
        ):
            continue
        own = stems(fact.label.rpartition(" > ")[2])
        named = tuple(stem(word) for word in camel_words(fact.concept.partition(":")[2]))
        score = max(_overlap(wanted, set(own), set(label), weights), 0.97 * _overlap(wanted, set(named), set(named), weights))
        score -= _DIMENSION * len(fact.dimensions) + (_UNTAGGED if held.tagged and fact.source != "xbrl" else 0.0)
        if score > 0.3:
            found.append((score, fact))
    return found


def _measures(fact: Fact, wanted: set[str]) -> bool:
    """Numbers of shares and amounts per share are told only to who asks for such: a balance of notes is money."""
    kind = unit_of(fact)
    return kind not in ("shares", "usd/share") or bool(wanted & _OF_SHARES)


def _overlap(wanted: set[str], own: set[str], path: set[str], weights: Mapping[str, float]) -> float:
    """Weighted F-measure: the asked words that label and path have, the label's own words that were asked."""
    top = max(weights.values(), default=1.0)

    def weight(some: set[str]) -> float:
        return sum(weights.get(word, top) for word in some)

    recall = weight(wanted & (own | path)) / weight(wanted)
    precision = weight(own & wanted) / weight(own) if own else 0.0
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def _weights(held: FilingFacts) -> Mapping[str, float]:
    counts = Counter(word for label in held.label_stems for word in set(label))
    total = len(held.label_stems) + 1
    return {word: math.log(1 + total / count) for word, count in counts.items()}


def _with_meaning(scored: list[tuple[float, Fact]], phrase: str, similarity: Similarity) -> list[tuple[float, Fact]]:
    scored = sorted(scored, key=lambda pair: -pair[0])[:_SHORTLIST]
    meanings = similarity(phrase, [fact.label or " ".join(camel_words(fact.concept.partition(":")[2])) for _, fact in scored])
    return [((1 - _MEANING) * score + _MEANING * float(m), fact) for (score, fact), m in zip(scored, meanings, strict=True)]
