"""Figures of segments, products and regions: by members of tagged facts, by rows that name the part, by columns of one."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from fin_tui.facts import vocabulary
from fin_tui.facts.choose import Choice
from fin_tui.facts.figures import Gap, Metric, Period, agree, best_of, unit_fits, value_of
from fin_tui.facts.index import fits
from fin_tui.facts.table_reader import read_cell
from fin_tui.facts.words import best_likeness, likeness, member_names, stems, words
from fin_tui.filings.table_header import caption_in, dates_in, start_of
from fin_tui.language import MONTH, any_of
from fin_tui.records import Cell, Fact, Filing, Table

if TYPE_CHECKING:
    from fin_tui.facts.index import FilingFacts


_LEAST = 0.7
_MARGIN = 0.05
_EXTRA_AXIS = 0.12
_PLAIN_AXES = frozenset(
    (
        "us-gaap:StatementBusinessSegmentsAxis",
        "srt:ProductOrServiceAxis",
        "us-gaap:ProductOrServiceAxis",
        "srt:StatementGeographicalAxis",
        "us-gaap:StatementGeographicalAxis",
    )
)
_OTHER_AXIS = 0.03
_SAME_WORDS = 0.06
"""A row called word for word as the question says, "Automotive sales", beats those that only mean it."""
_WHOLE_WORDS = 0.09
"""One called by part and figure together, "Total rockets revenue", beats a segment of the part's name that holds more."""
_CONSOLIDATION = "srt:ConsolidationItemsAxis"
_NEUTRAL = frozenset(("us-gaap:OperatingSegmentsMember", "us-gaap:ReportableSegmentAggregationBeforeOtherOperatingSegmentMember"))
_MOST = 5


@dataclass(frozen=True, slots=True)
class _Group:
    """Facts with the same dimensions, and how well they fit the phrase."""

    score: float
    order: int
    fact: Fact


def find_tagged(held: FilingFacts, phrase: str, metric: Metric, year: Period) -> Choice | Gap | None:
    """The figure of ``metric`` whose member ``phrase`` names; a ``Gap`` with candidates when several fit as well."""
    groups = _groups(held, phrase, metric, year)
    if not groups or groups[0].score < _LEAST:
        return None
    top = groups[0]
    rivals = [group for group in groups[1:] if group.score > top.score - _MARGIN and not agree(group.fact, top.fact)]
    # A part of the part that was named is no rival of the whole of it.
    rivals = [group for group in rivals if group.score > top.score or _axes(group.fact) <= _axes(top.fact)]
    rivals = [group for group in rivals if group.order <= top.order or group.score >= top.score]
    if rivals:
        near = (top.fact, *(group.fact for group in rivals[: _MOST - 1]))
        return Gap("", year, f"Several figures fit “{phrase}” equally well.", near)
    return Choice(top.fact, value_of(top.fact, metric), others=tuple(group.fact for group in groups[1:_MOST]))


def _groups(held: FilingFacts, phrase: str, metric: Metric, year: Period) -> list[_Group]:
    order = {concept: rank for rank, concept in enumerate(metric.concepts)}
    by_group: dict[tuple[str, frozenset[tuple[str, str]]], list[Fact]] = {}
    for fact in held.dimensioned:
        if fact.concept in order and unit_fits(fact.unit, metric.unit) and fits(fact, year, instant=metric.instant):
            by_group.setdefault((fact.concept, frozenset(fact.dimensions.items())), []).append(fact)
    called = _bare(f"{phrase} {metric.said}") if metric.said else ()
    groups = [
        _Group(_tagged_score(phrase, facts, held.filing, called), order[concept], best_of(facts))
        for (concept, _), facts in by_group.items()
    ]
    groups.sort(key=lambda group: (-round(group.score, 3), len(group.fact.dimensions), group.order))
    return groups


