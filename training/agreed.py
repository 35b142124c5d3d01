"""Fits what tells whether a sentence holds the figure asked for, where no figure is sure, by how well its paragraph answers.

    FIN_TUI_HOME=DIR FIN_TUI_CORPUS=DIR python -m training.agreed [--every N]

The questions and turns are those written for figures of filings that the cross-encoder was not trained on. Prints, by
cross-validation over filings, what each threshold of probability would tell rightly and wrongly, by the ranking alone and with
the paragraph's logit, and the weights of all. They stand in ``fin_tui.engine.answering.agreed``.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from fin_tui.config import load_settings
from fin_tui.engine.answering.agreed import logit_of, odds_of
from fin_tui.engine.questions.understanding import Request
from fin_tui.engine.services import Services, open_services
from fin_tui.paths import find_home
from training.fit_ranker import by_people, is_asked_of, known_figures
from training.fit_readings import is_same
from training.train import DATA, lines

THRESHOLDS = (0.7, 0.75, 0.8, 0.85, 0.9)
_FOLDS = 8
_LEAST = 0.1
"""Shares below it are not learned from: nothing that the paragraph says makes such a sentence sure."""


@dataclass(frozen=True, slots=True)
class Told:
    """The likeliest sentence of a question that no figure is sure of."""

    filing: str
    odds: float
    """The logarithm of the odds that the ranking gives it."""
    logit: float
    is_right: bool
    """Whether one of its numbers that may be meant is the one asked for."""


def main() -> None:
    """Ask, fit, print."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--every", type=int, default=1, help="ask every n-th question")
    given = arguments.parse_args()
    dialogues = [{**row, "accept": []} for row in lines(DATA / "dialogues.jsonl") if row["split"] == "development"]
    turns = [row for row in by_people() if len(row["turns"]) > 1]
    asked = [*known_figures(Path(os.environ["FIN_TUI_CORPUS"])), *dialogues, *turns][:: given.every]
    paths = find_home(Path(os.environ["FIN_TUI_HOME"]))
    with open_services(paths, load_settings(paths.settings), with_model=False) as services:
        told = [one for row in asked if (one := told_of(row, services)) is not None]
    print(f"{len(asked)} questions; unsure, with a sentence {len(told)}, right {sum(one.is_right for one in told)}")
    report("by the ranking", told, [(one.odds,) for one in told])
    report("with the paragraph", told, [(one.odds, one.logit) for one in told])


def told_of(row: Mapping[str, Any], services: Services) -> Told | None:
    """The likeliest sentence for a question; None where a figure is sure, or one of another place is likelier."""
    engine = services.engine
    *earlier, question = row.get("turns") or [row["question"]]
    understood = engine.understand(Request(question, use_model=False, history=tuple(earlier)))
    if not is_asked_of(understood, row):
        return None
    _, unsure = engine.looked_up(understood)
    said = unsure.said if unsure is not None else None
    if said is None or said.share < _LEAST:
        return None
    evidence = engine.drafting.evidence(understood, engine.retrieve(understood))
    is_right = any(is_same(value, row) for value in said.values)
    return Told(said.place[0], odds_of(said.share), logit_of(said.place, evidence), is_right)


def report(name: str, told: Sequence[Told], features: Sequence[tuple[float, ...]]) -> None:
    """Print what would be told from each threshold on, and the weights of all."""
    known, right = np.array(features), np.array([one.is_right for one in told])
    sure: NDArray[np.float64] = np.zeros(len(told))
    for inside, aside in GroupKFold(_FOLDS).split(known, groups=[one.filing for one in told]):
        sure[aside] = LogisticRegression().fit(known[inside], right[inside]).predict_proba(known[aside])[:, 1]
    print(name)
    for threshold in THRESHOLDS:
        print(f"  from {threshold}: right {right[sure >= threshold].sum()}, wrong {(~right)[sure >= threshold].sum()}")
    model = LogisticRegression().fit(known, right)
    print("  weights", np.round(model.coef_[0], 3), "constant", np.round(model.intercept_, 3))


if __name__ == "__main__":
    main()
