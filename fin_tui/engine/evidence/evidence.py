"""Hits -> numbered passages, each with the sentences or table rows that bear on the question (pure).

A passage's citation quotes its best sentence or row, so that opening it shows the words that matter. How much of the question
a passage covers is kept beside it: the refusal rules and the extractive answer both rest on that figure.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fin_tui.engine.evidence.nearby import Near
from fin_tui.engine.evidence.passage import Passage, Unit, cite, scale_of, units_of
from fin_tui.records import Hit
from fin_tui.retrieval.tokens import tokenize, tokenize_query

_HYPHEN = re.compile(r"(?<=[a-z])-(?=[a-z])", re.I)
_FISCAL = re.compile(r"fy\d{4}|fiscal|year")
_RANK_WEIGHT = 0.12
"""How fast a sentence's score falls with the rank of its passage: the tenth counts about half of the first."""


@dataclass(frozen=True, slots=True)
class Focus:
    """A sentence or table row of a passage, scored against the question."""

    passage: int
    """Index into the passages, from 0."""
    text: str
    """What is shown: the sentence, or the row as a sentence with its column headers."""
    start: int
    """Span of the sentence or row in the clean text."""
    end: int
    coverage: float
    """Share of the question's content words that it holds, rare words counting more; 0 to 1."""
    score: float
    """Coverage, less by the passage's rank."""
    logit: float | None = None
    """How well it answers, by a cross-encoder; None where none has read it."""


@dataclass(frozen=True, slots=True)
class Bearing:
    """A paragraph with how well it answers."""

    near: Near
    score: float
    weights: Mapping[str, float]
    """The question's words (stems) that it holds, with what each is worth; all of the question's are worth 1."""
    logit: float | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an answer may rest on."""

    passages: tuple[Passage, ...]
    focuses: tuple[Focus, ...]
    """All sentences and rows with any of the question's words, best first."""
    coverage: float
    """The largest share of the question's content words that one passage holds, rare words counting more."""
    absent: float = 0.0
    """Share of the question's content words that stand in no passage at all."""
    sure: float | None = None
    """The best logit of any paragraph that a cross-encoder read; None when none did."""
    paragraphs: tuple[Bearing, ...] = ()
    """The paragraphs in and beside the passages, best first."""


def gather(question: str, hits: Sequence[Hit]) -> Evidence:
    """Number the hits from 1 in their order and find what in them bears on ``question``."""
    wanted = wanted_words(question)
    units = [units_of(hit) for hit in hits]
    unit_stems = [[set(tokenize(unit.text)) for unit in part] for part in units]
    weights = _weights(wanted, [stems for part in unit_stems for stems in part])
    focuses: list[Focus] = []
    passages: list[Passage] = []
    coverage = 0.0
    for index, hit in enumerate(hits):
        inherited = set(tokenize(hit.chunk.header))
        mine = [
            Focus(index, unit.text, unit.start, unit.end, covered, _score(covered, index, unit, hit.chunk.kind == "prose"))
            for unit, stems in zip(units[index], unit_stems[index], strict=True)
            if (covered := _share(wanted, stems, weights, inherited)) > 0
        ]
        mine.sort(key=lambda focus: (-focus.score, focus.start))
        focuses.extend(mine)
        whole = set().union(inherited, *unit_stems[index]) if unit_stems[index] else set()
        coverage = max(coverage, _share(wanted, whole, weights, set()))
        passages.append(_passage(index + 1, hit, mine[0] if mine else None))
    focuses.sort(key=lambda focus: -focus.score)
    seen = set().union(*(stems for part in unit_stems for stems in part), *(tokenize(hit.chunk.header) for hit in hits))
    return Evidence(tuple(passages), tuple(focuses), coverage, len(wanted - seen) / len(wanted) if wanted else 0.0)


def wanted_words(question: str) -> set[str]:
    """The content words of the question; the fiscal year is left to the scope, and a hyphened word counts by its parts."""
    tokens = tokenize_query(_HYPHEN.sub(" ", question))
    return {token for token in tokens if not _FISCAL.fullmatch(token)} or set(tokens)


def _weights(wanted: set[str], units: Sequence[set[str]]) -> Mapping[str, float]:
    counts: Counter[str] = Counter()
    for stems in units:
        counts.update(stems & wanted)
    total = len(units) + 1
    return {stem: math.log(1 + total / (1 + counts[stem])) for stem in wanted}


def _share(wanted: set[str], stems: set[str], weights: Mapping[str, float], inherited: set[str]) -> float:
    """Weighted share of ``wanted`` in ``stems``; a word that only the passage's header holds counts a third."""
    total = sum(weights.values())
    if not total or not (wanted & stems):
        return 0.0
    here = sum(weights[stem] for stem in wanted & stems)
    above = sum(weights[stem] for stem in (wanted & inherited) - stems)
    return (here + above / 3) / total


def _score(coverage: float, index: int, unit: Unit, is_prose: bool) -> float:
    words = unit.text.split()
    is_heading = len(words) < 4 or (is_prose and len(words) < 12 and unit.text[-1:] not in ".!?;:")
    brevity = 0.5 if is_heading else 1.0  # a heading repeats the question without answering it
    return coverage * brevity / (1 + _RANK_WEIGHT * index)


def _passage(number: int, hit: Hit, focus: Focus | None) -> Passage:
    chunk = hit.chunk
    start, end = (focus.start, focus.end) if focus else (chunk.start, chunk.end)
    scale = scale_of(chunk.header) if chunk.kind == "table" else 1
    return Passage(cite(number, hit, start, end), chunk.text, chunk.start, chunk.end, hit.score, chunk.kind, scale)
