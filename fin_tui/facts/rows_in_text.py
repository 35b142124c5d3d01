"""Rows of a company's filings that a text names in full, by all words of their labels, and what they state of a year."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fin_tui.facts.periods import YEAR_DAYS, days, year_of
from fin_tui.facts.words import LINKS, Word, stems, words
from fin_tui.records import Fact, Filing

_LONGEST = 16
_LEAST = 2
"""Words of a label that names its row alone; one word is a name for many rows."""
_DRIFT = 0.03
"""Share of a year by which a balance may be dated beside the end of a fiscal year."""
Labels = Mapping[tuple[str, ...], Sequence[Fact]]


@dataclass(frozen=True, slots=True)
class NamedRow:
    """A place of a text that is the label of rows."""

    stems: tuple[str, ...]
    """In alphabetical order."""
    start: int
    end: int


def labels_of(facts: Sequence[Fact]) -> Labels:
    """Facts with a value by the stems of their row's own label."""
    found: defaultdict[tuple[str, ...], list[Fact]] = defaultdict(list)
    for fact in facts:
        key = _key(stems(fact.label.rpartition(" > ")[2]))
        if _LEAST <= len(key) <= _LONGEST:
            found[key].append(fact)
    return found


def rows_in(text: str, known: Sequence[Labels]) -> tuple[NamedRow, ...]:
    """The longest labels of ``known`` that stand in ``text``, left to right; a zero character parts words."""
    own = [word for word in words(text) if word.surface not in LINKS]
    found: list[NamedRow] = []
    at = 0
    while at < len(own):
        row = next((one for one in _from(own[at:], text) if any(one.stems in labels for labels in known)), None)
        if row is not None:
            found.append(row)
            at += len(row.stems)
        else:
            at += 1
    return tuple(found)


def _key(label: Sequence[str]) -> tuple[str, ...]:
    """The stems in one order: "net receivables" is "receivables, net"."""
    return tuple(sorted(label))


def _from(own: Sequence[Word], text: str) -> Iterator[NamedRow]:
    """What may be a label beginning with the first word, the longest first."""
    most = 1
    while most < min(len(own), _LONGEST) and "\0" not in text[own[most - 1].end : own[most].start]:
        most += 1
    for count in range(most, _LEAST - 1, -1):
        yield NamedRow(_key([word.stem for word in own[:count]]), own[0].start, own[count - 1].end)


def of_year(facts: Sequence[Fact], filing: Filing, year: int) -> list[Fact]:
    """Those of ``facts`` that are of the whole fiscal ``year`` of ``filing``'s company, or balances at its end.

    The figures of the whole company, or, where there are none, of its parts.
    """
    if filing.period_end is None:
        return []
    found = []
    for fact in facts:
        if fact.period_end is None or year_of(filing, fact.period_end) != year:
            continue
        off = (filing.period_end - fact.period_end).days / 365.25
        length = days(fact)
        if abs(off - round(off)) <= _DRIFT and (length is None or YEAR_DAYS[0] <= length <= YEAR_DAYS[1]):
            found.append(fact)
    return [fact for fact in found if not fact.dimensions] or found
