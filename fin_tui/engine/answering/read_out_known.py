"""What is known of each number of an excerpt, and of each calculation over two, as the answer to a question: numbers to weigh."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fin_tui.candidates import Candidate
from fin_tui.engine.evidence.evidence import Evidence
from fin_tui.engine.figures.answer import Unsure
from fin_tui.engine.figures.from_excerpt import SYMMETRIC, Option
from fin_tui.engine.figures.weighed import ROUNDED
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.questions.periods import find_periods
from fin_tui.engine.rank.excerpt import Excerpt, stands_at
from fin_tui.facts.figures import Figure, Unit
from fin_tui.facts.words import stems
from fin_tui.retrieval.excerpt_reader import OPERATIONS, Chances

Known = NDArray[np.float64]
_OF_ONE = ("asked_one", "fit", "read_one", "told")
_OF_TWO = (
    "asked_two", "least_fit", "mean_fit", "read_two", "same_line", "same_row", "same_table", "same_period", "other_period",
    "later_first", "within_whole", "tiny_share", "large_growth", "told_one", "told_both", "least_paragraph",
)  # fmt: skip
_OF_ANY = (
    "best_fit", "kind", "share", "paragraph", "text", "rank", "newest", "read_first", "called_year", "of_year", "of_other_year",
    "said", "behind",
)  # fmt: skip
FEATURES = ("one", *OPERATIONS, *_OF_ONE, *_OF_TWO, *_OF_ANY)
"""Of an option: which operation it is, whether the question sounds like that, how well its numbers answer by themselves (logits
of the cross-encoder), how likely it is read (log), whether they stand in one line, row or table, how their periods go with the
operation, whether earlier turns were answered with them, how the value's unit fits the question (log), how likely the value is
by the ranking (log), how well the paragraph answers that they stand in (logit), whether they are called by the years
that the question names, are of their periods, or neither, which share of the question's words names them, and how near their
lines are to what the conversation looks for.
"""
NO_ANSWER = ("bias", "paragraph", "best_fit", "figure", "read_none")
"""Of there being none: 1, the logits of the best paragraph and of the number that answers best, how surely a figure is wanted,
and how likely it is read that there is none (log).
"""
_NEVER_READ, _UNREAD = -12.0, -6.0
"""The log probability of what the reader gives next to none, and the logit of what stands in no paragraph that was read."""
_LEAST, _NEXT_TO_NONE = 0.003, 1e-9
_SOUNDS: Mapping[str, tuple[str, ...]] = {
    "ratio": ("ratio", "share", "margin", "per_unit", "contribution"),
    "growth": ("growth", "trend"),
    "diff": ("difference", "growth", "compare"),
    "sum": ("sum",),
    "prod": ("product",),
    "avg": ("average",),
    "part": ("share",),
}
"""The operations of frames that each stands for."""
_IN_WORDS = ("describe", "when", "who", "list", "yesno", "where", "how")
"""Operations of frames whose answer may be one number all the same, half as likely."""
_KINDS: Mapping[Unit, tuple[str, ...]] = {
    "usd": ("money",),
    "usd/share": ("per_share", "money"),
    "%": ("percent",),
    "ratio": ("ratio",),
    "count": ("count",),
    "shares": ("count",),
}
_USUALLY_BEHIND = -0.3
"""How far numbers are behind the nearest line, on average."""
_RANKS = 10
_WHOLE, _TINY, _LARGE = 100.0, 0.5, 300.0
"""Percentages: a share of a whole is at most the first, seldom below the second; growth is seldom above the third."""


@dataclass(frozen=True)
class Seen:
    """All that options are judged by."""

    excerpt: Excerpt
    figures: Sequence[Figure]
    frame: Frame
    chances: Chances
    fit: Sequence[float]
    """Of each number by itself: a logit of the cross-encoder."""
    told: frozenset[tuple[str, int]]
    """Where the figures stand (filing, start) that earlier turns were answered with."""
    evidence: Evidence
    unsure: Unsure | None
    asked: frozenset[int] = frozenset()
    """The years that the question names."""
    near: Mapping[Hashable, float] = field(default_factory=dict)
    """Key of a line -> how near it is to what the conversation looks for, of the nearest ones."""

    @cached_property
    def named_years(self) -> list[frozenset[int]]:
        """Those that the row or column of each number names; of an undated one in a sentence those that its clause names."""
        texts = [
            f"{_name_of(one)} {one.column}" if one.fact.source != "text" else figure.label if one.fact.period_end is None else ""
            for (one, _), figure in zip(self.excerpt.numbers, self.figures, strict=True)
        ]
        named = {text: frozenset(find_periods(text).years) for text in {*texts}}
        return [named[text] for text in texts]

    @cached_property
    def years(self) -> list[frozenset[int]]:
        """The fiscal year of each number's period, the calendar's where it has no name."""
        labels = (one.period.label.removeprefix("FY") or str(one.period.end.year) for one in self.figures)
        return [frozenset((int(label),)) if label.isdigit() else frozenset() for label in labels]

    @cached_property
    def _names(self) -> list[frozenset[str]]:
        """The stems of the words that name each number: of its row, column and table, or of its sentence."""
        lines = [frozenset(stems(line.text)) for line in self.excerpt.lines]
        texts = (f"{_name_of(one)} {one.title} {one.column}" for one, _ in self.excerpt.numbers)
        is_text = (one.fact.source == "text" for one, _ in self.excerpt.numbers)
        return [lines[at] if own else frozenset(stems(text)) for at, own, text in zip(self.line, is_text, texts, strict=True)]

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(stem for stem in stems(self.frame.asked) if not stem.isdigit())

    def said(self, places: Sequence[int]) -> float:
        """Which share of the question's words name the numbers at ``places``."""
        named = frozenset[str]().union(*(self._names[at] for at in places))
        return len(self._words & named) / len(self._words) if self._words else 0.0

    def of_years(self, places: Sequence[int]) -> dict[str, float]:
        """Whether the numbers at ``places`` are called by all the years that are asked, are of their periods, or of neither."""
        named = frozenset[int]().union(*(self.named_years[at] for at in places))
        own = frozenset[int]().union(*(self.years[at] for at in places))
        is_asked = bool(self.asked)
        return {
            "called_year": float(is_asked and self.asked <= named),
            "of_year": float(is_asked and self.asked <= own),
            "of_other_year": float(is_asked and bool(own) and self.asked.isdisjoint(named | own)),
        }

    @cached_property
    def is_told(self) -> list[bool]:
        """Whether an earlier turn was answered with each number, or with the same value elsewhere."""
        there = [stands_at(one.fact, filing, self.told) for one, filing in self.excerpt.numbers]
        values = {(one.value, one.unit) for one, is_there in zip(self.figures, there, strict=True) if is_there}
        return [(one.value, one.unit) in values for one in self.figures]

    @cached_property
    def first(self) -> list[int]:
        """The places of the numbers: those told before, then in turns those that answer best and those that are read likeliest,
        by themselves or in a calculation.
        """
        pairs = self.chances.pairs
        read = self.chances.single + pairs.sum(axis=(0, 1)) + pairs.sum(axis=(0, 2))
        orders = (np.argsort(-np.asarray(of), kind="stable") for of in (self.fit, read))
        turn = np.min([np.argsort(order) for order in orders], axis=0) if self.fit else []
        return sorted(range(len(self.fit)), key=lambda at: (not self.is_told[at], turn[at], -self.fit[at]))

    @cached_property
    def rank(self) -> list[float]:
        """The place of each number among all, from 0 to 1."""
        order = sorted(range(len(self.fit)), key=lambda at: -self.fit[at])
        ranks = {at: min(place, _RANKS) / _RANKS for place, at in enumerate(order)}
        return [ranks[at] for at in range(len(self.fit))]

    @cached_property
    def best(self) -> float:
        """The logit of the number that answers best."""
        return max(self.fit, default=0.0)

    @cached_property
    def line(self) -> list[int]:
        """The line that each number stands in."""
        return [place for place, line in enumerate(self.excerpt.lines) for _ in line.printed]

    @cached_property
    def paragraph(self) -> list[float]:
        """The logit of the paragraph that each number stands in."""
        return [self._logit(filing.id, one.fact.start) for one, filing in self.excerpt.numbers]

    def _logit(self, filing: str, start: int) -> float:
        near = (one for one in self.evidence.paragraphs if one.holds(filing, start))
        best = next(near, None)
        return _UNREAD if best is None or best.logit is None else best.logit

    def behind(self, places: Sequence[int]) -> float:
        """How far the lines of the numbers at ``places`` are behind the one nearest to what the conversation looks for, the
        farthest of them; one that is not among the nearest is as far as the last of these.
        """
        if not self.near:
            return _USUALLY_BEHIND
        nearest, last = max(self.near.values(), default=0.0), min(self.near.values(), default=0.0)
        keys = (self.excerpt.lines[self.line[at]].key for at in places)
        return min(self.near.get(key, last) for key in keys) - nearest

    @cached_property
    def newest(self) -> str:
        """The last day that a number is of."""
        return max((str(one.period.end) for one in self.figures), default="")

    def share(self, value: float) -> float:
        """How likely the ranking holds a value, in all."""
        likely = self.unsure.figures if self.unsure is not None else ()
        return sum(one.share for one in likely if math.isclose(one.value, value, rel_tol=ROUNDED))

    def fits(self, unit: Unit) -> float:
        """How likely a figure of that unit is asked for."""
        return sum(self.frame.kinds.get(kind, 0.0) for kind in _KINDS.get(unit, ()))


