"""Where a figure stands, as a numbered passage whose quote is its row or sentence; and all that the library knows of one figure:
what it is, how other filings state it, and its other years.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Protocol

from fin_tui.engine.evidence import Passage, cite, scale_of
from fin_tui.errors import NotFound
from fin_tui.facts.figures import agree, exact, exactness, show_printed
from fin_tui.facts.index import days
from fin_tui.facts.row_labels import unit_of
from fin_tui.facts.words import tag_words
from fin_tui.language import split_sentences
from fin_tui.records import Chunk, Citation, Fact, FactRecord, Filing, Hit, Ranks
from fin_tui.records.answer import page_name
from fin_tui.store import Corpus


class Chunks(Protocol):
    """Finds the chunk around a span."""

    def holding(self, filing_id: str, start: int, end: int, /) -> Chunk | None: ...


class Places:
    """Numbers the passages of figures from 1, one for each row or sentence that several figures may share. What only one figure
    of a row is cited by opens that figure.
    """

    def __init__(self, chunks: Chunks) -> None:
        self._chunks = chunks
        self._numbers: dict[tuple[str, int, int], int] = {}
        self._passages: list[Passage] = []

    @property
    def passages(self) -> tuple[Passage, ...]:
        """In the order of their numbers."""
        return tuple(self._passages)

    def number(self, fact: Fact, filing: Filing) -> int | None:
        """The number of the passage that shows ``fact``; None when the filing hides it or no chunk holds it."""
        if fact.end <= fact.start:
            return None
        chunk = self._chunks.holding(filing.id, fact.start, fact.end)
        if chunk is None:
            return None
        start, end = quote_of(chunk, fact.start, fact.end)
        key = (filing.id, start, end)
        if key not in self._numbers:
            number = len(self._passages) + 1
            hit = Hit(number, chunk, filing, 1.0, Ranks())
            scale = scale_of(chunk.header) if chunk.kind == "table" else 1
            citation = cite(number, hit, start, end)
            if chunk.kind == "table" and start <= fact.start and fact.end <= end:
                citation = replace(citation, figure=(fact.start - start, fact.end - start))
            self._passages.append(Passage(citation, chunk.text, chunk.start, chunk.end, 1.0, chunk.kind, scale))
            self._numbers[key] = number
        elif self._passages[(number := self._numbers[key]) - 1].citation.place != (fact.start, fact.end):
            shared = self._passages[number - 1]
            self._passages[number - 1] = replace(shared, citation=replace(shared.citation, figure=None))
        return self._numbers[key]


def quote_of(chunk: Chunk, start: int, end: int) -> tuple[int, int]:
    """The table row or sentence of ``chunk`` around the span, in the clean text."""
    a, b = start - chunk.start, end - chunk.start
    text = chunk.text
    if chunk.kind == "table":
        first = text.rfind("\n", 0, a) + 1
        last = text.find("\n", b)
        return chunk.start + first, chunk.start + (len(text) if last < 0 else last)
    for first, last in split_sentences(text):
        if first <= a and b <= last:
            return chunk.start + first, chunk.start + last
    return start, end


MOST_PLACES = 12
MOST_YEARS = 15
_SAME_LENGTH = 20
"""Days by which two periods of one kind may differ: 52 and 53 weeks, quarters of 12 and 14 weeks."""


@dataclass(frozen=True, slots=True)
class Stated:
    """The figure, or another year of it, at one place."""

    filing: Filing
    fact: Fact
    text: str
    """For people, with its unit: "$391,035 million"."""
    item: str = ""
    page: str = ""
    """ "p. 29 (physical page 31)"; empty for data that the filing does not print."""
    is_different: bool = False
    """It is not the value that was asked about: restated, or corrected."""


@dataclass(frozen=True, slots=True)
class FigureDetail:
    """One figure of an answer, looked up again."""

    label: str
    concept: str
    period: str
    """ "2023-10-01 to 2024-09-28 (364 days)" or "at 2024-09-28"."""
    dimensions: tuple[tuple[str, str], ...]
    """(axis, member) in words."""
    unit: str
    decimals: str
    """How exact the tag says it is: "to the million"; empty when it does not say."""
    source: str
    """ "xbrl", "table" or "text"."""
    text: str
    filing: Filing
    note: str
    places: tuple[Stated, ...]
    """Every place that states this period, the figure's own filing first."""
    years: tuple[Stated, ...]
    """The same figure for other periods of the same kind, latest first, each from the latest filing that has it."""

    @property
    def restated(self) -> tuple[Stated, ...]:
        """Places that give the period another value."""
        return tuple(place for place in self.places if place.is_different)


def detail_of(fact: FactRecord, library: Corpus) -> FigureDetail:
    """``fact``: a fact object of an answer. Raises ``NotFound`` when its filing, or the fact in it, is no longer held."""
    filing = library.filing(str(fact.get("filing") or ""))
    family = [held for held in library.filings() if held.company_key == filing.company_key]
    found = _alike(fact, family, library)
    own = next((stated for held, stated in found if held.id == filing.id and _is(stated, fact)), None)
    if own is None:
        raise NotFound("That figure is no longer in the library.", "The filing was read again since; ask anew.")
    if own.source != "xbrl":
        found = _of_row(own, filing, found, library)
    same = [(held, other) for held, other in found if _same_period(own, other)]
    same.sort(key=lambda pair: (pair[0].id != filing.id, str(pair[0].period_end), pair[1].start))
    return FigureDetail(
        label=str(fact.get("label") or own.label or own.concept),
        concept=own.concept,
        period=_period(own),
        dimensions=tuple((spoken(axis), spoken(member)) for axis, member in own.dimensions.items()),
        unit=own.unit,
        decimals=_accuracy(own.decimals),
        source=own.source,
        text=_text(own),
        filing=filing,
        note=str(fact.get("note") or ""),
        places=tuple(_stated(held, other, own, library) for held, other in _distinct(same)[:MOST_PLACES]),
        years=tuple(_stated(held, other, own, library) for held, other in _other_years(found, own)),
    )


