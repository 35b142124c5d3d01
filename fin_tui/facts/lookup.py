"""Metric x filings of one company x period -> the fact that states it, or why there is none; a number -> the facts that do."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise

from fin_tui.facts import balance_lines, parts, quarters, ranking, row_labels, vocabulary
from fin_tui.facts.choose import Choice, choose, differs, on_basis, split_between, split_factor, with_restatement
from fin_tui.facts.figures import PRINTED, SPLIT_UNTOLD, Figure, Gap, Metric, Period, exact, printed_scale, show_fact, value_of
from fin_tui.facts.index import NEAR, FilingFacts, Index, NamedRow, of_year, rows_in, wanted
from fin_tui.language import fiscal_years
from fin_tui.records import Fact, Filing
from fin_tui.store import Corpus

_ROUNDED = Decimal("0.0005")
"""A figure this near, as a share of the number, is what the number rounds."""
_SCALES = (1_000, 1_000_000, 1_000_000_000)
_Order = tuple[float, int, int, bool, bool]
_Key = tuple[str, dt.date | None, dt.date | None, tuple[tuple[str, str], ...], float | None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A number as somebody typed it."""

    value: Decimal
    """With its scale word applied; percentages as 14.2 for 14.2 %."""
    accuracy: Decimal
    """Half of its last digit."""
    percent: bool = False
    scaled: bool = False
    """It came with a scale word, so that its digits alone say nothing."""


@dataclass(frozen=True, slots=True)
class Place:
    """A fact in a filing."""

    filing: Filing
    fact: Fact


@dataclass(frozen=True, slots=True)
class FoundFigure:
    """One figure of a company and period."""

    best: Place
    others: tuple[Place, ...]
    """Where else it is stated: further tables, later filings."""
    as_printed: bool
    """The number was matched with the digits in a table, whose scale makes them another value."""


def find_value(held: Iterable[FilingFacts], wanted: Wanted, *, most: int = 20) -> tuple[FoundFigure, ...]:
    """The figures that ``wanted`` is, nearest first; ``held`` comes latest filing first.

    The order: equal in base units, then the same digits as printed, then what rounds to it; statements before notes.
    """
    found: list[tuple[_Order, Place]] = []
    for facts in held:
        for fact in facts.numeric:
            order = _order(wanted, fact)
            if order is not None:
                stands = fact.block is not None and fact.block in facts.statements
                found.append(((*order, len(fact.dimensions), not stands, fact.block is None), Place(facts.filing, fact)))
    found.sort(key=lambda entry: entry[0])
    return tuple(_grouped(found))[:most]


def _order(wanted: Wanted, fact: Fact) -> tuple[float, int] | None:
    """(distance, 1 when only the printed digits agree); None when the fact is another number."""
    if fact.value is None or (wanted.percent and fact.unit != "pure"):
        return None
    size = abs(wanted.value)
    value = abs(exact(fact.value))
    values = [value] if fact.unit != "pure" else [value * 100] if wanted.percent else [value, value * 100]
    if size in values:
        return 0.0, 0
    if not wanted.scaled and not wanted.percent and size and _printed(fact) == size and value in [size * s for s in _SCALES]:
        return 0.0, 1
    near = min(abs(candidate - size) for candidate in values)
    if size and near <= (wanted.accuracy if wanted.scaled or wanted.percent else _ROUNDED * size):
        return float(near / size), 0
    return None


def _printed(fact: Fact) -> Decimal | None:
    match = PRINTED.search(fact.text)
    return Decimal(match.group().replace(",", "")) if match and printed_scale(fact) > 1 else None


def _key(place: Place) -> _Key:
    fact = place.fact
    return place.filing.company_key, fact.period_start, fact.period_end, tuple(sorted(fact.dimensions.items())), fact.value