def _tagged_score(phrase: str, facts: Sequence[Fact], filing: Filing, called: tuple[str, ...]) -> float:
    """How well the members and rows of ``facts`` of ``filing`` fit ``phrase``; ``called``: the stems of part and figure as the
    question says them together.
    """
    kept = _kept(facts[0])
    if not kept:
        return 0.0
    each = [member_names(member, filing.company, filing.ticker or "") for member in kept.values()]
    names = [name for member in each for name in member]
    if len(each) > 1:
        names.append(" ".join(member[0] for member in each))
    member_score = best_likeness(phrase, names)
    label_score = max((best_likeness(phrase, _label_names(fact.label)) for fact in facts), default=0.0)
    covers_all = len(kept) == 1 or best_likeness(phrase, names[-1:]) >= max(member_score, label_score)
    penalty = 0.0 if covers_all else _EXTRA_AXIS * (len(kept) - 1)
    if not any(axis in _PLAIN_AXES for axis in kept):
        penalty += _OTHER_AXIS
    said = " ".join(phrase.lower().split())
    is_same = any(said in (part.strip(" :").lower() for part in fact.label.split(" > ")) for fact in facts)
    is_whole = bool(called) and any(_bare(_untotalled(fact.label.rpartition(" > ")[2])) == called for fact in facts)
    more = _WHOLE_WORDS if is_whole else _SAME_WORDS if is_same else 0.0
    return max(member_score, label_score - 0.01) - penalty + more


def _kept(fact: Fact) -> dict[str, str]:
    """The dimensions that name a part of the company."""
    return {axis: member for axis, member in fact.dimensions.items() if not (axis == _CONSOLIDATION and member in _NEUTRAL)}


def _axes(fact: Fact) -> int:
    return len(_kept(fact))


def _label_names(label: str) -> list[str]:
    parts = [part.strip(" :") for part in label.split(" > ")]
    return [*parts, " ".join(parts)] if len(label) < 200 else []


_SURE = 0.95
_BOTH, _ALONE, _PARTLY = 3.0, 2.0, 1.0
"""A row path that has part and metric; a row called by the part alone in a table of the metric; a row that has its words."""
_SAID = 0.5
_WHOLE_NAME = 0.25
"""More where a line of the path is a name of the metric and not only has its words: "Cost of revenue" has those of revenue."""
_TOTAL = any_of("total, subtotal")
_OR_LOSS = re.compile(r"/\s*\([^)]*\)|\([^)]*\)\s*/?|^segment\s+", re.I)
_PART_OF = any_of("cost(s), percent, percentage, growth, change, %")
_ROUNDING = 2e-3
_REMEMBERED = 20_000
"""Lines of tables whose words are kept: the same ones are looked through for each part and year."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """The part and the metric, in stems."""

    phrase: str
    metric: str
    names: frozenset[tuple[str, ...]]
    said: tuple[str, ...]
    company: frozenset[str]
    told: Callable[[Fact], bool]
    """Whether the table of a row shows the metric there."""


def find(held: FilingFacts, phrase: str, metric: Metric, year: Period) -> Choice | Gap | None:
    """The figure whose row names the part that ``phrase`` says: beside a name of ``metric`` ("Net sales > Acme U.S.", or the
    other way round), or alone in a table of the metric; a ``Gap`` with the candidates when such rows differ.
    """
    names = frozenset(_bare(form) for name in metric.labels for form in (name, _untotalled(name)))
    asked = _Asked(
        phrase,
        metric.id,
        names,
        stems(metric.said),
        frozenset(stems(held.filing.company)),
        lambda fact: fact.block is not None and _shows(held, fact, names),
    )
    scored = [
        (score, fact)
        for fact in held.numeric
        if _fits(fact, metric, year) and not held.is_unscaled(fact) and (score := _score(fact, asked))
    ]
    if not scored:
        return None
    top = max(score for score, _ in scored)
    found = [fact for score, fact in scored if score == top]
    different = [fact for fact in found if not agree(fact, found[0])]
    if different:
        return Gap("", year, f"Several rows fit “{phrase}”.", (found[0], *different[: _MOST - 1]))
    return Choice(found[0], value_of(found[0], metric), "read from an untagged table")


def all_of(held: FilingFacts, metric: Metric, year: Period) -> Iterator[tuple[str, Fact]]:
    """(part, fact) of every part that a table of ``metric`` shows for ``year``: columns of its row, or rows that add up to it."""
    names = frozenset(_bare(form) for name in metric.labels for form in (name, _untotalled(name)))
    for fact in held.numeric:
        if not _fits(fact, metric, year) or held.is_unscaled(fact):
            continue
        path = [_OR_LOSS.sub(" ", _untotalled(part.strip(" :"))).strip() for part in fact.label.split(" > ")]
        own = fact.label.rpartition(" > ")[2].strip(" :")
        if _bare(path[-1]) in names or vocabulary().named(path[-1]) is not None:
            continue
        if any(_bare(part) in names for part in path[:-1]) or (
            len(path) < 3 and fact.block is not None and _shows(held, fact, names)
        ):
            yield own, fact


def _untotalled(name: str) -> str:
    """What a total is the total of."""
    total = _TOTAL.match(name)
    return name[total.end() :].lstrip() if total is not None else name


def _fits(fact: Fact, metric: Metric, year: Period) -> bool:
    if fact.source == "xbrl" or not fact.value or not unit_fits(fact.unit, metric.unit):
        return False
    # A table of segments has balances and flows in one column, and may say the length of neither.
    return fits(fact, year, instant=True) or fits(fact, year, instant=False)


def _score(fact: Fact, asked: _Asked) -> float:
    """How surely ``fact`` is the part's; 0 when it is not."""
    path = [_OR_LOSS.sub(" ", _untotalled(part.strip(" :"))).strip() for part in fact.label.split(" > ")]
    near = path[-3:]
    kind = _kind(fact, near, asked)
    if not kind:
        return 0.0
    if kind == _BOTH and any(_bare(part) in asked.names for part in near):
        kind += _WHOLE_NAME
    return kind + (_SAID if asked.said and set(asked.said) <= set(stems(" ".join(near))) else 0.0)


