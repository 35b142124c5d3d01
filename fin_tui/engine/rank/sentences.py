"""Sentences -> the figures that stand in them as candidates: each number with the words around it, its unit and its period."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from fin_tui.candidates import Candidate, marked
from fin_tui.engine.evidence.numbers import Number, find_numbers
from fin_tui.filings.table_header import dates_in
from fin_tui.language import YEAR, split_sentences
from fin_tui.records import Chunk, Fact

_LEAST_MONEY = 10_000
NAMED_DATE = re.compile(r"\b(?:[A-Z][a-z]+\.?\s+\d{1,2},?\s+)?(?:19|20)\d\d\b")
_PER = re.compile(r"^\s*(?:per|a|each|an?)\s+(?:\w+\s+){0,2}(?:share|unit|ads|rsu|option|warrant)\b", re.I)
_SHARES = re.compile(r"^\s*(?:(?:\w+|[A-Z]\.)[\s-]+){0,4}?shares\b", re.I)
_TIME = re.compile(r"^[\s-]*(?:(?:calendar|fiscal|full|consecutive)\s+)?(?P<unit>year|month|day)s?\b", re.I)
_SMALL = {
    word: number
    for number, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
        "nineteen twenty".split(),
        start=1,
    )
}
_OF_NAME = re.compile(r"(?<=\S )(?:[A-Z][\w&.-]*[a-z]|[A-Z]{2,}) $")
"""What a number that belongs to a name follows within a sentence: "Catalyst 9000", "Section 404", "Level 3"."""
_LINK = re.compile(r"[\s,]*(?:and)?[\s,]*[$€£]?\s*")
_WORDY = re.compile(rf"(?<!than )(?<!any )\b(?:{'|'.join(_SMALL)})\b(?<!\bone(?= of\b| or\b))", re.I)
"""Numbers in words; "more than one", "one or more" and "one of" count nothing."""


def numbers_in(chunk: Chunk, ends: Mapping[int, dt.date]) -> Iterator[Candidate]:
    """The figures of the sentences of a passage; ``ends`` gives the last day of each fiscal year of the filing."""
    for start, end in split_sentences(chunk.text):
        sentence = chunk.text[start:end]
        if "\t" in sentence:
            continue
        yield from numbers_of(sentence, chunk.start + start, chunk.heading, ends)


def numbers_of(sentence: str, at: int, title: str, ends: Mapping[int, dt.date]) -> Iterator[Candidate]:
    """The figures of one sentence that stands ``at`` a place of the clean text."""
    dated = [match.span() for match in NAMED_DATE.finditer(sentence)]
    found = [
        number for number in find_numbers(sentence)
        if not number.is_year and not any(a <= number.start < b for a, b in dated)
    ]  # fmt: skip
    periods = _periods(sentence, ends)
    for place, number in enumerate(found):
        unit, value = _measured(number, sentence[number.end :])
        if unit == "usd" and not number.scaled and value < _LEAST_MONEY:
            continue  # Filings that say "amounts in millions" once print "$515" for 515 million.
        if number.kind == "plain" and number.text.isdigit() and not number.scaled and _OF_NAME.search(sentence[: number.start]):
            continue
        when = _period_of(number, place, found, periods, sentence)
        fact = Fact(
            "", sentence, value, number.text, unit, None, when, source="text", start=at + number.start, end=at + number.end
        )
        yield Candidate(fact, (marked(sentence, number.start, number.end),), title=title)
    for match in _WORDY.finditer(sentence):
        value = float(_SMALL[match.group().lower()])
        first, last = at + match.start(), at + match.end()
        unit = _time(sentence[match.end() :]) or "count"
        fact = Fact("", sentence, value, match.group(), unit, None, None, source="text", start=first, end=last)
        yield Candidate(fact, (marked(sentence, *match.span()),), title=title)


def _time(behind: str) -> str:
    """ "years", "months" or "days", where a number counts these; "" elsewhere."""
    found = _TIME.match(behind)
    return f"{found['unit'].lower()}s" if found else ""


def _measured(number: Number, behind: str) -> tuple[str, float]:
    """(unit, value) as facts have them: percentages as fractions."""
    value = float(number.value)
    if number.kind == "percent":
        return "pure", value / 100
    if number.kind == "money":
        return ("usd/share" if _PER.match(behind) else "usd"), value
    return _time(behind) or ("shares" if _SHARES.match(behind) else "count"), value


def _periods(sentence: str, ends: Mapping[int, dt.date]) -> list[tuple[int, dt.date]]:
    """(place, last day) of each date and year that the sentence names."""
    found: list[tuple[int, dt.date]] = []
    for match in NAMED_DATE.finditer(sentence):
        day = dates_in(match.group())
        year = int(YEAR.findall(match.group())[-1])
        when = day[0] if day else ends.get(year)
        if when is not None:
            found.append((match.start(), when))
    return found


def _is_run(numbers: Sequence[Number], sentence: str) -> bool:
    """Whether nothing but commas and "and" stands between the numbers: "156,000 and 142,000"."""
    return all(_LINK.fullmatch(sentence, one.end, other.start) for one, other in pairwise(numbers))


def _period_of(
    number: Number, place: int, numbers: Sequence[Number], periods: Sequence[tuple[int, dt.date]], sentence: str
) -> dt.date | None:
    """The day that a number is of: by order where the sentence says "respectively", else the nearest named; None without any."""
    days = list(dict.fromkeys(day for _, day in periods))
    if not days:
        return None
    if len(days) == 1:
        return days[0]
    alike = [other for other in numbers if other.kind == number.kind]
    is_listed = "respectively" in sentence.lower() or (len(alike) == len(days) and _is_run(alike, sentence))
    if is_listed and len(alike) % len(days) == 0:
        return days[alike.index(number) % len(days)]
    following = min((other.start for other in alike if other.start > number.start), default=len(sentence))
    after = [(at - number.end, day) for at, day in periods if number.end <= at < following]
    before = [(number.start - at, day) for at, day in periods if at < number.start]
    near = sorted((*after[:1], *((gap * 2, day) for gap, day in before[-1:])))
    return near[0][1] if near else None