def _grouped(found: Sequence[tuple[_Order, Place]]) -> Iterator[FoundFigure]:
    """A row without a tag is the tagged figure of the same company, value and period, when there is one."""
    tagged: dict[_Key, str] = {}
    for _, place in found:
        if place.fact.source == "xbrl":
            tagged.setdefault(_key(place), place.fact.concept)
    groups: dict[tuple[_Key, str], list[tuple[_Order, Place]]] = {}
    for order, place in found:
        key, concept = _key(place), place.fact.concept
        groups.setdefault((key, concept if place.fact.source == "xbrl" else tagged.get(key, concept)), []).append((order, place))
    for entries in groups.values():
        # The tag says more than the row: it goes before it.
        first = next((place for _, place in entries if place.fact.source == "xbrl"), entries[0][1])
        others = tuple(place for _, place in entries if place is not first)
        yield FoundFigure(first, others, entries[0][0][1] == 1)


_NO_STATEMENTS = (
    "The filing in the library has no financial statements; some filings leave them to an annual report to shareholders "
    "(Exhibit 13). Not found:"
)
_WITHIN = dt.timedelta(days=NEAR)


def _labels(years: Sequence[Period]) -> str:
    numbers = [year.label.removeprefix("FY") for year in years]
    return (
        fiscal_years(map(int, numbers)) if all(map(str.isdigit, numbers)) else ", ".join(reversed([year.label for year in years]))
    )


_MOST_ISSUED = Decimal("1.4")
"""Shares for one share some years before that are issued or bought back by and large; a 3-for-2 split makes more of them."""


def _shares() -> Metric:
    """The shares that per-share data are of."""
    metric = vocabulary().get("shares_diluted")
    assert metric is not None
    return metric


