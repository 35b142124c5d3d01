"""The document of ``fin-tui eval --json``: head, and for each set its scores, its misses and every question.

The head says on what machine, with which libraries, weights and settings, over which library it was measured. Risk and coverage:
how wrong the answers are when only those of the strongest evidence are given.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import msgspec
from msgspec import Struct, field

from fin_tui.errors import UsageError, said
from fin_tui.evaluation.measures import is_share, ordered

SHARES = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class Point:
    """What answering down to a bound costs."""

    coverage: float
    """Share of all questions that are answered."""
    risk: float
    """Share of those answers that are wrong."""
    bound: float
    """The weakest evidence among them, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Risk against coverage (El-Yaniv and Wiener 2010)."""

    area: float
    """Mean risk over all prefixes of the answers, strongest evidence first (AURC); 0 is best."""
    best: float
    """The same if every right answer stood before every wrong one: no order can do better with these answers."""
    points: tuple[Point, ...]
    """At a quarter, a half, three quarters and all of the answers given."""


def curve(answers: Sequence[tuple[float, bool]], asked: int) -> Curve | None:
    """The curve of ``answers``, each (strength of its evidence, whether it is right), among ``asked`` questions.

    Answers of the same strength are given together: each stands for the mean of its group. None without answers.
    """
    if not answers:
        return None
    ordered = sorted(answers, key=lambda answer: -answer[0])
    risks = _risks([_wrong_in_group(ordered, strength) for strength, _ in ordered])
    wrong = sum(not right for _, right in answers)
    best = _risks([0.0] * (len(answers) - wrong) + [1.0] * wrong)
    ends = [max(1, round(share * len(ordered))) for share in SHARES]
    points = tuple(Point(end / asked, risks[end - 1], ordered[end - 1][0]) for end in ends)
    return Curve(sum(risks) / len(risks), sum(best) / len(best), points)


def _wrong_in_group(ordered: Sequence[tuple[float, bool]], strength: float) -> float:
    group = [right for other, right in ordered if other == strength]
    return sum(not right for right in group) / len(group)


def _risks(wrongs: Sequence[float]) -> list[float]:
    total, risks = 0.0, []
    for count, wrong in enumerate(wrongs, start=1):
        total += wrong
        risks.append(total / count)
    return risks


Setting = str | int | float | bool | None


class Head(TypedDict, total=False):
    """What a report was made with and over. A report of an earlier version may lack some of it."""

    made: str
    fin_tui: str
    cpu: str
    cores: int | None
    system: str
    python: str
    packages: dict[str, str | None]
    weights: dict[str, str | None]
    settings: dict[str, dict[str, Setting | list[Setting]]]
    asked: dict[str, Setting]
    library: dict[str, int]
    intervals: dict[str, float]


LEVEL = 0.95
SEED = 20
RESAMPLES = 2_000


class Interval(NamedTuple):
    """The ends of a 95 % confidence interval."""

    low: float
    high: float


def share_interval(hits: int, n: int) -> Interval:
    """Wilson's score interval of ``hits`` out of ``n`` (1927): sound for small n, and for shares of 0 and 1."""
    from scipy.stats import binomtest

    found = binomtest(hits, n).proportion_ci(confidence_level=LEVEL, method="wilson")
    return Interval(float(found.low), float(found.high))


def mean_interval(values: Sequence[float]) -> Interval:
    """Percentile bootstrap of the mean (Efron 1979), seeded; one value gives an interval of no width."""
    import numpy as np
    from scipy.stats import bootstrap

    if len(set(values)) < 2:
        return Interval(values[0], values[0])
    rng = np.random.default_rng(SEED)
    sample = (np.asarray(values, dtype=float),)
    found = bootstrap(
        sample, np.mean, n_resamples=RESAMPLES, confidence_level=LEVEL, method="percentile", rng=rng
    ).confidence_interval
    return Interval(float(found.low), float(found.high))


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that ``share`` of all do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


class Scored(Struct, frozen=True, kw_only=True):
    """A row of ``eval --json``."""

    id: str
    kind: str = field(name="class")
    """The class it is reported in."""
    question: str
    turn: int = 0
    """Its place in a conversation from 1; 0 outside of one."""
    outcome: str
    """right, wrong, abstained, error, unjudged."""
    why: str = ""
    status: str = ""
    """answered, refused, error; "" when the library was not asked."""
    refusal: str | None = None
    """The kind of refusal."""
    value: float | None = None
    unit: str | None = None
    gold: float | None = None
    """The value that was expected."""
    rank: int | None = None
    """Rank of the first gold passage that the search found, strictly; None without one or without gold."""
    rank_lenient: int | None = None
    strength: float | None = None
    """How strong the evidence of the answer was, 0 to 1."""
    program: str | None = None
    """What the row's program came to."""
    measures: dict[str, float] = {}
    ms: dict[str, float] = {}
    """Milliseconds: answer, search."""
    answer: str = ""


