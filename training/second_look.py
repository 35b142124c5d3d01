"""Measures what a model's own calculation is worth where the engine is not sure of a figure, and fits what weighs it.

    FIN_TUI_HOME=DIR FIN_TUI_CORPUS=DIR python -m training.second_look --model FILE.gguf [--most N]

The questions are the calculations and figures written blind over filings that the cross-encoder was not trained on. Prints each,
then for several thresholds what is told rightly and wrongly by the ranker alone and with the model, cross-validated over filings,
and the weights of all. They stand in ``fin_tui.engine.answering.closer``.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fin_tui.config import load_settings
from fin_tui.engine.answering.closer import Asked, work_out
from fin_tui.engine.answering.closer import is_same as comes_to
from fin_tui.engine.models.client import LlamaClient
from fin_tui.engine.questions.understanding import Request
from fin_tui.engine.services import Services, open_services
from fin_tui.paths import find_home
from training.fit_readings import is_same
from training.train import DATA, lines

THRESHOLDS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)
_FOLDS, _PARTITIONS = 10, 5
_PULL = 0.05
_STEPS = 30


@dataclass(frozen=True)
class Told:
    """The figure that would be told for a question."""

    group: str
    """The filing: what is fitted on one is not measured by it."""
    share: float
    is_computed: bool
    is_alike: bool
    """The model came to it too."""
    is_right: bool


def main() -> None:
    """Ask, print, fit."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--model", type=Path, required=True)
    arguments.add_argument("--most", type=int, default=1_000)
    given = arguments.parse_args()
    paths = find_home(Path(os.environ["FIN_TUI_HOME"]))
    settings = load_settings(paths.settings)
    client = LlamaClient(given.model, settings.model, paths)
    asked = list(questions(Path(os.environ["FIN_TUI_CORPUS"])))
    random.Random(1).shuffle(asked)
    alone: list[Told] = []
    with_it: list[Told] = []
    try:
        client.child()
        with open_services(paths, settings, with_model=False) as services:
            for row in asked[: given.most]:
                _ask(row, services, client, alone, with_it)
    finally:
        client.close()
    report("by the ranker", alone)
    report("that the model comes to as well", [one for one in with_it if one.is_alike])


def questions(corpus: Path) -> Iterator[Mapping[str, Any]]:
    """Questions with ``value``, other accepted values (``accept``), and their ``filing``."""
    for row in lines(DATA / "calculations.jsonl"):
        if row["split"] == "development":
            yield {**row, "accept": []}
    parts = json.loads((DATA / "natural_parts.json").read_text(encoding="utf-8"))["parts"]
    ids = {*parts["training"], *parts["development"]}
    for row in lines(corpus / "qa" / "natural.jsonl"):
        if row["id"] in ids and row.get("value") is not None:
            yield {**row, "accept": row.get("accept", []), "filing": row["filing"][0]}


def _ask(row: Mapping[str, Any], services: Services, client: LlamaClient, alone: list[Told], with_it: list[Told]) -> None:
    """What is told for a question that the engine is not sure of, without the model and with it."""
    engine = services.engine
    understood = engine.understand(Request(row["question"], use_model=False))
    _, unsure = engine.looked_up(understood)
    if unsure is None:
        return
    group = next((one.id for one in services.library.filings() if one.file == row["filing"]), str(row["filing"]))
    evidence = engine.drafting.evidence(understood, engine.retrieve(understood))
    began = time.perf_counter()
    worked_out = work_out(client, Asked(row["question"]), unsure.lines, evidence, lambda: False)
    took = time.perf_counter() - began
    first = unsure.figures[0]
    alike = next((one for one in unsure.figures if worked_out is not None and comes_to(worked_out, one.value)), None)
    told = alike or first
    alone.append(Told(group, first.share, first.is_computed, False, is_same(first.value, row)))
    with_it.append(Told(group, told.share, told.is_computed, alike is not None, is_same(told.value, row)))
    by_model = "right" if worked_out is not None and comes_to(worked_out, row["value"]) else "wrong"
    agreed = f"alike {alike.share:.2f}" if alike is not None else "none alike"
    print(
        f"{'right' if with_it[-1].is_right else 'wrong'} {agreed} {took:.1f} s, model {by_model}: {row['question']}", flush=True
    )


def report(name: str, told: Sequence[Told]) -> None:
    """Print what stands from each threshold on, and the weights: log odds of the share, and a constant."""
    known = np.array([(_log_odds(one.share), 1.0) for one in told], np.float64)
    right = np.array([one.is_right for one in told], np.float64)
    chances = np.mean([_aside(told, known, right, seed) for seed in range(_PARTITIONS)], axis=0)
    print(f"{name}, {len(told)} figures, {int(right.sum())} right, {sum(one.is_alike for one in told)} alike")
    for sure in THRESHOLDS:
        print(f"  from {sure}: {int(right[chances >= sure].sum())} right, {int((1 - right)[chances >= sure].sum())} wrong")
    print(" ", np.round(fitted(known, right), 3))


def _aside(told: Sequence[Told], known: NDArray[np.float64], right: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """The probability of each by weights that were fitted on other filings."""
    groups = sorted({one.group for one in told})
    random.Random(seed).shuffle(groups)
    chances = np.zeros(len(told))
    for fold in range(_FOLDS):
        left_out = np.array([one.group in groups[fold::_FOLDS] for one in told])
        if left_out.any():
            chances[left_out] = 1 / (1 + np.exp(-known[left_out] @ fitted(known[~left_out], right[~left_out])))
    return chances


def fitted(known: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of a logistic regression, by Newton's method."""
    pull = np.array([*([_PULL] * (known.shape[1] - 1)), 0.0])
    weights = np.zeros(known.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-known @ weights))
        slope = known.T @ (right - chance) - pull * weights
        curve = (known * (chance * (1 - chance))[:, None]).T @ known + np.diag(pull + 1e-9)
        weights = weights + np.linalg.solve(curve, slope)
    return weights


def _log_odds(share: float) -> float:
    held = min(max(share, 1e-4), 1 - 1e-4)
    return float(np.log(held / (1 - held)))


if __name__ == "__main__":
    main()
