"""Figures and passages of one answer, numbered together (pure)."""

from __future__ import annotations

from dataclasses import replace

from fin_tui.engine.evidence import Evidence, Focus
from fin_tui.engine.extract import shorten
from fin_tui.engine.figures import FigureAnswer
from fin_tui.engine.numbers import find_numbers
from fin_tui.filings.sentences import split_sentences
from fin_tui.records import Sentence

_BEARS = 0.5
"""A sentence of prose with less of the question's words adds nothing to a figure."""


def combine(figures: FigureAnswer, evidence: Evidence) -> tuple[tuple[Sentence, ...], Evidence]:
    """The figures' sentences, then the one sentence of prose that says most about them; passages of the figures first."""
    offset = len(figures.passages)
    seen = {(p.citation.filing, p.start): p.citation.id for p in figures.passages}
    moved = tuple(replace(p, citation=replace(p.citation, id=p.citation.id + offset)) for p in evidence.passages)
    focuses = tuple(replace(focus, passage=focus.passage + offset) for focus in evidence.focuses)
    told = list(figures.sentences)
    context = _context(evidence, figures)
    if context is not None:
        passage = evidence.passages[context.passage]
        number = seen.get((passage.citation.filing, passage.start), context.passage + 1 + offset)
        told.append(Sentence(shorten(context.text), (number,), "grounded"))
    own = tuple(
        Focus(index, p.citation.quote, p.citation.start, p.citation.end, 1.0, 2.0 - index / 100)
        for index, p in enumerate(figures.passages)
    )
    return tuple(told), Evidence((*figures.passages, *moved), (*own, *focuses), max(1.0, evidence.coverage))


def _context(evidence: Evidence, figures: FigureAnswer) -> Focus | None:
    filings = {passage.citation.filing for passage in figures.passages}
    for focus in evidence.focuses[:12]:
        passage = evidence.passages[focus.passage]
        is_prose = passage.kind == "prose" and len(split_sentences(focus.text)) == 1
        own = not filings or passage.citation.filing in filings
        if is_prose and own and focus.coverage >= _BEARS and any(not n.is_year for n in find_numbers(focus.text)):
            return focus
    return None
