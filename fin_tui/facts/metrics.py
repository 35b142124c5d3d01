"""The vocabulary: everyday figures, how people name them, and which tags, row labels or formulas give them."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, get_args

import msgspec

from fin_tui.errors import FinTuiError
from fin_tui.facts.figures import Mention, Metric, Statement, Unit
from fin_tui.facts.mentions import Finder

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
    )


def _prefixed(concepts: list[str]) -> tuple[str, ...]:
    return tuple(concept if ":" in concept else f"us-gaap:{concept}" for concept in concepts)
