"""A language model's own calculation, where no figure that was found is sure enough to stand.

The model reads the question, the best passages, and the rows found, and writes one expression over the numbers printed there;
the evaluator computes it. What it comes to is never told. It only speaks for one of the figures that were found and computed from
their places in the filing: where both come to the same, that figure stands as the answer, or as the closest that was found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol, runtime_checkable

from fin_tui.engine.evidence.evidence import Evidence, Focus
from fin_tui.engine.figures.answer import Likely, Unsure
from fin_tui.engine.models.protocol import Message
from fin_tui.errors import FinTuiError
from fin_tui.facts.expression import CalculationError, Measure, Name, evaluate, parse
from fin_tui.facts.figures import PRINTED
from fin_tui.language import is_year

SURE, LIKELY = 0.85, 0.75
"""From these probabilities on a figure that the model comes to as well stands as the answer, and is told as the closest found."""
_SHARE, _BIAS = 0.91, 1.97
"""Weights of a logistic regression for such a figure: of the log odds that the ranker gives it, and a constant. Fitted on 42 that
a model of 1.5 billion parameters came to: from a probability of .28 by the ranker on 21 of 22 are right, below it 8 of 20.
"""
_TOKENS = 64
_PASSAGES = 2
"""Passages whose deciding sentences are read."""
_MOST_READ, _MOST_OF_PASSAGES = 330, 150
"""Tokens of sentences and rows that are read, and of the sentences alone, as ``_tokens`` counts them: of 49 unsure figures all
operands are among them for 38, among 900 characters of each passage and all rows, more than twice as long, for 41.
"""
_EARLIER = 3
"""Questions before this one that are read with it."""
_NONE = "none"
_GRAMMAR = r"""
root ::= "none" | sum
sum ::= product (" " [-+] " " product){0,5}
product ::= term (" " [*/] " " term){0,3}
term ::= "(" sum ")" (" ^ (1 / " [2-9] ")")? | number
number ::= [0-9] [0-9.]{0,14}
"""
_CONSTANTS = frozenset(map(Decimal, (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 100, 365)))
"""Numbers that a calculation may have although no passage prints them: a count of years, a percentage."""
_FACTORS = (1.0, 0.01, 100.0, 1e3, 1e6, 1e9)
"""What lies between a number as it is printed and the figure that it means."""
_ROUNDED = 0.0006
_SYSTEM = (
    "You are a careful financial analyst. You get passages and lines from a company's annual report and a question. Write the "
    "calculation that answers the question as one arithmetic expression, using only numbers printed in the passages and lines, "
    "exactly as printed. For a percentage end with * 100. If one printed number is the answer, write just that number. If they "
    "do not hold the numbers, write none."
)
_EXAMPLES = (
    (
        "Net sales | Europe: 2021 4,210; 2020 3,950 ($ million)\n"
        "Net sales | Total: 2021 16,020; 2020 15,110 ($ million)\n"
        "Long-lived assets | Europe: 2021 880; 2020 900 ($ million)",
        "What share of Acme's 2021 sales came from Europe?",
        "4210 / 16020 * 100",
    ),
    (
        "Number of stores: 2021 1,204; 2020 1,180\nInterest expense: 2021 65.1; 2020 51.3 ($ million)",
        "Cobalt Corp growth in interest expense 2020 to 2021",
        "(65.1 - 51.3) / 51.3 * 100",
    ),
    (
        "Total debt: 2022 2,400; 2021 2,650 ($ million)",
        "how many patents does Borealis hold per engineer",
        _NONE,
    ),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a model reads it."""

    question: str
    earlier: tuple[str, ...] = ()
    """The questions before it in the conversation, oldest first."""


@runtime_checkable
class Reads(Protocol):
    """A model that may work figures out."""

    @property
    def name(self) -> str: ...

    @property
    def may_read(self) -> bool:
        """Whether it was measured that it works out enough of them rightly."""

    def fill(self, messages: Sequence[Message], grammar: str, *, max_tokens: int, cancelled: Callable[[], bool]) -> str:
        """What the model writes within ``grammar`` (GBNF). Raises ``ModelFailed``."""


def reading_prompt(user: str = "") -> tuple[Message, ...]:
    """The messages that have a model work out what ``user`` asks."""
    messages = [Message("system", _SYSTEM)]
    for rows, question, written in _EXAMPLES:
        messages += [Message("user", _prompt(Asked(question), (rows,), ())), Message("assistant", written)]
    return (*messages, Message("user", user))


