"""Fits anew, on the encoder as the package ships it, the heads that label a question: what it does, what kind of answer it wants,
what a follow-up takes from the question before it, and whether the question is refused.

    python -m training.heads [--write] [--labels LABEL...] [HEAD...]

With --labels only the weights of these labels are taken: what was written anew for them moves no other. Without --write it
prints, by cross-validation over conversations, how often each is right, and how often a follow-up in words is taken for one that
asks for a figure.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

import fin_tui.retrieval
from fin_tui.engine.frame.reader import FIGURES
from fin_tui.retrieval.shared_encoder import QUESTION_TOKENS, SharedEncoder
from training.encoder import LABELS
from training.train import DATA, labelled, lines, question_of

HEADS = Path(fin_tui.retrieval.__file__).parent / "reader_weights" / "heads.npz"
CARD = HEADS.with_name("card.json")
STRENGTH: Mapping[str, float] = {"operation": 0.3, "answer": 0.1, "carry": 0.03, "refusal": 0.1}
"""Of the fit of each head, as scikit-learn has it: the smaller the nearer to zero."""
_TAKEN: Mapping[str, float] = {"operation": 1.0, "answer": 0.25, "carry": 1.0, "refusal": 1.0}
"""How far each head goes from the weights that it was trained to towards those that are fitted: those of the kind of answer know
more of single questions.
"""
FOLDS = 5
_CONVERSATION = 10
"""Rows that stand together were written as conversations, one behind the other."""
_OF_HARD, _OF_OWN = 3.0, 0.5
"""What a follow-up written as a "hard" case counts, and an "own" of the others, which do not tell it from a "part"."""
_OF_TURN = 0.3
"""What a turn of a dialogue counts: all of them ask for a figure, and most look one up."""
_RARE = 0.5
"""What an operation counts more, the rarer it is among what was written: by this part as if all were equally frequent."""
_NONE = -20.0
"""Logit of what was never seen."""


def main() -> None:
    """Fit, print, and write where that is wanted."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument(
        "--labels", nargs="+", metavar="LABEL", help="take the weights of these labels alone, as they are fitted"
    )
    arguments.add_argument("heads", nargs="*", metavar="HEAD", default=list(STRENGTH))
    given = arguments.parse_args()
    rows = [*labelled(), *in_words()]
    states = SharedEncoder().states([(row["question"], row["follow_up_of"] or "") for row in rows], QUESTION_TOKENS)
    with np.load(HEADS) as held:
        heads = dict(held)
    for head in given.heads:
        if not given.write:
            report(head, rows, states)
            continue
        weight, bias = fitted(head, rows, states, range(len(rows)))
        taken = np.full(len(LABELS[head]), _TAKEN[head], np.float32)
        if given.labels:
            taken = np.array([float(label in given.labels) for label in LABELS[head]], np.float32)
        for name, fit in ((f"labels.{head}.weight", weight), (f"labels.{head}.bias", bias)):
            heads[name] += (taken[:, None] if fit.ndim > 1 else taken) * (fit - heads[name])
    if given.write:
        np.savez(HEADS, **heads)
        card = json.loads(CARD.read_text(encoding="utf-8"))
        card["labels"] |= {head: LABELS[head] for head in given.heads}
        CARD.write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def in_words() -> list[dict[str, Any]]:
    """Questions that filings answer in words, of which nothing is known but that none is refused."""
    turns = [row.get("turns") or [row["question"]] for row in lines(DATA / "passages.jsonl") if row["split"] == "training"]
    return [{"question": of[-1], "follow_up_of": of[-2] if len(of) > 1 else None, "refusal": ""} for of in turns]


