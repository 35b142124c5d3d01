"""Figures and passages of one answer, numbered together (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fin_tui.engine.events import Passage
from fin_tui.engine.evidence import Evidence, Focus
from fin_tui.engine.extract import extract, shorten
from fin_tui.engine.figures import FigureAnswer
from fin_tui.engine.numbers import find_numbers
from fin_tui.engine.structure import StructureAnswer
from fin_tui.filings.sentences import split_sentences
from fin_tui.records import Sentence

_BEARS = 0.5
"""A sentence of prose with less of the question's words adds nothing to a figure, …"""
_NEAR = 0.1
"""… nor does one whose numbers are all further away than this from it."""


def put_together(
    figures: FigureAnswer | None, outline: StructureAnswer | None, evidence: Evidence
) -> tuple[tuple[Sentence, ...], Evidence]:
    """The answer without a language model: from facts, else from a section, else from the passages found."""
    if figures is not None:
        return combine(figures, evidence)
    if outline is not None:
        return outline.sentences, _behind(outline.passages, evidence)
    return extract(evidence), evidence


def combine(figures: FigureAnswer, evidence: Evidence) -> tuple[tuple[Sentence, ...], Evidence]:
    """The figures' sentences, then the one sentence of prose that tells the same matter; passages of the figures first."""
    offset = len(figures.passages)
    seen = {(p.citation.filing, p.start): p.citation.id for p in figures.passages}
    told = list(figures.sentences)
    context = _context(evidence, figures)
    if context is not None:
        passage = evidence.passages[context.passage]
        number = seen.get((passage.citation.filing, passage.start), context.passage + 1 + offset)
        told.append(Sentence(shorten(context.text), (number,), "grounded"))
    return tuple(told), _behind(figures.passages, evidence)


def _behind(first: Sequence[Passage], evidence: Evidence) -> Evidence:
    """``evidence`` with the passages ``first`` before its own, its numbers moved up."""
    offset = len(first)
    moved = tuple(replace(p, citation=replace(p.citation, id=p.citation.id + offset)) for p in evidence.passages)
    focuses = tuple(replace(focus, passage=focus.passage + offset) for focus in evidence.focuses)
    own = tuple(
        Focus(index, p.citation.quote, p.citation.start, p.citation.end, 1.0, 2.0 - index / 100) for index, p in enumerate(first)
    )
    return Evidence((*first, *moved), (*own, *focuses), max(1.0, evidence.coverage))


def _context(evidence: Evidence, figures: FigureAnswer) -> Focus | None:
    filings = {passage.citation.filing for passage in figures.passages}
    for focus in evidence.focuses:
        passage = evidence.passages[focus.passage]
        is_prose = passage.kind == "prose" and len(split_sentences(focus.text)) == 1
        if not is_prose or (filings and passage.citation.filing not in filings) or focus.coverage < _BEARS:
            continue
        if any(_near(float(number.value), figures.value) for number in find_numbers(focus.text) if not number.is_year):
            return focus
    return None


def _near(number: float, value: float | None) -> bool:
    """About the figure: prose that measures the same matter, perhaps a little differently, says most about it."""
    return value is not None and value != 0 and abs(number / value - 1) <= _NEAR