class Measured(TypedDict):
    """A measure's mean over the questions that it applies to, with its 95 % interval."""

    n: int
    mean: float
    low: float
    high: float


class Latency(TypedDict):
    """Milliseconds."""

    p50: float
    p95: float


class RiskPoint(TypedDict):
    """The share of wrong answers among those of at least a strength."""

    coverage: float
    risk: float
    strength: float


class Risk(TypedDict):
    """The curve of risk by coverage: the area below it, the least that it could be, and points of it."""

    aurc: float
    best: float
    points: list[RiskPoint]


Scores = TypedDict(
    "Scores",
    {
        "class": str, "n": int, "right": int, "wrong": int, "abstained": int, "error": int, "unjudged": int,
        "measures": dict[str, Measured], "ms": dict[str, Latency], "risk": Risk | None,
    },
)  # fmt: skip
"""What the questions of a class came to."""


class Miss(TypedDict):
    """A question that went wrong, with what is known of why."""

    id: str
    question: str
    outcome: str
    why: str
    rank: int | None


class SetReport(TypedDict):
    """One set's part of a report; ``rows`` are those of ``Scored`` as JSON."""

    scores: list[Scores]
    misses: list[Miss]
    rows: list[Any]


class Document(TypedDict):
    """The whole of ``eval --json``."""

    head: Head
    filings: int
    sets: dict[str, SetReport]


OVERALL = "all"
TURNS = "turns of dialogues"


def summarise(rows: Sequence[Scored]) -> list[Scores]:
    """One entry a class, in order of first appearance, then the turns of conversations, counted in their classes too, and all.

    The last two only where they are not the same questions as what stands before them.
    """
    kinds = list(dict.fromkeys(row.kind for row in rows))
    entries = [_entry(kind, [row for row in rows if row.kind == kind]) for kind in kinds]
    turns = [row for row in rows if row.turn]
    if 0 < len(turns) < len(rows):
        entries.append(_entry(TURNS, turns))
    return [*entries, _entry(OVERALL, rows)] if len(kinds) > 1 else entries


def _entry(name: str, rows: Sequence[Scored]) -> Scores:
    counts = Counter(row.outcome for row in rows)
    return {
        "class": name,
        "n": len(rows),
        "right": counts["right"],
        "wrong": counts["wrong"],
        "abstained": counts["abstained"],
        "error": counts["error"],
        "unjudged": counts["unjudged"],
        "measures": {measure: _measure(measure, rows) for measure in ordered({m: 0 for row in rows for m in row.measures})},
        "ms": {stage: _latency([row.ms[stage] for row in rows if stage in row.ms]) for stage in _stages(rows)},
        "risk": _risk(rows),
    }


def _measure(name: str, rows: Sequence[Scored]) -> Measured:
    """Mean over the questions that it applies to, with its 95 % interval: Wilson's for yes and no, else bootstrap."""
    values = [row.measures[name] for row in rows if name in row.measures]
    mean = sum(values) / len(values)
    low, high = share_interval(round(sum(values)), len(values)) if is_share(name) else mean_interval(values)
    return {"n": len(values), "mean": round(mean, 4), "low": round(low, 4), "high": round(high, 4)}


def _stages(rows: Sequence[Scored]) -> list[str]:
    return list(dict.fromkeys(stage for row in rows for stage in row.ms))


def _latency(values: Sequence[float]) -> Latency:
    return {"p50": quantile(values, 0.5), "p95": quantile(values, 0.95)}


def _risk(rows: Sequence[Scored]) -> Risk | None:
    """Over the questions that should be answered and can be judged; those not answered lower the coverage."""
    judged = [row for row in rows if row.outcome != "unjudged" and "answered" in row.measures]
    answers = [
        (row.strength, row.outcome == "right") for row in judged if row.strength is not None and row.outcome != "abstained"
    ]
    found = curve(answers, len(judged))
    if found is None:
        return None
    points = [RiskPoint(coverage=round(p.coverage, 4), risk=round(p.risk, 4), strength=round(p.bound, 4)) for p in found.points]
    return {"aurc": round(found.area, 4), "best": round(found.best, 4), "points": points}


MISSED_BELOW = 5
"""A gold passage further down than this counts as missed."""


def document(head: Head, sets: Mapping[str, Sequence[Scored]]) -> Document:
    """The whole report, of plain JSON values."""
    return {
        "head": head,
        "filings": head["library"]["filings"],
        "sets": {name: of_set(rows) for name, rows in sets.items()},
    }


def of_set(rows: Sequence[Scored]) -> SetReport:
    """One set's part of the report."""
    return {"scores": summarise(rows), "misses": misses(rows), "rows": msgspec.to_builtins(rows)}