def _kind(fact: Fact, near: list[str], asked: _Asked) -> float:
    others = [part for part in near if _bare(part) not in asked.names]
    if len(others) == len(near) and any(_is_of_other(part, asked.metric) for part in near[:-1]):
        return 0.0
    names_metric = len(others) < len(near) or any(_has(asked.names, part) for part in near[:-1])
    called = [near[-1], " ".join(others[-2:]), *others[-2:]]
    is_called = any(
        likeness(asked.phrase, name) >= _SURE for text in called for name in (text, _without(asked.company, text)) if name
    )
    if is_called and (near[-1] in others or len(others) < 2):
        if names_metric:
            return _BOTH
        return _ALONE if asked.told(fact) else 0.0
    wanted = set(stems(asked.phrase))
    named = _mentioned(near[-1])
    if named and asked.metric not in named:
        return 0.0  # "Interest paid, net of amounts capitalized" is no interest expense.
    if wanted and wanted <= set(stems(" ".join(others[-2:]))) and wanted & set(stems(near[-1])):
        told = names_metric or _has(asked.names, near[-1]) or asked.told(fact)
        return _PARTLY if told else 0.0
    return 0.0


@lru_cache(maxsize=_REMEMBERED)
def _bare(text: str) -> tuple[str, ...]:
    return tuple(sorted(stems(text)))


def _is_of_other(line: str, metric: str) -> bool:
    """Whether a line of a path is the name of another figure."""
    named = _named(line)
    return bool(named) and named != metric


@lru_cache(maxsize=_REMEMBERED)
def _named(line: str) -> str:
    """The id of the metric whose name a line is; "" where it is none's."""
    found = vocabulary().named(line)
    return found.id if found is not None else ""


@lru_cache(maxsize=_REMEMBERED)
def _mentioned(line: str) -> frozenset[str]:
    """The ids of the metrics that a line names."""
    return frozenset(mention.metric.id for mention in vocabulary().find(line))


def _has(names: frozenset[tuple[str, ...]], text: str) -> bool:
    said = set(stems(text))
    return any(said.issuperset(name) for name in names if name)


@lru_cache(maxsize=_REMEMBERED)
def _without(company: frozenset[str], text: str) -> str:
    """ "Acme International" of Acme is its "International"."""
    return " ".join(word.surface for word in words(text) if word.stem not in company)