def known_of(options: Sequence[Option], seen: Seen) -> Known:
    """[options, features]."""
    known: Known = np.zeros((len(options), len(FEATURES)))
    read = [_read(one, seen.chances) for one in options]
    most = max(read, default=0.0)
    place = {name: at for at, name in enumerate(FEATURES)}
    for row, (one, chance) in enumerate(zip(options, read, strict=True)):
        made = _of_one(one, seen, chance) if not one.operation else _of_two(one, seen, chance)
        made |= {"kind": _log(seen.fits(one.unit)), "share": _log(seen.share(one.value)), "read_first": float(chance >= most)}
        made |= {"said": seen.said(one.places), "behind": seen.behind(one.places)} | seen.of_years(one.places)
        for name, value in made.items():
            known[row, place[name]] = value
    return known


def known_of_none(seen: Seen) -> Known:
    """One for each of ``NO_ANSWER``."""
    sure = seen.evidence.sure
    none = max(math.log(max(seen.chances.none, _NEXT_TO_NONE)), _NEVER_READ)
    return np.array([1.0, _UNREAD if sure is None else sure, seen.best, seen.frame.sure["figure"], none])


def _name_of(one: Candidate) -> str:
    """The words of a row for its figure."""
    return " ".join(one.path) or one.fact.label


