"""Fits what reads words that are no name of the vocabulary as the metric that they mean.

    FIN_TUI_HOME=DIR FIN_TUI_CORPUS=DIR python -m training.meanings [--write]

Learnt from: wordings written for each metric, with near ones that mean none; the labelled wordings; the vocabulary's own names;
what tagged rows of filings of the training part are called; questions written for single rows, most of which mean no metric.
Prints, of wordings by another author and of questions over other filings, how many are read from each probability on, and how
many rightly.
"""

from __future__ import annotations

import argparse
import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from fin_tui.engine.figures.operands import metric_of
from fin_tui.engine.frame import meaning
from fin_tui.engine.frame.linear import NONE
from fin_tui.facts import vocabulary
from fin_tui.paths import find_home
from fin_tui.retrieval.shared_encoder import SharedEncoder
from fin_tui.store.library import Library
from training.rows import Rows, accession, rows_of, without, wordings_by_tag
from training.train import DATA, HELD_WORDINGS, files_by_part, lines

TARGET = Path(meaning.__file__).with_name("meanings.npz")
STRENGTH = 60.0
"""Of the fit, as scikit-learn has it: the smaller the nearer to zero."""
_LONGEST = 14
"""Words of a row's label."""
_SURELY = 0.75
"""Share of the rows of one label that are to mean one thing."""
_OF_NONE = 0.5
"""What words count that mean no metric."""
_PARTED, _JOINED = 4_000, ("{part} {words}", "{part} {words}", "{words} of {part}", "{words} in {part}", "{part}'s {words}")
"""Wordings that are put beside the words for a part, and how."""
SEED = 5
THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class Said:
    """Words, and the id of the metric that they mean; ``NONE`` for none."""

    words: str
    metric: str


