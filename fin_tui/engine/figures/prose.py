"""Figures that stand only in a sentence: "Advertising expenses totaled $2.0 billion in 2021 and $1.8 billion in 2020".

Behind the tables: asked only for what no table or tag gives. A sentence counts when the name stands by itself ("our backlog", not
"Aerospace backlog"), is joined to the number by a verb or "of", and says which year it speaks of; all such sentences must agree.
Shares of a part ("Globex contributed approximately 16% to our total sales") only where the part has no figure of its own.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Protocol

from fin_tui.engine.evidence.numbers import Number, find_numbers
from fin_tui.engine.figures.counted import counted
from fin_tui.engine.figures.covers import COVER, Stated, market_value, shares_outstanding
from fin_tui.engine.figures.grid import Grid
from fin_tui.engine.figures.ground import Book, Cell, Grounded
from fin_tui.engine.questions.kinds import read_count
from fin_tui.engine.questions.periods import find_periods, find_quarter, speaks_of_quarters
from fin_tui.engine.questions.target import Subject
from fin_tui.engine.questions.wanted import Reading
from fin_tui.facts import vocabulary
from fin_tui.facts.expression import Binary, Measure, Name
from fin_tui.facts.figures import LEAST_MONEY, Figure, Gap, Metric, Period
from fin_tui.facts.quarters import quarter_end
from fin_tui.facts.words import stems
from fin_tui.language import YEAR, any_name, any_of, closing, is_year, runs_of, split_sentences
from fin_tui.records import Chunk, Fact, Filing

_SHORTEST_LINE = 40
"""Characters of a line in a table's chunk that may be a paragraph; rows and titles are shorter, or have tabs."""


def sentences_of(chunk: Chunk) -> Iterator[tuple[int, int]]:
    """Spans in ``chunk.text`` of its sentences; of a table's chunk those of the lines that are no rows."""
    if chunk.kind == "prose":
        yield from split_sentences(chunk.text)
        return
    at = 0
    for line in chunk.text.split("\n"):
        if "\t" not in line and len(line) >= _SHORTEST_LINE and ". " in f"{line} ":
            yield from ((at + start, at + end) for start, end in split_sentences(line))
        at += len(line) + 1


_OF_COVERS = ("public_float", "cover_shares", "shares_outstanding")
_REACH = 2
"""Years that a filing's prose looks back."""
_SHORTEST = 4
_QUARTER_DAYS = 90
_CLAUSE = any_of("which, that, including, excluding, net of, before, after")
_LINK = closing(
    "was, were, is, are, of, totaled, totalled, amounted to, approximated, reached, stood at, increased/decreased/rose/fell to, "
    "increased/decreased * to",
    "approximately, about, nearly, over, a total of",
)
_LONGEST_GAP = 60
"""Characters between a name and the verb that joins it to its number."""
_WHOSE = frozenset("our the its total".split())
_BEFORE_ALONE = frozenset(
    "our the its total of and consolidated had with company's company’s for worldwide global approximately all".split()
)
"""A name behind one of these is that of the whole figure."""
_RESPECTIVELY = any_of("respectively")
_SURE, _MARGIN = 1.05, 0.2


class Prose(Protocol):
    """Chunks of a filing."""

    def of_filing(self, filing_id: str, /) -> Sequence[Chunk]: ...


@dataclass(frozen=True, slots=True)
class _Told:
    """A number of a sentence with the years that it may speak of; none where the sentence names none."""

    number: Number
    start: int
    """Of the number in the filing's clean text."""
    years: frozenset[int]
    name: str
    day: dt.date | None = None
    """The one day that the sentence names."""
    quarter: int | None = 0
    """The quarter that the sentence speaks of; 0 for the whole year, None where it names several."""


