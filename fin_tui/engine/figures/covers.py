"""What the cover of a filing without tags says in figures: the market value that outsiders hold, the shares outstanding (pure).

The form asks both of every cover, in words that hardly differ: "the aggregate market value … was $1.2 billion", "there were
1,234,567 shares of common stock outstanding".
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from fin_tui.engine.evidence.numbers import Number, find_numbers
from fin_tui.engine.questions.periods import find_periods
from fin_tui.language import any_of, split_sentences

COVER = 25_000
"""Characters from the start of a filing within which its cover stands."""
_VALUE = any_of("aggregate market value")
_AFTER, _BEFORE = 900, 200
_LEAST_VALUE = 10_000
_AMOUNT = r"(?<![\d,.$])(?P<n>\d[\d,]*(?:\.\d+)?(?:\s+(?:million|billion))?)"
_SHARES = (
    re.compile(rf"{_AMOUNT}\s+(?:[\w’'.-]+,?\s+){{0,10}}?shares?\b(?P<rest>[^.;]{{0,160}}?)\boutstanding", re.I),
    re.compile(rf"{_AMOUNT}\s+shares?\b(?P<rest>[^;]{{0,90}}?(?:\.\d+[^;]{{0,60}}?)?)\boutstanding", re.I),
    re.compile(
        r"\bshares?\b[^.;]{0,160}?\boutstanding\b(?P<rest>[^;]{0,80}?)\b(?:was|were|is|totall?ed|:)\s*(?:approximately\s+)?"
        + _AMOUNT,
        re.I,
    ),
)
_HELD, _SHARES_OF = any_of("shares outstanding, number of (outstanding) shares"), any_of("shares of")
_OUTSTANDING, _WITHIN = any_of("outstanding"), 75
_OUTSIDERS = any_of("non-affiliate(s), nonaffiliate(s), affiliates")
_CLASS = any_of("class a/b/c")
_NEAR = 140


@dataclass(frozen=True, slots=True)
class Stated:
    """A figure of a cover."""

    value: Decimal
    text: str
    start: int
    """In the text read."""
    end: int
    day: dt.date | None = None
    """The day that it is stated for."""
    note: str = ""


def market_value(text: str) -> Stated | None:
    """The aggregate market value that ``text``, a cover, states; the sum over classes of stock where it states it by class."""
    for match in _VALUE.finditer(text):
        window = text[match.start() : match.end() + _AFTER]
        window = window[:stop] if (stop := _second(window)) else window
        found = [number for number in find_numbers(window) if _is_value(number)]
        begin = match.start()
        if not found:
            begin = max(0, match.start() - _BEFORE)
            found = [number for number in find_numbers(text[begin : match.start()]) if _is_value(number)][-1:]
        if found:
            return _one(found, text, begin)
    return None


def _second(window: str) -> int:
    """Where the shares outstanding follow; 0 when they don't within ``window``."""
    classes = (
        shares.start()
        for shares in _SHARES_OF.finditer(window)
        if (held := _OUTSTANDING.search(window, shares.end(), shares.end() + _WITHIN))
        and {".", ";"}.isdisjoint(window[shares.end() : held.start()])
    )
    told = min((*classes, *(match.start() for match in _HELD.finditer(window))), default=0)
    return told if _is_value_before(window[:told]) else 0


def _is_value_before(text: str) -> bool:
    return any(_is_value(number) for number in find_numbers(text))


def _is_value(number: Number) -> bool:
    return number.kind == "money" and (number.scaled or abs(number.value) >= _LEAST_VALUE)


def _one(found: list[Number], text: str, begin: int) -> Stated:
    first = found[0]
    around = text[begin : begin + found[-1].end + _NEAR]
    named = {match.group().lower() for match in _CLASS.finditer(around)}
    classes = found if 1 < len(found) <= len(named) else [first]
    days = find_periods(_sentence(text, begin + first.start, begin + first.end)).dates
    value = sum((abs(number.value) for number in classes), Decimal(0))
    note = "sum of the classes of stock" if len(classes) > 1 else ""
    return Stated(value, first.text, begin + first.start, begin + first.end, days[0] if len(set(days)) == 1 else None, note)


def _sentence(text: str, start: int, end: int) -> str:
    """The sentence around a span, as far as it goes on nearby."""
    first = max(0, start - 2 * _NEAR)
    around = " ".join(text[first : end + _NEAR].split("\n"))
    return next((around[a:b] for a, b in split_sentences(around) if a <= start - first < b), "")


def shares_outstanding(text: str) -> Stated | None:
    """The shares outstanding that ``text``, a cover, states; the sum over classes of stock where it states each."""
    found = sorted(_shares(text), key=lambda one: one.start)
    if not found:
        return None
    first = found[0]
    near = [one for one in found if one.start - first.start <= 3 * _NEAR and one.day in (first.day, None)]
    distinct = list({one.value: one for one in near}.values())
    around = text[max(0, first.start - _NEAR) : distinct[-1].end + _NEAR]
    if len(distinct) > 1 and len({match.group().lower() for match in _CLASS.finditer(around)}) >= len(distinct):
        total = sum((one.value for one in distinct), Decimal(0))
        return Stated(total, first.text, first.start, first.end, first.day, "sum of the classes of stock")
    return first


def _shares(text: str) -> Iterator[Stated]:
    for pattern in _SHARES:
        for match in pattern.finditer(text):
            if _OUTSIDERS.search(text[match.start() : match.end() + 60]):
                continue  # Those that outsiders hold.
            number = next(iter(find_numbers(match["n"])), None)
            if number is None or number.value < _LEAST_VALUE:
                continue
            days = find_periods(_sentence(text, match.start("n"), match.end())).dates
            yield Stated(number.value, match["n"], match.start("n"), match.end("n"), days[0] if len(set(days)) == 1 else None)
