"""Fits anew, on the encoder as the package ships it, the head that tells what a follow-up takes from the question before it.

    python -m training.carry [--write]

Prints, by cross-validation over conversations, how often each kind is taken for one that leaves its matter unsaid.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

import fin_tui.retrieval
from fin_tui.retrieval.shared_encoder import QUESTION_TOKENS, SharedEncoder
from training.encoder import CARRY
from training.train import DATA, lines

HEADS = Path(fin_tui.retrieval.__file__).parent / "reader_weights" / "heads.npz"
CARD = HEADS.with_name("card.json")
STRENGTH = 0.03
"""Of the fit, as scikit-learn has it: the smaller the nearer to zero."""
FOLDS = 5
_CONVERSATION = 10
"""Rows that stand together were written as conversations, one behind the other."""
_OF_HARD, _OF_OWN = 3.0, 0.5
"""What a row written as a "hard" case counts, and an "own" of the others, which do not tell it from a "part"."""


def main() -> None:
    """Fit, print, and write where that is wanted."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    given = arguments.parse_args()
    rows = [row for row in lines(DATA / "wordings.jsonl") if row["follow_up_of"] and row.get("carry")]
    encoder = SharedEncoder()
    states = encoder.states([(row["question"], row["follow_up_of"]) for row in rows], QUESTION_TOKENS)
    labels = np.array([CARRY.index(row["carry"]) for row in rows])
    hard = np.array([bool(row.get("hard")) for row in rows])
    weights = np.where(hard, _OF_HARD, np.where(labels == CARRY.index("own"), _OF_OWN, 1.0))
    report(states, labels, weights, np.flatnonzero(hard))
    if given.write:
        model = fitted(states, labels, weights)
        with np.load(HEADS) as held:
            heads = dict(held)
        heads["labels.carry.weight"] = model.coef_.astype(np.float32)
        heads["labels.carry.bias"] = model.intercept_.astype(np.float32)
        np.savez(HEADS, **heads)
        card = json.loads(CARD.read_text(encoding="utf-8"))
        card["labels"]["carry"] = CARRY
        CARD.write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def fitted(states: NDArray[np.float32], labels: NDArray[np.int64], weights: NDArray[np.float64]) -> LogisticRegression:
    """The head on the pooled states of pairs of turns."""
    return LogisticRegression(C=STRENGTH, max_iter=3_000).fit(states, labels, sample_weight=weights)


def report(
    states: NDArray[np.float32], labels: NDArray[np.int64], weights: NDArray[np.float64], hard: NDArray[np.intp]
) -> None:  # fmt: skip
    """Print what the hard cases would be taken for."""
    groups = np.arange(len(hard)) // _CONVERSATION
    told = np.zeros((len(hard), len(CARRY)))
    for _, held in GroupKFold(FOLDS).split(hard, groups=groups):
        inside = np.setdiff1d(np.arange(len(labels)), hard[held])
        told[held] = fitted(states[inside], labels[inside], weights[inside]).predict_proba(states[hard[held]])
    leaning = 1 - told[:, CARRY.index("own")]
    for threshold in (0.3, 0.4, 0.5, 0.7, 0.9):
        shares = {name: float(np.mean(leaning[labels[hard] == at] >= threshold)) for at, name in enumerate(CARRY)}
        print(f"from {threshold}: " + ", ".join(f"{name} {share:.2f}" for name, share in shares.items()))


if __name__ == "__main__":
    main()
