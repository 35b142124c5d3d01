"""Figures of segments, products and regions in filings without tags: rows that name the part, in a table of the metric."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fin_tui.facts.choose import Choice
from fin_tui.facts.figures import Gap, Metric, Period
from fin_tui.facts.metrics import vocabulary
from fin_tui.facts.names import likeness
from fin_tui.facts.periods import fits
from fin_tui.facts.values import agree, unit_fits, value_of
from fin_tui.facts.words import stems, words
from fin_tui.records import Fact

if TYPE_CHECKING:
    from fin_tui.facts.index import FilingFacts

_SURE = 0.95
_MOST = 5
_BOTH, _ALONE, _PARTLY = 3.0, 2.0, 1.0
"""A row path that has part and metric; a row called by the part alone in a table of the metric; a row that has its words."""
_SAID = 0.5
_WHOLE_NAME = 0.25
"""More where a line of the path is a name of the metric and not only has its words: "Cost of revenue" has those of revenue."""
_TOTAL = re.compile(r"^(?:sub)?total\b\s*", re.I)
_OR_LOSS = re.compile(r"/\s*\([^)]*\)|\([^)]*\)\s*/?|^segment\s+", re.I)
_PART_OF = re.compile(r"\b(?:cost|costs|percent|percentage|growth|change)\b|%", re.I)
_ROUNDING = 2e-3


@dataclass(frozen=True, slots=True)
class _Asked:
    """The part and the metric, in stems."""

    phrase: str
    metric: str
    names: frozenset[tuple[str, ...]]
    said: tuple[str, ...]
    company: frozenset[str]
    told: Callable[[Fact], bool]
    """Whether the table of a row shows the metric there."""


def find(held: FilingFacts, phrase: str, metric: Metric, year: Period) -> Choice | Gap | None:
    """The figure whose row names the part that ``phrase`` says: beside a name of ``metric`` ("Net sales > Acme U.S.", or the
    other way round), or alone in a table of the metric; a ``Gap`` with the candidates when such rows differ.
    """
    names = frozenset(_bare(form) for name in metric.labels for form in (name, _TOTAL.sub("", name)))
    asked = _Asked(
        phrase,
        metric.id,
        names,
        stems(metric.said),
        frozenset(stems(held.filing.company)),
        lambda fact: fact.block is not None and _shows(held, fact, names),
    )
    scored = [
        (score, fact)
        for fact in held.numeric
        if _fits(fact, metric, year) and not held.is_unscaled(fact) and (score := _score(fact, asked))
    ]
    if not scored:
        return None
    top = max(score for score, _ in scored)
    found = [fact for score, fact in scored if score == top]
    different = [fact for fact in found if not agree(fact, found[0])]
    if different:
        return Gap("", year, f"Several rows fit “{phrase}”.", (found[0], *different[: _MOST - 1]))
    return Choice(found[0], value_of(found[0], metric), "read from an untagged table")


def all_of(held: FilingFacts, metric: Metric, year: Period) -> Iterator[tuple[str, Fact]]:
    """(part, fact) of every part that a table of ``metric`` shows for ``year``: columns of its row, or rows that add up to it."""
    names = frozenset(_bare(form) for name in metric.labels for form in (name, _TOTAL.sub("", name)))
    for fact in held.numeric:
        if not _fits(fact, metric, year) or held.is_unscaled(fact):
            continue
        path = [_OR_LOSS.sub(" ", _TOTAL.sub("", part.strip(" :"))).strip() for part in fact.label.split(" > ")]
        own = fact.label.rpartition(" > ")[2].strip(" :")
        if _bare(path[-1]) in names or vocabulary().named(path[-1]) is not None:
            continue
        if any(_bare(part) in names for part in path[:-1]) or (
            len(path) < 3 and fact.block is not None and _shows(held, fact, names)
        ):
            yield own, fact


def _fits(fact: Fact, metric: Metric, year: Period) -> bool:
    if fact.source == "xbrl" or not fact.value or not unit_fits(fact.unit, metric.unit):
        return False
    # A table of segments has balances and flows in one column, and may say the length of neither.
    return fits(fact, year, instant=True) or fits(fact, year, instant=False)


def _score(fact: Fact, asked: _Asked) -> float:
    """How surely ``fact`` is the part's; 0 when it is not."""
    path = [_OR_LOSS.sub(" ", _TOTAL.sub("", part.strip(" :"))).strip() for part in fact.label.split(" > ")]
    near = path[-3:]
    kind = _kind(fact, near, asked)
    if not kind:
        return 0.0
    if kind == _BOTH and any(_bare(part) in asked.names for part in near):
        kind += _WHOLE_NAME
    return kind + (_SAID if asked.said and set(asked.said) <= set(stems(" ".join(near))) else 0.0)


