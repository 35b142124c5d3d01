"""Two reports over the same questions: what changed, and whether chance alone would change as much.

Questions are paired by set and id; only those that a measure applies to in both reports count. Yes-or-no measures are tested by
McNemar's exact test on the questions that changed, the others by a sign-flip permutation test of the mean difference; the
interval is a bootstrap of the mean difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from fin_tui.errors import UsageError, said
from fin_tui.evaluation import intervals
from fin_tui.evaluation.measures import is_share, ordered
from fin_tui.evaluation.scored import Scored
from fin_tui.evaluation.summary import OVERALL

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
    head: dict[str, Any] = {}


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
    low, high = intervals.of_mean(changes)
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
        rng=np.random.default_rng(intervals.SEED),
    )
    return float(found.pvalue)
