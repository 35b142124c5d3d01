"""Figures of filings: which fact states a metric for a period, or why none does.

Here stands the vocabulary, ``metrics.toml``: everyday figures, how people name them, and which tags, row labels or formulas give
them. ``lookup.py`` is where to start; where no tags are, ``from_tables.py`` reads tables, and ``row_labels.py`` chooses among
their rows.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, get_args

import msgspec

from fin_tui.errors import FinTuiError
from fin_tui.facts.figures import Mention, Metric, Statement, Unit
from fin_tui.facts.words import LINKS, Word, stem, words

_SHORTEST_TYPO = 5
_SHORTEST_KNOWN = 6
"""Letters of a word that a slip is mended to; one of them may be missing."""
_SIMILAR = 85.0
_TYPO = 0.9
_INFLECTED = 0.97
_MOST_LINKS = 6
_FILLERS = frozenset(
    "what was is were are much many how did does do company total report reported show value amount please".split()
)


@dataclass(slots=True)
class _Node:
    """A step in the tree of names."""

    next: dict[str, _Node] = field(default_factory=dict)
    metrics: list[tuple[Metric, tuple[str, ...]]] = field(default_factory=list)
    """Metrics whose name ends here, with the name's surfaces."""
    other: bool = False
    """A phrase ends here that is no figure."""


class Finder:
    """Finds names in texts; built once from (name, metric) pairs, of which the first of equal names wins.

    ``others`` are phrases that hold a name but mean no figure ("statement of cash flows"): they take their words away.
    """

    def __init__(self, names: Iterable[tuple[str, Metric]], others: Iterable[str] = ()) -> None:
        self._root = _Node()
        self._surfaces: defaultdict[str, set[str]] = defaultdict(set)
        for name, metric in names:
            self._add(name, metric)
        for phrase in others:
            self._add(phrase, None)
        self._known = [surface for group in self._surfaces.values() for surface in group if len(surface) >= _SHORTEST_KNOWN]
        self._fixed: dict[str, str] = {}

    def _add(self, name: str, metric: Metric | None) -> None:
        node = self._root
        kept = [word for word in words(name) if word.surface not in LINKS]
        for word in kept:
            self._surfaces[word.stem].add(word.surface)
            node = node.next.setdefault(word.stem, _Node())
        if metric is None:
            node.other = not node.metrics
        else:
            node.metrics.append((metric, tuple(word.surface for word in kept)))

    def find(self, text: str) -> tuple[Mention, ...]:
        """Mentions left to right, without overlap."""
        said = words(text)
        found: list[Mention] = []
        at = 0
        while at < len(said):
            mention, length = self._longest(said, at)
            if mention is not None:
                found.append(mention)
            at += max(length, 1)
        return tuple(found)

    def whole(self, text: str) -> Metric | None:
        """The one metric that all words of ``text`` name, fillers apart."""
        mentions = self.find(text)
        if len(mentions) != 1:
            return None
        mention = mentions[0]
        rest = words(text[: mention.start] + " " + text[mention.end :])
        return mention.metric if all(word.surface in LINKS or word.surface in _FILLERS for word in rest) else None

    def _longest(self, said: Sequence[Word], first: int) -> tuple[Mention | None, int]:
        if said[first].surface in LINKS:
            return None, 1
        node, score, surfaces = self._root, 1.0, list[str]()
        best: tuple[Mention | None, int] = (None, 0)
        at, links = first, 0
        while at < len(said):
            word = said[at]
            if word.surface in LINKS and word.stem not in node.next:
                links += 1
                if links > _MOST_LINKS:
                    break
                at += 1
                continue
            links = 0
            step, penalty = self._step(node, word)
            if step is None:
                break
            node, score = step, score * penalty
            surfaces.append(word.surface)
            at += 1
            if node.other:
                best = (None, at - first)
            elif node.metrics:
                metric, exact = _choose(node, surfaces)
                value = score if exact or score < 1 else _INFLECTED
                best = (Mention(metric, said[first].start, said[at - 1].end, round(value, 3)), at - first)
        return best

    def _step(self, node: _Node, word: Word) -> tuple[_Node | None, float]:
        if word.stem in node.next:
            return node.next[word.stem], 1.0
        if len(word.surface) < _SHORTEST_TYPO or word.stem in self._surfaces:
            return None, 0.0
        fixed = self._fix(word.surface)
        step = node.next.get(stem(fixed)) if fixed else None
        return step, _TYPO

    def _fix(self, surface: str) -> str:
        """The known word that ``surface`` is a slip of; "" when none is near. A real word of another meaning differs more."""
        if surface not in self._fixed:
            from rapidfuzz import fuzz, process

            best = process.extractOne(surface, self._known, scorer=fuzz.ratio, score_cutoff=_SIMILAR)
            same = best is not None and best[0][0] == surface[0] and abs(len(best[0]) - len(surface)) <= 1
            if len(self._fixed) > 10_000:
                self._fixed.clear()
            self._fixed[surface] = best[0] if best is not None and same else self._swapped(surface)
        return self._fixed[surface]

    def _swapped(self, surface: str) -> str:
        """The known word that ``surface`` is with two neighbouring letters changed over; "" when there is none."""
        swaps = (f"{surface[:at]}{surface[at + 1]}{surface[at]}{surface[at + 2 :]}" for at in range(1, len(surface) - 1))
        return next((swap for swap in swaps if len(swap) >= _SHORTEST_KNOWN and swap in self._known), "")


