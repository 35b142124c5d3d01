"""A question -> the figures it asks for: metrics, segments, what to do with them. Rules only, nothing is looked up.

Every word must be accounted for: as a company, a period, a metric, an operation, or a word that says nothing. What is left over
names a part of the company (a segment, product, region) or is a matter that figures can't answer; it is never dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from fin_tui.engine.questions.bracket import bracket_definition, without_brackets
from fin_tui.engine.questions.definition import read_definition
from fin_tui.engine.questions.instructions import Instructions
from fin_tui.engine.questions.operation import Operation, Over
from fin_tui.engine.questions.parts import read_parts
from fin_tui.engine.questions.question import Question
from fin_tui.engine.questions.wanted import Item, Names, Part, Reading
from fin_tui.engine.questions.words import FIRM, Words, read_words

_CONTINUES = re.compile(r"^\W*(?:and\b|(?:and\s+)?(?:what|how)\s+about\b|same\b)", re.I)


def read_figures(question: Question, asked: Instructions, names: Names, previous: Reading | None = None) -> Reading | None:
    """The figures that ``question`` asks for, or None when it asks for words, or can't be read without a guess.

    ``previous`` is the reading of the question before it, for what this one leaves unsaid.
    """
    words = read_words(question, names)
    operation = words.operation
    if asked.definition:
        return _defined(asked, question, names, operation)
    own = bracket_definition(question.text, names.find)
    if own:
        return _defined(replace(asked, definition=own), question, names, operation, as_named=True)
    reading = _named(words, asked, names, previous)
    bare = without_brackets(question)
    if bare is not None and (reading is None or len(reading.parts) > 1):
        # What a bracket says beside the question explains it; where both can't be read, the question stands for itself.
        return _named(read_words(bare, names), asked, names, previous) or reading
    return reading


def _named(words: Words, asked: Instructions, names: Names, previous: Reading | None) -> Reading | None:
    """The reading by the figures that the question names."""
    operation = words.operation
    items: dict[str, Item] = {}
    parts = () if operation.narrative else read_parts(words, items, names, previous)
    if not parts:
        return None
    over, across = operation.over, operation.across
    if previous is not None and words.dependent and over == "point" and across == "each" and _inherits(words, previous):
        over, across = previous.over, previous.across
    if operation.yes_no and over == "point" and across != "difference":
        return None
    if over == "growth" and len(parts) > 1:
        parts = parts[:1]
    return Reading(parts, items, over, across, operation.yes_no, operation.down, words.ahead, words.ending, asked)


def _inherits(words: Words, previous: Reading) -> bool:
    return bool(_CONTINUES.match(words.text)) and previous.across == "each"


def _defined(
    asked: Instructions, question: Question, names: Names, operation: Operation, *, as_named: bool = False
) -> Reading | None:
    """The reading of a question that brings its own definition; ``as_named``: in the unit of the figure that it names."""
    read = read_definition(asked.definition, names.find, max(question.periods.years, default=None))
    if read is None:
        return None
    node, mentions = read
    items = {key: Item(mention.metric) for key, mention in mentions.items()}
    said = [mention for mention in names.find(question.text) if mention.score >= FIRM]
    label = said[0].metric.names[0] if said else "the figure as defined"
    over: Over = operation.over if operation.over in ("growth", "change", "cagr") else "point"
    unit = said[0].metric.unit if as_named and said and said[0].metric.unit in ("%", "ratio", "days") else None
    return Reading((Part(node, label, "%" if asked.percent else unit),), items, over, instructions=asked)


def with_periods_of_definition(question: Question, asked: Instructions, years: Sequence[int]) -> Question:
    """``question`` with the latest year of its definition where it names none itself."""
    if question.periods.named or not years or not asked.definition:
        return question
    return replace(question, periods=replace(question.periods, years=(max(years),)))
