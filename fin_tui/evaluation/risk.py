"""Risk and coverage: how wrong the answers are when only those of the strongest evidence are given (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
