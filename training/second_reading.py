"""Fits what tells whether a figure that is not sure, and that a second reading comes to as well, is the right one.

    FIN_TUI_HOME=DIR python -m training.second_reading [--write] [--every N]

The questions are figures and calculations as people put them, of which the model that writes them out has seen none. Prints, by
cross-validation over filings, what each threshold of probability would tell rightly and wrongly.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import fin_tui.engine.answering
from fin_tui.config import load_settings
from fin_tui.engine.answering.second_reading import FEATURES
from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.questions.understanding import Request
from fin_tui.engine.services import Services, open_services
from fin_tui.paths import find_home
from training.fit_readings import is_same
from training.train import DATA, lines
from training.weighing import Weighed, fitted, report

TARGET = Path(fin_tui.engine.answering.__file__).with_name("second_reading.json")


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
        card = {"questions": len(read), "weights": dict(zip(FEATURES, map(float, fitted(read)), strict=True))}
        TARGET.write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def questions() -> list[dict[str, Any]]:
    """Figures and calculations by people, of the part that nothing was trained on."""
    rows = (row for name in ("people", "dialogues", "turns") for row in lines(DATA / f"{name}.jsonl"))
    return [{"accept": [], **row} for row in rows if row["split"] != "training" and row["value"]]


def asked(rows: Iterable[Mapping[str, Any]], services: Services) -> Iterator[Weighed]:
    """The figures that both readings come to, of the questions that the look-up alone is not sure for."""
    engine = services.engine
    assert engine.second is not None, "`fin-tui setup` brings the model that writes questions out."
    for row in rows:
        *earlier, question = row["turns"]
        understood = engine.understand(Request(question, use_model=False, history=tuple(earlier)))
        held = {filing.id for filing in understood.target.filings}
        if row["filing"] not in held or engine.is_refused(understood):
            continue
        found, unsure = engine.looked_up(understood)
        is_open = unsure is not None and not isinstance(found, FigureAnswer)
        borne_out = engine.second.borne_out(understood, unsure) if unsure is not None and is_open else None
        if borne_out is not None:
            yield Weighed(str(row["filing"]), borne_out.known, is_same(borne_out.figure.value, row))


if __name__ == "__main__":
    main()
