"""A figure by segment, product or place: the whole table as the filing tags it, with its years, its total and each part's share.

Whether a question asks for one is read off its frame: a figure (or none) and, in place of a part of the company, the name of a
kind of parts. A filing that tags no two parts gives none.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import chain, combinations
from operator import itemgetter
from typing import Literal

from fin_tui.engine.figures.answer import FigureAnswer, Source, answer_of_grid
from fin_tui.engine.figures.as_text import possessive, result
from fin_tui.engine.figures.grid import Grid
from fin_tui.engine.figures.ground import Cell, Grounded
from fin_tui.engine.figures.headline import Line
from fin_tui.engine.frame.reader import Frame, Span
from fin_tui.engine.questions.question import Question
from fin_tui.engine.questions.target import in_scope
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.engine.questions.wanted import CHANGES, DOWN, LEAST, MOST, SUPERLATIVE, Names, Part, Reading
from fin_tui.engine.structures import FilingReader
from fin_tui.engine.structures.members import (
    MEASURES,
    Axis,
    Dimensioned,
    are_called,
    axis_of,
    by_member,
    is_beside_axis,
    is_member_named,
    part_tables,
)
from fin_tui.facts.expression import Measure, Name
from fin_tui.facts.figures import Figure, Gap, Metric, Period, best_of, printed_places, printed_scale, show_fact, value_of
from fin_tui.facts.words import LINKS, spoken_name, stems, words
from fin_tui.language import count
from fin_tui.records import Document, Fact, Filing

_LISTS = frozenset(("list", "reformat", "per_unit"))
"""Operations that no single figure answers where a kind of parts stands beside the figure."""
_OF_THE_REST, _LOST = "other", frozenset(stems("loss losses lost lose loses"))
_SURELY = 0.7
"""Probability of a list from which one word more than the figure and the kind of parts changes nothing."""
_MOST_YEARS = 3
_NEAR_DAYS = 10
_DAYS = 365.25
_MOST_NAMED = 12
_MOST_TRIED = 14
"""Rows of which every choice is tried, …"""
_MOST_SUMMED = 5
"""… and of how many of them another may be the sum."""
_SHARED = 6
"""Parts up to which the line gives each with its figure; of more it gives the largest."""
_LARGEST = 3
_FEWEST = 2
"""Parts that are put in order."""
_MOST_METRICS = 2
_COVERED = 2
"""Years before its own that the statements of a 10-K reach."""
_SEGMENT_FIGURES = ("revenue", "operating_income")
_BY_SOURCE = (("product",), ("segment",))
"""Kinds of parts by which revenue is told where its sources are asked for, in the order in which they are tried."""
_GOES_ON = frozenset((*_LISTS, "lookup", "growth", "share", "describe"))
"""Operations of a follow-up that asks the same of another year, company or figure."""
Extreme = Literal["highest", "lowest"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which figures, by parts of which kind."""

    axis: Axis
    metrics: tuple[Metric, ...]
    """Empty where the parts themselves are asked for."""
    is_growth: bool = False
    """How much each grew on the year before, in place of its share."""
    extreme: Extreme | None = None
    """Which part has most or least, or grew most or least, is asked for."""


def wanted(understood: Understanding, names: Names) -> Wanted | None:
    """What the question wants broken down; None when it wants something else, or of more than one company."""
    question = understood.question
    if understood.frame is None or question.unknown or question.periods.quarter or len(question.companies) > 1:
        return None
    if len({filing.company_key for filing in understood.target.filings}) != 1:
        return None
    return _wanted(understood.frame, question, names)


