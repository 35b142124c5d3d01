"""Questions in words with the paragraphs and sentences that answer them, beside those that a search finds as well.

The questions were written blind, each with the places in the filing's clean text that answer it, and with places on the same
subject that don't. Filings of the aside part give nothing. By the questions of the development split is only chosen.

    FIN_TUI_HOME=DIR python -m training.passages    how often the paragraph that answers is read, and leads (development part)
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fin_tui.config import load_settings
from fin_tui.engine.evidence.evidence import Bearing, as_read
from fin_tui.engine.evidence.extract import single_sentences
from fin_tui.engine.questions.understanding import Request
from fin_tui.engine.services import Services, open_services
from fin_tui.errors import FinTuiError
from fin_tui.paths import find_home
from fin_tui.records import Scope
from fin_tui.store.library import Library
from training.rows import Pair, accession
from training.train import DATA, lines

_PASSAGES = 16
"""Passages in and beside which paragraphs are looked for."""
_SENTENCES_OF = 12
"""Paragraphs whose sentences are read alone."""
_LEADING = 3
_MOST = 30
"""Paragraphs, or sentences, beside the right ones."""
Places = Sequence[Sequence[int]]
"""Spans of a filing's clean text."""


def of_passages(services: Services, library: Library, questions: Sequence[Mapping[str, Any]]) -> list[Pair]:
    """Pairs of {"question" or "turns", "filing", "right", "near"}, paragraphs and sentences apart; none where the search misses.

    Of "turns" the last is answered; it is read behind the one before, as where paragraphs are read.
    """
    ids = {name: filing.id for filing in library.filings() for name in (filing.id, accession(filing.file)) if name}
    made: list[Pair] = []
    for asked in questions:
        filing = ids.get(asked["filing"])
        if filing is not None:
            made.extend(_pairs(services, asked, filing))
    return made


def _pairs(services: Services, asked: Mapping[str, Any], filing: str) -> Iterator[Pair]:
    *before, question = asked.get("turns") or [asked["question"]]
    scope = Scope(filings=(filing,))
    request = Request(question, scope, k=_PASSAGES, use_model=False, rerank=False, history=tuple(before))
    understood = services.engine.understand(request)
    understood = understood.leaning or understood
    try:
        evidence = services.engine.drafting.evidence(understood, services.engine.retrieve(understood))
    except FinTuiError:
        return
    sentences = single_sentences(evidence, _SENTENCES_OF)
    for of, source in ((evidence.paragraphs, "paragraph"), (sentences, "sentence alone")):
        right = [as_read(one.near) for one in of if is_at(one, asked["right"])]
        # What was named as no answer is read first of all that is none.
        others = sorted((one for one in of if not is_at(one, asked["right"])), key=lambda one: not is_at(one, asked["near"]))
        near = tuple(dict.fromkeys(text for one in others if (text := as_read(one.near)) not in right))
        if right and near:
            yield Pair(understood.question.nameless, tuple(dict.fromkeys(right)), near[:_MOST], source)


def is_at(one: Bearing, places: Places) -> bool:
    """Whether the paragraph holds most of one of the places, or lies in it."""
    paragraph = one.near.paragraph
    for start, end in places:
        shared = min(end, paragraph.end) - max(start, paragraph.start)
        if 2 * shared >= min(end - start, paragraph.end - paragraph.start):
            return True
    return False


def measured(services: Services, asked: Mapping[str, Any], filing: str) -> tuple[bool, bool, bool]:
    """Of a question asked of the whole library: whether a paragraph that answers is read, leads, and is among the first three."""
    *before, question = asked.get("turns") or [asked["question"]]
    understood = services.engine.understand(Request(question, use_model=False, history=tuple(before)))
    _, _, evidence = services.engine.drafting.search(understood, is_answered=False)
    right = [one.near.filing.id == filing and is_at(one, asked["right"]) for one in evidence.paragraphs]
    is_read = any(is_right and one.logit is not None for is_right, one in zip(right, evidence.paragraphs, strict=True))
    return is_read, any(right[:1]), any(right[:_LEADING])


def main() -> None:
    """Print what the questions of the development part come to."""
    paths = find_home(Path(os.environ["FIN_TUI_HOME"]))
    questions = [row for row in lines(DATA / "passages.jsonl") if row["split"] == "development" and row["right"]]
    with open_services(paths, load_settings(paths.settings), with_model=False) as services, Library.open(paths) as library:
        ids = {name: filing.id for filing in library.filings() for name in (filing.id, accession(filing.file)) if name}
        for name, is_turn in (("by themselves", False), ("follow-ups", True)):
            some = [row for row in questions if ("turns" in row) == is_turn and row["filing"] in ids]
            found = [measured(services, row, ids[row["filing"]]) for row in some]
            read, leads, first = (sum(column) for column in zip(*found, strict=True))
            print(f"{name}: {len(some)}; read {read}, leads {leads}, among the first three {first}")


if __name__ == "__main__":
    main()