def work_out(model: Reads, asked: Asked, lines: Sequence[str], evidence: Evidence, cancelled: Callable[[], bool]) -> float | None:
    """What ``model`` makes of a question from rows and evidence; None where it has nothing, was stopped, or used a number that
    stands in none of what it read. Raises ``ModelFailed``.
    """
    told = _deciding(evidence)
    rows = _short(lines, _MOST_READ - sum(map(_tokens, told)))
    messages = reading_prompt(_prompt(asked, rows, told))
    written = model.fill(messages, _GRAMMAR, max_tokens=_TOKENS, cancelled=cancelled).strip()
    if not written or written == _NONE:
        return None
    printed = {number for text in (*rows, *told) for number in _numbers(text)}
    if not _numbers(written) <= printed | _CONSTANTS:
        return None
    try:
        return float(evaluate(parse(written), _no_name).value)
    except (FinTuiError, OverflowError):
        return None


def _deciding(evidence: Evidence) -> list[str]:
    """The sentences and rows of the best passages that score highest, in the filing's order."""
    kept: list[Focus] = []
    left = _MOST_OF_PASSAGES
    for focus in sorted(evidence.focuses, key=lambda focus: -focus.score):
        size = _tokens(focus.text)
        if focus.passage < _PASSAGES and size <= left:
            kept.append(focus)
            left -= size
    return [" ".join(focus.text.split()) for focus in sorted(kept, key=lambda focus: (focus.passage, focus.start))]


def _short(lines: Sequence[str], left: int) -> list[str]:
    """As many of ``lines`` as ``left`` tokens hold, best first: with years for days where that tells its periods apart, and none
    whose figures another has shown.
    """
    kept: list[str] = []
    shown: list[set[Decimal]] = []
    for line in lines:
        words = line.split(" ")
        years = [year for word in words if (year := _year_of_day(word))]
        brief = " ".join(_year_of_day(word) or word for word in words) if len(set(years)) == len(years) else line
        numbers, size = _numbers(" ".join(word for word in words if not _year_of_day(word))), _tokens(brief)
        if size <= left and not (numbers and any(numbers <= others for others in shown)):
            kept.append(brief)
            shown.append(numbers)
            left -= size
    return kept


def _year_of_day(word: str) -> str:
    """The year of a day, "2020" of "2020-12-31"; "" of any other word."""
    year, *rest = word.split("-")
    return year if is_year(year) and list(map(len, rest)) == [2, 2] and "".join(rest).isdecimal() else ""


def _tokens(text: str) -> int:
    """Tokens of ``text``, about: vocabularies of the models tried have one for each digit, sign and common word."""
    parts = (char if (char.isalnum() or char == "_") and not char.isdecimal() else f" {char} " for char in text)
    return len("".join(parts).split())


def borne_out(
    model: Reads, asked: Asked, unsure: Unsure, evidence: Evidence, cancelled: Callable[[], bool]
) -> tuple[Likely, float] | None:
    """The figure that ``model`` comes to as well, with its probability; None where it comes to none, fails or is stopped."""
    try:
        value = work_out(model, asked, unsure.lines, evidence, cancelled)
    except FinTuiError:
        return None
    alike = [one for one in unsure.figures if value is not None and is_same(value, one.value)]
    return (alike[0], chance(alike[0])) if alike else None


def is_same(worked_out: float, value: float) -> bool:
    """Whether what was worked out from numbers as printed is the value, but for its scale, sign and rounding."""
    return bool(value) and any(math.isclose(abs(worked_out) * by, abs(value), rel_tol=_ROUNDED) for by in _FACTORS)


def chance(figure: Likely) -> float:
    """The probability that a figure is the one asked for, once a model has come to it too."""
    odds = math.log(max(figure.share, 1e-4) / max(1 - figure.share, 1e-4))
    return 1 / (1 + math.exp(-(_SHARE * odds + _BIAS)))


def _prompt(asked: Asked, lines: Sequence[str], passages: Sequence[str]) -> str:
    parts = [f"Passages:\n{chr(10).join(passages)}"] if passages else []
    parts.append(f"Lines:\n{chr(10).join(lines)}")
    parts += [f"Earlier question: {one}" for one in asked.earlier[-_EARLIER:]]
    return "\n".join((*parts, f"Question: {asked.question}"))


def _no_name(name: Name) -> Measure:
    raise CalculationError(f"{name.name} is no number.")


def _numbers(text: str) -> set[Decimal]:
    return {Decimal(match.group().replace(",", "")) for match in PRINTED.finditer(text)}
