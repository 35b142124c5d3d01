"""Yes-or-no questions that a figure decides: "Was it profitable?" -> "Yes: …" with the figure behind it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from fin_tui.engine.figures.answer import FigureAnswer, Source, answer_figures
from fin_tui.engine.questions.instructions import Instructions
from fin_tui.engine.questions.kinds import Condition, Test, read_condition
from fin_tui.engine.questions.target import subjects
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.engine.questions.wanted import Item, Part, Reading
from fin_tui.facts.expression import Name
from fin_tui.records import Sentence


def decide(understood: Understanding, source: Source) -> FigureAnswer | None:
    """The figure that decides, the verdict before it; None when no figure does, or the one that would is not stated."""
    condition = read_condition(understood.question, source.names)
    if condition is None:
        return None
    reading = _reading(condition)
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


def _reading(condition: Condition) -> Reading:
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
