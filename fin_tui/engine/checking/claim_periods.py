"""Which year each number of a sentence is of (pure)."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from fin_tui.engine.checking.claim_sentence import Sentence
from fin_tui.engine.checking.claim_words import is_prior
from fin_tui.engine.checking.marks import PeriodMark

_YEAR = re.compile(r"(?:19|20)\d\d")
_NEW_CLAUSE = re.compile(r"[;,]|\b(?:and|while|whereas|but|versus|vs|compared|then)\b", re.I)
_AGAINST = re.compile(
    r"\b(?:from|over|versus|vs\.?|compared\s+(?:to|with)|than|against|since|on|relative\s+to)\s+(?:the\s+)?(?:fiscal\s+)?(?:year\s+)?$",
    re.I,
)
LIST_LINK = re.compile(r"^\s*(?:,|and|&|,\s*and|,\s*versus|versus|vs\.?)\s*$", re.I)
_WITHIN = 70


@dataclass(frozen=True, slots=True)
class When:
    """The period of a number."""

    year: int | None = None
    """As the company labels it; None when nothing says."""
    day: dt.date | None = None
    """A day that is named instead."""
    back: int = 1
    """For a change: years between the two ends."""
    earlier: int = 0
    """Years before ``year`` (or ``day``, or the latest) that are meant: "the prior year"."""
    carried: bool = False
    """From an earlier sentence."""


class Told(Protocol):
    """What a number is told of, as far as its year depends on it."""

    @property
    def role(self) -> str: ...
    @property
    def beside(self) -> bool:
        """It stands beside another part's number, not another year's: "versus $101 billion in Europe"."""
        ...


def attach_periods(sentence: Sentence, told: Sequence[Told], years: Sequence[int], day: dt.date | None) -> list[When]:
    """The period of each number; ``years`` and ``day`` are those of the text before, for what the sentence leaves unsaid."""
    listed = _listed(sentence)
    base = _base(sentence, years, day)
    return [
        listed[at] if listed is not None and one.role == "level" else _when(sentence, at, one, base)
        for at, one in enumerate(told)
    ]


def main_period(sentence: Sentence) -> PeriodMark | None:
    """The period that a sentence is about: the latest that is not only compared with."""
    plain = [mark for mark in sentence.marks if (mark.years or mark.day) and not _is_compared(sentence, mark)]
    return max(plain, key=_last, default=None)


def _last(mark: PeriodMark) -> int:
    return max(mark.years, default=0) or (mark.day.year if mark.day else 0)


def _is_compared(sentence: Sentence, mark: PeriodMark) -> bool:
    """Whether ``mark`` is the year of a number that another is compared with: "up from $383 billion in fiscal 2023"."""
    if _against(sentence, mark):
        return True
    if len(sentence.companies) > 1:
        return False  # Companies are compared, not years.
    return any(is_prior(sentence.before(at)) and _behind(sentence, at) is mark for at in range(len(sentence.numbers)))


def _base(sentence: Sentence, years: Sequence[int], day: dt.date | None) -> When:
    """The year that the sentence is about, else that of the text before, which must be after a year it is compared with."""
    top = main_period(sentence)
    if top is not None:
        return When(max(top.years, default=None), None if top.years else top.day)
    compared = max((max(mark.years) for mark in sentence.marks if mark.years), default=None)
    if compared is not None and (not years or max(years) <= compared) and day is None:
        return When(compared + 1)
    return When(max(years, default=None), day, carried=True)


def _when(sentence: Sentence, at: int, told: Told, base: When) -> When:
    if told.role in ("growth", "change", "points", "multiple", "cagr"):
        return _span(sentence, at, base)
    behind = _behind(sentence, at)
    if behind is not None:
        return _of(behind, base)
    if is_prior(sentence.before(at)) and not told.beside and len(sentence.companies) < 2:
        return When(base.year, base.day, earlier=1, carried=base.carried)
    ahead = [
        mark
        for mark in sentence.marks
        if mark.end <= sentence.begin(at)
        and not _is_used(sentence, mark, at)
        and not (mark.years and _is_compared(sentence, mark))
    ]
    return _of(ahead[-1], base) if ahead else base


def _behind(sentence: Sentence, at: int) -> PeriodMark | None:
    """The period named right behind a number, in the same clause."""
    end = sentence.numbers[at].end
    limit = sentence.begin(at + 1) if at + 1 < len(sentence.numbers) else len(sentence.text)
    for mark in sentence.marks:
        if end <= mark.start < limit:
            gap = sentence.text[end : mark.start]
            own = not _NEW_CLAUSE.search(gap) and not _AGAINST.search(gap) and len(gap) < _WITHIN
            said = sentence.text[mark.start : mark.end]
            return mark if own and not re.match(r"(?:from|over|than|versus|compared|on)\b", said, re.I) else None
    return None


def _is_used(sentence: Sentence, mark: PeriodMark, at: int) -> bool:
    """Whether ``mark`` stands right behind an earlier number and so is that one's own."""
    return any(_behind(sentence, earlier) is mark for earlier in range(at))


def _of(mark: PeriodMark, base: When) -> When:
    if mark.years:
        return When(mark.years[-1])
    if mark.day:
        return When(None, mark.day)
    return When(base.year, base.day, earlier=mark.back, carried=base.carried)


def _span(sentence: Sentence, at: int, base: When) -> When:
    """The two ends of a change: the years named with it, else the sentence's year and the one before."""
    end = sentence.numbers[at].end
    limit = sentence.begin(at + 1) if at + 1 < len(sentence.numbers) else len(sentence.text)
    behind = [mark for mark in sentence.marks if end <= mark.start < limit and mark.years]
    ahead = [
        mark for mark in sentence.marks if mark.end <= sentence.begin(at) and mark.years and not _is_used(sentence, mark, at)
    ]
    for marks in (behind, ahead):
        ends = {year for mark in marks for year in (mark.years[0], mark.years[-1])}
        if len(ends) == 2 and (len(marks) == 1 or any(_against(sentence, mark) for mark in marks)):
            return When(max(ends), back=max(ends) - min(ends))
    against = next((mark for mark in behind if _against(sentence, mark)), None)
    if against is not None:
        late = [year for mark in ahead for year in mark.years[-1:]] or ([] if base.carried or base.year is None else [base.year])
        year = max(late, default=0)
        return When(year, back=year - against.years[0]) if year > against.years[0] else When(against.years[0] + 1)
    own = _behind(sentence, at)
    if own is not None and not own.back:
        return _of(own, base)
    return _of(ahead[-1], base) if ahead and not _is_compared(sentence, ahead[-1]) else base


def _against(sentence: Sentence, mark: PeriodMark) -> bool:
    said = sentence.text[mark.start : mark.end]
    return bool(_AGAINST.search(sentence.text[: mark.start])) or bool(
        re.match(r"(?:from|over|than|versus|compared|on)\b", said, re.I)
    )


def _listed(sentence: Sentence) -> list[When] | None:
    """A year for each number of a list: "$391 billion and $383 billion in 2024 and 2023"."""
    numbers = sentence.numbers
    if len(numbers) < 2:
        return None
    gaps = [sentence.text[one.end : sentence.begin(at + 1)] for at, (one, _) in enumerate(pairwise(numbers))]
    if not all(LIST_LINK.match(gap) for gap in gaps):
        return None
    years = [int(year) for mark in sentence.marks for year in _YEAR.findall(sentence.text[mark.start : mark.end])]
    return [When(year) for year in years] if len(years) == len(numbers) and len(set(years)) == len(years) else None
