"""Fits the model of ``fin_tui.engine.searching.find`` and prints what each bound refuses.

    python -m benchmarks.strength ANSWERED.jsonl... [--home DIR] [--undisclosed FILE]

ANSWERED are question sets that the filings of the library answer; rows expected to be refused are left out. Cross-validated
in ten parts; both classes weigh the same.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fin_tui.config import Settings
from fin_tui.engine.answering.answer import Request
from fin_tui.engine.questions.batch import read_batch, scope_of
from fin_tui.engine.services import Services, open_services
from fin_tui.errors import NotFound
from fin_tui.paths import find_home
from fin_tui.records import Filing

Array = NDArray[np.float64]
_NAMES = ("coverage", "absent", "similarity", "sure")
_SUREST = 5.0
"""As ``strength`` bounds logits."""
_BOUNDS = (0.2, 0.25, 0.3, 0.33, 0.35, 0.4)


def features(services: Services, held: tuple[Filing, ...], file: Path, *, refused: bool) -> Iterable[list[float]]:
    """One row for each question of ``file`` that is, or is not, to be refused, and has something to search in.

    A machine too busy for the cross-encoder to read in time gives the lowest logit.
    """
    engine = services.engine
    for line in read_batch(file):
        if (line.raw.get("expect") == "refused") != refused:
            continue
        try:
            understood = engine.understand(Request(line.question, scope=scope_of(line, held)))
        except NotFound:
            continue
        if understood.target.scopes:
            hits = engine.retrieve(understood)
            evidence = engine.drafting.evidence(understood, hits)
            sure = evidence.sure
            logit = -_SUREST if sure is None else min(max(sure, -_SUREST), _SUREST)
            yield [evidence.coverage, evidence.absent, hits.similarity or 0.0, logit]


def fit(x: Array, y: Array, *, ridge: float = 0.05, steps: int = 4000, rate: float = 0.3) -> Array:
    """Weights for the raw figures, the bias last, by gradient descent on balanced logistic loss."""
    mean, spread = x.mean(0), x.std(0) + 1e-9
    z = np.c_[(x - mean) / spread, np.ones(len(x))]
    share = np.where(y == 1, 1 / y.sum(), 1 / (1 - y).sum()) / 2
    weights = np.zeros(z.shape[1])
    for _ in range(steps):
        gradient = z.T @ ((1 / (1 + np.exp(-z @ weights)) - y) * share)
        gradient[:-1] += ridge * weights[:-1]
        weights -= rate * gradient
    raw = weights[:-1] / spread
    return np.append(raw, weights[-1] - float(raw @ mean))


def predict(weights: Array, x: Array) -> Array:
    """Probabilities that the questions are answered."""
    chances: Array = 1 / (1 + np.exp(-(x @ weights[:-1] + weights[-1])))
    return chances


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("answered", nargs="+", type=Path)
    parser.add_argument("--undisclosed", type=Path, default=Path(__file__).with_name("undisclosed.jsonl"))
    parser.add_argument("--home", type=Path)
    arguments = parser.parse_args()
    with open_services(find_home(arguments.home), Settings(), with_model=False) as services:
        held = services.library.filings()
        good = [row for file in arguments.answered for row in features(services, held, file, refused=False)]
        bad = list(features(services, held, arguments.undisclosed, refused=True))
    x, y = np.array([*good, *bad]), np.array([1.0] * len(good) + [0.0] * len(bad))
    for columns in ((0, 1, 2, 3), (0, 1, 3), (0, 1, 2), (0, 1)):
        part = x[:, columns]
        order = np.random.default_rng(0).permutation(len(y))
        chance = np.zeros(len(y))
        for fold in range(10):
            test = order[fold::10]
            train = np.setdiff1d(order, test)
            chance[test] = predict(fit(part[train], y[train]), part[test])
        weights = fit(part, y)
        print({name: round(float(w), 2) for name, w in zip([*(_NAMES[c] for c in columns), "bias"], weights, strict=True)})
        for bound in _BOUNDS:
            kept, refused = (chance[y == 1] >= bound).mean(), (chance[y == 0] < bound).mean()
            print(
                f"  bound {bound:.2f}: answered kept {kept:.3f} of {len(good)}, undisclosed refused {refused:.2f} of {len(bad)}"
            )


if __name__ == "__main__":
    main()
