"""Answers that rank: the largest liability of a balance sheet, the segment with the highest sales."""

from __future__ import annotations

from collections.abc import Sequence

from fin_tui.engine.figures.answer import FigureAnswer, Source
from fin_tui.engine.figures.as_json import fact_json, number
from fin_tui.engine.figures.as_text import period_of, show_figure
from fin_tui.engine.figures.places import Places
from fin_tui.engine.questions.instructions import Instructions
from fin_tui.engine.questions.kinds import read_rank
from fin_tui.engine.questions.target import subjects
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.engine.questions.wanted import Item, Part, Reading
from fin_tui.facts.expression import Name
from fin_tui.facts.figures import Figure
from fin_tui.facts.ranking import Ranking
from fin_tui.records import Sentence

_MOST_TOLD = 4
"""Lines told beside the one asked for."""


def rank(understood: Understanding, source: Source) -> FigureAnswer | None:
    """The line or part that is asked for, with those next to it; None when nothing is ranked, or it can't be."""
    asked = read_rank(understood.question, source.names)
    if asked is None:
        return None
    metric = asked.metric or source.names.get("revenue")
    if metric is None:
        return None
    reading = Reading((Part(Name(metric.id), metric.names[0]),), {metric.id: Item(metric)}, instructions=Instructions(""))
    request = understood.request
    whose = subjects(understood.question, reading, understood.target, request.scope, understood.held)
    if len(whose) != 1 or len(whose[0].years) != 1:
        return None
    figures = source.book.ranked(asked, whose[0].filings, whose[0].years[0])
    return _answer(asked, whose[0].company, figures, source) if figures else None


def _answer(asked: Ranking, company: str, figures: Sequence[Figure], source: Source) -> FigureAnswer:
    places = Places(source.chunks)
    shown = figures[: _MOST_TOLD + 1]
    cited = [places.number(figure.fact, figure.filing) for figure in shown]
    first = shown[0]
    what = _what(asked)
    told = f"{company}, {what}, {period_of(first)}: {first.label}, {show_figure(first)}."
    sentences = [Sentence(told, tuple(number for number in cited[:1] if number is not None), "grounded")]
    if rest := "; ".join(f"{figure.label} {show_figure(figure)}" for figure in shown[1:]):
        numbers = tuple(dict.fromkeys(number for number in cited[1:] if number is not None))
        sentences.append(Sentence(f"Next: {rest}.", numbers, "grounded"))
    return FigureAnswer(
        sentences=tuple(sentences),
        passages=places.passages,
        facts=tuple(fact_json(figure, place) for figure, place in zip(shown, cited, strict=True)),
        plan=(),
        value=number(first.value),
        unit=first.unit,
        display=show_figure(first),
    )


def _what(asked: Ranking) -> str:
    """ "largest current liability", "segment with the lowest revenue"."""
    if asked.metric is not None:
        return f"{asked.kind} with the {'lowest' if asked.lowest else 'highest'} {asked.metric.names[0]}"
    narrowed = {"noncurrent": "non-current "}.get(asked.narrowed, f"{asked.narrowed} " if asked.narrowed else "")
    return f"{'smallest' if asked.lowest else 'largest'} {narrowed}{asked.kind}"