def _shows(held: FilingFacts, fact: Fact, names: frozenset[tuple[str, ...]]) -> bool:
    """Whether the rows around ``fact`` add up to a line of the metric, or the next total below it is one of the metric."""
    column = [
        one
        for one in held.numeric
        if one.block == fact.block and one.period_end == fact.period_end and one.period_start == fact.period_start
    ]
    column.sort(key=lambda one: one.start)
    at = next((place for place, one in enumerate(column) if one.start == fact.start), len(column))
    for place, line in enumerate(column[at + 1 :], start=at + 1):
        own = line.label.rpartition(" > ")[2].strip(" :")
        if _has(names, own) and not _PART_OF.search(own) and _adds_up(column[: at + 1], column[at + 1 : place], line):
            return True
        if _TOTAL.match(own):
            return any(_ends(tuple(sorted(stems(_untotalled(own)))), name) for name in names)
    return False


def _adds_up(upto: list[Fact], between: list[Fact], line: Fact) -> bool:
    """Whether some run of rows that ends above ``line`` sums to it."""
    wanted, total = line.value or 0.0, sum(one.value or 0.0 for one in between)
    for one in reversed(upto):
        total += one.value or 0.0
        if wanted and abs(total - wanted) <= _ROUNDING * abs(wanted):
            return len(upto) + len(between) > 1
    return False


def _ends(said: tuple[str, ...], name: tuple[str, ...]) -> bool:
    return bool(name) and set(name) <= set(said)


YEAR_NAMED = re.compile(r"(?<![\d.,$-])\b(?:FY\s?)?(?:19|20)\d\d\b(?![\d%]|[.,]\d)", re.I)
_PERIOD_WORDS = re.compile(
    r"\b(?:as\s+of|at|for|the|and|fiscal|calendar|years?|periods?|months?|weeks?|end(?:ed|ing)|twelve|12|5[23]|"
    rf"{MONTH})\b\.?|\b\d{{1,2}}\b|[,:;|()-]",
    re.I,
)
OF_WHOLE = any_of("total(s), consolidated, company")
"""Say that a figure is of the whole company."""
_BALANCE = any_of("assets, goodwill, receivable(s), inventor*, property, plant, equipment, liabilities, deposits")
_FLOW = any_of(
    "additions, purchases, expenditure(s), depreciation, amortization, impairment(s), acquisition(s), sale(s), "
    "revenue(s), return, income, expense(s)"
)
_NEAR = 10
_MOST_WORDS = 8
"""A header of more words is a sentence and no name."""
Dates = tuple[dt.date | None, dt.date]


