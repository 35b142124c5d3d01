"""Collects the figures that the engine is not sure of, by which a model's second look at them is measured, and prints its worth.

    FIN_TUI_HOME=DIR FIN_TUI_CORPUS=DIR python -m training.second_look [--write] [--model FILE.gguf]

The questions are the calculations and figures written blind over filings that the cross-encoder was not trained on. What is
written ships with the program: its figures have other digits, so that no value of a question set does. Prints for several
thresholds what is told rightly and wrongly by the ranker alone, by the model alone, and by both, cross-validated over filings.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from fin_tui import evaluation
from fin_tui.config import load_settings
from fin_tui.engine.answering.closer import LEAST
from fin_tui.engine.models.client import LlamaClient
from fin_tui.engine.questions.understanding import Request
from fin_tui.engine.services import Services, open_services
from fin_tui.evaluation.trial import UnsureFigure, fitted, read_all, told_figures, worth
from fin_tui.paths import find_home
from training.fit_readings import is_same
from training.train import DATA, lines

TARGET = Path(evaluation.__file__).with_name("readings.jsonl")
THRESHOLDS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)
_DIGITS = 4


def main() -> None:
    """Collect, write where that is wanted, and measure a model where one is given."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--model", type=Path)
    given = arguments.parse_args()
    paths = find_home(Path(os.environ["FIN_TUI_HOME"]))
    settings = load_settings(paths.settings)
    if given.write:
        with open_services(paths, settings, with_model=False) as services:
            told = [one for row in questions(Path(os.environ["FIN_TUI_CORPUS"])) if (one := unsure_of(row, services)) is not None]
        TARGET.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in told))
    told = told_figures()
    print(f"{len(told)} figures that the engine is not sure of, right {sum(one.is_right for one in told)}")
    if given.model is not None:
        client = LlamaClient(given.model, settings.model, paths)
        try:
            client.child()
            began = time.perf_counter()
            said = read_all(client, told)
            print(f"{(time.perf_counter() - began) / len(told):.2f} s a figure")
        finally:
            client.close()
        report(told, said)
        for one, odds in sorted(zip(told, said, strict=True), key=lambda pair: -pair[1]):
            print(f"{odds:6.2f} {one.share:.2f} {'right' if one.is_right else 'wrong'} {one.question} => {one.told}")


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


def unsure_of(row: Mapping[str, Any], services: Services) -> UnsureFigure | None:
    """The likeliest figure for a question; None where the engine is sure of one, or finds none."""
    engine = services.engine
    _, unsure = engine.looked_up(engine.understand(Request(row["question"], use_model=False)))
    if unsure is None or unsure.share < LEAST or unsure.answer.value is None:
        return None
    group = next((one.id for one in services.library.filings() if one.file == row["filing"]), str(row["filing"]))
    is_right = is_same(unsure.answer.value, row)
    return UnsureFigure(
        row["question"], with_other_digits(unsure.told), round(unsure.share, _DIGITS), unsure.is_computed, is_right, group
    )


def with_other_digits(told: str) -> str:
    """``told`` with other figures of the same size and look: its value, and what a filing's sentence prints in brackets."""
    before, joint, value = told.rpartition(" = ")
    head, *marked = before.split("[ ")
    for at, part in enumerate(marked):
        figure, end, after = part.partition(" ]")
        marked[at] = f"{_other(figure)}{end}{after}"
    return "[ ".join((head, *marked)) + joint + _other(value)


def _other(figure: str) -> str:
    places = [at for at, one in enumerate(figure) if one.isdecimal()]
    changed = {at: str((7 * int(figure[at]) + 3) % 10) for at in places[1:]}
    return "".join(changed.get(at, one) for at, one in enumerate(figure))


def report(told: Sequence[UnsureFigure], said: Sequence[float]) -> None:
    """Print what stands, and the weights of both together."""
    even = statistics.fmean(one.share for one in told)
    ways = {
        "by the ranker": (told, [0.0] * len(told)),
        "by the model": ([replace(one, share=even) for one in told], said),
        "by both": (told, said),
    }
    for name, (figures, odds) in ways.items():
        found = [(sure, worth(figures, odds, sure)) for sure in THRESHOLDS]
        print(f"{name}: " + ", ".join(f"from {sure}: {one.right} right {one.wrong} wrong" for sure, one in found))
    print(fitted(told, said))


if __name__ == "__main__":
    main()