def _wanted(frame: Frame, question: Question, names: Names) -> Wanted | None:
    """What ``frame`` wants; a follow-up that names no kind of parts goes on with that of the question before."""
    before = _wanted(frame.carried, question, names) if frame.carried is not None else None
    own = _Named.of(frame, frame, question, names)
    if before is not None and own.axis is None:
        return _gone_on(before, own, frame)
    named = _Named.of(frame, frame.whole, question, names)
    axis, metrics = named.axis, named.metrics
    if axis is None or len(metrics) > _MOST_METRICS:
        return None
    grew = _asks_which_grew(frame)
    if (grew or _asks_which_is_most(frame, is_of_figure=bool(metrics))) and len(own.more) <= 1:
        figures = metrics or (before.metrics if before is not None else ()) or _figures(names, _SEGMENT_FIGURES[:1])
        is_least = bool(LEAST.search(frame.question)) != (grew and bool(DOWN.search(frame.question)))
        return Wanted(axis, figures[:1], is_growth=grew, extreme="lowest" if is_least else "highest")
    if len(named.more) > (frame.operations.get("list", 0.0) >= _SURELY):
        return None
    is_list = frame.answer == "list" or frame.operation in _LISTS
    if not metrics:
        # What is no part of the company itself is listed by its name, and broken down by a word for it beside the matter.
        is_asked = not named.more and (not frame.whole.targets if not axis.is_of_company else True)
        is_asked = is_asked and (is_list or frame.operation == "describe")
        return Wanted(axis, ()) if is_asked and not frame.is_figure and not frame.whole.parts else None
    return Wanted(axis, metrics, _is_growth(frame)) if is_list or frame.operation == "lookup" else None


def _gone_on(before: Wanted, own: _Named, frame: Frame) -> Wanted | None:
    """``before`` of the year, company or figure that a follow-up names in the place of its own; None where it asks for more."""
    is_same = not own.others and not own.more and not frame.parts and frame.operation in _GOES_ON
    if not is_same or len(own.metrics) > _MOST_METRICS or frame.refusal:
        return None
    return Wanted(before.axis, own.metrics or before.metrics, _is_growth(frame) or (before.is_growth and not own.metrics))


def _is_growth(frame: Frame) -> bool:
    return frame.answer == "percent" and frame.operations.get("growth", 0.0) > frame.operations.get("share", 0.0)


def _asks_which_grew(frame: Frame) -> bool:
    """Whether a part is asked for by name, of those put in order by how much each grew."""
    is_moving = any(words.search(frame.question) for words in (CHANGES, DOWN))
    return frame.operation == "rank" and frame.answer == "name" and is_moving


def _asks_which_is_most(frame: Frame, *, is_of_figure: bool) -> bool:
    """Whether a part is asked for by name, of those put in order by their figures; "most" of a figure that is named."""
    is_most = SUPERLATIVE.search(frame.question) or (is_of_figure and any(of.search(frame.question) for of in (MOST, LEAST)))
    is_loss = bool(_LOST & set(stems(frame.question)))  # The largest loss is the lowest of incomes.
    return frame.operation == "rank" and frame.answer == "name" and bool(is_most) and not is_loss


@dataclass(frozen=True, slots=True)
class _Named:
    """What a frame names: figures, a kind of parts, other words."""

    metrics: tuple[Metric, ...]
    axis: Axis | None
    others: tuple[str, ...]
    """Stems of the words for figures and parts that name no figure."""
    more: tuple[str, ...]
    """Stems that narrow the question, and name no kind of parts."""

    @classmethod
    def of(cls, frame: Frame, spans: Frame, question: Question, names: Names) -> _Named:
        """What ``frame`` names, its words for figures and parts those of ``spans``."""
        metrics: dict[str, Metric] = {}
        others = [_nameless(span, question) for span in spans.parts]
        for span in spans.targets:
            text = _nameless(span, question)
            found = [mention for mention in names.find(text) if mention.score == 1]
            metrics |= {one.metric.id: replace(one.metric, said=text[one.start : one.end].lower()) for one in found}
            others.append(_outside(text, [(mention.start, mention.end) for mention in found]))
        left = [word.stem for word in words(" ".join(frame.left_over))]
        more = tuple(stem for stem in left if axis_of((stem,)) is None and not is_beside_axis(stem))
        named = tuple(word.stem for word in words(" ".join(others)) if word.surface not in LINKS)
        axis = axis_of([*named, *(stem for stem in left if stem not in more)])
        return cls(tuple(metrics.values()), axis, named, more)


def _nameless(span: Span, question: Question) -> str:
    """The words of ``span`` without the company's name."""
    places = [(one.start - span.start, one.end - span.start) for one in question.companies]
    return _outside(span.text, places) if question.text[span.start : span.end] == span.text else span.text


