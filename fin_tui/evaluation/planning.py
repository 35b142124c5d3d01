"""The planning check of a model: does its expression for a figure give the value that the right one gives?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import resources

from fin_tui.engine.answering.answer import AnswerEngine, Request
from fin_tui.engine.answering.planner import Planner, propose
from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.questions.batch import Line, read_batch
from fin_tui.engine.questions.instructions import Instructions
from fin_tui.engine.questions.understanding import understand
from fin_tui.facts.metrics import vocabulary
from fin_tui.records import Filing, Scope


def questions() -> list[Line]:
    """The questions, each with its right ``definition`` among its raw keys."""
    with resources.as_file(resources.files("fin_tui.evaluation").joinpath("planning.jsonl")) as file:
        return read_batch(file)


def check_planning(engine: AnswerEngine, planner: Planner, filings: Sequence[Filing]) -> tuple[int, int, int]:
    """How many questions were asked, how many plans gave the right value, and how many a wrong one; the rest gave none."""
    scope = Scope(filings=tuple(filing.id for filing in filings))
    asked = questions()
    right = wrong = 0
    for line in asked:
        request = Request(line.question, scope=scope)
        plan = propose(line.question, planner, lambda: False)
        found = value(engine, request, filings, plan.instructions) if plan else None
        if found is None:
            continue
        if same(found, value(engine, request, filings, Instructions("", definition=line.raw["definition"]))):
            right += 1
        else:
            wrong += 1
    return len(asked), right, wrong


def value(engine: AnswerEngine, request: Request, filings: Sequence[Filing], plan: Instructions) -> float | None:
    """What ``request`` comes to when ``plan`` is its definition; None when a figure is not there."""
    found = engine.look_up(understand(request, tuple(filings), vocabulary(), plan))
    return found.value if isinstance(found, FigureAnswer) else None


def same(found: float, wanted: float | None) -> bool:
    """Equal, be it as a fraction or as a percentage."""
    return wanted is not None and any(math.isclose(found, wanted * factor, rel_tol=1e-6) for factor in (1, 100, 0.01))
