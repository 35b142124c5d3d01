"""Figures that are looked for by words, among all that the filings of a company state."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from fin_tui.candidates import Candidate
from fin_tui.engine.figures.ground import Book
from fin_tui.engine.questions.question import is_year
from fin_tui.engine.rank.ranker import Ahead, Ranker, Scored, Spans, Wanted, When
from fin_tui.facts.figures import Figure, Gap, Metric, Period, exact
from fin_tui.facts.row_labels import unit_of
from fin_tui.facts.table_reader import read_cell
from fin_tui.facts.words import stems
from fin_tui.records import Chunk, Fact, Filing

SURE_OF_SEVERAL = 0.75
"""From this probability on a figure stands without the others of its calculation speaking for it."""
LEAST = 0.02
"""Probability of a figure from which a calculation with it is weighed."""
_REACH = 2
_AHEAD = 5
"""Years that a filing tells of beforehand: plans and maturities."""
_MOST_NEAR = 4
Passages = Callable[[str, Filing], Sequence[Chunk]]
"""(words, filing) -> the passages of the filing that bear on them."""


@dataclass(frozen=True, slots=True)
class Linked:
    """What ranks the figures of a filing, and the passages whose sentences count as well."""

    ranker: Ranker
    passages: Passages
    within: Mapping[str, Spans] = field(default_factory=dict)
    """Filing -> where alone figures are looked for, those of quarters as well; empty for everywhere."""

    def rank(self, wanted: Wanted, filing: Filing, year: When) -> list[Scored]:
        """The likeliest figures of ``filing`` first; none of another filing where only some places count."""
        if self.within and filing.id not in self.within:
            return []
        return self.ranker.rank(wanted, filing, year, self.passages(wanted.matter, filing), self.within.get(filing.id, ()))


@dataclass(frozen=True, slots=True)
class Looked:
    """What was looked up for one question, for all its readings."""

    ranked: dict[tuple[str, str, str], list[Scored]] = field(default_factory=dict)
    filings: dict[str, Filing] = field(default_factory=dict)
    """By id, those that were looked through."""
    tagged: dict[tuple[str, str, tuple[str, ...], Period | int], Figure | Gap] = field(default_factory=dict)


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
        any_period: bool = False,
    ) -> None:
        """Takes figures from the probability ``least`` on. ``newest_first``: years that are set against each other come from one
        filing where one has them all. ``looked`` is shared by books of the same question. ``choice``: for
        words that a figure is looked for by the place of the candidate that is taken, 0 by default. ``any_period``: figures of
        a part of the year count as well.
        """
        self._book = book
        self._wanted = wanted
        self._linked = linked
        self._newest_first = newest_first
        self._least = least
        self._looked = looked or Looked()
        self._choice = choice or {}
        self._any_period = any_period
        self._rows: dict[tuple[str, str], Scored] = {}
        """(what was read for, filing) -> the row that was found: it is the same in another year."""
        self.quarterly = book.quarterly
        self.scheduled = book.scheduled
        self.ranked = book.ranked
        self.series = book.series

    def figure(self, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        """As the book has it by the metric's tags; else by its name."""
        found = self._tagged("", metric, filings, period)
        wanted = self._wanted.get(f"{metric.id}/")
        if isinstance(found, Gap) and not metric.formula and wanted is not None:
            return self._linked_or(found, wanted, filings, period)
        return found

    def dimensioned(self, phrase: str, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        """As the book has it by members and rows; else by the words for both."""
        found = self._tagged(phrase, metric, filings, period)
        if isinstance(found, Gap) and not metric.formula:
            wanted = self._wanted.get(f"{metric.id}/{phrase}") or Wanted(f"{phrase} {metric.names[0]}", "", phrase)
            return self._linked_or(found, wanted, filings, period)
        return found

    def _tagged(self, phrase: str, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        key = (phrase, metric.id, tuple(filing.id for filing in filings), period)
        if key not in self._looked.tagged:
            of = self._book
            found = of.dimensioned(phrase, metric, filings, period) if phrase else of.figure(metric, filings, period)
            self._looked.tagged[key] = found
        return self._looked.tagged[key]

    def by_label(self, phrase: str, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        """The figure that ranks highest for the words, where that is sure enough."""
        wanted = self._wanted.get(phrase) or Wanted(phrase)
        gap = Gap(wanted.matter, None, f"No exact figure found for {wanted.matter}.")
        return self._linked_or(gap, wanted, filings, period)

    def _linked_or(self, gap: Gap, wanted: Wanted, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        near: list[Scored] = []
        where: tuple[Filing, Period] | None = None
        for filing, year in covering(filings, period, newest_first=self._newest_first):
            known = self._rows.get((wanted.matter, filing.id))
            same = self._linked.ranker.in_year(known.candidate, filing, year) if known is not None else None
            scored = (
                [replace(known, candidate=same)] if known is not None and same is not None else self._rank(wanted, filing, year)
            )
            if scored and (not near or scored[0].probability > near[0].probability):
                near, where = scored, (filing, year)
            if near and near[0].probability >= SURE_OF_SEVERAL:
                break
        for filing, ahead in looking_ahead(filings, period):
            near, where = self._rank(wanted, filing, ahead), (filing, ahead.year)
        if where is None or not near or near[0].probability < self._least:
            facts = tuple(one.candidate.fact for one in near[:_MOST_NEAR])
            return replace(gap, candidates=facts, filing=where[0] if where else None)
        near = _from_value(near, self._choice.get(wanted.matter, 0))
        self._rows[wanted.matter, where[0].id] = near[0]
        return _figure(near, wanted, *where)

    def _rank(self, wanted: Wanted, filing: Filing, year: Period | Ahead) -> list[Scored]:
        of = year.year if isinstance(year, Ahead) else year
        key = (f"{wanted.matter}|{wanted.parts}|{wanted.answer}", filing.id, of.label)
        if key not in self._looked.ranked:
            asked = replace(wanted, matter=f"{wanted.matter} {year.name}") if isinstance(year, Ahead) else wanted
            self._looked.ranked[key] = self._linked.rank(asked, filing, None if self._any_period else year)
            self._looked.filings[filing.id] = filing
        return self._looked.ranked[key]


def _from_value(scored: list[Scored], place: int) -> list[Scored]:
    """The candidates from the one on that has the value of a place among the values, each counted once."""
    firsts = list({one.candidate.fact.value: at for at, one in reversed(list(enumerate(scored)))}.values())[::-1]
    return scored[sorted(firsts)[min(place, len(firsts) - 1)] :]


def covering(
    filings: Sequence[Filing], period: Period | int, *, newest_first: bool = False
) -> list[tuple[Filing, Period]]:  # fmt: skip
    """Filings that cover the year, its own first, or the newest, with the year as the filing has it."""
    year = period if isinstance(period, int) else None
    found = []
    for filing in sorted(filings, key=lambda one: (one.form.endswith("/A"), one.fiscal_year or 0)):
        if filing.fiscal_year is None or filing.period_end is None or year is None:
            continue
        back = filing.fiscal_year - year
        if 0 <= back <= _REACH:
            end = filing.period_end if not back else _years_before(filing, back)
            found.append((filing, Period(end, None, f"FY{year}")))
    return found[::-1] if newest_first else found


def looking_ahead(filings: Sequence[Filing], period: Period | int) -> list[tuple[Filing, Ahead]]:
    """The newest filing with a year that it may tell of beforehand; none where some filing covers the year."""
    newest = max(
        (one for one in filings if one.fiscal_year and one.period_end), key=lambda one: one.fiscal_year or 0, default=None
    )
    if newest is None or newest.period_end is None or not isinstance(period, int):
        return []
    ahead = period - (newest.fiscal_year or 0)
    if not 0 < ahead <= _AHEAD:
        return []
    return [(newest, Ahead(Period(_years_before(newest, -ahead), None, f"FY{period}"), newest.period_end))]


def _years_before(filing: Filing, back: int) -> dt.date:
    end = filing.period_end
    assert end is not None
    try:
        return end.replace(year=end.year - back)
    except ValueError:  # 29 February
        return end.replace(year=end.year - back, day=28)


def value_of(one: Candidate, wanted: Wanted) -> Decimal:
    """The value in the unit that is asked for: percentages as 14.2, counts as printed and captioned, money in base units."""
    fact = one.fact
    unit = unit_of(fact)
    if _is_plain(fact, wanted):
        printed = read_cell(fact.text)
        return printed.value * one.count_scale if printed is not None else exact(fact.value or 0.0)
    value = exact(fact.value or 0.0) * (one.loose_scale if unit == "usd" else 1)
    return value * 100 if unit == "%" else value


def _is_plain(fact: Fact, wanted: Wanted) -> bool:
    """Whether a number that was read as money for want of another unit is one of things: by its row's name, or as asked."""
    unit = unit_of(fact)
    is_named = fact.source == "table" and fact.unit == "usd" and unit == "count"
    return is_named or (fact.source != "xbrl" and unit == "usd" and wanted.answer == "count")


def _is_beside(parts: str, label: str, row: str) -> bool:
    """Whether a part is named by the row's headings or column, and not by its label."""
    asked = set(stems(parts))
    return bool(asked) and asked <= set(stems(row)) and not asked & set(stems(label))


def _figure(scored: Sequence[Scored], wanted: Wanted, filing: Filing, year: Period) -> Figure:
    """The first candidate as a figure, in the unit that is asked for."""
    one = scored[0].candidate
    fact, value = one.fact, value_of(one, wanted)
    unit = unit_of(fact)
    if _is_plain(fact, wanted):
        unit = "count"
        fact = replace(fact, value=float(value), unit="count")
    elif unit == "usd":
        fact = replace(fact, value=float(value))
    end = fact.period_end or min(year.end, filing.period_end or year.end)
    names = bool(one.path) and fact.source != "text" and "[" not in one.path[-1] and not is_year(one.path[-1])
    label = one.path[-1] if names else wanted.label or wanted.matter.strip()
    if names and wanted.parts and _is_beside(wanted.parts, label, one.row):
        label = f"{label} ({wanted.parts})"
    note = {"table": "read from an untagged table", "text": "read from a sentence"}.get(fact.source, "")
    others = tuple(other.candidate.fact for other in scored[1:_MOST_NEAR])
    period = replace(year, end=end, start=fact.period_start)
    sure = scored[0].probability
    return Figure(label, value, unit, fact, filing, period, note=note, others=others, sure=sure, row=one.row)