def _outside(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """``text`` without these places; those that it does not reach to are passed over."""
    for start, end in sorted(spans, reverse=True):
        if end > 0 and start < len(text):
            text = f"{text[: max(start, 0)]} {text[end:]}"
    return text


def breakdown(understood: Understanding, source: Source, reader: FilingReader) -> FigureAnswer | None:
    """The page; None where the question wants something else, or the filing tags fewer than two parts."""
    if _asks_sources(understood, source.names):
        return _sources(understood, source, reader)
    asked = wanted(understood, source.names)
    return _page(asked, understood, source, reader) if asked is not None else None


def _asks_sources(understood: Understanding, names: Names) -> bool:
    """Whether it is asked where revenue comes from, of no kind of parts that is named, and of no other figure."""
    frame = understood.frame
    if frame is None or frame.page != "sources":
        return False
    named = _Named.of(frame, frame, understood.question, names)
    return named.axis is None and all(metric.id == "revenue" for metric in named.metrics)


def _sources(understood: Understanding, source: Source, reader: FilingReader) -> FigureAnswer | None:
    """What revenue comes from: by products and services, else by segment."""
    if len({filing.company_key for filing in understood.target.filings}) != 1:
        return None
    asked = (Wanted(axis, _figures(source.names, _SEGMENT_FIGURES[:1])) for axis in map(axis_of, _BY_SOURCE) if axis is not None)
    pages = (_page(one, understood, source, reader) for one in asked)
    return next((page for page in pages if page is not None), None)


def _page(asked: Wanted, understood: Understanding, source: Source, reader: FilingReader) -> FigureAnswer | None:
    filing = _filing(understood)
    if filing is None:
        return None
    document = reader.document(filing)
    frame = understood.frame
    if frame is not None and frame.answer != "list" and frame.operation not in ("list", "reformat"):
        named = " ".join(span.text for span in frame.parts)
        if is_member_named(named, asked.axis, document.facts, filing):
            return None
    year = max((one for one in understood.question.periods.years), default=filing.fiscal_year or 0)
    tables = [table for metric in _metrics(asked, source.names) if (table := _table(metric, asked.axis, document, filing))]
    tables = [table for table in tables if len(table.of(year)) > 1]
    if not tables or (asked.metrics and len(tables) < len(asked.metrics)):
        return None
    if asked.extreme is not None:
        first = _of_extreme(tables[0], asked, filing, year)
        lines = [first] if first is not None else []
    else:
        lines = [_line(table, asked, filing, year, is_first=table is tables[0]) for table in tables]
    if not lines:
        return None
    cells = tuple(chain.from_iterable(_labelled(table, len(tables) > 1) for table in tables))
    return answer_of_grid(Grid(Reading(tuple({cell.part: None for cell in cells}), {}), cells), source, lines)


def _metrics(asked: Wanted, names: Names) -> Sequence[Metric]:
    return asked.metrics or _figures(names, _SEGMENT_FIGURES)


def _figures(names: Names, wanted: Sequence[str]) -> tuple[Metric, ...]:
    return tuple(metric for metric in map(names.get, wanted) if metric is not None)


def _filing(understood: Understanding) -> Filing | None:
    """The filing of the year asked about, else the first later one that covers it; without a year the newest; originals first."""
    years = understood.question.periods.years
    keys = {filing.company_key for filing in understood.target.filings}
    held = [one for one in in_scope(understood.held, understood.request.scope) if one.company_key in keys]
    dated = sorted((one for one in held if one.fiscal_year), key=lambda one: (one.fiscal_year or 0, one.form.endswith("/A")))
    if not years:
        return max(
            understood.target.filings, key=lambda one: (one.period_end or dt.date.min, not one.form.endswith("/A")), default=None
        )
    covering = (one for one in dated if 0 <= (one.fiscal_year or 0) - max(years) <= _COVERED)
    return next(covering, None)


@dataclass(frozen=True, slots=True)
class _Table:
    """One figure by parts: cells of each part and year, then what is of no part, then the total."""

    metric: Metric
    parts: tuple[Part, ...]
    beside: tuple[Part, ...]
    """What reconciles the parts with the whole: corporate items, eliminations."""
    total: Part
    cells: tuple[Cell, ...]
    adds_up: bool
    """The rows come to the total in each year, but for rounding."""

    name: str
    """The figure as the filing's own line of the total calls it, where that says something else than the question."""

    @property
    def of_all(self) -> list[Cell]:
        """The cells that hold a figure."""
        return [cell for cell in self.cells if cell.measure]

    def of(self, year: int, which: Sequence[Part] = ()) -> list[Cell]:
        """The cells of a year that hold a figure: of the parts, or of ``which``."""
        return [cell for cell in self.cells if cell.year == year and cell.measure and cell.part in (which or self.parts)]


def _table(metric: Metric, axis: Axis, document: Document, filing: Filing) -> _Table | None:
    """The parts for which the filing tags ``metric``, by the first of its concepts that two parts have; without tags the rows of
    the table that shows the most years, which must come to its total.
    """
    for concept in dict.fromkeys((*metric.concepts, *(MEASURES if metric.id == "revenue" else ()))):
        found = by_member(concept, axis, document, filing, instant=metric.instant)
        if found is not None:
            whole = [fact for fact in document.facts if fact.concept == concept and not fact.dimensions]
            return _filled(replace(metric, concepts=(concept,)), found, whole, filing)
    named = (one for one in part_tables(metric, axis, document) if are_called(one.rows, axis, document.facts, filing))
    tables = [(one, _filled(metric, one.rows, one.total, filing)) for one in named]
    proven = [(one.is_titled, len(made.of_all), made) for one, made in tables if made is not None and made.adds_up]
    return max(proven, key=itemgetter(0, 1), default=(False, 0, None))[2]


def _filled(metric: Metric, found: Sequence[Dimensioned], facts: Sequence[Fact], filing: Filing) -> _Table | None:
    years = _years([fact for one in found for fact in one.facts], filing, instant=metric.instant)
    of_whole = _by_year([fact for fact in facts if fact.value is not None], years, instant=metric.instant)
    rows = [(one, _by_year(one.facts, years, instant=metric.instant)) for one in found]
    # A line without a figure of the newest year stood in the table for another matter.
    rows = [(one, of) for one, of in rows if max(years, default=0) in of and any(fact.value for fact in of.values())]
    chosen = _partition([of for _, of in rows], of_whole)
    kept = chosen if chosen is not None else _without_sums([of for _, of in rows])
    # What reconciles is tagged with either sign: where the rows don't come to the total, it can't be told which.
    rows = [row for at, row in enumerate(rows) if at in kept and (chosen is not None or row[0].is_part)]
    if sum(one.is_part for one, _ in rows) < 2:
        return None
    parts = [(Part(Name(f"part_{at}"), one.name, metric.unit), one, of) for at, (one, of) in enumerate(rows)]
    name = _own_name(metric, facts)
    total = Part(Name("total"), _total_name(metric, name, facts), metric.unit)
    listed = [*((part, of) for part, _, of in parts), *(((total, of_whole),) if of_whole else ())]
    cells = [_cell(part, metric, of.get(year), filing, year, end) for part, of in listed for year, end in years.items()]
    own = tuple(part for part, one, _ in parts if one.is_part)
    beside = tuple(part for part, one, _ in parts if not one.is_part)
    return _Table(metric, own, beside, total, tuple(cells), chosen is not None, name)


def _own_name(metric: Metric, facts: Sequence[Fact]) -> str:
    """ "net sales" where the line of the whole is called so, and not "revenue": the two may differ, as by membership fees."""
    said = metric.said or metric.names[0]
    lines = (fact.label.rpartition(" > ")[2].strip(" :").lower() for fact in facts)
    known = Counter(line for line in lines if line in metric.labels)
    own = known.most_common(1)[0][0].removeprefix("total ").partition(" (")[0] if known else said
    return said if set(stems(own)) == set(stems(said)) else own


def _total_name(metric: Metric, name: str, facts: Sequence[Fact]) -> str:
    """ "total revenue"; where the table's own line is the total of something else, as that is called: "total Plants"."""
    own = facts[0].label.rpartition(" > ")[2].strip(" :") if facts and facts[0].source != "xbrl" else ""
    first, _, of = own.partition(" ")
    if first.lower() == "total" and of and of.lower() not in metric.labels:
        return f"total {of}"
    return f"total {name}"


def _partition(rows: Sequence[Mapping[int, Fact]], whole: Mapping[int, Fact]) -> frozenset[int] | None:
    """The most rows that come to the whole in each year, so that none is a part of another; None where no rows do."""
    places = range(min(len(rows), _MOST_TRIED))
    for size in range(len(places), 1, -1):
        for chosen in combinations(places, size):
            if whole and all(_comes_to([rows[at].get(year) for at in chosen], total) for year, total in whole.items()):
                return frozenset(chosen)
    return None


def _without_sums(rows: Sequence[Mapping[int, Fact]]) -> frozenset[int]:
    """The rows that are not what a few of the others come to in each year."""
    places = range(min(len(rows), _MOST_TRIED))
    sums = {
        at
        for at in places
        for size in range(2, _MOST_SUMMED + 1)
        for chosen in combinations([place for place in places if place != at], size)
        if all(_comes_to([rows[place].get(year) for place in chosen], total) for year, total in rows[at].items())
    }
    return frozenset(range(len(rows))) - sums


def _comes_to(facts: Sequence[Fact | None], total: Fact) -> bool:
    stated = [fact for fact in facts if fact is not None and fact.value is not None]
    rounding = sum(map(_unit_printed, (*stated, total))) / 2
    return bool(stated) and abs(sum(fact.value or 0 for fact in stated) - (total.value or 0)) <= rounding


def _unit_printed(fact: Fact) -> float:
    """What the last digit of a figure counts: a million in "391,035" of a table of millions."""
    if fact.source == "xbrl":
        return 10.0 ** -(fact.decimals or 0)
    return float(printed_scale(fact) / 10 ** printed_places(fact))


def _by_year(facts: Sequence[Fact], years: Mapping[int, dt.date], *, instant: bool) -> dict[int, Fact]:
    of = {year: [fact for fact in facts if _is_year(fact, end, instant=instant)] for year, end in years.items()}
    return {year: best_of(found) for year, found in of.items() if found}


def _years(facts: Sequence[Fact], filing: Filing, *, instant: bool) -> Mapping[int, dt.date]:
    """Fiscal year -> its last day, the filing's own and those before it for which parts are tagged."""
    last, year = filing.period_end, filing.fiscal_year
    if last is None or year is None:
        return {}
    found: dict[int, dt.date] = {}
    for end in {fact.period_end for fact in facts if fact.period_end and _is_year(fact, fact.period_end, instant=instant)}:
        back = round((last - end).days / _DAYS)
        if 0 <= back < _MOST_YEARS and abs((last - end).days - back * _DAYS) <= _NEAR_DAYS:
            found[year - back] = end
    return dict(sorted(found.items()))


def _is_year(fact: Fact, end: dt.date, *, instant: bool) -> bool:
    if fact.period_end != end or (fact.period_start is None) != instant:
        return False
    return fact.period_start is None or abs((end - fact.period_start).days - _DAYS) <= _NEAR_DAYS


def _cell(part: Part, metric: Metric, fact: Fact | None, filing: Filing, year: int, end: dt.date) -> Cell:
    period = Period(end, fact.period_start if fact is not None else None, f"FY{year}")
    if fact is None:
        return Cell(part, filing.company, year, gap=Gap(part.label, period, "not given for this year"))
    figure = Figure(part.label, value_of(fact, metric), metric.unit, fact, filing, period, metric.id)
    grounded = Grounded(Name("f0"), [figure], [part.label])
    return Cell(part, filing.company, year, 0, "point", grounded, Measure(figure.value, figure.unit))


def _labelled(table: _Table, is_one_of_several: bool) -> Sequence[Cell]:
    """The cells; beside other figures each row says which it is of."""
    if not is_one_of_several:
        return table.cells
    names = {part: f"{part.label}: {table.name}" for part in (*table.parts, *table.beside)}
    return [replace(cell, part=replace(cell.part, label=names.get(cell.part, cell.part.label))) for cell in table.cells]


def _line(table: _Table, asked: Wanted, filing: Filing, year: int, *, is_first: bool) -> Line:
    """ "Amazon.com, net sales by segment, FY2025: North America $426,305 million (59.5%), …; total $716,924 million."; where the
    parts are asked for, "Amazon.com's 3 segments, revenue, FY2025: …".
    """
    parts, total = table.of(year), table.of(year, (table.total,))
    others = table.of(year, table.beside) if table.beside else []
    shown = sorted(parts, key=_value, reverse=True)
    more = len(shown) - _LARGEST if len(shown) > (_SHARED if asked.metrics else _MOST_NAMED) else 0
    shown = shown[:_LARGEST] if more else shown
    before = {cell.part: cell for cell in (*table.of(year - 1), *table.of(year - 1, (table.total,)))} if asked.is_growth else {}
    has_shares = table.adds_up and not asked.is_growth and all(_value(cell) >= 0 for cell in (*parts, *others))
    whole = _value(total[0]) if total and has_shares else Decimal(0)
    told = [f"{cell.part.label} {result(cell)}{_share(cell, whole) or _moved(before.get(cell.part), cell)}" for cell in shown]
    told += [f"{more} more"] if more else []
    ends = [f"{cell.part.label} {result(cell)}" for cell in others]
    of = table.name
    whole_name = "total" if table.total.label == f"total {of}" else table.total.label
    ends += [f"{whole_name} {result(cell)}{_moved(before.get(table.total), cell)}" for cell in total]
    whose = f"{spoken_name(filing.company)}, {of} by {asked.axis.one}"
    if not asked.metrics and asked.axis.is_of_company:
        whose = f"{possessive(filing.company)} {count(len(parts), asked.axis.one)}, {of}"
    lead = f"{whose}, FY{year}" if is_first else f"{of[:1].upper()}{of[1:]}, FY{year}"
    left = "" if table.adds_up or not total else _left(sum(map(_value, (*parts, *others)), Decimal(0)), total[0], asked.axis)
    named = [before[cell.part] for cell in (*shown, *total) if cell.part in before]
    figures = tuple(figure for cell in (*shown, *others, *total, *named) for figure in cell.figures)
    return Line(f"{lead}: {'; '.join([', '.join(told), *ends])}{left}.", figures)


def _of_extreme(table: _Table, asked: Wanted, filing: Filing, year: int) -> Line | None:
    """ "NVIDIA, segment with the highest revenue growth, FY2025: Compute & Networking $116,193 million (up 145.1%), then Graphics
    …", or the same by the revenue itself; None where fewer than two parts have the figures for it.
    """
    before = {cell.part: cell for cell in table.of(year - 1) if _value(cell) > 0}
    ordered = [cell for cell in table.of(year) if cell.part in before or not asked.is_growth]
    if len(ordered) < _FEWEST:
        return None
    by = {cell.part: _value(cell) / _value(before[cell.part]) if asked.is_growth else _value(cell) for cell in ordered}
    ordered.sort(key=lambda cell: by[cell.part], reverse=asked.extreme == "highest")
    rest = [cell for cell in ordered if _OF_THE_REST in stems(cell.part.label)[:2]]
    if asked.extreme == "highest" and not asked.is_growth and len(ordered) - len(rest) >= _FEWEST:
        ordered = [*(cell for cell in ordered if cell not in rest), *rest]  # What gathers the rest is none of the parts.
    rates = {part: _change(rate) for part, rate in by.items()} if asked.is_growth else {}
    first, *then = (f"{cell.part.label} {result(cell)}{rates.get(cell.part, '')}" for cell in ordered[: _LARGEST + 1])
    what = (
        f"{asked.axis.one.replace(' and ', ' or ')} with the {asked.extreme} {table.name}{' growth' if asked.is_growth else ''}"
    )
    told = f"{spoken_name(filing.company)}, {what}, FY{year}: {first}; then {', '.join(then)}."
    shown = [one for cell in ordered[: _LARGEST + 1] for one in ((cell, before[cell.part]) if asked.is_growth else (cell,))]
    return Line(told, tuple(figure for cell in shown for figure in cell.figures))


def _left(parts: Decimal, total: Cell, axis: Axis) -> str:
    """What the parts leave of the total, in the total's own unit."""
    left = _value(total) - parts
    if total.single is None or (left < 0 and not axis.is_of_company):
        return " (the parts tagged overlap)"
    return f" (of which {show_fact(left, total.single.unit, total.single.fact)} is of none of these)"


def _moved(before: Cell | None, now: Cell) -> str:
    """How a figure moved on the year before, in percent; nothing where that says nothing."""
    if before is None or _value(before) <= 0 or _value(now) <= 0:
        return ""
    return _change(_value(now) / _value(before))


def _change(rate: Decimal) -> str:
    by = (rate - 1) * 100
    return f" ({'up' if by > 0 else 'down'} {abs(by):.1f}%)" if round(by, 1) else " (unchanged)"


def _value(cell: Cell) -> Decimal:
    return cell.measure.value if cell.measure else Decimal(0)


def _share(cell: Cell, whole: Decimal) -> str:
    return f" ({_value(cell) / whole * 100:.1f}%)" if whole > 0 else ""
