"""What a question does with its figures (pure)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from fin_tui.engine.questions.operation_words import (
    AVERAGE,
    CAGR,
    CHANGES,
    COMPANY_ASKED,
    COMPARE,
    DIFFERENCE,
    DOWN,
    EXCEEDS,
    LEAST,
    MOST,
    MOVED,
    NARRATIVE,
    RANK,
    RATE,
    SEGMENTS,
    SUM,
    SUPERLATIVE,
    TIMES,
    TOTAL_OF_ALL,
    TREND,
    WHICH,
    YEAR_ASKED,
    YES_NO,
)

Over = Literal["point", "trend", "change", "growth", "multiple", "contribution", "cagr", "average", "sum", "highest", "lowest"]
"""What happens along the years: nothing, or one of these."""
Across = Literal["each", "difference", "times", "sum", "ranked", "highest", "lowest"]
"""What happens across companies."""


def asks_yes_no(text: str) -> bool:
    """Whether ``text`` can be answered by yes or no."""
    return bool(YES_NO.match(text))


@dataclass(frozen=True, slots=True)
class Operation:
    """What a question does with its figures."""

    over: Over = "point"
    across: Across = "each"
    yes_no: bool = False
    down: bool = False
    """A yes-or-no question asks whether something fell."""
    compare: bool = False
    narrative: bool = False
    """The question wants words, not a figure."""
    spans: tuple[tuple[int, int], ...] = ()
    """Where in the text the words for it stand."""


def read_operation(text: str, taken: list[tuple[int, int]], companies: int, metrics: int) -> Operation:
    """What ``text`` does with its figures. Words inside ``taken`` (metric names, companies) say nothing about it."""
    spans: list[tuple[int, int]] = []

    def find(pattern: re.Pattern[str]) -> re.Match[str] | None:
        for match in pattern.finditer(text):
            if not any(match.start() >= a and match.end() <= b for a, b in taken):
                spans.append(match.span())
                return match
        return None

    for match in CHANGES.finditer(text):
        if not any(match.start() >= a and match.end() <= b for a, b in taken):
            spans.append(match.span())
    yes_no = asks_yes_no(text)
    cagr, changes, rate = find(CAGR), find(CHANGES), find(RATE)
    average, difference, compare = find(AVERAGE), find(DIFFERENCE), find(COMPARE)
    over: Over = "point"
    if cagr:
        over = "cagr"
        find(re.compile(r"\bgrowth\b(?:\s+rate)?|\brate\b", re.I))
    elif changes and (rate or changes.group().lower() == "growth"):
        over = "growth"
    elif changes:
        over = "change"
    elif average:
        over = "average"
    elif find(SUM) and companies < 2:
        over = "sum"
    elif find(TREND):
        over = "trend"
        find(MOVED)
    across = _across(text, companies, yes_no=yes_no, is_difference=difference is not None, find=find)
    if difference and companies < 2 and metrics < 2 and over in ("point", "trend"):
        over = "change"
    if compare and companies < 2 and over == "point" and metrics < 2 and not yes_no:
        over = "trend"
    extreme = _extreme(text, taken, spans) if across == "each" and not yes_no else None
    narrative = bool(NARRATIVE.search(text) or SEGMENTS.match(text))
    if extreme is not None and companies < 2 and YEAR_ASKED.search(text):
        over, narrative = extreme, False
    elif extreme is not None and (companies >= 2 or COMPANY_ASKED.search(text)):
        across, narrative = extreme, False
    elif extreme is not None:
        narrative = True  # "What was its largest liability?" asks which one, not how much of a metric.
    down = bool(DOWN.search(text)) or (across == "difference" and yes_no and _is_less(text))
    return Operation(over, across, yes_no, down, compare is not None, narrative, tuple(spans))


def _across(
    text: str, companies: int, *, yes_no: bool, is_difference: bool, find: Callable[[re.Pattern[str]], re.Match[str] | None]
) -> Across:
    """What happens across the companies named, extremes aside."""
    if companies == 2 and find(TIMES):
        return "times"
    if companies == 2 and (is_difference or (yes_no and find(EXCEEDS))):
        return "difference"
    if find(RANK):
        return "ranked"
    asks_all = bool(TOTAL_OF_ALL.search(text))
    return "sum" if asks_all or (companies >= 2 and find(SUM)) else "each"


def _is_less(text: str) -> bool:
    match = EXCEEDS.search(text)
    return match is not None and match["less"] is not None


def _extreme(text: str, taken: list[tuple[int, int]], spans: list[tuple[int, int]]) -> Literal["highest", "lowest"] | None:
    found: tuple[Literal["highest", "lowest"], re.Pattern[str]]
    for found in (("highest", MOST), ("lowest", LEAST)):
        for match in found[1].finditer(text):
            inside = any(match.start() >= a and match.end() <= b for a, b in taken)
            before = text[: match.start()]
            asked = WHICH.search(before) or re.search(r"\b(?:which|who)\b", before, re.I)
            if not inside and (asked or SUPERLATIVE.fullmatch(match.group())):
                spans.append(match.span())
                return found[0]
    return None
