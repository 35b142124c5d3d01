"""A capable model's proposal how a figure is computed, for questions whose calculation the rules don't know.

The model writes an expression over named lines of the statements, held to a grammar; it never sees or gives a value. What it
writes is read like a definition in the question: each name must be a known metric, values come from the filings by lookup, and
the evaluator computes. A proposal that can't be read completely is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

import msgspec
from msgspec import Struct

from fin_tui.engine.figures.answer import FigureAnswer, NoFigures
from fin_tui.engine.models.protocol import Message
from fin_tui.engine.questions.instructions import Instructions
from fin_tui.engine.questions.understanding import Understanding, understand
from fin_tui.engine.questions.wanted import Names
from fin_tui.engine.questions.words import read_words
from fin_tui.errors import FinTuiError
from fin_tui.language import any_of

PLAN_TOKENS = 96
GRAMMAR = r"""
root ::= "{\"expression\": \"" sum "\", \"format\": \"" ("percent" | "number") "\"}"
sum ::= product (" " [-+] " " product){0,3}
product ::= term (" " [*/] " " term){0,3}
term ::= "(" sum ")" | "average " name | name | number
name ::= [a-z] [a-z]{0,14} (" " [a-z] [a-z]{0,14}){0,6}
number ::= [1-9] [0-9]{0,3}
"""
_SYSTEM = (
    "You say how a figure is computed from lines of a company's financial statements. Use the lines' usual names, + - * / and "
    "brackets. A balance against a flow is the average balance only if the question says so. Answer with JSON. "
    "If no calculation is asked for, the expression is none."
)
_EXAMPLES = (
    (
        "What share of Acme's revenue went to research and development in 2023?",
        '{"expression": "research and development / revenue", "format": "percent"}',
    ),
    (
        "How many times did operating income cover interest expense at Acme in 2022?",
        '{"expression": "operating income / interest expense", "format": "number"}',
    ),
    (
        "What part of Acme's operating cash flow was left after capital expenditure and dividends?",
        '{"expression": "(cash from operations - capital expenditures - dividends paid) / cash from operations", '
        '"format": "percent"}',
    ),
)
_COMPUTED = any_of(
    "ratio, share, part, portion, percentage, percent, proportion, fraction, multiple, times, cents, per, days, "
    "months, covered, coverage, cover(s), margin, return, yield, divided, relative, exceeded, exceed(s), left, "
    "remained, remain(s), each, every, net of, less, plus, together, %"
)


class Planner(Protocol):
    """A model that may plan."""

    @property
    def name(self) -> str: ...

    def fill(self, messages: Sequence[Message], grammar: str, *, max_tokens: int, cancelled: Callable[[], bool]) -> str:
        """What the model writes within ``grammar`` (GBNF). Raises ``ModelFailed``."""


class Plan(Struct, frozen=True):
    """How a figure is computed."""

    expression: str
    format: Literal["percent", "number"] = "number"

    @property
    def instructions(self) -> Instructions:
        """The plan as a question's own definition."""
        return Instructions("", definition=self.expression, percent=self.format == "percent")


def wants_plan(understood: Understanding, found: FigureAnswer | NoFigures | None, names: Names) -> bool:
    """Whether the question seems to ask for a calculation that the rules could not read: they ``found`` no figure for it,
    and that not for want of a filing, or of a choice between figures.
    """
    if isinstance(found, FigureAnswer) or (found is not None and (found.is_period or found.close)):
        return False
    narrative = read_words(understood.question, names).operation.narrative
    return not narrative and bool(_COMPUTED.search(understood.question.text))


def plan_figures(
    understood: Understanding,
    planner: Planner,
    names: Names,
    look_up: Callable[[Understanding], FigureAnswer | NoFigures | None],
    cancelled: Callable[[], bool],
) -> tuple[Understanding, FigureAnswer, str] | None:
    """The question read with the model's plan, its answer from looked-up figures, and a note that says whose plan it is.

    None when the model has no plan, or one of its names is no known metric, or a figure is not there.
    """
    plan = propose(understood.request.question, planner, cancelled)
    if plan is None:
        return None
    again = understand(understood.request, understood.held, names, plan.instructions)
    found = look_up(again)
    if not isinstance(found, FigureAnswer) or found.calculation is None:
        return None
    return again, found, f"How it is computed is a proposal of {planner.name}: {plan.expression}. The figures are looked up."


def propose(question: str, planner: Planner, cancelled: Callable[[], bool]) -> Plan | None:
    """The model's plan for ``question``; None when it has none."""
    messages = [Message("system", _SYSTEM)]
    for asked, planned in _EXAMPLES:
        messages += [Message("user", asked), Message("assistant", planned)]
    messages.append(Message("user", question))
    try:
        plan = msgspec.json.decode(planner.fill(messages, GRAMMAR, max_tokens=PLAN_TOKENS, cancelled=cancelled), type=Plan)
    except (FinTuiError, msgspec.DecodeError):
        return None
    return None if plan.expression == "none" else plan
