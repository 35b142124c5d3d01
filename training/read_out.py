"""Fits what weighs the numbers of the lines found, and the calculations over two, as answers to a question.

    FIN_TUI_HOME=DIR python -m training.read_out [--write] [--every N]

The questions are figures and calculations as people put them, of the part that nothing else was trained on, which no figure is
sure for. Prints, by cross-validation over filings, what each threshold of probability would tell rightly and wrongly.
"""

from __future__ import annotations

import argparse
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold

import fin_tui.engine.answering
from fin_tui.config import load_settings
from fin_tui.engine.answering.read_out import ReadOut
from fin_tui.engine.answering.read_out_known import FEATURES, NO_ANSWER
from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.figures.from_excerpt import Option
from fin_tui.engine.questions.understanding import Request
from fin_tui.engine.services import Services, open_services
from fin_tui.facts.figures import Figure
from fin_tui.paths import find_home
from training.fit_readings import is_same
from training.train import DATA, lines
from training.weighing import THRESHOLDS

TARGET = Path(fin_tui.engine.answering.__file__).with_name("read_out.json")
_FOLDS = 8
_STRENGTH = 1e-3
"""Of the penalty on squared weights, per question."""
_ROUNDED = 0.006
_SCALES = (1.0, 1e-3, 1e-6, 1e-9, 1e3, 1e6, 100.0, 0.01)
"""By which a number may be written otherwise than it is meant."""


@dataclass(frozen=True, slots=True)
class Read:
    """What was read out for a question, and which of the options are right."""

    filing: str
    made: ReadOut
    right: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Weights:
    """One for each of ``FEATURES``, and of ``NO_ANSWER``."""

    options: NDArray[np.float64]
    none: NDArray[np.float64]

    def of(self) -> dict[str, NDArray[np.float64]]:
        """As ``ReadOut.likeliest`` takes them."""
        return {"options": self.options, "none": self.none}


def main() -> None:
    """Ask, fit, print, and write where that is wanted."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--every", type=int, default=1, help="ask every n-th question")
    given = arguments.parse_args()
    paths = find_home(Path(os.environ["FIN_TUI_HOME"]))
    with open_services(paths, load_settings(paths.settings), with_model=False) as services:
        read = list(asked(questions()[:: given.every], services))
    report(read)
    if given.write:
        write(fitted(read), len(read))


def write(weights: Weights, questions: int) -> None:
    """Put the weights where the package reads them."""
    named = (("options", FEATURES, weights.options), ("none", NO_ANSWER, weights.none))
    card = {"questions": questions} | {part: dict(zip(names, map(float, of), strict=True)) for part, names, of in named}
    TARGET.write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def questions() -> list[dict[str, Any]]:
    """Figures and calculations by people, of the part that nothing was trained on."""
    return [{"accept": [], "numbers": [], **row} for row in lines(DATA / "turns.jsonl") if row["value"]]


def asked(rows: Iterable[Mapping[str, Any]], services: Services) -> Iterator[Read]:
    """What is read out for the questions that no figure is sure for."""
    engine = services.engine
    assert engine.reads_out is not None, "The weights of the package are missing."
    for row in rows:
        *earlier, question = row["turns"]
        understood = engine.understand(Request(question, use_model=False, history=tuple(earlier)))
        held = {filing.id for filing in understood.target.filings}
        if row["filing"] not in held or engine.is_refused(understood):
            continue
        found, unsure = engine.looked_up(understood)
        if isinstance(found, FigureAnswer):
            continue
        understood, _, evidence = engine.drafting.search(understood, is_answered=False)
        made = engine.reads_out.of(engine.recalled(understood), unsure, evidence)
        if made is not None and made.options:
            yield Read(str(row["filing"]), made, right_of(made.options, made.figures, row))


def right_of(options: Sequence[Option], figures: Sequence[Figure], row: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Which options come to the value asked for; a calculation from the numbers that its author worked with."""
    worked = [float(one) for one in (*row["numbers"], row["value"], *row["accept"])]
    used = [_is_among(float(one.value), worked) for one in figures]
    return np.array([is_same(one.value, row) and (not one.operation or all(used[at] for at in one.places)) for one in options])


def _is_among(value: float, numbers: Sequence[float]) -> bool:
    return any(math.isclose(abs(value) * by, abs(one), rel_tol=_ROUNDED) for one in numbers for by in _SCALES)


def fitted(read: Sequence[Read]) -> Weights:
    """The weights under which what is right has most of the chance; where nothing is, "no answer"."""
    size = len(FEATURES)
    weights = torch.zeros(size + len(NO_ANSWER), requires_grad=True, dtype=torch.float64)
    held = [(torch.tensor(one.made.known), torch.tensor(one.made.none), torch.tensor(one.right)) for one in read]
    optimizer = torch.optim.LBFGS([weights], max_iter=60, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        total = _STRENGTH * (weights**2).sum()
        for known, none, right in held:
            shares = torch.log_softmax(torch.cat([(none @ weights[size:])[None], known @ weights[:size]]), 0)
            total = total - (torch.logsumexp(shares[1:][right], 0) if right.any() else shares[0]) / len(held)
        total.backward()
        return total

    optimizer.step(loss)
    found = weights.detach().numpy()
    return Weights(found[:size], found[size:])


def report(read: Sequence[Read]) -> None:
    """Print, by cross-validation over filings, what would be told from each threshold on."""
    told: list[tuple[float, bool, bool]] = []
    for inside, aside in GroupKFold(_FOLDS).split(read, groups=[one.filing for one in read]):
        weights = fitted([read[at] for at in inside])
        told += judged([read[at] for at in aside], weights)
    tell(told)


def judged(read: Sequence[Read], weights: Weights) -> list[tuple[float, bool, bool]]:
    """For each the probability of the likeliest value, whether it is right, and whether it is computed."""
    found = []
    for one in read:
        best = one.made.likeliest(weights.of())
        if best is not None:
            option, chance = best
            right = (other for other, is_right in zip(one.made.options, one.right, strict=True) if is_right)
            found.append((chance, any(map(option.is_same, right)), bool(option.operation)))
    return found


def tell(told: Sequence[tuple[float, bool, bool]]) -> None:
    """Print how many would be told rightly and wrongly."""
    print(f"{len(told)} without a sure figure, of {sum(right for _, right, _ in told)} the likeliest is right")
    for threshold in THRESHOLDS:
        above = [(right, computed) for chance, right, computed in told if chance >= threshold]
        right = sum(one for one, _ in above)
        of_two = [one for one, computed in above if computed]
        print(f"  from {threshold}: right {right}, wrong {len(above) - right}; computed: {sum(of_two)} of {len(of_two)}")


if __name__ == "__main__":
    main()