def citation_at(stated: Stated, number: int, library: Corpus) -> Citation | None:
    """The citation of a place, to open or to keep it; None for data that the filing does not print."""
    places = Places(library.chunks)
    found = places.number(stated.fact, stated.filing)
    if found is None:
        return None
    return replace(places.passages[0].citation, id=number)


def spoken(name: str) -> str:
    """ "us-gaap:StatementBusinessSegmentsAxis" -> "statement business segments"; "aapl:GreaterChinaMember" -> "greater china"."""
    local = name.partition(":")[2] or name
    return " ".join(tag_words(local)) or name


def _alike(fact: FactRecord, family: Sequence[Filing], library: Corpus) -> list[tuple[Filing, Fact]]:
    """Facts of the company with the same concept and dimensions."""
    by_id = {held.id: held for held in family}
    wanted = dict(fact.get("dimensions") or {})
    rows = library.facts.find_with_filing(concepts=(str(fact.get("concept")),), filings=tuple(by_id))
    return [(by_id[name], held) for name, held in rows if held.value is not None and dict(held.dimensions) == wanted]


def _of_row(own: Fact, filing: Filing, found: Sequence[tuple[Filing, Fact]], library: Corpus) -> list[tuple[Filing, Fact]]:
    """Where no tag says what a row is, its words may name another figure elsewhere: the same value for the same period, and what
    stands in the row itself. Of each other period that is the number nearest to ``own`` in its table.
    """
    chunk = library.chunks.holding(filing.id, own.start, own.end)
    agreeing, row = [], dict[dt.date | None, tuple[Filing, Fact]]()
    for held, fact in found:
        if _same_period(own, fact):
            if agree(own, fact):
                agreeing.append((held, fact))
        elif held.id == filing.id and chunk is not None and chunk.start <= fact.start < chunk.end:
            nearest = row.get(fact.period_end)
            if nearest is None or abs(fact.start - own.start) < abs(nearest[1].start - own.start):
                row[fact.period_end] = (held, fact)
    return [*agreeing, *row.values()]


def _is(held: Fact, fact: FactRecord) -> bool:
    end = held.period_end.isoformat() if held.period_end else None
    start = held.period_start.isoformat() if held.period_start else None
    return held.text == fact.get("as_reported") and end == fact.get("period_end") and start == fact.get("period_start")


def _same_period(one: Fact, other: Fact) -> bool:
    return one.period_end == other.period_end and (
        one.period_start == other.period_start or None in (one.period_start, other.period_start)
    )


def _distinct(found: Iterable[tuple[Filing, Fact]]) -> list[tuple[Filing, Fact]]:
    """Each place once; hidden data of a filing only where it prints the figure nowhere."""
    kept: dict[tuple[str, int], tuple[Filing, Fact]] = {}
    for filing, fact in found:
        kept.setdefault((filing.id, fact.start if fact.end > fact.start else -1), (filing, fact))
    printed = {filing for filing, start in kept if start >= 0}
    return [pair for (filing, start), pair in kept.items() if start >= 0 or filing not in printed]


def _other_years(found: Sequence[tuple[Filing, Fact]], own: Fact) -> list[tuple[Filing, Fact]]:
    """One place for each other period of the same length, from the latest filing that has it, its most exact print first."""
    length = days(own)
    best: dict[dt.date, tuple[Filing, Fact]] = {}
    for filing, fact in found:
        other = days(fact)
        is_kind = (other is None) == (length is None) and abs((other or 0) - (length or 0)) <= _SAME_LENGTH
        if fact.period_end is None or fact.period_end == own.period_end or not is_kind:
            continue
        held = best.get(fact.period_end)
        if held is None or _rank(filing, fact) > _rank(*held):
            best[fact.period_end] = (filing, fact)
    return [best[end] for end in sorted(best, reverse=True)][:MOST_YEARS]


def _rank(filing: Filing, fact: Fact) -> tuple[str, bool, int, int]:
    return str(filing.period_end or ""), fact.end > fact.start, exactness(fact), -fact.start


def _stated(filing: Filing, fact: Fact, own: Fact, library: Corpus) -> Stated:
    chunk = library.chunks.holding(filing.id, fact.start, fact.end) if fact.end > fact.start else None
    is_different = _same_period(own, fact) and not agree(own, fact)
    if chunk is None:
        return Stated(filing, fact, _text(fact), is_different=is_different)
    return Stated(filing, fact, _text(fact), chunk.item, page_name(chunk.page, chunk.page_label), is_different)


def _text(fact: Fact) -> str:
    unit = unit_of(fact)
    value = exact(fact.value or 0.0)
    return show_printed(value * Decimal(100) if unit == "%" and fact.unit == "pure" else value, unit, fact)


def _period(fact: Fact) -> str:
    length = days(fact)
    return f"at {fact.period_end}" if length is None else f"{fact.period_start} to {fact.period_end} ({length} days)"


def _accuracy(decimals: int | None) -> str:
    if decimals is None:
        return ""
    words = {-3: "to the thousand", -6: "to the million", -9: "to the billion", 0: "to the unit", 2: "to the cent"}
    return words.get(decimals, f"to {decimals} decimals")