def misses(rows: Sequence[Scored]) -> list[Miss]:
    """The questions that went wrong, with what is known of why."""
    return [
        {"id": row.id, "question": row.question, "outcome": row.outcome, "why": row.why, "rank": row.rank}
        for row in rows
        if row.outcome not in ("right", "unjudged") or row.why or _is_low(row) or row.measures.get("program") == 0.0
    ]


def _is_low(row: Scored) -> bool:
    """No gold passage among the first ``MISSED_BELOW``, even by the lenient reading."""
    return row.measures.get(f"R@{MISSED_BELOW} lenient") == 0.0


PERMUTATIONS = 9_999
_STAGES = ("answer", "search")
Paired = list[tuple[Scored, Scored]]


class Difference(Struct, frozen=True):
    """A measure in both reports."""

    name: str
    n: int
    """Questions that it applies to in both."""
    before: float
    after: float
    low: float
    """95 % interval of ``after - before``."""
    high: float
    p: float
    """How likely a difference as large is if neither report is better."""
    rose: int
    """Questions whose figure rose; for strayings and milliseconds that is no gain."""
    fell: int


class _Set(Struct):
    rows: list[Scored]


class Report(Struct):
    """As much of an ``eval --json`` document as a comparison needs."""

    sets: dict[str, _Set]
    head: Head = {}


def read_report(file: Path) -> Report:
    """A report from ``fin-tui eval --json``. Raises ``UsageError`` for any other file."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=Report)
    except (OSError, msgspec.DecodeError) as error:
        raise UsageError(f"{file} is no report: {said(error)}", "`fin-tui eval SET --json > FILE` writes one.") from error


def is_report(file: Path) -> bool:
    """Whether a file holds a report, and no questions."""
    try:
        read_report(file)
    except UsageError:
        return False
    return True


def pair(before: Report, after: Report) -> dict[str, Paired]:
    """The questions of both reports by set, in the order of the first. Raises ``UsageError`` when they share none."""
    paired: dict[str, Paired] = {}
    for name, one in before.sets.items():
        others = {row.id: row for row in after.sets[name].rows} if name in after.sets else {}
        if both := [(row, others[row.id]) for row in one.rows if row.id in others]:
            paired[name] = both
    if not paired:
        raise UsageError("The reports share no question.", "Questions are paired by the set's file name and their id.")
    return paired


def compare(paired: Mapping[str, Paired]) -> dict[str, list[Difference]]:
    """For each set each class, then all its questions: every measure that both have, strict before lenient."""
    return {f"{name}: {kind}": list(differences(rows)) for name, both in paired.items() for kind, rows in _classes(both)}


def _classes(both: Paired) -> Iterator[tuple[str, Paired]]:
    kinds = list(dict.fromkeys(row.kind for row, _ in both))
    for kind in kinds if len(kinds) > 1 else ():
        yield kind, [(one, other) for one, other in both if one.kind == kind]
    yield OVERALL, both


def differences(both: Paired) -> Iterator[Difference]:
    """Every measure that some question has in both, then the latencies."""
    names = ordered({name: 0 for one, other in both for name in one.measures.keys() & other.measures.keys()})
    for name in names:
        values = [(one.measures[name], other.measures[name]) for one, other in both if _has(name, one, other)]
        yield difference(name, [a for a, _ in values], [b for _, b in values], share=is_share(name))
    for stage in _STAGES:
        times = [(one.ms[stage], other.ms[stage]) for one, other in both if stage in one.ms and stage in other.ms]
        if times:
            yield difference(f"{stage} ms", [a for a, _ in times], [b for _, b in times], share=False)


def _has(name: str, one: Scored, other: Scored) -> bool:
    return name in one.measures and name in other.measures


def difference(name: str, before: Sequence[float], after: Sequence[float], *, share: bool) -> Difference:
    """``after`` against ``before``, question by question."""
    changes = [b - a for a, b in zip(before, after, strict=True)]
    rose, fell = sum(change > 0 for change in changes), sum(change < 0 for change in changes)
    low, high = mean_interval(changes)
    p = mcnemar(rose, fell) if share else permutation(changes)
    n = len(changes)
    return Difference(name, n, sum(before) / n, sum(after) / n, low, high, p, rose, fell)


def mcnemar(rose: int, fell: int) -> float:
    """Two-sided exact p of McNemar's test (1947): the changed questions are tosses of a fair coin."""
    from scipy.stats import binomtest

    return float(binomtest(rose, rose + fell, 0.5).pvalue) if rose + fell else 1.0


def permutation(changes: Sequence[float]) -> float:
    """Two-sided p of the mean change when its signs are flipped at random: all ways for a few, else 9,999, seeded."""
    import numpy as np
    from scipy.stats import permutation_test

    moved = [change for change in changes if change]
    if len(moved) < 2:
        return 1.0  # A single change is as large whichever sign it has.
    found = permutation_test(
        (np.asarray(moved),),
        np.sum,
        permutation_type="samples",
        n_resamples=PERMUTATIONS,
        rng=np.random.default_rng(SEED),
    )
    return float(found.pvalue)