class PartColumns:
    """What the columns of ``table`` add to the labels of its rows, and the years that rows name for columns without."""

    def __init__(self, table: Table, ends: Mapping[int, dt.date]) -> None:
        """``ends``: the last day of each fiscal year that the filing may show."""
        self._ends = ends
        self._table = table
        self._names = [_name_of(column.header) for column in table.columns]
        self._shared = self._sharing()
        self._own = self._one_period()
        self._years = self._years_of_rows() if self._are_parts() or self._own else {}
        if self._own:  # Rows under another year than that of all columns are of that one.
            self._years = {row: year for row, year in self._years.items() if year != self._own}

    def __bool__(self) -> bool:
        return bool(self._years)

    def dates(self, row: int, column: int, label: str) -> Dates | None:
        """The year that the row stands under, for a column that names no period but a part."""
        year = self._years.get(row)
        if year is None or column >= len(self._names) or not self._names[column]:
            return None
        if self._table.columns[column].period_end and not self._own:
            return None
        end = self._ends[year]
        is_balance = _BALANCE.search(label) and not _FLOW.search(label)
        return (None if is_balance else start_of(end, 12, list(self._ends.values()))), end

    def label(self, path: Sequence[str], column: int) -> list[str]:
        """``path`` with what the column's header says beside its period; a column of a metric stands before the row's name."""
        path = [part for part in path if not (self._years and is_period(part))] or list(path)
        name = self._names[column] if column < len(self._names) else ""
        told = self._years or self._shared.get(column)
        if not told or not name or OF_WHOLE.search(name):
            return path
        return [name, *path] if vocabulary().named(name) else [*path, name]

    def _are_parts(self) -> bool:
        """Whether at least two columns have names, and none a period."""
        columns = self._table.columns[1:]
        named = [name for name in self._names[1:] if name and len(name.split()) <= _MOST_WORDS]
        return len(set(named)) > 1 and all(column.period_end is None for column in columns)

    def _one_period(self) -> int:
        """The fiscal year that all columns are of by their headers; 0 where they differ, or name none."""
        found = {column.period_end for column in self._table.columns[1:]}
        end = found.pop() if len(found) == 1 and len(self._table.columns) > 2 else None
        return next((year for year, last in self._ends.items() if end is not None and abs((last - end).days) <= _NEAR), 0)

    def _sharing(self) -> dict[int, bool]:
        """The columns that are of the same period as another, by other names."""
        columns = self._table.columns
        periods: Counter[object] = Counter((c.period_start, c.period_end) for c in columns[1:] if c.period_end)
        names: dict[object, set[str]] = {}
        for column, name in zip(columns[1:], self._names[1:], strict=True):
            names.setdefault((column.period_start, column.period_end), set()).add(name)
        found = {}
        for number, column in enumerate(columns):
            key = (column.period_start, column.period_end)
            found[number] = bool(number) and periods[key] > 1 and len(names[key]) > 1
        return found

    def _years_of_rows(self) -> dict[int, int]:
        table = self._table
        year = self._own or self._only_year(" ".join(table.columns[0].header)) or self._only_year(table.title)
        found = {}
        first = table.header_rows if self._own else 0
        for number, row in enumerate(table.rows[first:], start=first):
            if not _holds_figures(row):
                named = {cell.text.strip() for cell in row if is_period(cell.text)}
                if named:  # A row that heads others with a year that can't be told leaves them without.
                    year = self._only_year(named.pop()) if len(named) == 1 else None
            elif year is not None:
                found[number] = year
        return found

    def _only_year(self, text: str) -> int | None:
        dates = dates_in(text)
        if dates:
            years = [year for year, end in self._ends.items() if any(abs((end - date).days) <= _NEAR for date in dates)]
            return years[0] if len(dates) == len(years) == 1 else None
        named = {int(match.group()[-4:]) for match in YEAR_NAMED.finditer(text)}
        return named.pop() if len(named) == 1 and named <= set(self._ends) else None


def column_words(header: Sequence[str]) -> str:
    """What a header says beside periods and units: "" for "Year ended December 31, 2022"."""
    lines = [line.strip() for line in header if line.strip() and not caption_in(line)]
    kept = [line for line in lines if _PERIOD_WORDS.sub(" ", YEAR_NAMED.sub(" ", line)).strip()]
    return " ".join(YEAR_NAMED.sub(" ", line).strip() for line in kept)


def _name_of(header: Sequence[str]) -> str:
    """The lines of a header that say more than a period or a unit."""
    lines = [line.strip() for line in header if line.strip() and not caption_in(line)]
    return " ".join(
        YEAR_NAMED.sub(" ", line).strip() if YEAR_NAMED.search(line) else line for line in lines if not is_period(line)
    ).strip()


def is_period(text: str) -> bool:
    """Whether ``text`` names a year or a day and says nothing else."""
    return YEAR_NAMED.search(text) is not None and not _PERIOD_WORDS.sub(" ", YEAR_NAMED.sub(" ", text)).strip()


def is_span(text: str) -> bool:
    """As :func:`is_period`, also of the days between two dates: "May 1, 2031 - May 31, 2031", "May 1, 2031 to May 31, 2031"."""
    said = text.translate({ord(dash): "-" for dash in "—–"}).split()
    return is_period(" ".join(word for word in said if word != "to"))


def _holds_figures(row: Sequence[Cell]) -> bool:
    return any(cell.column and read_cell(cell.text) is not None and not YEAR_NAMED.fullmatch(cell.text.strip()) for cell in row)
