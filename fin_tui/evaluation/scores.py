"""How one answer or one list of hits is scored against gold (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from fin_tui.engine.events import Passage
from fin_tui.evaluation.sets import PagePassage, Row
from fin_tui.records import Answer, Hit

GRAM = 5
FIRST_WORDS = 300
"""Of a hit only the first words count, so that a longer chunk is no better than a good one."""
_SHORT = 8
_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=4096)
def grams(text: str) -> frozenset[tuple[str, ...]]:
    """Word 5-grams of the first 300 words, lower case, punctuation dropped; shorter texts give one gram of all their words."""
    words = [word.lower() for word in _WORD.findall(text)][:FIRST_WORDS]
    if len(words) < GRAM:
        return frozenset([tuple(words)]) if words else frozenset()
    return frozenset(tuple(words[at : at + GRAM]) for at in range(len(words) - GRAM + 1))


def is_gold(text: str, gold: str) -> bool:
    """``text`` holds half of the gold's 5-grams, or half of its own (8 or more) are the gold's."""
    mine, wanted = grams(text), grams(gold)
    if not mine or not wanted:
        return False
    if len(next(iter(wanted))) < GRAM:
        needle = " ".join(next(iter(wanted)))
        return f" {needle} " in f" {' '.join(word.lower() for word in _WORD.findall(text)[:FIRST_WORDS])} "
    shared = len(mine & wanted)
    return shared * 2 >= len(wanted) or (len(mine) >= _SHORT and shared * 2 >= len(mine))


@dataclass(frozen=True, slots=True)
class Place:
    """A passage that was shown: its text, and where it stands."""

    text: str
    page: int
    file: str


def place_of(shown: Hit | Passage) -> Place:
    """A hit or a passage of an answer as a place."""
    if isinstance(shown, Hit):
        return Place(shown.chunk.text, shown.chunk.page, shown.filing.file)
    return Place(shown.text, shown.citation.page, shown.citation.file)


def first_gold(shown: Sequence[Hit] | Sequence[Passage], row: Row) -> int | None:
    """Rank from 1 of the first that is one of the row's gold passages; the page decides where gold names one."""
    for rank, place in enumerate(map(place_of, shown), start=1):
        if any(_matches(place, gold, row.filing) for gold in row.evidence):
            return rank
    return None


def _matches(place: Place, gold: PagePassage, filing: str) -> bool:
    if gold.page is not None:
        return place.page == gold.page and (not filing or place.file == filing)
    return is_gold(place.text, gold.text)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an answer was worth."""

    outcome: str
    """right, wrong, abstained (refused or without a value), error."""
    why: str = ""


def judge(answer: Answer, row: Row) -> Verdict:
    """Right, wrong or abstained, by the row's expectation: a refusal of a listed kind, a value, strings, or any answer."""
    if answer.status == "error":
        return Verdict("error", answer.answer)
    if row.expect == "refused":
        return _judge_refusal(answer, row)
    if answer.status == "refused":
        return Verdict("abstained", answer.refusal.kind if answer.refusal else "")
    if row.value is not None:
        return _judge_value(answer, row)
    missing = [text for text in row.must_contain if text.lower() not in answer.answer.lower()]
    return Verdict("wrong", f"lacks {missing}") if missing else Verdict("right")


def _judge_refusal(answer: Answer, row: Row) -> Verdict:
    if answer.status != "refused" or answer.refusal is None:
        return Verdict("wrong", "answered")
    if row.refusal and answer.refusal.kind not in row.refusal:
        return Verdict("right", f"kind {answer.refusal.kind}, expected {' or '.join(row.refusal)}")
    return Verdict("right")


def _judge_value(answer: Answer, row: Row) -> Verdict:
    if answer.value is None:
        return Verdict("abstained", "no value")
    gold = [row.value, *row.accept]
    if any(value is not None and close(answer.value, value, row.tolerance) for value in gold):
        missing = [text for text in row.must_contain if text.lower() not in answer.answer.lower()]
        return Verdict("wrong", f"lacks {missing}") if missing else Verdict("right")
    return Verdict("wrong", f"{answer.value} for {row.value}")


def close(value: float, gold: float, tolerance: float) -> bool:
    """Within the relative ``tolerance``; sign included."""
    return abs(value - gold) <= tolerance * max(abs(gold), 1e-12)
