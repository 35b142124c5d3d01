"""The change of a figure that a question for its reason is about, and the figure that denies what it takes for granted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from fin_tui.engine.figures.answer import FigureAnswer, NoFigures
from fin_tui.engine.figures.as_text import possessive
from fin_tui.engine.figures.operands import metric_of
from fin_tui.engine.frame.reader import Frame
from fin_tui.engine.questions.subquestions import Halves, halves_of
from fin_tui.engine.questions.understanding import Request, Understanding, half_of
from fin_tui.engine.questions.wanted import CHANGES, DOWN, LESS
from fin_tui.facts import vocabulary
from fin_tui.language import runs_of

_LOSSES = frozenset(("loss", "losses"))
_NEITHER = frozenset("change changes changed changing move moves moved moving shift shifted".split())
"""Say neither that a figure rose nor that it fell."""


@dataclass(frozen=True, slots=True)
class Change:
    """How the figure moved whose reason is asked for."""

    figure: str
    """Its words, with the company that it is of."""
    first: int
    last: int
    answer: FigureAnswer


def in_full(
    understood: Understanding,
    understand: Callable[[Request], Understanding],
    look_up: Callable[[Understanding], FigureAnswer | NoFigures | None],
) -> Understanding | None:
    """The question that names figure, direction and years, where ``understood`` only asks for the reason of a figure, or behind
    it, and that figure's change can be looked up; else None.
    """
    halves = with_reason(understood)
    asked = half_of(understood, f"{halves.second}?", understand, halves.first) if halves else understood
    change = change_asked(asked, understand, look_up)
    if change is None:
        return None
    moved = "increase" if (change.answer.value or 0) > 0 else "decrease"
    text = f"Why did {change.figure} {moved} in {change.last} compared with {change.first}?"
    whole = understand(replace(understood.request, history=(), question=text))
    return replace(whole, said=understood.said, shape=understood.shape)


def with_reason(understood: Understanding) -> Halves | None:
    """The halves of a question for a figure that goes on to ask for its reason."""
    frame = understood.frame
    return halves_of(understood.request.question) if frame is not None and not frame.is_figure else None


def change_asked(
    understood: Understanding,
    understand: Callable[[Request], Understanding],
    look_up: Callable[[Understanding], FigureAnswer | NoFigures | None],
) -> Change | None:
    """The change that ``understood`` asks the reason of; None where it names more than that, or no change is known."""
    figure = _figure(understood)
    years = _years(understood) if figure else None
    if years is None:
        return None
    first, last = years
    by_itself = replace(understood.request, history=(), question=f"How much did {figure} change from {first} to {last}?")
    found = look_up(understand(by_itself))
    return Change(figure, first, last, found) if isinstance(found, FigureAnswer) and found.value else None


def denial(
    understood: Understanding,
    understand: Callable[[Request], Understanding],
    look_up: Callable[[Understanding], FigureAnswer | NoFigures | None],
) -> FigureAnswer | None:
    """The figure that a question for its reason is wrong about: a profit that is called a loss, one that fell and is said to have
    risen, or the other way round; None where the question is right, or names more than one figure of the vocabulary.
    """
    frame, periods = understood.frame, understood.question.periods
    if frame is None or frame.operation != "why" or len(frame.targets) != 1 or frame.parts or frame.left_over:
        return None
    target, years = " ".join(CHANGES.sub(" ", frame.targets[0].text).split()), _years(understood)  # "Its revenue increase".
    metric, company = metric_of(target, vocabulary()), _one_company(understood)
    if metric is None or not company or years is None or periods.quarter or periods.dates:
        return None
    first, last = years
    name, said = f"{possessive(company)} {target}", set(runs_of(understood.question.text.lower()))
    bare = replace(understood.request, history=())
    if _LOSSES & set(runs_of(target.lower())) and not _LOSSES & set(runs_of(metric.names[0])):
        level = look_up(understand(replace(bare, question=f"What was {name} in {last}?")))
        return level if isinstance(level, FigureAnswer) and (level.value or 0) > 0 else None
    is_down = bool(DOWN.search(understood.question.text) or LESS & said)
    if not is_down and (_NEITHER & said or not CHANGES.search(understood.question.text)):
        return None
    change = look_up(understand(replace(bare, question=f"How much did {name} change from {first} to {last}?")))
    is_denied = isinstance(change, FigureAnswer) and bool(change.value) and ((change.value or 0) > 0) == is_down
    return replace(change, asks_reason=True) if isinstance(change, FigureAnswer) and is_denied else None


def _one_company(understood: Understanding) -> str:
    """The one company whose filings are looked in; "" for several."""
    companies = {filing.company_key: filing.company for filing in understood.target.filings}
    return next(iter(companies.values())) if len(companies) == 1 else ""


def _figure(understood: Understanding) -> str:
    """The words for the figure whose reason a follow-up asks for, with the one company that it is of; "" where no such figure was
    asked for before or is named, or the question names something else of its own.
    """
    frame = understood.frame
    if frame is None or frame.behind is None or frame.periods or frame.parts:
        return ""
    before = frame.behind.whole
    if _may_be_part(frame.behind):
        return ""
    of_other = bool(frame.companies) and frame.carried is not None and frame.carried.whole.operation == "why"
    if frame.operation != "why" and not of_other:
        return ""
    if frame.companies and (not of_other or frame.targets or frame.left_over):
        return ""
    asks_of = understood.question.text if frame.targets else frame.carried.question if of_other and frame.carried else ""
    if not frame.targets and before.is_figure:
        words = (*before.parts, *before.targets)
    else:  # "Why did net income fall?" names a figure itself, and "what about Globex?" goes on from that.
        words = () if (before.parts and not frame.targets) or not CHANGES.search(asks_of) else frame.targets or before.targets
        words = words if all(metric_of(span.text, vocabulary()) is not None for span in words) else ()
    company = _one_company(understood)
    if not company or not words:
        return ""
    return " ".join((possessive(company), *(span.text for span in words)))


def _may_be_part(turn: Frame) -> bool:
    """Whether the words of a follow-up to the question for a part name no figure of the vocabulary, so that they may be another
    part: the figure of both would be one of neither.
    """
    before = turn.carried.whole if turn.carried is not None else None
    is_bare = before is not None and bool(before.parts and turn.targets) and not turn.parts
    return is_bare and any(metric_of(span.text, vocabulary()) is None for span in turn.targets)


def _years(understood: Understanding) -> tuple[int, int] | None:
    """Between which years the figure changed: those asked about; of one, or the newest, from the year before it."""
    named = understood.question.periods.years
    held = [filing.fiscal_year for filing in understood.target.filings if filing.fiscal_year]
    last = max(named) if named else max(held, default=0)
    first = min(named) if len(set(named)) > 1 else last - 1
    return (first, last) if last else None