def fitted(
    head: str, rows: Sequence[Mapping[str, Any]], states: NDArray[np.float32], among: Sequence[int]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Weight and bias of a head on the pooled states of pairs of turns."""
    known = [at for at in among if _is_known(head, rows[at])]
    labels = [LABELS[head].index(rows[at][head]) for at in known]
    model = LogisticRegression(C=STRENGTH[head], max_iter=1_000)
    often = np.bincount(labels, minlength=len(LABELS[head]))
    rare = [1 + _RARE * (head == "operation") * len(known) / (len(LABELS[head]) * often[label]) for label in labels]
    model.fit(states[known], labels, sample_weight=[_counts(head, rows[at]) * by for at, by in zip(known, rare, strict=True)])
    weight = np.zeros((len(LABELS[head]), states.shape[1]), np.float32)
    bias = np.full(len(LABELS[head]), _NONE, np.float32)
    weight[model.classes_], bias[model.classes_] = model.coef_, model.intercept_
    return weight, bias


def _is_known(head: str, row: Mapping[str, Any]) -> bool:
    return row.get(head) is not None and (head != "carry" or bool(row["follow_up_of"]))


def _counts(head: str, row: Mapping[str, Any]) -> float:
    if row.get("is_turn"):
        return _OF_TURN
    if not row["follow_up_of"] or head != "carry":
        return _OF_HARD if row.get("hard") else 1.0
    return _OF_HARD if row.get("hard") else _OF_OWN if row["carry"] == "own" else 1.0


def report(head: str, rows: Sequence[Mapping[str, Any]], states: NDArray[np.float32]) -> None:
    """Print what the hard follow-ups would be taken for."""
    hard = np.array([at for at, row in enumerate(rows) if row.get("hard") and _is_known(head, row)])
    told = np.zeros((len(hard), len(LABELS[head])))
    for _, held in GroupKFold(FOLDS).split(hard, groups=np.arange(len(hard)) // _CONVERSATION):
        inside = set(range(len(rows))) - set(hard[held])
        weight, bias = fitted(head, rows, states, sorted(inside))
        raised = np.exp(states[hard[held]] @ weight.T + bias)
        told[held] = raised / raised.sum(axis=1, keepdims=True)
    right = np.array([LABELS[head].index(rows[at][head]) for at in hard])
    print(f"{head}: {len(hard)} hard follow-ups, right {np.mean(told.argmax(axis=1) == right):.3f}")
    if head == "answer":
        figure = told[:, [LABELS[head].index(kind) for kind in sorted(FIGURES)]].sum(axis=1) >= 0.5
        is_figure = np.array([rows[at][head] in FIGURES for at in hard])
        print(f"  taken for a figure: of figures {np.mean(figure[is_figure]):.3f}, of others {np.mean(figure[~is_figure]):.3f}")
    if head == "refusal":
        _report_courses(rows, states)
    if head == "carry":
        leaning = 1 - told[:, LABELS[head].index("own")]
        for threshold in (0.3, 0.4, 0.5, 0.7, 0.9):
            shares = {name: float(np.mean(leaning[right == at] >= threshold)) for at, name in enumerate(LABELS[head])}
            print(f"  leaning from {threshold}: " + ", ".join(f"{name} {share:.2f}" for name, share in shares.items()))


def _report_courses(rows: Sequence[Mapping[str, Any]], states: NDArray[np.float32]) -> None:
    """Print how many questions by another author would be refused, of those about the future and of those about a past course."""
    held = [question_of(row) for row in lines(DATA / "courses.jsonl") if row["split"] == "development"]
    weight, bias = fitted("refusal", rows, states, range(len(rows)))
    raised = np.exp(
        SharedEncoder().states([(row["question"], row["follow_up_of"] or "") for row in held], QUESTION_TOKENS) @ weight.T + bias
    )
    refused = 1 - raised[:, LABELS["refusal"].index("")] / raised.sum(axis=1) >= 0.5
    ahead = np.array([bool(row["refusal"]) for row in held])
    told, moved = (f"{refused[of].sum()} of {of.sum()}" for of in (ahead, ~ahead))
    print(f"  refused: of the future {told}, of a course {moved}")


if __name__ == "__main__":
    main()
