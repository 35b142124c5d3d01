"""What a question wants decided over figures: yes or no, which is the largest, which one of the best paragraphs is the closest.

"Was it profitable?" -> "Yes: …" with the figure behind it; "the largest liability" -> that line with those next to it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from fin_tui.engine.evidence.evidence import Evidence
from fin_tui.engine.figures.answer import FigureAnswer, NoFigures, Source, answer_figures
from fin_tui.engine.figures.as_json import fact_json, number
from fin_tui.engine.figures.as_text import period_of, show_figure
from fin_tui.engine.figures.detail import Places
from fin_tui.engine.figures.framed import answer_frame
from fin_tui.engine.figures.linked_book import Linked
from fin_tui.engine.questions.instructions import Instructions
from fin_tui.engine.questions.kinds import Condition, Test, read_condition, read_rank
from fin_tui.engine.questions.target import subjects
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.engine.questions.wanted import Item, Part, Reading
from fin_tui.facts.expression import Name
from fin_tui.facts.figures import Figure
from fin_tui.facts.ranking import Ranking
from fin_tui.records import Chunk, Sentence


def decide(understood: Understanding, source: Source) -> FigureAnswer | None:
    """The figure that decides, the verdict before it; None when no figure does, or the one that would is not stated."""
    condition = read_condition(understood.question, source.names)
    if condition is None:
        return None
    reading = _deciding(condition)
    request = understood.request
    whose = subjects(understood.question, reading, understood.target, request.scope, understood.held)
    if len(whose) != 1 or (len(whose[0].years) != 1 and reading.over == "point"):
        return None
    answer = answer_figures(reading, whose, source)
    if not isinstance(answer, FigureAnswer) or answer.value is None or reading.over != "point":
        return answer if isinstance(answer, FigureAnswer) and answer.value is not None else None
    yes = _holds(Decimal(str(answer.value)), condition.test, condition.limit)
    what = f"{condition.metric.names[0]} of {whose[0].company} {_relation(answer, condition)}"
    told = f"{'Yes' if yes else 'No'}: {what}."
    cited = answer.sentences[0].citations if answer.sentences else ()
    return replace(answer, sentences=(Sentence(told, cited, "computed"), *answer.sentences))


def _deciding(condition: Condition) -> Reading:
    metric = condition.metric
    items = {metric.id: Item(metric)}
    part = Part(Name(metric.id), metric.names[0], metric.unit)
    if condition.test in ("rose", "fell"):
        down = condition.test == "fell"
        return Reading((part,), items, "change", yes_no=True, down=down, instructions=Instructions(""))
    return Reading((part,), items, instructions=Instructions(""))


def _holds(value: Decimal, test: Test, limit: Decimal) -> bool:
    match test:
        case "above":
            return value > limit
        case "below":
            return value < limit
        case "at least":
            return value >= limit
        case _:
            return value <= limit


def _relation(answer: FigureAnswer, condition: Condition) -> str:
    """ "was above $100 billion", "was negative" where the limit is zero, "amounted to …" where having is asked about."""
    value, limit = answer.value or 0.0, float(condition.limit)
    if condition.is_having:
        return f"amounted to {answer.display}"
    if not limit:
        return f"was {'positive' if value > 0 else 'negative' if value < 0 else 'zero'}"
    return f"was {'above' if value > limit else 'below' if value < limit else 'exactly'} {condition.said}"


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
    return _of_rank(asked, whose[0].company, figures, source) if figures else None


def _of_rank(asked: Ranking, company: str, figures: Sequence[Figure], source: Source) -> FigureAnswer:
    places = Places(source.chunks)
    shown = figures[: _MOST_TOLD + 1]
    cited = [places.number(figure.fact, figure.filing) for figure in shown]
    first = shown[0]
    what = _ranked_name(asked)
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


def _ranked_name(asked: Ranking) -> str:
    """ "largest current liability", "segment with the lowest revenue"."""
    if asked.metric is not None:
        return f"{asked.kind} with the {'lowest' if asked.lowest else 'highest'} {asked.metric.names[0]}"
    narrowed = {"noncurrent": "non-current "}.get(asked.narrowed, f"{asked.narrowed} " if asked.narrowed else "")
    return f"{'smallest' if asked.lowest else 'largest'} {narrowed}{asked.kind}"


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
