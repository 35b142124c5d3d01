"""What a model's second look at unsure figures is worth: asked about figures whose rightness is known, weighed with the ranker.

The figures are those that the engine was unsure of for questions written blind, each as the model gets to read it; they were
collected by ``python -m training.second_look``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from importlib import resources

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fin_tui.engine.answering.closer import LIKELY, Reads, log_odds
from fin_tui.engine.models.grounding import Weights
from fin_tui.engine.models.grounding import log_odds as odds_of

FOLDS = 10
_PARTITIONS = 5
"""Ways to part the filings that are averaged over."""
_PULL = 0.05
"""Towards zero, of weights other than the bias: in units of questions."""
_STEPS = 30


class Told(Struct, frozen=True):
    """A figure that the engine was not sure of, and whether it is the one asked for."""

    question: str
    told: str
    share: float
    """The ranker's probability."""
    is_computed: bool
    is_right: bool
    group: str
    """The filing: what is fitted on one is not measured by it."""


class Worth(Struct, frozen=True):
    """How many figures are told rightly and wrongly."""

    right: int
    wrong: int


def told_figures() -> list[Told]:
    """The figures to be read."""
    text = resources.files("fin_tui.evaluation").joinpath("readings.jsonl").read_text(encoding="utf-8")
    return [msgspec.json.decode(line, type=Told) for line in text.splitlines() if line]


def read_all(
    model: Reads,
    told: Sequence[Told],
    tell: Callable[[int, int], None] = lambda done, total: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[float]:
    """The model's log odds of each figure; fewer once cancelled. Raises ``ModelFailed``."""
    said: list[float] = []
    for number, one in enumerate(told):
        tell(number, len(told))
        odds = log_odds(model, one.question, one.told, cancelled)
        if odds is None:
            break
        said.append(odds)
    return said


def fitted(told: Sequence[Told], said: Sequence[float]) -> Weights:
    """The weights that make the right figures likeliest."""
    known = _known(told, said)
    right = np.array([one.is_right for one in told], np.float64)
    pull = np.array([_PULL, _PULL, _PULL, 0.0])
    weights = np.zeros(known.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-known @ weights))
        slope = known.T @ (right - chance) - pull * weights
        curve = (known * (chance * (1 - chance))[:, None]).T @ known + np.diag(pull + 1e-9)
        weights = weights + np.linalg.solve(curve, slope)
    return Weights(*(round(float(one), 4) for one in weights))


def worth(told: Sequence[Told], said: Sequence[float], sure: float = LIKELY) -> Worth:
    """What is right and wrong of the figures from the probability ``sure`` on, cross-validated over filings."""
    chances = np.mean([_aside(told, said, seed) for seed in range(_PARTITIONS)], axis=0)
    stands = [one.is_right for one, chance in zip(told, chances, strict=True) if chance >= sure]
    return Worth(sum(stands), len(stands) - sum(stands))


def _aside(told: Sequence[Told], said: Sequence[float], seed: int) -> list[float]:
    """The probability of each figure by weights that were fitted on other filings."""
    groups = sorted({one.group for one in told})
    random.Random(seed).shuffle(groups)
    chances = [0.0] * len(told)
    for fold in range(FOLDS):
        inside = {at for at, one in enumerate(told) if one.group in groups[fold::FOLDS]}
        outside = [at for at in range(len(told)) if at not in inside]
        if not inside or not outside:
            continue
        weights = fitted([told[at] for at in outside], [said[at] for at in outside])
        for at in inside:
            chances[at] = weights.chance(told[at].share, said[at], is_computed=told[at].is_computed)
    return chances


def _known(told: Sequence[Told], said: Sequence[float]) -> NDArray[np.float64]:
    return np.array([[odds_of(one.share), one.is_computed, odds, 1.0] for one, odds in zip(told, said, strict=True)], np.float64)