def _of_one(option: Option, seen: Seen, chance: float) -> dict[str, float]:
    (at,) = option.places
    figure, asked = seen.figures[at], seen.frame.operations
    return {
        "one": 1.0,
        "asked_one": _log(asked.get("lookup", 0.0) + sum(asked.get(one, 0.0) for one in _IN_WORDS) / 2),
        "fit": seen.fit[at],
        "read_one": chance,
        "told": float(seen.is_told[at]),
        "best_fit": seen.fit[at] - seen.best,
        "paragraph": seen.paragraph[at],
        "text": float(figure.fact.source == "text"),
        "rank": seen.rank[at],
        "newest": float(str(figure.period.end) == seen.newest),
    }


def _of_two(option: Option, seen: Seen, chance: float) -> dict[str, float]:
    a, b = option.places
    first, second = seen.figures[a], seen.figures[b]
    ends = str(first.period.end), str(second.period.end)
    operation, is_same_period = option.operation, ends[0] == ends[1]
    is_of_change, is_over = operation in ("growth", "diff"), operation == "ratio" and option.unit == "%"
    block = first.fact.block
    return {
        operation: 1.0,
        "asked_two": _log(sum(seen.frame.operations.get(one, 0.0) for one in _SOUNDS[operation])),
        "least_fit": min(seen.fit[a], seen.fit[b]),
        "mean_fit": (seen.fit[a] + seen.fit[b]) / 2,
        "best_fit": max(seen.fit[a], seen.fit[b]) - seen.best,
        "read_two": chance,
        "same_line": float(seen.line[a] == seen.line[b]),
        "same_row": float(bool(first.row) and first.row == second.row and is_of_change),
        "same_table": float(block is not None and block == second.fact.block and first.filing.id == second.filing.id),
        "same_period": float(is_same_period and operation in ("ratio", "part", "sum", "prod")),
        "other_period": float(not is_same_period and operation in ("growth", "avg")),
        "later_first": float(ends[0] > ends[1] and is_of_change),
        "within_whole": float(is_over and abs(option.value) <= _WHOLE),
        "tiny_share": float(is_over and abs(option.value) < _TINY),
        "large_growth": float(operation == "growth" and abs(option.value) > _LARGE),
        "told_one": float(seen.is_told[a] != seen.is_told[b]),
        "told_both": float(seen.is_told[a] and seen.is_told[b]),
        "least_paragraph": min(seen.paragraph[a], seen.paragraph[b]),
        "text": float(first.fact.source == "text" and second.fact.source == "text"),
        "rank": (seen.rank[a] + seen.rank[b]) / 2,
        "newest": float(max(ends) == seen.newest),
    }


def _read(option: Option, chances: Chances) -> float:
    """The log probability that the reader gives an option."""
    if not option.operation:
        chance = float(chances.single[option.places[0]])
    else:
        of = chances.pairs[OPERATIONS.index(option.operation)]
        a, b = option.places
        chance = float(of[a, b] + (of[b, a] if option.operation in SYMMETRIC else 0.0))
    return max(_NEVER_READ, math.log(chance)) if chance > 0 else _NEVER_READ


def _log(chance: float) -> float:
    return math.log(max(chance, _LEAST))
