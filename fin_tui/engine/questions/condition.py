""" "Was it profitable?", "Is its margin above 20 %?": the figure that decides a yes-or-no question, and how (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from fin_tui.engine.evidence.numbers import find_numbers
from fin_tui.engine.questions.operation import asks_yes_no
from fin_tui.engine.questions.periods import period_spans
from fin_tui.engine.questions.question import Question
from fin_tui.engine.questions.wanted import Names
from fin_tui.engine.questions.words import FIRM, left_over
from fin_tui.facts.figures import Mention, Metric

Test = Literal["above", "below", "at least", "at most", "rose", "fell"]

_LOSS = re.compile(r"\b(?:an?|any)\s+(?:\w+\s+)?loss(?:es)?\b|\bunprofitable\b|\blos(?:e|ing)\s+money\b", re.I)
_PROFIT = re.compile(r"\bprofitable\b|\b(?:an?|any)\s+(?:net\s+|operating\s+)?profit\b|\bpositive\b|\bmake\s+money\b", re.I)
_NEGATIVE = re.compile(r"\bnegative\b", re.I)
_LIMITS: tuple[tuple[Test, re.Pattern[str]], ...] = (
    ("at least", re.compile(r"\b(?:at\s+least|no\s+less\s+than|not\s+less\s+than)\b", re.I)),
    ("at most", re.compile(r"\b(?:at\s+most|no\s+more\s+than|not\s+more\s+than)\b", re.I)),
    (
        "above",
        re.compile(
            r"\b(?:above|over|more\s+than|greater\s+than|higher\s+than|larger\s+than|bigger\s+than|exceed(?:s|ed|ing)?|"
            r"in\s+excess\s+of|top(?:ped)?|surpass(?:ed)?)\b",
            re.I,
        ),
    ),
    ("below", re.compile(r"\b(?:below|under|less\s+than|lower\s+than|smaller\s+than|fewer\s+than)\b", re.I)),
)
_ACROSS = re.compile(
    r"\b(?P<more>higher|greater|larger|bigger|more|better)\b.{0,40}\bthan\b|\b(?P<less>lower|less|smaller|fewer|worse)\b.{0,40}\bthan\b",
    re.I | re.S,
)
_HAVING = re.compile(
    r"^(?:and|so|but)?,?\s*(?:did|does|do|has|have|had)\b.*\b(?:have|had|hold|carry|report|record|own|owe|pay|paid|repurchase[d]?|"
    r"buy\s+back|bought\s+back|issue)\b",
    re.I | re.S,
)
_PLAIN = re.compile(
    r"\b(?:profitable|unprofitable|positive|negative|losing|money|any|cash|currently|still|have|having|had|hold|carry|own|owe|"
    r"pay|paying|paid|issued|outstanding|back|own|its|regular|quarterly|shareholders|stockholders|to|ever|worth|net|profit|loss|losses|"
    r"higher|lower|greater|larger|smaller|bigger|better|worse|at|exceed(?:s|ed)?|above|below|over|under|excess|topped|operating)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Condition:
    """A metric and the test that decides."""

    metric: Metric
    test: Test
    limit: Decimal = Decimal(0)
    """In the metric's unit; unused for "rose" and "fell"."""
    said: str = "zero"
    """The limit as typed."""
    is_having: bool = False
    """The question asks whether there is any: "Does it have goodwill?"."""


_EVENT = re.compile(r"\b(?:after|before|since)\s+(?:the\s+)?(?:[A-Z][a-z]+\s+\d|(?:19|20)\d\d|end\b|close\b|year\b)")
"""What happened around a day is no balance."""


def read_condition(question: Question, names: Names) -> Condition | None:
    """What decides ``question`` by a figure; None when no figure does, or words are left that could change what is meant."""
    text = question.text
    if not asks_yes_no(text):
        return None
    companies = [(named.start, named.end) for named in question.companies if named.start >= 0]
    mentions = [m for m in names.find(text) if m.score >= FIRM and not any(m.start < b and a < m.end for a, b in companies)]
    if len({mention.metric.id for mention in mentions}) != 1 or len(companies) > 1:
        metric = names.get("net_income") if not mentions and (_LOSS.search(text) or _PROFIT.search(text)) else None
        if metric is None:
            return None
    else:
        metric = mentions[0].metric
    return _test(question, text, metric, mentions, companies)


def _test(
    question: Question, text: str, metric: Metric, mentions: Sequence[Mention], companies: list[tuple[int, int]]
) -> Condition | None:
    taken = [*companies, *((m.start, m.end) for m in mentions), *period_spans(text)]
    across = _ACROSS.search(text)
    if across is not None and len(question.periods.years) == 2:
        return Condition(metric, "rose" if across["more"] else "fell") if _accounted(text, [*taken, across.span()]) else None
    limits = ((test, match) for test, pattern in _LIMITS for match in pattern.finditer(text))
    test, match = next(limits, (None, None))
    if test is not None and match is not None:
        number = next((n for n in find_numbers(text) if n.start >= match.end() and not n.is_year), None)
        if number is None or not _accounted(text, [*taken, match.span(), (number.start, number.end)]):
            return None
        if (number.kind == "percent") != (metric.unit == "%"):
            return None
        return Condition(metric, test, number.value, number.text)
    return _sign(text, metric, taken)


def _sign(text: str, metric: Metric, taken: list[tuple[int, int]]) -> Condition | None:
    if not _accounted(text, taken):
        return None
    if _LOSS.search(text) or _NEGATIVE.search(text):
        return Condition(metric, "below")
    if _PROFIT.search(text):
        return Condition(metric, "above")
    return Condition(metric, "above", is_having=True) if _HAVING.match(text) and not _EVENT.search(text) else None


def _accounted(text: str, taken: list[tuple[int, int]]) -> bool:
    """Whether nothing is left over that names another matter."""
    return not left_over(text, [*taken, *(match.span() for match in _PLAIN.finditer(text))])
