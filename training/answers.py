"""Fits what tells whether one of the first paragraphs answers a question in words, after they were read with the conversation.

    FIN_TUI_HOME=DIR python -m training.answers [--every N]

The questions are those of the development part, on which the reader of paragraphs was not trained, and for most of them neither
on their filing. Prints, by
cross-validation over filings, what each threshold of probability would tell rightly and wrongly, and the weights, which stand in
``fin_tui.engine.searching.find``. An unmarked paragraph may answer as well: what each threshold is worth by readers who knew the
answers and judged what was told (``judged.jsonl``) is printed behind it.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fin_tui.config import load_settings
from fin_tui.engine.questions.understanding import Request
from fin_tui.engine.searching.find import FIRST, known_to_answer
from fin_tui.engine.services import Services, open_services
from fin_tui.paths import find_home
from fin_tui.store.library import Library
from training.passages import is_at
from training.rows import accession
from training.train import DATA, lines
from training.weighing import THRESHOLDS, Weighed, fitted, report


def main() -> None:
    """Ask, fit, print."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--every", type=int, default=1, help="ask every n-th question")
    given = arguments.parse_args()
    rows = [row for row in lines(DATA / "passages.jsonl") if row["split"] == "development" and row["kind"] != "number"]
    paths = find_home(Path(os.environ["FIN_TUI_HOME"]))
    with open_services(paths, load_settings(paths.settings), with_model=False) as services, Library.open(paths) as library:
        ids = {name: filing.id for filing in library.filings() for name in (filing.id, accession(filing.file)) if name}
        answers = list(asked(services, rows[:: given.every], ids))
    report(answers)
    weights = fitted(answers)
    print([round(float(weight), 3) for weight in weights])
    for line in judged(weights):
        print(line)


def judged(weights: NDArray[np.float64]) -> Iterator[str]:
    """What would be told from each threshold on, in full and misleading, of what readers judged."""
    rows = lines(DATA / "judged.jsonl")
    chances = 1 / (1 + np.exp(-np.array([row["known"] for row in rows]) @ weights))
    for threshold in THRESHOLDS:
        told = [row for row, chance in zip(rows, chances, strict=True) if chance >= threshold]
        full, misleading = (sum(row[of] for row in told) for of in ("is_full", "misleads"))
        yield f"  judged, from {threshold}: told {len(told)} of {len(rows)}, in full {full}, misleading {misleading}"


def asked(services: Services, rows: Sequence[Mapping[str, Any]], ids: Mapping[str, str]) -> Iterator[Weighed]:
    """What is known of the first paragraphs for each question whose filing is among those found: "can they call it?" may be
    answered by another filing as well.
    """
    engine = services.engine
    for row in rows:
        *earlier, question = row.get("turns") or [row["question"]]
        understood = engine.understand(Request(question, use_model=False, history=tuple(earlier)))
        filing = ids.get(row["filing"])
        if filing is None or engine.is_refused(understood):
            continue
        _, hits, evidence = engine.drafting.search(understood, is_answered=False)
        if evidence.reread and any(one.near.filing.id == filing for one in evidence.paragraphs):
            own = [one for one in evidence.paragraphs[:FIRST] if one.near.filing.id == filing]
            known = known_to_answer(evidence, hits.similarity)
            yield Weighed(filing, known, any(is_at(one, row["right"]) for one in own))


if __name__ == "__main__":
    main()
