"""Where a sentence names periods, and which numbers of it are figures at all (pure)."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from fin_tui.engine.evidence.numbers import Number, find_numbers
from fin_tui.engine.questions.periods import find_periods, period_spans

_REFERENCE = re.compile(
    r"\b(?:items?|notes?|parts?|pages?|pp?\.|exhibits?|sections?|§|rule|topic|asc|asu|no\.|nos\.|number|form|chapter|table|figure|appendix|"
    r"footnote|level|tier|phase|scope|class|series|version|chapter|step|grade)\s*$|[#§]\s*$",
    re.I,
)
_DURATION = re.compile(r"^[\s-]*(?:weeks?|months?|years?|hours?|minutes?|quarters?|decades?)\b", re.I)
_NAMED = re.compile(r"(?<![.!?]\s)(?<!^)\b(?:[A-Z][A-Za-z&]*|[a-z]+[A-Z]\w*)\s+$")
_LIST_MARK = re.compile(r"^\s*(?:[-*•]\s*)?$")
_LIST_END = re.compile(r"^[.)]\s")
_POINTS = re.compile(r"^\s*(?:basis\s+points?|bps?)\b", re.I)
_CENTS = re.compile(r"^\s*(?:cents?|¢)(?=\W|$)", re.I)
_DAY = re.compile(r"^(?:st|nd|rd|th)\b", re.I)
_MONTH = re.compile(r"\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?\s+$", re.I)
_BACK = re.compile(r"\b(?:prior|previous|preceding|before|earlier|ago)\b", re.I)
_SMALL = 10_000
FOLDS = {
    word: Decimal(times)
    for word, times in (("halved", "0.5"), ("doubled", "2"), ("tripled", "3"), ("trebled", "3"), ("quadrupled", "4"))
}
"""Words that state how many times the year before a figure is."""
_FOLD = re.compile(rf"\b(?:{'|'.join(FOLDS)})\b", re.I)


@dataclass(frozen=True, slots=True)
class PeriodMark:
    """A period named at a place."""

    start: int
    end: int
    years: tuple[int, ...] = ()
    """Fiscal years as the company labels them, ascending."""
    day: dt.date | None = None
    back: int = 0
    """ "the prior year": years before the one that is otherwise meant."""
    latest: bool = False


def period_marks(text: str) -> tuple[PeriodMark, ...]:
    """The periods that ``text`` names, left to right, without overlap: the longest reading of each place."""
    known = set(find_periods(text).years)
    found: list[PeriodMark] = []
    for start, end in sorted(period_spans(text), key=lambda span: span[0] - span[1]):
        if any(start < mark.end and mark.start < end for mark in found):
            continue
        read = find_periods(text[start:end])
        back = 0 if read.named else int(bool(_BACK.search(text[start:end])))
        years = tuple(year for year in read.years if year in known)
        if years or read.dates or back or read.latest:
            found.append(PeriodMark(start, end, years, read.dates[-1] if read.dates else None, back, read.latest))
    return tuple(sorted(found, key=lambda mark: mark.start))


def figures_in(text: str, taken: Sequence[tuple[int, int]]) -> tuple[Number, ...]:
    """The numbers of ``text`` that state a figure: no dates, references, list marks, durations or names ("iPhone 15").

    ``taken`` are spans that mean something else. Cents become dollars, basis points percent.
    """
    found = []
    for number in find_numbers(text):
        if number.is_year or any(number.start < end and start < number.end for start, end in taken):
            continue
        before, after = text[: number.start], text[number.end :]
        if _DAY.match(after) or _REFERENCE.search(before) or _is_list_mark(number, before, after):
            continue
        if number.kind == "plain" and not number.scaled and (_DURATION.match(after) or _is_part_of_name(number, before)):
            continue
        found.append(_converted(number, after))
    for match in _FOLD.finditer(text):
        value = FOLDS[match.group().lower()]
        found.append(Number(match.group(), value, value / 20, "plain", match.start(), match.end(), False))
    return tuple(sorted(found, key=lambda number: number.start))


def _is_list_mark(number: Number, before: str, after: str) -> bool:
    bracket = re.search(r"[\[(]$", before) and re.match(r"^[\])]", after)
    return number.kind == "plain" and bool(
        (_LIST_MARK.match(before) and _LIST_END.match(after)) or (bracket and before[-1] == "[")
    )


def _is_part_of_name(number: Number, before: str) -> bool:
    small = abs(number.value) < _SMALL and "," not in number.text and "." not in number.text
    return small and bool(_NAMED.search(before) or _MONTH.search(before))


def _converted(number: Number, after: str) -> Number:
    hundredth = Decimal("0.01")
    if number.kind == "plain" and _POINTS.match(after):
        return replace(number, value=number.value * hundredth, accuracy=number.accuracy * hundredth, kind="percent")
    if number.kind == "plain" and _CENTS.match(after):
        return replace(number, value=number.value * hundredth, accuracy=number.accuracy * hundredth, kind="money")
    return number
