"""Fits what tells whether the paragraph or table that leads states the figure asked for, where no figure is sure.

    FIN_TUI_HOME=DIR python -m training.leading [--write] [--every N]

The questions are figures and calculations as people put them (``turns.jsonl``), on which no reader was trained, though on other
questions over two in three of their filings. Prints, by cross-validation over filings, what each threshold of probability would
tell rightly and wrongly.
"""

from __future__ import annotations

import argparse
import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import fin_tui.engine.answering
from fin_tui.config import load_settings
from fin_tui.engine.answering import leading
from fin_tui.engine.answering.compose import Timer
from fin_tui.engine.evidence.numbers import find_numbers
from fin_tui.engine.questions.understanding import Request
from fin_tui.engine.services import Services, open_services
from fin_tui.paths import find_home
from training.fit_readings import SAME
from training.read_out import questions
from training.weighing import Weighed, fitted, report

TARGET = Path(fin_tui.engine.answering.__file__).with_name("leading.json")
_SCALES = (1.0, 1e3, 1e6, 1e9, 0.01, 100.0)
"""In which a table, and a percentage, may print a value."""


def main() -> None:
    """Ask, fit, print, and write where that is wanted."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--every", type=int, default=1, help="ask every n-th question")
    given = arguments.parse_args()
    led = asked(questions()[:: given.every])
    report(led)
    if given.write:
        card = {"questions": len(led), "weights": dict(zip(leading.FEATURES, map(float, fitted(led)), strict=True))}
        TARGET.write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def asked(rows: Sequence[Mapping[str, Any]]) -> list[Weighed]:
    """What leads for each of the questions that no figure is sure for."""
    paths = find_home(Path(os.environ["FIN_TUI_HOME"]))
    with open_services(paths, load_settings(paths.settings), with_model=False) as services:
        return [one for row in rows if (one := led_of(row, services)) is not None]


def led_of(row: Mapping[str, Any], services: Services) -> Weighed | None:
    """What leads for a question; None where a figure is sure, or nothing was found."""
    engine = services.engine
    *earlier, question = row["turns"]
    understood = engine.understand(Request(question, use_model=False, history=tuple(earlier)))
    if row["filing"] not in {one.id for one in understood.target.filings} or engine.is_refused(understood):
        return None
    made = engine.drafting.drafted(understood, Timer())
    known = engine.drafting.leads(made)
    if made.draft is None or known is None:
        return None
    text = " ".join(one.text for one in leading.leading(made.draft.sentences))
    return Weighed(str(row["filing"]), known, states(text, row))


def states(text: str, row: Mapping[str, Any]) -> bool:
    """Whether a text prints the value that is asked for, in any scale."""
    printed = [abs(float(number.value)) for number in find_numbers(text)]
    gold = [abs(float(one)) for one in (row["value"], *row["accept"]) if one]
    return any(math.isclose(one * scale, value, rel_tol=SAME) for value in gold for one in printed for scale in _SCALES)


if __name__ == "__main__":
    main()