def _choose(node: _Node, surfaces: Sequence[str]) -> tuple[Metric, bool]:
    """The metric whose name is spelled as said, else the first with that stem."""
    said = tuple(surfaces)
    for metric, name in node.metrics:
        if name == said:
            return metric, True
    return node.metrics[0][0], False


INDUSTRIES = ("bank", "insurer", "retailer", "real_estate")
_UNITS: dict[str, Unit] = {"per_share": "usd/share", "shares": "shares"}


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    """A metric as the file writes it."""

    names: list[str]
    concepts: list[str] = []
    labels: list[str] = []
    unit: Unit | None = None
    instant: bool | None = None
    formula: str = ""
    negate: bool = False
    ahead: list[str] = []
    part: str = ""
    whole: str = ""
    lines: list[str] = []
    beside: str = ""
    bank: list[str] = []
    insurer: list[str] = []
    retailer: list[str] = []
    real_estate: list[str] = []


class Vocabulary:
    """All metrics by id, and a finder of their names in running text."""

    def __init__(self, metrics: dict[str, Metric], others: Sequence[str] = ()) -> None:
        self._metrics = metrics
        self._finder = Finder(((name, metric) for metric in metrics.values() for name in metric.names), others)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """In the order of the file."""
        return tuple(self._metrics.values())

    def get(self, metric_id: str) -> Metric | None:
        """By id; None when there is no such metric."""
        return self._metrics.get(metric_id)

    def find(self, text: str) -> tuple[Mention, ...]:
        """The metrics that ``text`` names, left to right, without overlap: the longest name wins at each place."""
        return self._finder.find(text)

    def named(self, text: str) -> Metric | None:
        """The metric that ``text`` as a whole names: by id, or by a mention that leaves no other words; None otherwise."""
        exact = self._metrics.get(text.strip().lower().replace(" ", "_").replace("-", "_"))
        return exact or self._finder.whole(text) or self._finder.whole(text.replace("/", " to "))


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary of this package, read once; raises ``FinTuiError`` when the file is damaged."""
    raw = tomllib.loads(files("fin_tui.facts").joinpath("metrics.toml").read_text(encoding="utf-8"))
    metrics: dict[str, Metric] = {}
    others = raw.pop("not_metrics", [])
    for statement, entries in raw.items():
        if statement not in get_args(Statement):
            raise FinTuiError(f"metrics.toml has an unknown statement [{statement}]")
        for metric_id, entry in entries.items():
            if metric_id in metrics:
                raise FinTuiError(f"metrics.toml defines {metric_id} twice")
            metrics[metric_id] = _metric(metric_id, statement, entry)
    return Vocabulary(metrics, others)


def _metric(metric_id: str, statement: Any, entry: Any) -> Metric:
    try:
        read = msgspec.convert(entry, _Entry)
    except msgspec.ValidationError as error:
        raise FinTuiError(f"metrics.toml, {metric_id}: {error}") from error
    return Metric(
        id=metric_id,
        names=tuple(read.names),
        unit=read.unit or _UNITS.get(statement, "usd"),
        statement=statement,
        instant=statement == "balance" if read.instant is None else read.instant,
        concepts=_prefixed(read.concepts),
        labels=tuple(dict.fromkeys((*read.names, *read.labels))),
        formula=read.formula,
        variants={industry: _prefixed(getattr(read, industry)) for industry in INDUSTRIES if getattr(read, industry)},
        negate=read.negate,
        ahead=_prefixed(read.ahead),
        part=read.part,
        whole=read.whole,
        lines=tuple(read.lines),
        beside=read.beside,
    )


def _prefixed(concepts: list[str]) -> tuple[str, ...]:
    return tuple(concept if ":" in concept else f"us-gaap:{concept}" for concept in concepts)