class FactBook:
    """Looks figures up in the library. All methods take the filings of one company; the first call on a filing indexes it."""

    def __init__(self, library: Corpus) -> None:
        self._index = Index(library)

    def facts_of(self, filing: Filing) -> FilingFacts:
        """The facts of one filing, indexed."""
        return self._index.of(filing)

    def figure(self, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        """The figure first reported for ``period`` (a fiscal year as the company labels it, or a period by its end).

        The filing of that year comes first, then later ones that cover it, originals before amendments; a different value
        in a later filing is named as restated. A metric known only by its formula gives a ``Gap``: the evaluator's task.
        """
        return self._first(metric, filings, period, lambda held, year: _choose(held, metric, year), metric.names[0])

    def series(
        self, metric: Metric, filings: Sequence[Filing], periods: Sequence[Period | int], phrase: str = ""
    ) -> tuple[Figure | Gap, ...]:
        """A figure for each period, each from the latest filing that covers it, all on one basis; with ``phrase`` of the segment,
        product or region that it names.

        Per-share data and shares of before a stock split are put on the basis of after it, and say so.
        """
        return tuple(self._latest(metric, filings, period, phrase) for period in periods)

    def quarterly(self, metric: Metric, filings: Sequence[Filing], year: int, number: int) -> Figure | Gap:
        """The figure of one quarter (1 to 4) of a fiscal year; the balance at the end of the fourth is that of the year."""
        if metric.instant and number == len(quarters.ORDINALS):
            return self.figure(metric, filings, year)

        def find(held: FilingFacts, covered: Period) -> Choice | Gap | None:
            return None if metric.instant else quarters.find(held, metric, covered, number)

        label = f"{metric.names[0]} of the {quarters.ORDINALS[number - 1]} quarter"
        found = self._first(metric, filings, year, find, label)
        if isinstance(found, Gap):
            return found
        return replace(found, period=replace(found.period, label=f"Q{number} FY{year}"))

    def dimensioned(self, phrase: str, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        """``metric`` of a segment, product or region that ``phrase`` names ("Greater China"). Close calls are a ``Gap`` that
        holds the candidates.
        """

        def find(held: FilingFacts, year: Period) -> Choice | Gap | None:
            return _of_part(held, phrase, metric, year)

        return self._first(metric, filings, period, find, f"{phrase.strip()} {metric.names[0]}")

    def by_label(self, phrase: str, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        """The figure whose row label says ``phrase``, for what the vocabulary does not know. Close calls are a ``Gap``."""

        def find(held: FilingFacts, year: Period) -> Choice | Gap | None:
            return row_labels.find_by_words(held, phrase, year)

        return self._first(None, filings, period, find, phrase.strip())

    def lines(self, metric: Metric, filings: Sequence[Filing], period: Period | int) -> tuple[Figure, ...]:
        """The lines of the balance sheet that ``metric`` is the sum of, of the first filing that shows them; or none."""
        for held, covered in self._covering(filings, period):
            found = balance_lines.lines_of(held, metric, covered)
            if found:
                each = (_figure(Choice(fact, value_of(fact, metric)), metric, held.filing, covered) for fact in found)
                return tuple(replace(one, label=balance_lines.name_of(one.fact, found)) for one in each)
        return ()

    def scheduled(self, metric: Metric, filings: Sequence[Filing], year: int) -> Figure | Gap:
        """What of ``metric`` falls due in ``year`` by the schedules of filings without tags, the first that says it."""
        for filing in filings:
            held = self._index.of(filing)
            fact = quarters.falling_due(held, metric, year)
            if fact is not None and filing.period_end is not None:
                period = Period(filing.period_end, None, f"FY{filing.fiscal_year}")
                choice = Choice(
                    replace(fact, period_end=filing.period_end), exact(fact.value or 0.0), "read from an untagged table"
                )
                return _figure(choice, metric, filing, period)
        ends = [filing.period_end for filing in filings if filing.period_end]
        covered = Period(max(ends)) if ends else None
        return Gap(metric.names[0], covered, f"No {metric.names[0]} due in {year} found by year.")

    def ranked(self, asked: ranking.Ranking, filings: Sequence[Filing], year: int) -> tuple[Figure, ...]:
        """The lines of a statement or the parts of the company in order, from the first filing that shows them; or none."""
        for held, covered in self._covering(filings, year):
            found = ranking.find(held, asked, covered)
            if found:
                return tuple(_line(name, fact, asked.metric, held.filing, covered) for name, fact in found)
        return ()

    def periods(self, filings: Sequence[Filing]) -> tuple[Period, ...]:
        """The fiscal years that the filings cover with figures, latest first, labelled as the company labels them."""
        found: dict[str, Period] = {}
        for filing in sorted(filings, key=_age, reverse=True):
            for year in self._index.of(filing).years:
                found.setdefault(year.label, year)
        return tuple(sorted(found.values(), key=lambda year: year.end, reverse=True))

    def stating(self, number: Wanted, filings: Sequence[Filing], *, most: int = 20) -> tuple[FoundFigure, ...]:
        """The figures that ``number`` is, nearest first, each with all the places where it stands."""
        ordered = sorted(filings, key=_age, reverse=True)
        return find_value((self._index.of(filing) for filing in ordered), number, most=most)

    def rows_named(self, text: str, filings: Sequence[Filing]) -> tuple[NamedRow, ...]:
        """The rows of ``filings`` whose labels ``text`` holds in full, left to right."""
        return rows_in(text, [self._index.of(filing).by_own_label for filing in filings])

    def rows_of_year(self, row: NamedRow, filings: Sequence[Filing], year: int) -> tuple[tuple[Fact, Filing], ...]:
        """What rows with that label state of a fiscal year, each with its filing."""
        stated = ((self._index.of(filing).by_own_label.get(row.stems, ()), filing) for filing in filings)
        return tuple((fact, filing) for facts, filing in stated for fact in of_year(facts, filing, year))

    def _first(
        self,
        metric: Metric | None,
        filings: Sequence[Filing],
        period: Period | int,
        find: Callable[[FilingFacts, Period], Choice | Gap | None],
        label: str,
    ) -> Figure | Gap:
        found: list[Figure] = []
        gap: Gap | None = None
        year: Period | None = None
        for held, covered in self._covering(filings, period):
            year = year or covered
            choice = find(held, covered)
            if isinstance(choice, Gap):
                gap = gap or replace(choice, filing=held.filing)
            elif choice is not None:
                found.append(_figure(choice, metric, held.filing, covered))
        covering = self._covering(filings, period) if metric is not None and not found else ()
        is_open = metric is not None and any(row_labels.may_state(held, metric) for held, _ in covering)
        if gap is not None and not found:
            return replace(gap, label=gap.label or label, period=year, is_open=is_open)
        if not found:
            lacks = self._lacks_statements(filings, period)
            why = f"{_NO_STATEMENTS} {label[:1].lower() + label[1:]}." if lacks else self._why(label, filings, period, year)
            return Gap(label, year or _asked(period), why, no_statements=lacks, is_open=is_open)
        own = found[0].filing.period_end
        first = _from_later(found[0]) if own is not None and year is not None and year.end < own - _WITHIN else found[0]
        same = [figure for figure in found[1:] if figure.fact.concept == first.fact.concept or first.fact.source == "table"]
        return with_restatement(first, same)

    def _latest(self, metric: Metric, filings: Sequence[Filing], period: Period | int, phrase: str) -> Figure | Gap:
        covering = self._covering(filings, period)
        found = [(of, year, _of_part(of, phrase, metric, year) if phrase else _choose(of, metric, year)) for of, year in covering]
        figures = [_figure(one, metric, held.filing, year) for held, year, one in found if isinstance(one, Choice)]
        if not figures:
            return self.dimensioned(phrase, metric, filings, period) if phrase else self.figure(metric, filings, period)
        last = figures[-1]
        if differs(last, figures[0]) and figures[0].fact.concept == last.fact.concept:
            split = split_between(figures[0], last)
            first = show_fact(figures[0].value, figures[0].unit, figures[0].fact)
            note = f"restated{f' for a {split} stock split' if split else ''}; first reported as {first}"
            last = replace(last, note="; ".join(filter(None, (last.note, note))))
        return self._after_splits(last, metric, filings) if metric.unit in ("usd/share", "shares") else last

    def is_on_one_basis(self, one: Figure, other: Figure, filings: Sequence[Filing]) -> bool:
        """Whether shares or per-share data of two filings can be set against each other, as far as ``filings`` tell: no stock
        split lies between them that they are not adjusted for. What was found by its words is adjusted for none.
        """
        first, last = sorted((_age(one.filing), _age(other.filing)))
        pairs = [pair for pair in self._pairs(_shares(), filings, first) if _age(pair[1]) <= last]
        is_adjusted = one.sure is None and other.sure is None
        is_split = not is_adjusted and any(self._split(_shares(), *pair) for pair in pairs)
        return not is_split and not any(self._is_untold(*pair) for pair in pairs)

    def _after_splits(self, figure: Figure, metric: Metric, filings: Sequence[Filing]) -> Figure:
        """``figure`` after the splits between its filing and the latest one, as far as filings that share a year tell."""
        for before, after in self._pairs(metric, filings, _age(figure.filing)):
            split = self._split(metric, before, after)
            if split is not None:
                figure = on_basis(figure, metric, *split)
            elif self._is_untold(before, after):
                note = f"{SPLIT_UNTOLD} between FY{before.fiscal_year} and FY{after.fiscal_year}"
                return replace(figure, note="; ".join(filter(None, (figure.note, note))))
        return figure

    def _pairs(self, metric: Metric, filings: Sequence[Filing], first: tuple[str, str]) -> list[tuple[Filing, Filing]]:
        """Each filing that states ``metric`` with the next, from the one of age ``first`` on: few amendments state figures."""
        later = (filing for filing in sorted(filings, key=_age) if _age(filing) >= first)
        return list(pairwise(one for one in later if any(self._in(metric, one, year) for year in self._index.of(one).years)))

    def _split(self, metric: Metric, before: Filing, after: Filing) -> tuple[Decimal, str] | None:
        """The split between two filings and what it is called, read off the years that both state."""
        for year in self._index.of(before).years:
            old, new = self._in(metric, before, year), self._in(metric, after, year)
            factor = split_factor(old, new) if old and new and differs(old, new) else None
            if old and new and factor:
                return factor, split_between(old, new)
        return None

    def _is_untold(self, before: Filing, after: Filing) -> bool:
        """Whether two filings that state no year in common have share counts that a split may have parted."""
        counts = _shares()
        years = self._index.of(before).years
        if any(self._in(counts, before, year) and self._in(counts, after, year) for year in years):
            return False
        old, new = (self._in(counts, of, held[0]) if (held := self._index.of(of).years) else None for of in (before, after))
        return bool(old and new and old.value and not 1 / _MOST_ISSUED < new.value / old.value < _MOST_ISSUED)

    def _in(self, metric: Metric, filing: Filing, period: Period) -> Figure | None:
        held = self._index.of(filing)
        year = wanted(filing, held.years, period)
        choice = _choose(held, metric, year) if year else None
        return _figure(choice, metric, filing, year) if choice and year else None

    def _covering(self, filings: Sequence[Filing], period: Period | int) -> list[tuple[FilingFacts, Period]]:
        """Filings that cover the period with its year in each: its own first, then later ones; amendments last."""
        found: list[tuple[FilingFacts, Period]] = []
        for filing in sorted(filings, key=lambda filing: (filing.form.endswith("/A"), *_age(filing))):
            held = self._index.of(filing)
            year = wanted(filing, held.years, period)
            if year is not None:
                found.append((held, year))
        return found

    def _lacks_statements(self, filings: Sequence[Filing], period: Period | int) -> bool:
        """Whether filings cover the period, and none of them has a statement: it stands in an annual report filed beside it."""
        held = [held for held, _ in self._covering(filings, period)]
        return bool(held) and not any(one.has_statements for one in held)

    def _why(self, label: str, filings: Sequence[Filing], period: Period | int, year: Period | None) -> str:
        if year is not None:
            return f"No {label} found for {year.label} ({year.end}) among the figures in the library."
        asked = f"fiscal {period}" if isinstance(period, int) else f"the year to {period.end}"
        held = self.periods(filings)
        if not held:
            return f"No filing in the library covers {asked}."
        return f"No filing in the library covers {asked}; covered: {_labels(held)}."


def _choose(held: FilingFacts, metric: Metric, year: Period) -> Choice | None:
    found = _stated(held, metric, year)
    is_row = found is not None and found.fact.source != "xbrl" and bool(metric.lines)
    return None if is_row and balance_lines.lines_of(held, metric, year) else found  # The sheet goes before what is called so.


def _stated(held: FilingFacts, metric: Metric, year: Period) -> Choice | None:
    if held.tagged and metric.concepts:
        return choose(held, metric, year)
    # What nobody tags, such as comparable sales, stands in the tables of the discussion alone.
    return None if held.tagged and metric.formula else row_labels.choose(held, metric, year)


def _of_part(held: FilingFacts, phrase: str, metric: Metric, year: Period) -> Choice | Gap | None:
    """``metric`` of the part of the company that ``phrase`` names, by tags, else by rows."""
    found = parts.find_tagged(held, phrase, metric, year)
    if found is not None or held.tagged:
        return found
    return held.once((phrase, metric.id, year), lambda: parts.find(held, phrase, metric, year))


def _line(name: str, fact: Fact, metric: Metric | None, filing: Filing, year: Period) -> Figure:
    """A line of a statement, whose brackets say no more than its place, or a part's figure."""
    value = exact(fact.value or 0.0)
    return replace(_figure(Choice(fact, value if metric else abs(value)), metric, filing, year), label=name)


def _figure(choice: Choice, metric: Metric | None, filing: Filing, year: Period) -> Figure:
    fact = choice.fact
    label = fact.label.rpartition(" > ")[2] if fact.block is not None else ""
    period = replace(year, start=fact.period_start, end=fact.period_end or year.end)
    unit = metric.unit if metric else row_labels.unit_of(fact)
    name = label if label and len(label) < 80 else metric.names[0] if metric else fact.concept
    return Figure(
        name, choice.value, unit, fact, filing, period, metric.id if metric else "", note=choice.note, others=choice.others
    )


def _from_later(figure: Figure) -> Figure:
    year = f"FY{figure.filing.fiscal_year}" if figure.filing.fiscal_year else str(figure.filing.period_end)
    return replace(figure, note="; ".join(filter(None, (figure.note, f"from the {year} filing"))))


def _asked(period: Period | int) -> Period | None:
    return period if isinstance(period, Period) else None


def _age(filing: Filing) -> tuple[str, str]:
    return (str(filing.period_end or ""), str(filing.filed or ""))
