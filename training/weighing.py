"""A logistic regression that tells from what is known of an answer whether it is right, and what its thresholds are worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

THRESHOLDS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
STRENGTH = 0.3
"""Of the fit, as scikit-learn has it, on features of one spread: the smaller the nearer to zero."""
_FOLDS = 8


@dataclass(frozen=True, slots=True)
class Weighed:
    """What is known of an answer, of which filing it is, and whether it is right."""

    filing: str
    known: tuple[float, ...]
    is_right: bool


def fitted(answers: Sequence[Weighed]) -> NDArray[np.float64]:
    """The weights, one for each feature."""
    known, right = np.array([one.known for one in answers]), np.array([one.is_right for one in answers])
    spread = np.where(known.std(axis=0) > 0, known.std(axis=0), 1.0)
    model = LogisticRegression(C=STRENGTH, fit_intercept=False, max_iter=2_000).fit(known / spread, right)
    weights: NDArray[np.float64] = model.coef_[0] / spread
    return weights


def report(answers: Sequence[Weighed]) -> None:
    """Print, by cross-validation over filings, what would be told from each threshold on."""
    known, right = np.array([one.known for one in answers]), np.array([one.is_right for one in answers])
    sure: NDArray[np.float64] = np.zeros(len(answers))
    for inside, aside in GroupKFold(_FOLDS).split(known, groups=[one.filing for one in answers]):
        weights = fitted([answers[at] for at in inside])
        sure[aside] = 1 / (1 + np.exp(-known[aside] @ weights))
    print(f"{len(answers)} without a sure figure, {right.sum()} right")
    for threshold in THRESHOLDS:
        print(f"  from {threshold}: right {right[sure >= threshold].sum()}, wrong {(~right)[sure >= threshold].sum()}")
