"""Fits what tells which whole page of a company a question wants.

    python -m training.pages [--write]

Learnt from questions written for each page, with near ones that want none, from the labelled questions for a figure, and from
those that one paragraph of a filing answers, which want none. Prints, of questions by another author, how many are read from each
probability on, and how many rightly; of questions that a paragraph of another filing answers, how many are read as a page.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from fin_tui.engine.figures.operands import metric_of
from fin_tui.engine.frame import pages
from fin_tui.engine.frame.linear import NONE
from fin_tui.engine.frame.reader import FrameReader
from fin_tui.facts import vocabulary
from fin_tui.retrieval.shared_encoder import SharedEncoder
from training.rows import without
from training.train import DATA, labelled, lines

TARGET = Path(pages.__file__).with_name("pages.npz")
STRENGTH = 60.0
"""Of the fit, as scikit-learn has it: the smaller the nearer to zero."""
_NEVER = ("describe", "refuse", "list", "who", "define", "rank")
"""Operations of labelled questions that may want a page; those of all others want none."""
_COUNT = 0.5
"""What each of them counts."""
THRESHOLDS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9)


def main() -> None:
    """Fit, print, and write where that is wanted."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    given = arguments.parse_args()
    written = lines(DATA / "pages.jsonl")
    known, held = ([row for row in written if row["split"] == split] for split in ("training", "development"))
    encoder = SharedEncoder()
    labelled_rows = [row for row in labelled() if row["target"] and (row["operation"] not in _NEVER or _lists_figure(row))]
    others = [*_words(labelled_rows), *_of_paragraphs(encoder, "training")]
    vectors = encoder.vectors([*_words(known), *others])
    labels = [*(row["page"] for row in known), *([NONE] * len(others))]
    model = LogisticRegression(C=STRENGTH, max_iter=3_000)
    model.fit(vectors, labels, sample_weight=[*([1.0] * len(known)), *([_COUNT] * len(others))])
    report(model, held, _of_paragraphs(encoder, "development"), encoder)
    if given.write:
        weight, bias = model.coef_.astype(np.float16), model.intercept_.astype(np.float16)
        np.savez_compressed(TARGET, labels=np.array(model.classes_), weight=weight, bias=bias, encoder=np.array(encoder.name))


def _lists_figure(row: Mapping[str, Any]) -> bool:
    """Whether a figure is to be listed by its parts: "operating income by segment"."""
    return row["operation"] == "list" and any(metric_of(target, vocabulary()) is not None for target in row["target"])


def _of_paragraphs(encoder: SharedEncoder, split: str) -> list[str]:
    """The questions, or last turns, that paragraphs of filings answer, without companies and periods as the reader sees them."""
    reader = FrameReader(encoder)
    rows = (row for row in lines(DATA / "passages.jsonl") if row["split"] == split)
    return [reader.read((row.get("turns") or [row["question"]])[-1]).own_matter.lower() for row in rows]


def _words(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Each question without its companies and periods, in lower case."""
    named = (
        (row["question"], [*(row.get("companies") or row.get("company") or ()), *(row.get("periods") or row.get("period") or ())])
        for row in rows
    )
    return [without(question, some).lower() for question, some in named]


def report(
    model: LogisticRegression, held: Sequence[Mapping[str, Any]], of_paragraphs: Sequence[str], encoder: SharedEncoder
) -> None:
    """Print what is read of questions by another author, and of those that a paragraph answers."""
    chances = model.predict_proba(encoder.vectors(_words(held)))
    of_none = list(model.classes_).index(NONE)
    chances[:, of_none] = 0.0
    best, sure = model.classes_[chances.argmax(axis=1)], chances.max(axis=1)
    wanted = np.array([row["page"] for row in held])
    beside = model.predict_proba(encoder.vectors(of_paragraphs))
    beside[:, of_none] = 0.0
    print(f"{len(held)} questions, of a page {(wanted != NONE).sum()}; {len(of_paragraphs)} that a paragraph answers")
    for at in THRESHOLDS:
        told = sure >= at
        right, none = (told & (best == wanted)).sum(), (told & (wanted == NONE)).sum()
        taken = (beside.max(axis=1) >= at).sum()
        print(f"  from {at:.1f} {told.sum()} read, {right} right, {none} of none; of those of paragraphs {taken}")


if __name__ == "__main__":
    main()