class WithProse:
    """A book that looks into sentences for what its own pages lack."""

    def __init__(self, book: Book, prose: Prose) -> None:
        self._book = book
        self._prose = prose
        self.series = book.series
        self.is_on_one_basis = book.is_on_one_basis
        self.dimensioned = book.dimensioned
        self.by_label = book.by_label
        self.ranked = book.ranked
        self.scheduled = book.scheduled
        self.lines = book.lines

    def figure(self, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        """As the book has it; else as a sentence of the filing of that year, or of one after it, tells it."""
        found = self._book.figure(metric, filings, period)
        if not isinstance(found, Gap) or metric.formula or not isinstance(period, int):
            return found
        if found.is_open and metric.statement == "balance":
            return found  # A balance stands in the balance sheet; a sentence tells a part of it.
        own = next((filing for filing in filings if filing.fiscal_year == period), None)
        if metric.id in _OF_COVERS and own is not None and (stated := self._of_cover(metric, own)):
            return stated
        near = [filing for filing in filings if filing.fiscal_year and 0 <= filing.fiscal_year - period <= _REACH]
        for filing in sorted(near, key=lambda one: one.fiscal_year or 0):
            told = self._counted(filing, period) if metric.id == "employees" else self._told(metric, filing, period)
            if told is not None:
                return _figure(told, metric, filing, period)
        return found

    def quarterly(self, metric: Metric, filings: Sequence[Filing], year: int, number: int) -> Figure | Gap:
        """As the book has it; else as a sentence of the filing of that year tells it of that quarter."""
        found = self._book.quarterly(metric, filings, year, number)
        if not isinstance(found, Gap) or metric.formula or metric.instant:
            return found
        for filing in filings:
            told = self._told(metric, filing, year, number) if filing.fiscal_year == year and filing.period_end else None
            if told is not None:
                figure = _figure(told, metric, filing, year)
                end = quarter_end(figure.period.end, number)
                fact = replace(figure.fact, period_start=end - dt.timedelta(days=_QUARTER_DAYS), period_end=end)
                return replace(figure, fact=fact, period=Period(end, fact.period_start, f"Q{number} FY{year}"))
        return found

    def _told(self, metric: Metric, filing: Filing, year: int, quarter: int = 0) -> _Told | None:
        readings = [
            told
            for chunk in self._prose.of_filing(filing.id)
            for told in _in_chunk(chunk, metric)
            if told.quarter == quarter and _speaks_of(told, filing, year)
        ]
        best = max(readings, key=lambda told: (-told.number.accuracy, -told.start), default=None)
        return best if best is not None and all(_same(best.number, told.number) for told in readings) else None

    def _of_cover(self, metric: Metric, filing: Filing) -> Figure | None:
        """What the cover of ``filing`` states in words."""
        for chunk in self._prose.of_filing(filing.id):
            if chunk.start > COVER:
                break
            found = market_value(chunk.text) if metric.id == "public_float" else shares_outstanding(chunk.text)
            if found is not None:
                return _on_cover(found, chunk.start, metric, filing)
        return None

    def _counted(self, filing: Filing, year: int) -> _Told | None:
        """How many people the company employs, by the reader of counts; its own year only."""
        count = read_count("How many employees does it have?")
        if count is None or filing.fiscal_year != year:
            return None
        best: dict[Decimal, tuple[float, _Told]] = {}
        for chunk in self._prose.of_filing(filing.id):
            for start, end in sentences_of(chunk):
                sentence = chunk.text[start:end]
                for found in counted(sentence, count, _years_of(filing, year)):
                    at = next((number for number in find_numbers(sentence) if number.value == found.value), None)
                    if at is not None and found.score > best.get(found.value, (0.0,))[0]:
                        best[found.value] = found.score, _Told(at, chunk.start + start + at.start, frozenset(), "employees")
        ranked = sorted(best.values(), key=lambda pair: -pair[0])
        if not ranked or ranked[0][0] < _SURE or (len(ranked) > 1 and ranked[1][0] > ranked[0][0] - _MARGIN):
            return None
        return ranked[0][1]


def _in_chunk(chunk: Chunk, metric: Metric) -> Iterator[_Told]:
    pattern = _named(metric.names)
    if pattern is None or not pattern.search(chunk.text):
        return
    for start, end in sentences_of(chunk):
        sentence = chunk.text[start:end]
        quarter = (find_quarter(sentence) or None) if speaks_of_quarters(sentence) else 0
        for match in pattern.finditer(sentence):
            for number, years in _beside(sentence, match, metric):
                days = [day for day in find_periods(sentence).dates if day.year in years]
                day = days[0] if len(days) == 1 else None
                yield _Told(number, chunk.start + start + number.start, years, match.group(), day, quarter)


@lru_cache(maxsize=256)
def _named(names: tuple[str, ...]) -> re.Pattern[str] | None:
    long = sorted((name for name in names if len(name) >= _SHORTEST), key=len, reverse=True)
    return any_name(tuple(long), "s|es") if long else None


def _beside(sentence: str, match: re.Match[str], metric: Metric) -> Iterator[tuple[Number, frozenset[int]]]:
    """The numbers that ``sentence`` gives under the name found in it, each with its years."""
    head, tail = sentence[: match.start()], sentence[match.end() :]
    numbers = [number for number in find_numbers(sentence) if _is_in(number, metric)]
    ahead = next((number for number in numbers if _is_of(sentence[number.end : match.start()])), None)
    if ahead is not None:
        yield ahead, _years(sentence)
        return
    after = [number for number in numbers if number.start >= match.end()]
    if not after or not _is_alone(head):
        return
    gap = _without_clauses(sentence[match.end() : after[0].start].rstrip("$€£ ") + " ")
    others = {mention.metric.id for mention in vocabulary().find(gap)} - {metric.id}
    if others or not _is_linked(gap):
        return
    years = [int(year) for year in YEAR.findall(tail)]
    if _RESPECTIVELY.search(tail) and len(years) >= len(after) > 1:
        yield from ((number, frozenset((year,))) for number, year in zip(after, years, strict=False))
        return
    first = after[0]
    behind = sentence[first.end : after[1].start] if len(after) > 1 else sentence[first.end :]
    own = _years(behind) if len(after) > 1 and not _years(head) else _years(head) or _years(behind)
    yield first, own
    for number, end in zip(after[1:], [*(one.start for one in after[2:]), len(sentence)], strict=False):
        if own and (named := _years(sentence[number.end : end])) and named != own:
            yield number, named


def _without_clauses(gap: str) -> str:
    """``gap`` without its clauses: ", net of tax, was" -> " was"."""
    kept, at = "", 0
    for opening in _CLAUSE.finditer(gap):
        end = gap.find(", ", opening.end())
        if opening.start() >= at and end >= 0 and "$" not in gap[opening.end() : end]:
            kept += gap[at : opening.start()].rstrip().removesuffix(",") + " "
            at = end + 1
    return kept + gap[at:]


def _is_linked(gap: str) -> bool:
    """Whether ``gap`` joins the number behind it to the name before it, with no other number between."""
    link = _LINK.search(gap)
    between = gap[: link.start()] if link else ""
    return link is not None and len(between) <= _LONGEST_GAP and not any(char.isdecimal() or char in "$.;:" for char in between)


def _is_of(gap: str) -> bool:
    """Whether a name behind ``gap`` says what the number before it is of: "$5 million of our total …"."""
    first, *others = [*gap.lower().split(), ""]
    return first == "of" and gap[-1:].isspace() and _WHOSE.issuperset(others[:-1])


def _is_alone(head: str) -> bool:
    before = head.rstrip()
    return (
        not before or before.endswith((",", "(")) or (before[-1].isalnum() and runs_of(before.lower(), "'’")[-1] in _BEFORE_ALONE)
    )


def _is_in(number: Number, metric: Metric) -> bool:
    """Whether a number is written in the unit of the metric; money needs its scale, as a bare amount may stand for millions."""
    match metric.unit:
        case "usd":
            return number.kind == "money" and (number.scaled or abs(number.value) >= LEAST_MONEY)
        case "%":
            return number.kind == "percent"
        case _:
            return False


def _years(text: str) -> frozenset[int]:
    return frozenset(map(int, YEAR.findall(text)))


def _speaks_of(told: _Told, filing: Filing, year: int) -> bool:
    """Whether the number is that of the fiscal ``year``; a sentence without a year speaks of the filing's own."""
    if not told.years:
        return filing.fiscal_year == year
    return len(told.years) == 1 and told.years <= _years_of(filing, year)


def _years_of(filing: Filing, year: int) -> frozenset[int]:
    """The number under which prose names the fiscal ``year``; none where the label is another than the calendar's year."""
    end = filing.period_end
    calendar = year if end is None or filing.fiscal_year is None else end.year - filing.fiscal_year + year
    return frozenset((year,)) if calendar == year else frozenset()


def _same(one: Number, other: Number) -> bool:
    return abs(one.value - other.value) <= one.accuracy + other.accuracy


def _figure(told: _Told, metric: Metric, filing: Filing, year: int) -> Figure:
    end = (told.day if metric.instant else None) or _end(filing, year)
    number = told.number
    unit = {"usd": "usd", "%": "pure"}.get(metric.unit, metric.unit)
    value = number.value / 100 if metric.unit == "%" else number.value
    fact = Fact(
        "",
        told.name,
        float(value),
        number.text,
        unit,
        None if metric.instant else end - dt.timedelta(days=364),
        end,
        source="text",
        start=told.start,
        end=told.start + number.end - number.start,
    )
    period = Period(end, fact.period_start, f"FY{year}")
    return Figure(metric.names[0], number.value, metric.unit, fact, filing, period, metric.id, note="read from a sentence")


def _on_cover(found: Stated, start: int, metric: Metric, filing: Filing) -> Figure:
    end = found.day or filing.period_end or dt.date(filing.fiscal_year or 1900, 12, 31)
    unit = "shares" if metric.unit == "shares" else "usd"
    at, until = start + found.start, start + found.end
    fact = Fact("", metric.names[0], float(found.value), found.text, unit, None, end, source="text", start=at, end=until)
    note = "; ".join(filter(None, ("as the cover states it", found.note)))
    return Figure(
        metric.names[0],
        found.value,
        metric.unit,
        fact,
        filing,
        Period(end, None, f"FY{filing.fiscal_year}"),
        metric.id,
        note=note,
    )


def _end(filing: Filing, year: int) -> dt.date:
    end = filing.period_end or dt.date(filing.fiscal_year or year, 12, 31)
    back = (filing.fiscal_year or year) - year
    try:
        return end.replace(year=end.year - back)
    except ValueError:  # 29 February
        return end - dt.timedelta(days=365 * back)


_SHARE_REACH = 140
"""Characters between the name and its share."""
_LONGEST_ASIDE = 30
_TO_WHOLE = frozenset(("of", "to", "from"))
_BEFORE_WHOLE = frozenset("our its the total net consolidated gross worldwide annual company's company’s overall all of".split())
_ANOTHER, _LISTED = frozenset(("while", "whereas")), frozenset((",", "and", ",and"))
_PART_OF_PART = any_of("increase, decrease, growth, grew, increased, decreased, declined, rose, fell, segment")


def told_shares(reading: Reading, subjects: Sequence[Subject], prose: Prose) -> Grid | None:
    """The share of a part that ``reading`` asks for, as sentences state it; None for another question, or where one lacks."""
    part = reading.parts[0]
    if len(reading.parts) != 1 or reading.over != "point" or reading.across != "each" or not isinstance(part.node, Binary):
        return None
    top, bottom = part.node.left, part.node.right
    if part.node.operator != "/" or not isinstance(top, Name) or not isinstance(bottom, Name):
        return None
    asked, whole = reading.items[top.name], reading.items[bottom.name]
    if not asked.phrase or whole.phrase or whole.metric is None or asked.metric is None or asked.metric.id != whole.metric.id:
        return None
    cells = []
    for subject in subjects:
        for year in subject.years:
            found = (told_share(asked.phrase, whole.metric, filing, year, prose) for filing in subject.filings)
            figure = next((one for one in found if one is not None), None)
            if figure is None or subject.quarter:
                return None
            grounded = Grounded(Name("f0"), [figure], [part.label])
            cells.append(Cell(part, subject.company, year, grounded=grounded, measure=Measure(figure.value, "%")))
    return Grid(reading, tuple(cells), cells[0] if len(cells) == 1 else None) if cells else None


def told_share(phrase: str, metric: Metric, filing: Filing, year: int, prose: Prose) -> Figure | None:
    """The percentage of ``metric`` that a sentence of ``filing`` gives for ``phrase``; None when none does, or they differ."""
    if filing.fiscal_year != year or filing.period_end is None or not stems(phrase):
        return None
    whole = any_name(metric.names)
    found = [
        one for chunk in prose.of_filing(filing.id) for one in _shares_in(chunk, phrase, whole, {year, filing.period_end.year})
    ]
    if not found or any(number.value != found[0][0].value for number, _ in found):
        return None
    return _figure_of_share(phrase, metric, filing, year, *found[0])


def _shares_in(chunk: Chunk, phrase: str, whole: re.Pattern[str], years: set[int]) -> Iterator[tuple[Number, int]]:
    """Each percentage with where it stands in the filing's clean text."""
    named = any_name((phrase,))
    if not named.search(chunk.text):
        return
    for start, end in sentences_of(chunk):
        sentence = chunk.text[start:end]
        match = named.search(sentence)
        if match is None or _PART_OF_PART.search(sentence) or speaks_of_quarters(sentence):
            continue
        number = _share_in(sentence, match, whole, years)
        if number is not None:
            yield number, chunk.start + start + number.start


def _share_in(sentence: str, match: re.Match[str], whole: re.Pattern[str], years: set[int]) -> Number | None:
    """The percentage behind the name, of the asked year where several years have their own."""
    shares = [number for number in find_numbers(sentence) if number.kind == "percent" and number.start >= match.end()]
    if not shares or shares[0].start - match.end() > _SHARE_REACH or _turns_away(sentence[match.end() : shares[0].start]):
        return None
    told = find_periods(sentence).years
    run = _run(sentence, shares)
    if not _leads_to(sentence[run[-1].end :], whole):
        return None
    if len(run) == 1:
        return run[0] if not told or set(told) & years else None
    order = [int(year) for year in YEAR.findall(sentence[run[-1].end :])]
    if len(order) != len(run):
        return None
    return next((number for number, year in zip(run, order, strict=True) if year in years), None)


def _leads_to(behind: str, whole: re.Pattern[str]) -> bool:
    """Whether ``behind`` a share is said of what: "of our total …", ", in 2023, to the …"."""
    said = behind.lstrip()
    if said.startswith(","):
        aside, _, said = said[1:].partition(",")
        said = said if len(aside) <= _LONGEST_ASIDE else ""
    link, _, said = said.lstrip().partition(" ")
    while link.lower() in _TO_WHOLE and not whole.match(said):
        word, _, said = said.partition(" ")
        if word.lower() not in _BEFORE_WHOLE and not is_year(word):
            return False
    return link.lower() in _TO_WHOLE


def _turns_away(gap: str) -> bool:
    """Whether another thing is told of before a number that follows ``gap``."""
    said = gap.split()
    is_next = any(word == "and" and following[:1].isupper() for word, following in pairwise(said))
    return ";" in gap or is_next or bool(_ANOTHER.intersection(runs_of(gap)))


def _run(sentence: str, shares: Sequence[Number]) -> list[Number]:
    """The percentages that stand together: "16%, 14% and 13%"."""
    run = [shares[0]]
    for number in shares[1:]:
        if (
            "".join(sentence[run[-1].end : number.start].lower().split()).removesuffix("approximately").removesuffix("about")
            not in _LISTED
        ):
            break
        run.append(number)
    return run


def _figure_of_share(phrase: str, metric: Metric, filing: Filing, year: int, number: Number, start: int) -> Figure:
    end = filing.period_end or dt.date(year, 12, 31)
    label = f"{phrase} share of {metric.names[0]}"
    fact = Fact(
        "",
        label,
        float(number.value / Decimal(100)),
        number.text,
        "pure",
        end - dt.timedelta(days=364),
        end,
        source="text",
        start=start,
        end=start + number.end - number.start,
    )
    return Figure(
        label, number.value, "%", fact, filing, Period(end, fact.period_start, f"FY{year}"), note="read from a sentence"
    )