def main() -> None:
    """Fit, print, and write where that is wanted."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    given = arguments.parse_args()
    files = files_by_part(Path(os.environ["FIN_TUI_CORPUS"]))
    with Library.open(find_home(Path(os.environ["FIN_TUI_HOME"]))) as library:
        parts = {part: rows_of(library, files[part], by_period=False) for part in ("training", "development")}
    tags = _metrics_by_tag()
    wordings = lines(DATA / "wordings.jsonl")
    random.Random(SEED).shuffle(wordings)
    written = lines(DATA / "meanings.jsonl")
    known = [
        *_written(row for row in written if row["split"] == "training"),
        *_of_wordings(wordings[HELD_WORDINGS:], tags),
        *(Said(name, metric.id) for metric in vocabulary().metrics for name in metric.names),
        *_of_labels(parts["training"], tags),
        *_of_rows(parts["training"], tags, "training"),
    ]
    known += _of_parts(known, wordings[HELD_WORDINGS:])
    encoder = SharedEncoder()
    labels, weight, bias = fitted(encoder, known)
    print(f"{len(known)} wordings, {sum(one.metric != NONE for one in known)} of a metric")
    held = {
        "by another author": _written(row for row in written if row["split"] == "development"),
        "labelled wordings": _of_wordings(wordings[:HELD_WORDINGS], tags),
        "questions for rows": _of_rows(parts["development"], tags, "development"),
    }
    for name, some in held.items():
        report(name, some, encoder, labels, weight, bias)
    if given.write:
        small, offsets = weight.astype(np.float16), bias.astype(np.float16)
        np.savez_compressed(TARGET, labels=labels, weight=small, bias=offsets, encoder=np.array(encoder.name))


def fitted(encoder: SharedEncoder, known: Sequence[Said]) -> tuple[NDArray[np.str_], NDArray[np.float32], NDArray[np.float32]]:
    """Labels [n], weight [n, width], bias [n]."""
    vectors = encoder.vectors([one.words.lower() for one in known])
    model = LogisticRegression(C=STRENGTH, max_iter=400)
    counts = [_OF_NONE if one.metric == NONE else 1.0 for one in known]
    model.fit(vectors, [one.metric for one in known], sample_weight=counts)
    return np.array(model.classes_), model.coef_.astype(np.float32), model.intercept_.astype(np.float32)


def report(
    name: str,
    held: Sequence[Said],
    encoder: SharedEncoder,
    labels: NDArray[np.str_],
    weight: NDArray[np.float32],
    bias: NDArray[np.float32],
) -> None:
    """Print what is read of wordings that are no names."""
    some = [one for one in held if metric_of(one.words, vocabulary()) is None]
    raised = np.exp(encoder.vectors([one.words.lower() for one in some]) @ weight.T + bias)
    chances = np.where(labels == NONE, 0.0, raised / raised.sum(axis=1, keepdims=True))
    best, sure = labels[chances.argmax(axis=1)], chances.max(axis=1)
    right = best == np.array([one.metric for one in some])
    print(f"{name}: {len(some)}, of a metric {sum(one.metric != NONE for one in some)}")
    print("  " + "; ".join(f"from {at:.1f} {(sure >= at).sum()} read, {(right & (sure >= at)).sum()} right" for at in THRESHOLDS))


def _metrics_by_tag() -> Mapping[str, str]:
    """The metric that a tag, without its prefix, gives: the first that has it."""
    metrics = reversed(list(vocabulary().metrics))
    return {concept.partition(":")[2]: metric.id for metric in metrics for concept in metric.concepts}


def _written(rows: Iterable[Mapping[str, Any]]) -> list[Said]:
    return [
        Said(words, metric)
        for row in rows
        for words, metric in (*((one, row["metric"]) for one in row["phrases"]), *((one, NONE) for one in row["not"]))
    ]


def _of_wordings(wordings: Sequence[Mapping[str, Any]], tags: Mapping[str, str]) -> list[Said]:
    """Wordings of a tag, as a target and as a whole question; behind the words for a part they mean no metric."""
    said = [Said(words, tags.get(tag, NONE)) for tag, some in wordings_by_tag(wordings).items() for words in some]
    parted = (row for row in wordings if row["part"] and len(row["target"]) == 1)
    return [*said, *(Said(f"{row['part'][0]} {row['target'][0]}", NONE) for row in parted)]


def _of_parts(known: Sequence[Said], wordings: Sequence[Mapping[str, Any]]) -> list[Said]:
    """Wordings of metrics beside the words for a part of a company: they mean no metric of the whole."""
    chance = random.Random(SEED)
    parts = sorted({part for row in wordings for part in row["part"] if metric_of(part, vocabulary()) is None})
    some = chance.sample([one.words for one in known if one.metric != NONE], _PARTED)
    return [Said(chance.choice(_JOINED).format(part=chance.choice(parts), words=words), NONE) for words in some]


def _of_labels(held: Sequence[Rows], tags: Mapping[str, str]) -> list[Said]:
    """What tagged rows are called, where they mean one thing."""
    meant: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for rows in held:
        for tag, some in rows.by_tag.items():
            for one in some:
                if one.path and "[" not in one.path[-1] and len(one.path[-1].split()) < _LONGEST:
                    meant[one.path[-1].lower()][NONE if one.fact.dimensions else tags.get(tag, NONE)] += 1
    likeliest = ((label, *some.most_common(1)[0], sum(some.values())) for label, some in meant.items())
    return [Said(label, metric) for label, metric, count, of in likeliest if count >= _SURELY * of]


def _of_rows(held: Sequence[Rows], tags: Mapping[str, str], split: str) -> list[Said]:
    """Questions for single rows, without their companies and periods: the metric is that of the tag they ask for."""
    by_file = {accession(rows.filing.file): rows for rows in held} | {rows.filing.id: rows for rows in held}
    found = []
    for row in lines(DATA / "rows.jsonl"):
        rows = by_file.get(row["filing"])
        if row["split"] != split or row.get("operand") or rows is None:
            continue
        facts = [one.fact for one in rows.at(row["start"]) if not one.fact.dimensions]
        named = {tags.get(fact.concept.partition(":")[2], NONE) for fact in facts} or {NONE}
        found.append(Said(without(row["question"], [*row["companies"], *row["periods"]]), min(named)))
    return found


if __name__ == "__main__":
    main()
