"""What a question is about beyond its words: the statements that print the figures it needs, and what their rows are called."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fin_tui.engine.questions.instructions import read_instructions
from fin_tui.engine.questions.wanted import Names, Reading
from fin_tui.facts.expression import CalculationError, parse
from fin_tui.facts.expression import names as names_in
from fin_tui.facts.figures import Metric
from fin_tui.retrieval.statements import BALANCE, CASH_FLOW, FIGURE, IN_PASSING, INCOME, MEANT, NAMED, Hint, named_in

_STATEMENTS = {
    "balance": BALANCE,
    "income": INCOME,
    "per_share": INCOME,
    "tax": INCOME,
    "cash_flow": CASH_FLOW,
}
_DEEPEST = 4
_WORDS_WANTED = re.compile(
    r"\b(?:why|causes?d?|reasons?|drivers?|drove|driven|factors?|contribut\w+|led to|affect\w*|polic(?:y|ies)|method\w*|impact\w*"
    r"|explain\w*"
    r"|describ\w+|applications?|how (?:does|do|is|are|did|has|have|was|were)|used? for|related to|associated with)\b",
    re.IGNORECASE,
)
_SURE = 0.9
"""A mention scored lower is a guess, and a guess must not move passages."""


def hint_of(text: str, names: Names, reading: Reading | None = None) -> Hint:
    """The hint for a question as it was typed, its instructions and its own definition included."""
    asked = read_instructions(text)
    mentioned = [
        mention.metric for part in (asked.text, asked.definition) for mention in names.find(part) if mention.score >= _SURE
    ]
    if reading is not None:
        mentioned += [item.metric for item in reading.items.values() if item.metric is not None]
    leaves = list({metric.id: metric for metric in _leaves(mentioned, names, 0)}.values())
    implied = [_STATEMENTS[metric.statement] for metric in leaves if metric.statement in _STATEMENTS]
    named = named_in(text)
    if reading is not None and any(item.phrase for item in reading.items.values()):
        implied = []  # A part of the company stands in a note, not in the statement.
    statements = tuple(dict.fromkeys((*named, *implied)))
    words = tuple(dict.fromkeys(word for metric in leaves for word in (*metric.names[:2], *metric.labels[:2])))
    if not statements:
        return Hint()
    if named:
        return Hint(statements, words, NAMED)
    return Hint(statements, words, IN_PASSING if wants_words(text) else MEANT if reading is None else FIGURE)


def wants_words(text: str) -> bool:
    """Whether a question wants prose although a figure's name may stand in it: a cause, a policy, a method."""
    return _WORDS_WANTED.search(text) is not None


def _leaves(metrics: Iterable[Metric], names: Names, depth: int) -> Iterable[Metric]:
    """The metrics that statements print: a derived one gives the parts of its formula."""
    for metric in metrics:
        parts = _parts(metric) if not metric.concepts and depth < _DEEPEST else ()
        if parts:
            yield from _leaves(filter(None, map(names.get, parts)), names, depth + 1)
        else:
            yield metric


def _parts(metric: Metric) -> tuple[str, ...]:
    if not metric.formula:
        return ()
    try:
        return tuple(name.name for name in names_in(parse(metric.formula)))
    except CalculationError:
        return ()
