"""What one answer is worth by its row's expectation (pure)."""

from __future__ import annotations

from dataclasses import dataclass

from fin_tui.engine.evidence.numbers import find_numbers
from fin_tui.evaluation.agreement import named_items, plain, yes_or_no
from fin_tui.evaluation.sets import Row
from fin_tui.records import Answer


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an answer was worth."""

    outcome: str
    """right, wrong, abstained (refused or without a value), error, or unjudged (the row has no gold)."""
    why: str = ""


def judge(answer: Answer, row: Row, *, cites_gold: bool | None = None) -> Verdict:
    """Right, wrong or abstained, by the first that the row has.

    A refusal to make, a value, a yes or no, items of a list, strings, gold passages.

    ``cites_gold`` tells whether the answer cites one of the gold passages; None leaves them out of the judgement.
    """
    if answer.status == "error":
        return Verdict("error", answer.answer)
    if row.expect == "refused":
        return _judge_refusal(answer, row)
    if answer.status == "refused":
        return Verdict("abstained", answer.refusal.kind if answer.refusal else "")
    if row.value is not None:
        return _judge_value(answer, row)
    if row.verdict is not None:
        return _judge_yes_or_no(answer, row, row.verdict)
    if row.items:
        return _judge_items(answer, row)
    if row.must_contain:
        return _judge_strings(answer, row)
    if row.evidence and cites_gold is False:
        return Verdict("wrong", "cites no gold passage")
    return Verdict("unjudged") if row.is_open else Verdict("right")


def _judge_refusal(answer: Answer, row: Row) -> Verdict:
    if answer.status != "refused" or answer.refusal is None:
        return Verdict("wrong", "answered")
    if row.refusal and answer.refusal.kind not in row.refusal:
        return Verdict("right", f"kind {answer.refusal.kind}, expected {' or '.join(row.refusal)}")
    return Verdict("right")


def _judge_value(answer: Answer, row: Row) -> Verdict:
    if answer.value is None:
        return Verdict("abstained", "no value")
    if not is_value(answer, row):
        return Verdict("wrong", f"{answer.value} for {row.value}")
    return _judge_strings(answer, row)


def _judge_yes_or_no(answer: Answer, row: Row, gold: bool) -> Verdict:
    found = yes_or_no(answer.answer)
    if found is None:
        return Verdict("abstained", "neither yes nor no")
    return _judge_strings(answer, row) if found == gold else Verdict("wrong", "the other of yes and no")


def _judge_items(answer: Answer, row: Row) -> Verdict:
    found = named_items(answer.answer, row.items)
    missing = [item for item, named in zip(row.items, found, strict=True) if not named]
    return Verdict("wrong", f"lacks {missing}") if missing else _judge_strings(answer, row)


def _judge_strings(answer: Answer, row: Row) -> Verdict:
    missing = [text for text in row.must_contain if text.lower() not in answer.answer.lower()]
    return Verdict("wrong", f"lacks {missing}") if missing else Verdict("right")


def is_value(answer: Answer, row: Row, *, strict: bool = False) -> bool:
    """Whether the answer's value is the row's, or one that the row accepts, within its tolerance; strict: in its unit too."""
    if answer.value is None or (strict and row.unit and answer.unit != row.unit):
        return False
    gold = [value for value in (row.value, *row.accept) if value is not None]
    return any(close(answer.value, value, row.tolerance) for value in gold)


def is_printed(answer: Answer, row: Row) -> bool:
    """Whether the answer's text prints the row's value, or one that it accepts; the sign is not looked at."""
    gold = [abs(value) for value in (row.value, *row.accept) if value is not None]
    return any(
        close(abs(float(number.value)), value, row.tolerance) for number in find_numbers(plain(answer.answer)) for value in gold
    )


def close(value: float, gold: float, tolerance: float) -> bool:
    """Within the relative ``tolerance``; sign included."""
    return abs(value - gold) <= tolerance * max(abs(gold), 1e-12)
