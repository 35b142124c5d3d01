"""Fits what tells how likely a reading of a question, filled with figures, is what was asked: calculations and single figures.

    FIN_TUI_HOME=DIR FIN_TUI_CORPUS=DIR python -m training.fit_readings [--write]

The questions are the calculations, turns of dialogues and single figures that were written blind over filings of the training and
development parts, those of people and of their walks through filings, and everyday figures in wordings of their metrics.
Prints, by cross-validation over filings, what each threshold of probability would answer rightly and wrongly, of questions that
the ranker's cross-encoder was not trained on.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from fin_tui.config import load_settings
from fin_tui.engine.figures import framed
from fin_tui.engine.figures.framed import filled, readings_for
from fin_tui.engine.figures.weighed import FEATURES, chances
from fin_tui.engine.questions.understanding import Request
from fin_tui.engine.services import Services, open_services
from fin_tui.paths import find_home
from training.asked import read_expression
from training.fit_ranker import FOLDS, by_people, is_asked_of, known_figures
from training.headlines import headlines
from training.train import DATA, files_by_part, lines

TARGET = Path(framed.__file__).with_name("readings.json")
SAME = 0.006
STRENGTH, OF_HELD = 0.001, 0.003
"""Of the pull towards zero, and towards weights that were fitted before on other questions: of 3,682 those of before told 1,401
rightly and 131 wrongly, fitted anew towards zero 1,443 and 129, towards those before 1,464 and 134, by cross-validation.
"""
HEADLINES, SEED = 400, 3
"""Questions for everyday figures in other words."""
_FARTHEST = 8.0
"""How far from zero a weight is looked for."""
_OF_TURNS = 8
"""Of the turns of dialogues every so manyth is asked: they are more than all other questions."""
_FEW = 200
"""Questions of an operation that are all asked, however few of the others are."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The filled readings of one question, and which of them give the right value."""

    question: str
    group: str
    is_calculation: bool
    is_trained_on: bool
    """By the cross-encoder."""
    features: NDArray[np.float64]
    values: NDArray[np.float64]
    slacks: NDArray[np.float64]
    right: NDArray[np.bool_]
    computed: NDArray[np.bool_]
    told: NDArray[np.bool_]
    """Those of one figure that stands in a sentence."""


