"""Scored questions -> one entry a class and one over all: counts, measures with intervals, latencies, risk and coverage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fin_tui.evaluation import intervals, risk
from fin_tui.evaluation.measures import is_share, ordered
from fin_tui.evaluation.scored import Scored

OUTCOMES = ("right", "wrong", "abstained", "error", "unjudged")
OVERALL = "all"
TURNS = "turns of dialogues"


def summarise(rows: Sequence[Scored]) -> list[dict[str, Any]]:
    """One entry a class, in order of first appearance, then the turns of conversations, counted in their classes too, and all.

    The last two only where they are not the same questions as what stands before them.
    """
    kinds = list(dict.fromkeys(row.kind for row in rows))
    entries = [_entry(kind, [row for row in rows if row.kind == kind]) for kind in kinds]
    turns = [row for row in rows if row.turn]
    if 0 < len(turns) < len(rows):
        entries.append(_entry(TURNS, turns))
    return [*entries, _entry(OVERALL, rows)] if len(kinds) > 1 else entries


def _entry(name: str, rows: Sequence[Scored]) -> dict[str, Any]:
    counts = Counter(row.outcome for row in rows)
    return {
        "class": name,
        "n": len(rows),
        **{outcome: counts[outcome] for outcome in OUTCOMES},
        "measures": {measure: _measure(measure, rows) for measure in ordered({m: 0 for row in rows for m in row.measures})},
        "ms": {stage: _latency([row.ms[stage] for row in rows if stage in row.ms]) for stage in _stages(rows)},
        "risk": _risk(rows),
    }


def _measure(name: str, rows: Sequence[Scored]) -> Mapping[str, Any]:
    """Mean over the questions that it applies to, with its 95 % interval: Wilson's for yes and no, else bootstrap."""
    values = [row.measures[name] for row in rows if name in row.measures]
    mean = sum(values) / len(values)
    low, high = intervals.of_share(round(sum(values)), len(values)) if is_share(name) else intervals.of_mean(values)
    return {"n": len(values), "mean": round(mean, 4), "low": round(low, 4), "high": round(high, 4)}


def _stages(rows: Sequence[Scored]) -> list[str]:
    return list(dict.fromkeys(stage for row in rows for stage in row.ms))


def _latency(values: Sequence[float]) -> Mapping[str, float]:
    return {"p50": intervals.quantile(values, 0.5), "p95": intervals.quantile(values, 0.95)}


def _risk(rows: Sequence[Scored]) -> Mapping[str, Any] | None:
    """Over the questions that should be answered and can be judged; those not answered lower the coverage."""
    judged = [row for row in rows if row.outcome != "unjudged" and "answered" in row.measures]
    answers = [
        (row.strength, row.outcome == "right") for row in judged if row.strength is not None and row.outcome != "abstained"
    ]
    found = risk.curve(answers, len(judged))
    if found is None:
        return None
    points = [{"coverage": round(p.coverage, 4), "risk": round(p.risk, 4), "strength": round(p.bound, 4)} for p in found.points]
    return {"aurc": round(found.area, 4), "best": round(found.best, 4), "points": points}
