"""Which year each number of a sentence is of (pure)."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from fin_tui.engine.claim_sentence import Sentence
from fin_tui.engine.claim_words import is_prior
from fin_tui.engine.marks import PeriodMark

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


def attach_periods(sentence: Sentence, roles: Sequence[str], years: Sequence[int], day: dt.date | None) -> list[When]:
    """The period of each number; ``years`` and ``day`` are those of the text before, for what the sentence leaves unsaid."""
    listed = _listed(sentence)
    base = _base(sentence, years, day)
    return [
        listed[at] if listed is not None and roles[at] == "level" else _when(sentence, at, role, base)
        for at, role in enumerate(roles)
    ]


def _base(sentence: Sentence, years: Sequence[int], day: dt.date | None) -> When:
    """The year that the sentence is about: its latest, else that of the text before."""
    plain = [mark for mark in sentence.marks if mark.years or mark.day]
    if plain:
        top = max(plain, key=lambda mark: max(mark.years, default=0) or (mark.day.year if mark.day else 0))
        return When(max(top.years, default=None), None if top.years else top.day)
    if any(mark.back and not _against(sentence, mark) for mark in sentence.marks):
        return When(max(years, default=None), day, carried=True)
    return When(max(years, default=None), day, carried=True)


def _when(sentence: Sentence, at: int, role: str, base: When) -> When:
    if role in ("growth", "change", "points", "multiple", "cagr"):
        return _span(sentence, at, base)
    behind = _behind(sentence, at)
    if behind is not None:
        return _of(behind, base)
    if is_prior(sentence.before(at)):
        return When(base.year, base.day, earlier=1, carried=base.carried)
    ahead = [mark for mark in sentence.marks if mark.end <= sentence.begin(at) and not _is_used(sentence, mark, at)]
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
    named = [year for mark in sentence.marks if end <= mark.start < limit for year in (mark.years[:1] + mark.years[-1:])]
    against = [mark for mark in sentence.marks if end <= mark.start < limit and mark.years and _against(sentence, mark)]
    every = [year for mark in sentence.marks for year in (mark.years[:1] + mark.years[-1:])]
    if len(set(named)) == 2:
        return When(max(named), back=max(named) - min(named))
    if against and len(set(every)) == 1:
        return When(every[0] + 1)
    if against and max(every) > against[0].years[0]:
        return When(max(every), back=max(every) - against[0].years[0])
    if (
        len(set(every)) == 2
        and "to" in sentence.text.lower().split()
        and not any(_behind(sentence, n) for n in range(at + 1, len(sentence.numbers)))
    ):
        return When(max(every), back=max(every) - min(every))
    behind = _behind(sentence, at)
    ahead = [mark for mark in sentence.marks if mark.end <= sentence.begin(at) and not mark.back]
    if behind is not None:
        return _of(behind, base)
    if ahead and not (at and is_prior(sentence.before(at - 1))):
        return _of(ahead[-1], base)
    return base


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