def main() -> None:
    """Ask, fit, print, and write where that is wanted."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument(
        "--only", choices=FEATURES, nargs="+", help="fit their weights alone; the others stay as the package has them"
    )
    arguments.add_argument("--every", type=int, default=1, help="ask every n-th of the questions of each kind of calculation")
    given = arguments.parse_args()
    if given.write and given.every > 1 and given.only is None:
        arguments.error("All weights are fitted on all questions: --every goes with --only.")
    written = [
        *lines(DATA / "calculations.jsonl"),
        *lines(DATA / "follow_ups.jsonl"),
        *lines(DATA / "dialogues.jsonl")[::_OF_TURNS],
    ]
    calculations: list[Mapping[str, Any]] = [
        {**row, "accept": [], "file": row["filing"], "calculation": row["expression"] != "a"} for row in written
    ]
    calculations = sampled(
        [*calculations, *(row for row in by_people() if row["calculation"] or len(row["turns"]) > 1)], given.every
    )
    calculations += walked()[:: given.every]
    corpus = Path(os.environ["FIN_TUI_CORPUS"])
    single = known_figures(corpus)[:: given.every]
    paths = find_home(Path(os.environ["FIN_TUI_HOME"]))
    with open_services(paths, load_settings(paths.settings), with_model=False) as services:
        single += headlines(services, files_by_part(corpus)["training"], "training", HEADLINES, SEED)
        asked = [one for row in (*calculations, *single) if (one := readings_of_question(row, services)) is not None]
        print(f"{len(calculations)} calculations, {len(single)} single figures; with a reading {len(asked)}")
        held = json.loads(TARGET.read_text(encoding="utf-8"))
        before = np.array([held["weights"].get(name, 0.0) for name in FEATURES])
        report(asked, before)
    if given.write:
        weights = fitted(asked, before) if given.only is None else fitted_alone(asked, held["weights"], given.only)
        asked_in_all = len(asked) if given.only is None else held["questions"]
        card = {"questions": asked_in_all, "weights": dict(zip(FEATURES, map(float, weights), strict=True))}
        TARGET.write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def walked() -> list[dict[str, Any]]:
    """Turns of people who worked through filings with the program for an hour, with the figure that a careful reader finds."""
    return [{**row, "accept": [], "file": row["filing"], "author": "walk"} for row in lines(DATA / "walks.jsonl")]


def sampled(rows: Sequence[Mapping[str, Any]], every: int) -> list[Mapping[str, Any]]:
    """Every n-th row of each operation, and all of those with fewer than ``_FEW``."""
    of: dict[str | None, list[Mapping[str, Any]]] = {}
    for row in rows:
        of.setdefault(read_expression(row["expression"], row["unit"])[0] if row["calculation"] else "lookup", []).append(row)
    return [row for some in of.values() for row in (some if len(some) < _FEW else some[::every])]


def readings_of_question(row: Mapping[str, Any], services: Services) -> Asked | None:
    """What the engine makes of a question; None where nothing can be filled."""
    engine = services.engine
    *earlier, question = row.get("turns") or [row["question"]]
    understood = engine.recalled(engine.understand(Request(question, use_model=False, history=tuple(earlier))))
    if engine.linked is None or engine.figures is None or understood.frame is None or not is_asked_of(understood, row):
        return None
    found = filled(readings_for(understood.frame, understood, engine.figures), understood, engine.figures, engine.linked)
    measures = [next((cell.measure for cell in one.grid.cells if cell.measure), None) for one in found]
    if not found:
        return None
    right = [measure is not None and is_same(float(measure.value), row) for measure in measures]
    return Asked(
        question,
        str(row["file"]),
        bool(row.get("calculation")),
        row.get("split") == "training" and "author" not in row,
        np.array([one.features for one in found]),
        np.array([one.value for one in found]),
        np.array([one.slack for one in found]),
        np.array(right),
        np.array([one.made.is_computed for one in found]),
        np.array([one.is_told for one in found]),
    )


def is_same(value: float, row: Mapping[str, Any]) -> bool:
    """Whether a value is the one asked for; a share may be told as .142 or 14.2 %."""
    gold = (one * scale for one in (row["value"], *row["accept"]) for scale in (1.0, 100.0, 0.01))
    return any(abs(abs(value) - abs(one)) <= SAME * abs(one) + 1e-9 for one in gold)


def fitted(asked: Sequence[Asked], before: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """The weights that make the right readings likeliest, or none where none is right, question by question; not far from those
    of ``before``, where there are some.
    """
    start = np.zeros(asked[0].features.shape[1]) if before is None else before
    strength = STRENGTH if before is None else OF_HELD

    def loss_of(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        total, slope = loss(asked, weights, 0.0)
        away = weights - start
        return total + strength * float(away @ away), slope + 2 * strength * away

    weights: NDArray[np.float64] = minimize(loss_of, start, jac=True, method="L-BFGS-B").x
    return weights


def fitted_alone(asked: Sequence[Asked], held: Mapping[str, float], only: Collection[str]) -> NDArray[np.float64]:
    """The weights ``held``, with those of the features ``only`` that make the right readings likeliest beside them."""
    weights = np.array([held.get(name, 0.0) for name in FEATURES])
    places = [at for at, name in enumerate(FEATURES) if name in only]

    def loss_of(some: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights[places] = some
        total, slope = loss(asked, weights)
        return total, slope[places]

    bounds = [(-_FARTHEST, _FARTHEST)] * len(places)
    weights[places] = minimize(loss_of, np.zeros(len(places)), jac=True, method="L-BFGS-B", bounds=bounds).x
    return weights


def loss(asked: Sequence[Asked], weights: NDArray[np.float64], strength: float = STRENGTH) -> tuple[float, NDArray[np.float64]]:
    """How unlikely the weights make the right readings, with the pull towards zero, and its slope in each weight."""
    total, slope = 0.0, np.zeros(len(weights))
    for one in asked:
        raised = np.append(one.features @ weights, 0.0)
        shares = np.exp(raised - raised.max())
        shares /= shares.sum()
        right = np.append(one.right, not one.right.any())
        chance = max(float(shares[right].sum()), 1e-12)
        total -= np.log(chance)
        slope -= one.features.T @ (np.where(right, shares / chance, 0.0) - shares)[:-1]
    return total / len(asked) + strength * float(weights @ weights), slope / len(asked) + 2 * strength * weights


def report(asked: Sequence[Asked], before: NDArray[np.float64]) -> None:
    """Print, by kind of what is told, right and wrong from each threshold on; ``before`` may know some of them."""
    tested = [one for one in asked if not one.is_trained_on]
    groups = sorted({one.group for one in asked})
    told: list[tuple[float, bool, str]] = []
    for fold in range(FOLDS):
        inside = set(groups[fold::FOLDS])
        weights = fitted([one for one in asked if one.group not in inside], before)
        for one in tested:
            if one.group in inside:
                shares = chances(one.features, one.values, one.slacks, weights)
                best = int(shares.argmax())
                kind = "computed" if one.computed[best] else "in a sentence" if one.told[best] else "in a table"
                told.append((float(shares[best]), bool(one.right[best]), kind))
    for kind in ("computed", "in a table", "in a sentence"):
        mine = [(chance, right) for chance, right, of in told if of == kind]
        print(f"{kind}: {len(mine)} told, right {sum(right for _, right in mine)}")
        for threshold in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
            sure = [right for chance, right in mine if chance >= threshold]
            print(f"  from {threshold:.1f}: right {sum(sure)}, wrong {len(sure) - sum(sure)}")
    print("calculations with a right reading among all:", sum(bool(one.right.any()) for one in tested if one.is_calculation))


if __name__ == "__main__":
    main()