def _kind(fact: Fact, near: list[str], asked: _Asked) -> float:
    others = [part for part in near if _bare(part) not in asked.names]
    if len(others) == len(near) and any(_is_of_other(part, asked.metric) for part in near[:-1]):
        return 0.0
    names_metric = len(others) < len(near) or any(_has(asked.names, part) for part in near[:-1])
    called = [near[-1], " ".join(others[-2:]), *others[-2:]]
    is_called = any(
        likeness(asked.phrase, name) >= _SURE for text in called for name in (text, _without(asked.company, text)) if name
    )
    if is_called and (near[-1] in others or len(others) < 2):
        if names_metric:
            return _BOTH
        return _ALONE if asked.told(fact) else 0.0
    wanted = set(stems(asked.phrase))
    named = {mention.metric.id for mention in vocabulary().find(near[-1])}
    if named and asked.metric not in named:
        return 0.0  # "Interest paid, net of amounts capitalized" is no interest expense.
    if wanted and wanted <= set(stems(" ".join(others[-2:]))) and wanted & set(stems(near[-1])):
        told = names_metric or _has(asked.names, near[-1]) or asked.told(fact)
        return _PARTLY if told else 0.0
    return 0.0


def _bare(text: str) -> tuple[str, ...]:
    return tuple(sorted(stems(text)))


def _is_of_other(line: str, metric: str) -> bool:
    """Whether a line of a path is the name of another figure."""
    named = vocabulary().named(line)
    return named is not None and named.id != metric


def _has(names: frozenset[tuple[str, ...]], text: str) -> bool:
    said = set(stems(text))
    return any(said.issuperset(name) for name in names if name)


def _without(company: frozenset[str], text: str) -> str:
    """ "Acme International" of Acme is its "International"."""
    return " ".join(word.surface for word in words(text) if word.stem not in company)


def _shows(held: FilingFacts, fact: Fact, names: frozenset[tuple[str, ...]]) -> bool:
    """Whether the rows around ``fact`` add up to a line of the metric, or the next total below it is one of the metric."""
    column = [
        one
        for one in held.numeric
        if one.block == fact.block and one.period_end == fact.period_end and one.period_start == fact.period_start
    ]
    column.sort(key=lambda one: one.start)
    at = next((place for place, one in enumerate(column) if one.start == fact.start), len(column))
    for place, line in enumerate(column[at + 1 :], start=at + 1):
        own = line.label.rpartition(" > ")[2].strip(" :")
        if _has(names, own) and not _PART_OF.search(own) and _adds_up(column[: at + 1], column[at + 1 : place], line):
            return True
        if _TOTAL.match(own):
            return any(_ends(tuple(sorted(stems(_TOTAL.sub("", own)))), name) for name in names)
    return False


def _adds_up(upto: list[Fact], between: list[Fact], line: Fact) -> bool:
    """Whether some run of rows that ends above ``line`` sums to it."""
    wanted, total = line.value or 0.0, sum(one.value or 0.0 for one in between)
    for one in reversed(upto):
        total += one.value or 0.0
        if wanted and abs(total - wanted) <= _ROUNDING * abs(wanted):
            return len(upto) + len(between) > 1
    return False


def _ends(said: tuple[str, ...], name: tuple[str, ...]) -> bool:
    return bool(name) and set(name) <= set(said)
