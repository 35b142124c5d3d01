"""The figure that stands in the paragraphs found for a question, where no figure of the filings is surely the one asked for."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from fin_tui.engine.evidence.evidence import Evidence
from fin_tui.engine.figures.answer import FigureAnswer, NoFigures, Source
from fin_tui.engine.figures.framed import answer_frame
from fin_tui.engine.figures.linked_book import Linked
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.records import Chunk

_PARAGRAPHS = 2
"""The best paragraphs of the evidence that are looked through."""


def closest_in(evidence: Evidence, understood: Understanding, source: Source, linked: Linked) -> FigureAnswer | None:
    """The likeliest figure of the best paragraphs, to be told as the closest; None where none there is likely."""
    frame = understood.frame
    if frame is None or not frame.is_figure:
        return None
    spans: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    chunks: defaultdict[str, dict[str, Chunk]] = defaultdict(dict)
    for one in evidence.paragraphs[:_PARAGRAPHS]:
        spans[one.near.filing.id] += [(piece.start, piece.end) for piece in one.near.paragraph.pieces]
        chunks[one.near.filing.id].update((chunk.id, chunk) for chunk in one.near.chunks)
    if not spans:
        return None
    there = replace(linked, within=spans, passages=lambda words, filing: tuple(chunks[filing.id].values()))
    found = answer_frame(frame, understood, source, there)
    return found.likely if isinstance(found, NoFigures) else found
