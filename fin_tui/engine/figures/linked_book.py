"""Figures that are looked for by words, among all that the filings of a company state."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from fin_tui.candidates import Candidate, unit_read
from fin_tui.engine.figures.ground import Book
from fin_tui.engine.figures.telling import around, covering, telling_apart, years_before
from fin_tui.engine.rank.ranker import Ranker, Scored
from fin_tui.engine.rank.wanted import Apart, At, Beside, Wanted, When
from fin_tui.facts.figures import Figure, Gap, Metric, Period, exact, printed_scale
from fin_tui.facts.parts import is_span
from fin_tui.facts.quarters import quarter_end
from fin_tui.facts.row_labels import unit_of
from fin_tui.facts.table_reader import read_cell
from fin_tui.facts.words import stems
from fin_tui.language import any_of
from fin_tui.records import Chunk, Fact, Filing

SURE_OF_SEVERAL = 0.75
"""From this probability on a figure stands without the others of its calculation speaking for it."""
_LIKELY_AS_WELL = 0.25
"""Probability from which a figure is that of another year beside one that was found."""
LEAST = 0.02
"""Probability of a figure from which a calculation with it is weighed."""
_MOST_NEAR = 4
_ANSWERS = {"usd": "money", "usd/share": "per_share", "shares": "count", "count": "count", "%": "percent"}
"""Unit of a metric -> the kind of figure that it is."""
_COUNT, _NUMBER_OF = any_of("count(s)"), any_of("count(s), number of")
"""What tables and columns of things are called."""
_NEAREST = 5
_OF_EACH, _MOST_LINES = 2, 10
"""Lines for each thing that is looked for, and in all."""
_PERIODS = 3
_PARTS, _LONGEST = 3, 110
"""Parts of a row that are read, and their characters."""
Passages = Callable[[str, Filing], Sequence[Chunk]]
"""(words, filing) -> the passages of the filing that bear on them."""


@dataclass(frozen=True, slots=True)
class Linked:
    """What ranks the figures of a filing, and the passages whose sentences count as well."""

    ranker: Ranker
    passages: Passages

    def rank(self, wanted: Wanted, filing: Filing, year: When) -> list[Scored]:
        """The likeliest figures of ``filing`` first."""
        return self.ranker.rank(wanted, filing, year, self.passages(wanted.matter, filing))


@dataclass(frozen=True, slots=True)
class Moment:
    """What is asked about in the place of whole years: one day, or one quarter of each year."""

    day: dt.date | None = None
    quarter: int = 0

    def at(self, year: Period) -> At:
        """The moment in ``year``."""
        return At(year, self.day or quarter_end(year.end, self.quarter), is_quarter=self.day is None)


@dataclass(frozen=True, slots=True)
class _Found:
    """A figure of a filing, with the year as the filing has it."""

    scored: Scored
    filing: Filing
    year: Period


@dataclass(frozen=True, slots=True)
class Looked:
    """What was looked up for one question, for all its readings."""

    ranked: dict[tuple[str, str, str], list[Scored]] = field(default_factory=dict)
    filings: dict[str, Filing] = field(default_factory=dict)
    """By id, those that were looked through."""
    tagged: dict[tuple[str, str, tuple[str, ...], Period | int, Moment | None], Figure | Gap] = field(default_factory=dict)


class LinkedBook:
    """A book that ranks the figures of filings by words where no metric names what is asked."""

    def __init__(
        self,
        book: Book,
        wanted: Mapping[str, Wanted],
        linked: Linked,
        least: float = LEAST,
        *,
        newest_first: bool = False,
        looked: Looked | None = None,
        choice: Mapping[str, int] | None = None,
        moment: Moment | None = None,
        anchor: int | None = None,
        given: Mapping[str, Figure] | None = None,
        by_year: Mapping[int, Figure] | None = None,
    ) -> None:
        """Takes figures from the probability ``least`` on. ``newest_first``: years that are set against each other come from one
        filing where one has them all. ``looked`` is shared by books of the same question. ``choice``: for
        words that a figure is looked for by the place of the candidate that is taken, 0 by default. ``moment``: what is asked
        about in the place of whole years. ``anchor``: of several years the one whose figure is looked for first; those of the
        others are to be like it. ``given``: figures that are known by the words for them, whatever the year; ``by_year``: those
        of the one row that is asked about, whatever it is called.
        """
        self._book = book
        self._wanted = wanted
        self._linked = linked
        self._newest_first = newest_first
        self._least = least
        self._looked = looked or Looked()
        self._choice = choice or {}
        self._moment = moment
        self._anchor = anchor
        self._given = given or {}
        self._by_year = by_year or {}
        self._rows: dict[tuple[str, str], Scored] = {}
        """(what was read for, filing) -> the row that was found: it is the same in another year."""
        self._first: dict[tuple[str, str], Scored] = {}
        """(what was read for, company) -> what was found for the first of the years."""
        self.quarterly = book.quarterly
        self.scheduled = book.scheduled
        self.lines = book.lines
        self.ranked = book.ranked
        self.series = book.series
        self.is_on_one_basis = book.is_on_one_basis

    def figure(self, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        """As the book has it by the metric's tags; else by its name."""
        found = self._tagged("", metric, filings, period)
        if isinstance(found, Figure) or metric.formula:
            return found
        wanted = self._wanted.get(f"{metric.id}/")
        if wanted is None:
            return self._operand(found, metric, filings, period) if found.is_open or not metric.concepts else found
        return found if wanted.is_meant else self._linked_or(found, wanted, filings, period)

    def _operand(self, gap: Gap, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        """A figure of a formula that no row is called by: the row that is surely it; none where none is at all likely to be."""
        found = self._linked_or(gap, Wanted(metric.names[0], _ANSWERS.get(metric.unit, "")), filings, period)
        if isinstance(found, Gap):
            return replace(gap, is_open=False)
        return found if (found.sure or 0.0) >= SURE_OF_SEVERAL else gap

    def dimensioned(self, phrase: str, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        """As the book has it by members and rows; else by the words for both."""
        found = self._tagged(phrase, metric, filings, period)
        if isinstance(found, Gap) and not metric.formula:
            wanted = self._wanted.get(f"{metric.id}/{phrase}") or Wanted(f"{phrase} {metric.names[0]}", "", phrase)
            return found if wanted.is_meant else self._linked_or(found, wanted, filings, period)
        return found

    def _tagged(self, phrase: str, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        key = (phrase, metric.id, tuple(filing.id for filing in filings), period, self._moment)
        if key not in self._looked.tagged:
            of = self._book
            if self._moment is not None:
                found = self._of_moment(self._moment, phrase, metric, filings, period)
            else:
                found = of.dimensioned(phrase, metric, filings, period) if phrase else of.figure(metric, filings, period)
            self._looked.tagged[key] = found
        return self._looked.tagged[key]

    def _of_moment(
        self, moment: Moment, phrase: str, metric: Metric, filings: Sequence[Filing], period: Period | int
    ) -> Figure | Gap:
        """A figure of the whole company, of a day or quarter: no annual report states those of its parts by tags."""
        gap = Gap(metric.names[0], None, f"No {metric.names[0]} found by {'quarter' if moment.quarter else 'day'}.")
        if phrase or not isinstance(period, int):
            return gap
        if moment.quarter:
            return self._book.quarterly(metric, filings, period, moment.quarter)
        found = self._book.figure(metric, filings, period)
        return found if isinstance(found, Figure) and found.fact.period_end == moment.day else gap

    def by_label(self, phrase: str, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        """The figure that is given for the words, else the one that ranks highest for them, where that is sure enough."""
        of_year = self._by_year.get(period) if isinstance(period, int) else None
        if (given := of_year or self._given.get(phrase)) is not None:
            return given
        wanted = self._wanted.get(phrase) or Wanted(phrase)
        gap = Gap(wanted.matter, None, f"No exact figure found for {wanted.matter}.")
        return self._linked_or(gap, wanted, filings, period)

    def _linked_or(self, gap: Gap, wanted: Wanted, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        if wanted.beside is not None:
            return self._beside(gap, wanted, wanted.beside, period)
        whose = (wanted.matter, filings[0].company_key if filings else "")
        if whose not in self._first and self._anchor not in (None, period):
            self._linked_or(gap, wanted, filings, self._anchor)
        first = self._first.get(whose)
        near: list[_Found] = []
        for filing, year in self._telling(filings, period):
            known = self._rows.get((wanted.matter, filing.id))
            same = self._linked.ranker.in_year(known.candidate, filing, year) if known is not None else None
            scored = (
                [replace(known, candidate=same)] if known is not None and same is not None else self._rank(wanted, filing, year)
            )
            scored = scored if first is None else _like(first.candidate, scored)
            near += (_Found(one, filing, year) for one in scored)
            if scored and scored[0].probability >= SURE_OF_SEVERAL:
                break
        for filing, apart in telling_apart(filings, period):
            near = [_Found(one, filing, apart.year) for one in self._rank(wanted, filing, apart)]
        near.sort(key=lambda one: -one.scored.probability)
        least = self._least if first is None else min(_LIKELY_AS_WELL, first.probability / 2)
        if not near or near[0].scored.probability < least:
            facts = tuple(one.scored.candidate.fact for one in near[:_MOST_NEAR])
            return replace(gap, candidates=facts, filing=near[0].filing if near else None)
        near = _from_value(near, self._choice.get(wanted.matter, 0) if first is None else 0)
        best = near[0]
        self._rows[wanted.matter, best.filing.id] = best.scored
        self._first.setdefault(whose, best.scored)
        return figure_of([one.scored for one in near if one.filing.id == best.filing.id], wanted, best.filing, best.year)

    def _beside(self, gap: Gap, wanted: Wanted, beside: Beside, period: Period | int) -> Figure | Gap:
        """What is ``wanted`` of the figures beside one that was told before."""
        filing = beside.filing
        if not isinstance(period, int) or filing.fiscal_year is None or filing.period_end is None:
            return gap
        year = Period(years_before(filing, filing.fiscal_year - period), None, f"FY{period}")
        key = (f"{wanted.read_in(None)}|{wanted.parts}|{wanted.answer}|{beside.fact.start}", filing.id, year.label)
        if key not in self._looked.ranked:
            self._looked.ranked[key] = self._linked.ranker.rank_beside(wanted, beside, year)
            self._looked.filings[filing.id] = filing
        near = [_Found(one, filing, year) for one in self._looked.ranked[key]]
        if not near or near[0].scored.probability < self._least:
            return gap
        near = _from_value(near, self._choice.get(wanted.matter, 0))
        is_of_told = near[0].scored.candidate.fact.period_end == beside.fact.period_end
        return figure_of([one.scored for one in near], wanted, filing, beside.period if is_of_told else year)

    def _telling(self, filings: Sequence[Filing], period: Period | int) -> list[tuple[Filing, Period]]:
        """The filings that tell of a year, or of the day asked about, the likeliest first."""
        day = self._moment.day if self._moment is not None else None
        return covering(filings, period, newest_first=self._newest_first) if day is None else around(filings, day)

    def _rank(self, wanted: Wanted, filing: Filing, year: Period | Apart) -> list[Scored]:
        of = year.year if isinstance(year, Apart) else year
        key = (f"{wanted.read_in(None)}|{wanted.parts}|{wanted.answer}", filing.id, f"{of.label} {self._moment or ''}".strip())
        if key not in self._looked.ranked:
            asked = replace(wanted, matter=f"{wanted.matter} {year.name}") if isinstance(year, Apart) else wanted
            when = self._moment.at(of) if self._moment is not None else year
            self._looked.ranked[key] = self._linked.rank(asked, filing, when)
            self._looked.filings[filing.id] = filing
        return self._looked.ranked[key]


def _like(first: Candidate, scored: Sequence[Scored]) -> list[Scored]:
    """Those in the unit of what was found for another year, as likely as their rows read alike."""
    said, unit = _words(first), unit_of(first.fact)
    alike = [one for one in scored if unit_of(one.candidate.fact) == unit]
    weighed = [replace(one, probability=one.probability * _overlap(said, _words(one.candidate))) for one in alike]
    return sorted(weighed, key=lambda one: -one.probability)


def _words(one: Candidate) -> frozenset[str]:
    return frozenset(stem for stem in stems(one.row) if not any(map(str.isdigit, stem)))


def _overlap(some: frozenset[str], others: frozenset[str]) -> float:
    return len(some & others) / max(min(len(some), len(others)), 1)


def _from_value(found: list[_Found], place: int) -> list[_Found]:
    """The candidates from the one on that has the value of a place among the values, each counted once."""
    firsts = list({one.scored.candidate.fact.value: at for at, one in reversed(list(enumerate(found)))}.values())[::-1]
    return found[sorted(firsts)[min(place, len(firsts) - 1)] :]


def value_of(one: Candidate, wanted: Wanted) -> Decimal:
    """The value in the unit that is asked for: percentages as 14.2, counts as printed and captioned, money in base units."""
    fact = one.fact
    unit = unit_of(fact)
    if _is_plain(one, wanted) and not (fact.unit == "count" and printed_scale(fact) > 1):
        printed = read_cell(fact.text)
        return printed.value * one.count_scale if printed is not None else exact(fact.value or 0.0)
    value = exact(fact.value or 0.0) * (one.loose_scale if unit == "usd" else 1)
    return value * 100 if unit == "%" else value


def _is_plain(one: Candidate, wanted: Wanted) -> bool:
    """Whether a number that was read as money for want of another unit is one of things: by the name of its row, column or
    table, or as asked.
    """
    fact, unit = one.fact, unit_of(one.fact)
    is_bare = fact.source == "table" and fact.unit in ("usd", "count") and "$" not in fact.text
    is_named = is_bare and (unit == "count" or bool(_COUNT.search(one.title) or _NUMBER_OF.search(one.column)))
    return is_named or (fact.source != "xbrl" and unit == "usd" and wanted.answer == "count")


def _is_beside(parts: str, label: str, row: str) -> bool:
    """Whether a part is named by the row's headings or column, and not by its label."""
    asked = set(stems(parts))
    return bool(asked) and asked <= set(stems(row)) and not asked & set(stems(label))


def figure_of(scored: Sequence[Scored], wanted: Wanted, filing: Filing, year: Period) -> Figure:
    """The first candidate as a figure, in the unit that is asked for."""
    one = scored[0].candidate
    fact, value = one.fact, value_of(one, wanted)
    unit = unit_of(fact)
    if _is_plain(one, wanted):
        unit = "count"
        fact = replace(fact, value=float(value), unit="count")
    elif unit == "usd":
        fact = replace(fact, value=float(value))
    end = fact.period_end or min(year.end, filing.period_end or year.end)
    names = bool(one.path) and fact.source != "text" and "[" not in one.path[-1] and not is_span(one.path[-1])
    names = names and any(map(str.isalpha, one.path[-1]))
    label = one.path[-1] if names else wanted.label or wanted.matter.strip()
    if names and wanted.parts and _is_beside(wanted.parts, label, one.row):
        label = f"{label} ({wanted.parts})"
    elif names and fact.source == "table" and one.column and not set(stems(one.column)) <= set(stems(label)):
        label = f"{label} ({one.column})"
    note = {"table": "read from an untagged table", "text": "read from a sentence"}.get(fact.source, "")
    others = tuple(other.candidate.fact for other in scored[1:_MOST_NEAR])
    period = replace(year, end=end, start=fact.period_start)
    sure = scored[0].probability
    return Figure(label, value, unit, fact, filing, period, note=note, others=others, sure=sure, row=one.row)


def nearest(looked: Looked) -> tuple[tuple[tuple[Candidate, Filing], ...], ...]:
    """The figures that rank highest for each thing looked for in each filing."""
    ranked = ((looked.filings[filing], scored) for (_, filing, _), scored in looked.ranked.items())
    return tuple(tuple((one.candidate, filing) for one in scored[:_NEAREST]) for filing, scored in ranked)


def row_lines(looked: Looked, ranker: Ranker, found: Sequence[Figure] = ()) -> tuple[str, ...]:
    """The rows of the figures ``found``, then the best rows and sentences for each thing looked for, as a model reads them."""
    rows: dict[str, list[Fact]] = {}
    for figure in found:
        rows.setdefault(_line_name(figure.row, figure.fact), []).append(figure.fact)
    for place in range(_OF_EACH):
        for (_, filing, _), scored in looked.ranked.items():
            for one in scored[place : place + 1]:
                periods = ranker.periods_of(one.candidate, looked.filings[filing])
                rows.setdefault(_line_name(one.candidate.row, one.candidate.fact), []).extend(other.fact for other in periods)
    return tuple(_line(name, facts) for name, facts in rows.items())[:_MOST_LINES]


def _line_name(row: str, fact: Fact) -> str:
    """The row as it is read; of a figure found by its tag its label under its headings, of one in a sentence the sentence."""
    if fact.source == "text" and row:
        return row.partition(" - ")[2].partition(" | ")[0].replace("[ ", "").replace(" ]", "")
    parts = row.split(" | ") if row else fact.label.split(" > ")[::-1]
    return " | ".join(parts[:_PARTS])[:_LONGEST]


def _line(name: str, facts: Sequence[Fact]) -> str:
    """ "Net sales | Europe: 2021-12-31 4,210; 2020-12-31 3,950 ($ million)"; a sentence as it stands."""
    if facts[0].source == "text":
        return name
    unit = unit_read(facts[0])
    return f"{name}: {'; '.join(_newest_first(facts))}{f' ({unit})' if unit else ''}"


def _newest_first(facts: Sequence[Fact]) -> Iterator[str]:
    """The figures as printed, the newest first, one for each period's end."""
    ends = {fact.period_end: fact.text for fact in reversed(facts)}
    newest = sorted(ends, key=lambda end: end.toordinal() if end else 0, reverse=True)[:_PERIODS]
    yield from (f"{end or ''} {ends[end]}".strip() for end in newest)
