"""Questions in words with the paragraphs and sentences that answer them, beside those that a search finds as well.

The questions were written blind, each with the places in the filing's clean text that answer it, and with places on the same
subject that don't. Filings of the aside part give nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fin_tui.engine.evidence.evidence import Bearing, as_read
from fin_tui.engine.evidence.extract import single_sentences
from fin_tui.engine.questions.understanding import Request
from fin_tui.engine.services import Services
from fin_tui.errors import FinTuiError
from fin_tui.records import Scope
from fin_tui.store.library import Library
from training.rows import Pair, accession

_PASSAGES = 16
"""Passages in and beside which paragraphs are looked for."""
_SENTENCES_OF = 12
"""Paragraphs whose sentences are read alone."""
_MOST = 30
"""Paragraphs, or sentences, beside the right ones."""
Places = Sequence[Sequence[int]]
"""Spans of a filing's clean text."""


def of_passages(services: Services, library: Library, questions: Sequence[Mapping[str, Any]]) -> list[Pair]:
    """Pairs of {"question", "filing", "right", "near"}, paragraphs and sentences apart; none where the search misses."""
    ids = {name: filing.id for filing in library.filings() for name in (filing.id, accession(filing.file)) if name}
    made: list[Pair] = []
    for asked in questions:
        filing = ids.get(asked["filing"])
        if filing is not None:
            made.extend(_pairs(services, asked, filing))
    return made


def _pairs(services: Services, asked: Mapping[str, Any], filing: str) -> Iterator[Pair]:
    request = Request(asked["question"], Scope(filings=(filing,)), k=_PASSAGES, use_model=False, rerank=False)
    understood = services.engine.understand(request)
    try:
        evidence = services.engine.drafting.evidence(understood, services.engine.retrieve(understood))
    except FinTuiError:
        return
    sentences = single_sentences(evidence, _SENTENCES_OF)
    for of, source in ((evidence.paragraphs, "paragraph"), (sentences, "sentence alone")):
        right = [as_read(one.near) for one in of if _is_at(one, asked["right"])]
        # What was named as no answer is read first of all that is none.
        others = sorted((one for one in of if not _is_at(one, asked["right"])), key=lambda one: not _is_at(one, asked["near"]))
        near = tuple(dict.fromkeys(text for one in others if (text := as_read(one.near)) not in right))
        if right and near:
            yield Pair(understood.question.nameless, tuple(dict.fromkeys(right)), near[:_MOST], source)


def _is_at(one: Bearing, places: Places) -> bool:
    """Whether the paragraph holds most of one of the places, or lies in it."""
    paragraph = one.near.paragraph
    for start, end in places:
        shared = min(end, paragraph.end) - max(start, paragraph.start)
        if 2 * shared >= min(end - start, paragraph.end - paragraph.start):
            return True
    return False
