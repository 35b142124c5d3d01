"""Figures of other periods than the year of a filing: one of its quarters, or a later year in which something falls due.

Tables of quarterly data and facts tagged for three months state quarters. Schedules of filings without tags (maturities of debt,
lease payments, amortization) name their years in the rows or over the columns; what it is a schedule of stands in the title or
just above it.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import TYPE_CHECKING

from fin_tui.facts import row_labels
from fin_tui.facts.choose import Choice
from fin_tui.facts.figures import Gap, Metric, Period, agree, best_of, unit_fits, value_of
from fin_tui.facts.index import days
from fin_tui.facts.parts import YEAR_NAMED
from fin_tui.facts.table_reader import TableReader, read_cell
from fin_tui.facts.words import stems
from fin_tui.filings.table_header import dates_in, start_of
from fin_tui.language import MONTH_LIKE, STARTS, any_of, is_year, month_number, runs_of
from fin_tui.records import Block, BlockKind, Cell, Fact, Table

if TYPE_CHECKING:
    from fin_tui.facts.index import FilingFacts


_SAYS_QUARTERS = any_of("quarter(s), quarterly, qtr(s), three-months, 13-weeks, thirteen-weeks, q1/q2/q3/q4")
_NAMES = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_ORDINAL = re.compile(
    r"\b(?P<name>first|second|third|fourth|1st|2nd|3rd|4th)\b|\bQ\s?(?P<after>[1-4])\b|\b(?P<before>[1-4])Q\b", re.I
)
_DAY = re.compile(rf"\b(?P<month>{MONTH_LIKE})\.?\s+(?P<day>\d{{1,2}})(?:\s*,?\s*(?P<year>(?:19|20)\d\d))?\b", re.I)
_MONTH = re.compile(
    r"^\W*(?:(?:three months|quarter|13 weeks)\s+end(?:ed|ing)\s+)?"
    rf"(?P<month>{'|'.join(STARTS)})[a-z]{{0,6}}\.?(?:\s+quarter)?\W*$",
    re.I,
)
"""A quarter called by its last month: "December", "Dec. quarter"."""
_LONGER = any_of("total, full, fiscal year, for the year, six, nine, twelve, ytd, year-to-date")
_LEAST = 3
"""Quarters that a table must head to be a quarterly one."""
_NEAR = 10
"""Days by which a quarter's end may lie behind the year's that it closes."""
_APART, _DRIFT = 365.25 / 4, 12
"""Days between the ends of neighbouring quarters, and by how much weeks and months may move them."""
_HEADING_WORDS = 8
"""A row without figures of more words is a remark: a year in it heads nothing."""


@dataclass(frozen=True, slots=True)
class Quarter:
    """The first and the last day of a quarter."""

    start: dt.date
    end: dt.date


@dataclass(frozen=True, slots=True)
class _Head:
    """What heads a column or a row: a quarter by its number, its last day or its last month; the year where it says that too."""

    number: int = 0
    month: int = 0
    day: int = 0
    """0 where the month alone is named."""
    year: int | None = None
    """The fiscal year that the head names beside the quarter."""
    last: dt.date | None = None
    """The last day of the year that the head names beside the quarter."""
    calendar: int | None = None
    """The year that stands beside the day."""


class QuarterTable:
    """The quarters of the figures of ``table``; none in tables that are not quarterly."""

    def __init__(self, table: Table, ends: Mapping[int, dt.date]) -> None:
        """``ends``: the last day of each fiscal year that the filing may show."""
        self._table = table
        self._ends = ends
        self._found: dict[tuple[int, int], Quarter] = {}
        self._unknown: set[tuple[int, int]] = set()
        self.by_row = False
        """The rows are quarters, and the columns say what is counted."""
        if ends and _SAYS_QUARTERS.search(_words(table)):
            self._read_columns()
            if not self._found:
                self._read_rows()

    def __bool__(self) -> bool:
        return bool(self._found)

    def of(self, row: int, column: int) -> Quarter | None:
        """The quarter that a figure is of; None for those of a year."""
        return self._found.get((row, column))

    def is_of_unknown(self, row: int, column: int) -> bool:
        """Whether a figure is of a quarter, but of no known year."""
        return (row, column) in self._unknown

    def _read_columns(self) -> None:
        table = self._table
        heads = _complete({number: _head(column.header) for number, column in enumerate(table.columns) if number})
        year = self._only_year(_first_header(table)) or self._only_year(table.title)
        for number, row in enumerate(table.rows[table.header_rows :], start=table.header_rows):
            if not _holds_figures(row):
                again = _complete({cell.column: _head((cell.text,)) for cell in row if cell.column})
                heads = again or heads
                named = self._heading_year([cell.text for cell in row if not _head((cell.text,)).month])
                if named is not None:
                    year = named
                    heads = {column: replace(head, year=None, last=None) for column, head in heads.items()}
                continue
            for cell in row:
                if cell.column not in heads:
                    continue
                if quarter := self._quarter(heads[cell.column], year):
                    self._found[number, cell.column] = quarter
                elif not heads[cell.column].day:
                    self._unknown.add((number, cell.column))

    def _read_rows(self) -> None:
        table = self._table
        labels = [(n, path[-1] if path else "") for n, path in enumerate(table.row_paths)]
        heads = _complete({n: _head((label,)) for n, label in labels if len(label.split()) <= 3})
        of_columns = [self._only_year(" ".join(column.header)) for column in table.columns]
        year = self._only_year(_first_header(table)) or self._only_year(table.title)
        for number, row in enumerate(table.rows[table.header_rows :], start=table.header_rows):
            year = (None if _holds_figures(row) else self._heading_year([cell.text for cell in row])) or year
            for cell in row:
                own = of_columns[cell.column] if cell.column < len(of_columns) else None
                if cell.column and number in heads and (quarter := self._quarter(heads[number], own or year)):
                    self._found[number, cell.column] = quarter
        self.by_row = bool(self._found)

    def _heading_year(self, texts: Sequence[str]) -> int | None:
        """The one fiscal year that a row without figures heads the rows under it with."""
        text = " ".join(texts)
        return self._only_year(text) if len(text.split()) <= _HEADING_WORDS else None

    def _only_year(self, text: str) -> int | None:
        """The one fiscal year that ``text`` names, by its number or its last day."""
        dates = dates_in(text)
        if dates:
            ending = [year for year, end in self._ends.items() if any(abs((end - date).days) <= _NEAR for date in dates)]
            return ending[0] if len(dates) == len(ending) == 1 else None
        years = {int(match.group()[-4:]) for match in YEAR_NAMED.finditer(text)}
        return years.pop() if len(years) == 1 and years <= set(self._ends) else None

    def _quarter(self, head: _Head, year: int | None) -> Quarter | None:
        if head.number:
            last = head.last or self._ends.get(head.year or year or 0)
            end = quarter_end(last, head.number) if last else None
        else:
            end = self._ending(head, head.year or year)
        return None if end is None else Quarter(start_of(end, 3), end)

    def _ending(self, head: _Head, year: int | None) -> dt.date | None:
        """The day of a head within the fiscal ``year``."""
        last = self._ends.get(year or 0)
        if not head.day:
            ends = [quarter_end(last, number) for number in range(1, 5)] if last else []
            return next((end for end in ends if any(_in_month(end, head.month, by) for by in (0, -_NEAR, _NEAR))), None)
        years = [head.calendar] if head.calendar else [last.year, last.year - 1] if last else []
        for number in years:
            try:
                day = dt.date(number, head.month, head.day)
            except ValueError:
                continue
            if head.calendar or (last is not None and -_NEAR <= (last - day).days < 365 - _NEAR):
                return day
        return None


def says_quarters(text: str) -> bool:
    """Whether ``text`` speaks of any quarter."""
    return _SAYS_QUARTERS.search(text) is not None


def quarter_end(last: dt.date, number: int) -> dt.date:
    """The last day of a quarter of the year that ends on ``last``: thirteen weeks apart where that is no end of a month."""
    following = last + dt.timedelta(days=1)
    if following.day != 1:
        return last - dt.timedelta(days=91 * (4 - number))
    index = following.year * 12 + following.month - 1 - 3 * (4 - number)
    return dt.date(index // 12, index % 12 + 1, 1) - dt.timedelta(days=1)


def _in_month(day: dt.date, month: int, by: int) -> bool:
    return (day + dt.timedelta(days=by)).month == month


def _head(header: Sequence[str]) -> _Head:
    """What a header says: the quarter of its lowest line that names one, the year of its lowest line that names that."""
    text = " ".join(header)
    ordinal = _ORDINAL.search(text)
    day = None if ordinal else _DAY.search(text)
    named = None if ordinal or day else next((found for line in reversed(header) if (found := _MONTH.search(line))), None)
    if (ordinal is None and day is None and named is None) or (_LONGER.search(text) and ordinal is None):
        return _Head()
    line = next((line for line in reversed(header) if YEAR_NAMED.search(line) and not (day and _DAY.search(line))), "")
    years = {int(match.group()[-4:]) for match in YEAR_NAMED.finditer(line)}
    year = years.pop() if len(years) == 1 else None
    if day is not None:
        month = month_number(day["month"])
        return _Head(month=month, day=int(day["day"]), year=year, calendar=int(day["year"]) if day["year"] else None)
    if named is not None:
        return _Head(month=month_number(named["month"]), year=year)
    assert ordinal is not None
    number = _NAMES[ordinal["name"].lower()] if ordinal["name"] else int(ordinal["after"] or ordinal["before"])
    dates = dates_in(line)
    return _Head(number, last=dates[0]) if len(dates) == 1 else _Head(number, year=None if dates else year)


def _complete(heads: dict[int, _Head]) -> dict[int, _Head]:
    """``heads`` that name a quarter, when they name enough of them."""
    named = {column: head for column, head in heads.items() if head.number or head.month}
    kinds = {(head.number, head.month) for head in named.values()}
    return named if len(kinds) >= _LEAST and _are_apart(list(named.values())) else {}


def _are_apart(heads: Sequence[_Head]) -> bool:
    """Whether heads that name days or months are quarters: three months apart, not the months of one quarter."""
    days = [30.4 * head.month + (head.day or 30) for head in heads if head.month]
    offsets = [(day - days[0]) % _APART for day in days]
    return all(min(offset, _APART - offset) <= _DRIFT for offset in offsets)


def _first_header(table: Table) -> str:
    """What stands over the labels: "2002 For Quarter Ended"."""
    return " ".join(table.columns[0].header) if table.columns else ""


def _words(table: Table) -> str:
    """The title, all headers, and the rows without figures."""
    headings = (cell.text for row in table.rows if not _holds_figures(row) for cell in row)
    return " | ".join((table.title, *_headers(table), *headings))


def _headers(table: Table) -> Iterable[str]:
    return (line for column in table.columns for line in column.header)


def _holds_figures(row: Sequence[Cell]) -> bool:
    return any(cell.column and read_cell(cell.text) is not None and not YEAR_NAMED.fullmatch(cell.text.strip()) for cell in row)


ORDINALS = ("first", "second", "third", "fourth")
_DAYS = (80, 101)
"""Days of a quarter; one of fourteen weeks included."""
_ROUNDING = 1e-3
_END_MOVES = dt.timedelta(days=12)
"""By which a quarter of a year of 52 or 53 weeks may end beside the day that is counted for it."""


def find(held: FilingFacts, metric: Metric, year: Period, number: int) -> Choice | Gap | None:
    """The figure of ``metric`` for a quarter of ``year``; a ``Gap`` with the candidates when rows that fit as well differ."""
    end = quarter_end(year.end, number)
    facts = [fact for fact in held.numeric if not fact.dimensions and unit_fits(fact.unit, metric.unit) and is_quarter(fact, end)]
    for concept in metric.concepts:
        tagged = [fact for fact in facts if fact.concept == concept]
        if tagged:
            best = best_of(tagged)
            return Choice(best, value_of(best, metric))
    known = (_scaled(held, fact) for fact in facts if fact.source != "xbrl")
    return _of_tables([fact for fact in known if fact is not None], metric, year)


def is_quarter(fact: Fact, end: dt.date) -> bool:
    """Whether ``fact`` is of the quarter that ends about ``end``."""
    length = days(fact)
    return (
        length is not None
        and _DAYS[0] <= length <= _DAYS[1]
        and fact.period_end is not None
        and abs(fact.period_end - end) <= _END_MOVES
    )


def _scaled(held: FilingFacts, fact: Fact) -> Fact | None:
    """``fact`` in the scale of the statements where its table tells none and the four quarters add up to one of their lines."""
    if not held.is_unscaled(fact) or fact.value is None or fact.period_end is None:
        return fact
    row = {one.period_end: one.value for one in held.numeric if one.block == fact.block and one.label == fact.label and one.value}
    own = sorted((end, value) for end, value in row.items() if end is not None and value is not None)
    runs = [own[at : at + 4] for at in range(len(own) - 3)]
    sums = [sum(value for _, value in run) for run in runs if fact.period_end in {end for end, _ in run}]
    scale = held.statement_scale
    lines = [one.value or 0.0 for one in held.numeric if one.block in held.statements]
    if any(abs(total * scale - line) <= _ROUNDING * abs(line) for total in sums for line in lines if line):
        return replace(fact, value=fact.value * scale)
    return None


def _of_tables(facts: list[Fact], metric: Metric, year: Period) -> Choice | Gap | None:
    scored = [(score, fact) for fact in facts if (score := row_labels.likeness_of_row(fact, metric)) >= row_labels.LEAST]
    if not scored:
        return None
    top = max(score for score, _ in scored)
    best = [fact for score, fact in scored if score == top]
    called = [fact for fact in best if metric.said and stems(fact.label.rpartition(" > ")[2]) == stems(metric.said)]
    best = called or best
    other = next((fact for fact in best if not agree(fact, best[0])), None)
    if other is not None:
        return Gap("", year, f"Several rows fit “{metric.names[0]}” in that quarter.", (best[0], other))
    return Choice(best[0], row_labels.spoken(best[0], metric), "read from an untagged table")


_Kind = tuple[str, re.Pattern[str], re.Pattern[str]]


def _kind(concept: str, falls_due: str, matter: str) -> _Kind:
    return concept, any_of(falls_due), any_of(matter)


_KINDS = (
    _kind(
        "LongTermDebtMaturities",
        "maturit*, repay*, repaid*, principal payments, payment(s) due/required, mature",
        "debt, borrowings, notes payable",
    ),
    _kind("OperatingLease", "minimum, future, payments, commitments", "lease(s), rental*"),
    _kind("FinanceLease", "minimum, future, payments", "capital/finance lease(s)"),
    _kind("Amortization", "estimated, expected, future", "amortization"),
    _kind("PurchaseObligation", "due, commitments, payments", "purchase obligation(s)/commitment(s)"),
)
"""A part of the tag that filings of later years give it, and the words that schedules have."""
_OTHER = any_of("investment(s), securities, fair value, pension(s), benefit, receivable(s), sublease*, income")
_BEFORE_YEAR = frozenset("fiscal year years ending".split())
_TOTAL = any_of("total")
_ABOVE = 3
"""Blocks over a table that may say what it is."""
_LONGEST = 700


def falling_due(held: FilingFacts, metric: Metric, year: int) -> Fact | None:
    """The amount of ``metric`` that falls due in ``year``; None when no schedule says it, or schedules differ."""
    kind = next((kind for kind in _KINDS if metric.ahead and kind[0] in metric.ahead[0]), None)
    if kind is None or held.tagged:
        return None
    blocks = held.library.document(held.filing.id).blocks
    text = held.library.text(held.filing.id)
    found: list[Fact] = []
    for at, block in enumerate(blocks):
        if (
            block.table is None
            or _is_unscaled(held, block.table)
            or not _is_of(kind, block.table, _words_above(blocks, at, text))
        ):
            continue
        found.extend(_of_table(block, block.table, year, metric))
    return found[0] if found and all(fact.value == found[0].value for fact in found) else None


def _is_unscaled(held: FilingFacts, table: Table) -> bool:
    """Whether no caption tells the scale of amounts that the statements have in thousands or millions."""
    return table.scale == 1 and not table.units and held.statement_scale > 1


def _words_above(blocks: Sequence[Block], at: int, text: str) -> str:
    near = [block for block in blocks[max(0, at - _ABOVE) : at] if block.kind is not BlockKind.TABLE]
    return " ".join(text[block.start : block.end][-_LONGEST:] for block in near)


def _is_of(kind: _Kind, table: Table, above: str) -> bool:
    """Whether title and headers speak of the matter, or without a title the last words above do."""
    headers = " ".join(cell.text for row in table.rows[: table.header_rows] for cell in row)
    said = f"{table.title} {headers}" if table.title else above.rstrip(" :(").rpartition(". ")[2]
    return all(pattern.search(said) for pattern in kind[1:]) and not _OTHER.search(said)


def _of_table(block: Block, table: Table, year: int, metric: Metric) -> Iterator[Fact]:
    cell = _by_row(table, year, metric) or _by_column(table, year)
    read = TableReader(table).read(cell[0], cell[1]) if cell else None
    if cell is None or read is None or read[1] != "usd":
        return
    place = cell[1]
    yield Fact(
        "table:due",
        metric.names[0],
        read[0],
        place.text,
        "usd",
        None,
        None,
        source="table",
        start=place.start,
        end=place.end,
        block=block.ordinal,
    )


def _year_named(text: str) -> int | None:
    """The year that ``text`` is the name of, which may be that of a day: "Fiscal year ending June 30, 2005"; None for others."""
    said = list(dropwhile(_BEFORE_YEAR.__contains__, runs_of(text.lower())))
    is_day = len(said) == 3 and said[0].isalpha() and said[1].isdigit() and len(said[1]) <= 2
    return int(said[-1]) if said and is_year(said[-1]) and (len(said) == 1 or is_day) else None


def _by_row(table: Table, year: int, metric: Metric) -> tuple[int, Cell] | None:
    """The figure in the row of ``year``: the only one, or that of the column named after the matter or a total."""
    for number in range(table.header_rows, min(len(table.rows), len(table.row_paths))):
        path = table.row_paths[number]
        if not path or _year_named(path[-1]) != year:
            continue
        figures = [cell for cell in table.rows[number] if cell.column and read_cell(cell.text) is not None]
        named = [cell for cell in figures if _heads(table, cell.column, metric)]
        chosen = figures if len(figures) == 1 else named
        return (number, chosen[0]) if len(chosen) == 1 else None
    return None


def _heads(table: Table, column: int, metric: Metric) -> bool:
    header = " ".join(table.columns[column].header) if column < len(table.columns) else ""
    if "OperatingLease" in metric.ahead[0]:
        return any_of("operating").search(header) is not None
    if "FinanceLease" in metric.ahead[0]:
        return any_of("capital, finance").search(header) is not None
    return any_of("total").search(header) is not None


def _by_column(table: Table, year: int) -> tuple[int, Cell] | None:
    """The figure in the column of ``year``: of the only row, or of the total."""
    headers = ((number, " ".join(column.header)) for number, column in enumerate(table.columns) if number)
    columns = [number for number, header in headers if _year_named(header) == year]
    if len(columns) != 1:
        return None
    rows = [
        (number, cell)
        for number, row in enumerate(table.rows[table.header_rows :], start=table.header_rows)
        for cell in row
        if cell.column == columns[0] and read_cell(cell.text) is not None
    ]
    totals = [(number, cell) for number, cell in rows if _is_total(table, number)]
    return rows[0] if len(rows) == 1 else totals[-1] if totals else None


def _is_total(table: Table, row: int) -> bool:
    path = table.row_paths[row] if row < len(table.row_paths) else ()
    return not path or not path[-1] or _TOTAL.match(path[-1]) is not None
