"""A number that a sentence takes from its source may be told there of another year, or of something else.

That the source prints it is not enough: "477 million shares in 2022" is not borne out by "470 million in 2022 and 477 million in
2021", nor "wage increases are $5.00" by a sentence whose other half states a pension of $5.00.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fin_tui.engine.evidence import Passage
from fin_tui.engine.evidence.numbers import Number, agrees, find_numbers
from fin_tui.engine.rank.filing_rows import NAMED_DATE, numbers_of
from fin_tui.language import split_sentences
from fin_tui.retrieval.tokens import tokenize

_NEAR = 4
"""Content words before a number and behind it that say what it is of."""
_FEWEST = 3
"""Content words of a clause that says by itself what its number is of."""
_MOST_TAKEN = 2
"""Words of another number's clause from which two statements are mixed up."""
_CLAUSE = re.compile(r"[,;:()]\s|\s(?:and|but|while|whereas|or)\s")
_RESPECTIVELY = "respectively"
_SEVERAL = 2
"""Years that a sentence names: without the word above only those that stand behind their numbers can be told apart."""
_ENDS: Mapping[int, dt.date] = {year: dt.date(year, 12, 31) for year in range(1980, 2060)}
"""A year that is named without a day, by its last."""


@dataclass(frozen=True, slots=True)
class _Told:
    """A number as one sentence tells it."""

    number: Number
    year: int | None
    about: frozenset[str]
    """Content words of its clause; of a sentence that is checked those nearest to it."""


def misplaced(text: str, passages: Sequence[Passage]) -> str:
    """Why a number of ``text`` is not what prose of ``passages`` tells it to be; empty where nothing speaks against it.

    Numbers that only a table prints are not looked at.
    """
    printed = [one for passage in passages if passage.kind == "prose" for one in _told_in(passage)]
    said = [(one, [other for other in printed if agrees(one.number, other.number, (1,))]) for one in _said(text)]
    for one, same in said:
        if same and one.about and all(one.about.isdisjoint(other.about) for other in same):
            return f"{one.number.text} is of something else there"
    if words := _of_others(text, [one.number for one, _ in said], passages):
        return f"“{' '.join(words)}” is told of another number there"
    slack = max((_offset(passage) for passage in passages), default=0)
    for year in {one.year for one, _ in said if one.year is not None}:
        mine = [same for one, same in said if one.year == year and same]
        if mine and not any(_may_be_of(year, same, slack) for same in mine):
            return f"that is not of {year} there"
    return ""


def _of_others(text: str, stated: Sequence[Number], passages: Sequence[Passage]) -> list[str]:
    """Words of ``text`` that stand beside its numbers in their source only in the clause of a number that it does not state."""
    words = dict.fromkeys(_plain(text))
    fewest: list[str] | None = None
    for passage in passages if stated else ():
        for start, end in split_sentences(passage.text) if passage.kind == "prose" else ():
            sentence = passage.text[start:end]
            numbers = _numbers(sentence)
            told = [number for number in numbers if any(agrees(one, number, (1,)) for one in stated)]
            if not told:
                continue
            others = frozenset().union(*(_clause(sentence, number) for number in numbers if number not in told))
            elsewhere = frozenset(_plain(f"{passage.text[:start]} {passage.text[end:]}"))
            rest = elsewhere.union(_outside(sentence, numbers, told), *(_clause(sentence, number) for number in told))
            taken = [word for word in words if word in others and word not in rest]
            fewest = taken if fewest is None or len(taken) < len(fewest) else fewest
    return fewest if fewest and len(fewest) >= _MOST_TAKEN else []


def _outside(sentence: str, numbers: Sequence[Number], told: Sequence[Number]) -> frozenset[str]:
    """Content words of the clauses that have no number, or one that is told."""
    edges = sorted({0, len(sentence), *(at for match in _CLAUSE.finditer(sentence) for at in match.span())})
    kept: list[str] = []
    for start, end in itertools.pairwise(edges):
        inside = [number for number in numbers if start <= number.start < end]
        if not inside or any(number in told for number in inside):
            kept += _plain(sentence[start:end])
    return frozenset(kept)


def _may_be_of(year: int, same: Sequence[_Told], slack: int) -> bool:
    return any(other.year is None or 0 <= abs(other.year - year) <= slack for other in same)


def _offset(passage: Passage) -> int:
    """By how much the company's fiscal years are called differently from the calendar years that they end in."""
    citation = passage.citation
    if not citation.period_end or not citation.fiscal_year:
        return 0
    return abs(dt.date.fromisoformat(citation.period_end).year - citation.fiscal_year)


def _told_in(passage: Passage) -> Iterator[_Told]:
    for start, end in split_sentences(passage.text):
        sentence = passage.text[start:end]
        numbers, years = _numbers(sentence), _years(sentence)
        named = {day[-4:] for day in NAMED_DATE.findall(sentence)}
        plain = len(named) < _SEVERAL or _RESPECTIVELY in sentence.lower()
        for number, following in itertools.zip_longest(numbers, numbers[1:]):
            behind = sentence[number.end : following.start if following else len(sentence)]
            year = years.get(number.start) if plain or NAMED_DATE.search(behind) else None
            yield _Told(number, year, _clause(sentence, number))


def _said(text: str) -> Iterator[_Told]:
    years = _years(text)
    for number in _numbers(text):
        before = _plain(text[: number.start])[-_NEAR:]
        behind = _plain(text[number.end :])[:_NEAR]
        yield _Told(number, years.get(number.start), frozenset((*before, *behind)))


def _numbers(sentence: str) -> list[Number]:
    """The numbers that are no part of a date."""
    dates = [match.span() for match in NAMED_DATE.finditer(sentence)]
    found = (number for number in find_numbers(sentence) if not number.is_year)
    return [number for number in found if not any(start <= number.start < end for start, end in dates)]


def _years(sentence: str) -> dict[int, int]:
    """Where a number stands -> the year that the sentence tells it of."""
    found = (one.fact for one in numbers_of(sentence, 0, "", _ENDS))
    return {fact.start: fact.period_end.year for fact in found if fact.period_end is not None and fact.start is not None}


def _clause(sentence: str, number: Number) -> frozenset[str]:
    """The content words around a number, up to where the sentence turns to something else; "38% in 2021" leaves unsaid what it is
    of, which stands before it.
    """
    breaks = [match.span() for match in _CLAUSE.finditer(sentence)]
    last = min((start for start, _ in breaks if start >= number.end), default=len(sentence))
    firsts = sorted((end for _, end in breaks if end <= number.start), reverse=True)
    for first in firsts:
        words = frozenset(_plain(sentence[first:last]))
        if len(words) >= _FEWEST:
            return words
    words = frozenset(_plain(sentence[:last]))
    return words if len(words) >= _FEWEST else frozenset(_plain(sentence))


def _plain(text: str) -> list[str]:
    return [token for token in tokenize(text) if not token[0].isdigit()]
