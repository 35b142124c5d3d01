"""A figure whose barest name may mean another as well ("dividend") with that other figure behind it."""

from __future__ import annotations

from dataclasses import replace

from fin_tui.engine.figures.answer import FigureAnswer, Source, answer_figures
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.engine.questions.wanted import Item, Part, Reading
from fin_tui.facts.expression import Name
from fin_tui.facts.words import stems


def with_other(answer: FigureAnswer, understood: Understanding, source: Source) -> FigureAnswer:
    """``answer`` with the figure that its metric may mean as well, where the question names it by one word and that is found for
    the same company and year; its value stays that of ``answer``.
    """
    figure, frame = answer.single, understood.frame
    metric = source.names.get(figure.metric) if figure is not None and figure.metric else None
    other = source.names.get(metric.beside) if metric is not None and metric.beside else None
    asked = {stem for span in (frame.whole.targets if frame is not None else ()) for stem in stems(span.text)}
    if other is None or len(asked) != 1 or len(understood.subjects) != 1 or len(understood.subjects[0].years) != 1:
        return answer
    reading = Reading((Part(Name(other.id), other.names[0], other.unit),), {other.id: Item(other)})
    found = answer_figures(reading, understood.subjects, source)
    if not isinstance(found, FigureAnswer) or found.single is None:
        return answer
    before = len(answer.passages)
    passages = (replace(one, citation=replace(one.citation, id=one.citation.id + before)) for one in found.passages)
    told = (replace(one, citations=tuple(number + before for number in one.citations)) for one in found.sentences)
    return replace(answer, sentences=(*answer.sentences, *told), passages=(*answer.passages, *passages))
