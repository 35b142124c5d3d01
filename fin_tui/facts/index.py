"""The facts of one filing, indexed once: by concept, by words of labels, with its fiscal years and primary statements."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from fin_tui.facts.figures import Period
from fin_tui.facts.words import LINKS, Word, stems, words
from fin_tui.filings.table_header import is_per_thing
from fin_tui.language import any_of, is_followed
from fin_tui.records import Block, Fact, Filing, Table
from fin_tui.store import Corpus, Remembered

YEAR_DAYS = (350, 380)
"""Days of a fiscal year, 52 and 53 weeks included."""
NEAR = 7
"""Days by which the end of the same year may differ between two tags."""
_ENOUGH = 3
_DRIFT = 12
"""Days by which the ends of years of 52 and 53 weeks move within some years."""
_LEAST_TRANSITION = 20
LONGEST_QUARTER = 110


def days(fact: Fact) -> int | None:
    """Length of a fact's period, both ends included; None for an instant."""
    if fact.period_start is None or fact.period_end is None:
        return None
    return (fact.period_end - fact.period_start).days + 1


def covered(filing: Filing, facts: Iterable[Fact]) -> tuple[Period, ...]:
    """The fiscal years that ``facts`` of ``filing`` report in full, latest first, labelled as the company counts its years.

    A transition report covers its own shorter period under the filing's label.
    """
    lengths: Counter[tuple[dt.date, dt.date]] = Counter()
    for fact in facts:
        if fact.period_start and fact.period_end and not fact.dimensions and fact.value is not None:
            lengths[fact.period_start, fact.period_end] += 1
    own = filing.period_end
    years = [
        span for span, count in lengths.items() if _is_year(span, own, lengths) and (count >= _ENOUGH or _close(span[1], own))
    ]
    merged: dict[dt.date, tuple[dt.date, dt.date]] = {}
    for span in sorted(years, key=lambda span: -lengths[span]):
        if not any(_close(span[1], end) for end in merged):
            merged[span[1]] = span
    periods = [Period(end, start, label(filing, end)) for start, end in merged.values()]
    if own is not None and not any(_close(period.end, own) for period in periods):
        periods.append(Period(own, None, label(filing, own)))
    return tuple(sorted(periods, key=lambda period: period.end, reverse=True))


def _is_year(span: tuple[dt.date, dt.date], own: dt.date | None, lengths: Counter[tuple[dt.date, dt.date]]) -> bool:
    length = _length(span)
    if own is not None and span[1] > own + dt.timedelta(days=NEAR):
        # Columns of later years are payments due, not a year reported.
        return False
    if YEAR_DAYS[0] <= length <= YEAR_DAYS[1]:
        return True
    if own is None or not _close(span[1], own) or length < _LEAST_TRANSITION or length > YEAR_DAYS[1]:
        return False
    if any(0 < (span[0] - other[1]).days <= NEAR and _length(other) < LONGEST_QUARTER for other in lengths):
        return False  # The last of several quarters.
    longest = [other for other in lengths if _close(other[1], own) and _length(other) <= YEAR_DAYS[1]]
    return lengths[span] >= _ENOUGH and span == min(longest)


def _length(span: tuple[dt.date, dt.date]) -> int:
    return (span[1] - span[0]).days + 1


def label(filing: Filing, end: dt.date) -> str:
    """The label of the year that ends on ``end``, counted back from the filing's own."""
    number = year_of(filing, end)
    return f"FY{number}" if number else str(end)


def year_of(filing: Filing, end: dt.date) -> int | None:
    """The fiscal year of this company that the day ``end`` falls in; None when the filing does not know its own.

    A quarter's end belongs to the year that it is a part of: with a year that ends in September, December 1998 is of fiscal 1999.
    """
    if filing.fiscal_year is None or filing.period_end is None:
        return end.year if filing.fiscal_year is None else None
    return filing.fiscal_year - math.floor(((filing.period_end - end).days + _DRIFT) / 365.25)


def wanted(filing: Filing, years: Sequence[Period], period: Period | int) -> Period | None:
    """The year of ``filing`` that ``period`` means (a fiscal year label, or an end date with or without a start)."""
    if isinstance(period, int):
        return next((year for year in years if year.label == f"FY{period}"), None)
    near = [year for year in years if _close(year.end, period.end)]
    return min(near, key=lambda year: abs((year.end - period.end).days), default=None)


def fits(fact: Fact, year: Period, *, instant: bool) -> bool:
    """Whether ``fact`` is a balance at the end of ``year``, or a flow over all of it."""
    if fact.period_end is None or not _close(fact.period_end, year.end):
        return False
    if instant:
        return fact.period_start is None
    length = days(fact)
    if length is None:
        return False
    if year.start is None:
        return YEAR_DAYS[0] <= length <= YEAR_DAYS[1]
    return fact.period_start is not None and abs((fact.period_start - year.start).days) <= NEAR


def _close(a: dt.date | None, b: dt.date | None) -> bool:
    return a is not None and b is not None and abs((a - b).days) <= NEAR


_LONGEST = 16
_LEAST = 2
"""Words of a label that names its row alone; one word is a name for many rows."""
_BALANCE_DRIFT = 0.03
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
        if abs(off - round(off)) <= _BALANCE_DRIFT and (length is None or YEAR_DAYS[0] <= length <= YEAR_DAYS[1]):
            found.append(fact)
    return [fact for fact in found if not fact.dimensions] or found


_TITLES = (
    ("cash_flow", any_of("*cash-flow(s)")),
    ("balance", any_of("balance sheet(s), financial position/condition, assets and liabilities")),
    (
        "equity",
        any_of(
            "shareholders'/shareholders/stockholders'/stockholders/shareowners'/shareowners/stockowners'/stockowners "
            "equity/investment/deficit, changes in equity"
        ),
    ),
    ("income", any_of("statement(s) of (consolidated) (net) operations/income/earnings, income statement(s)")),
)
_STATEMENT = any_of("statement(s), balance sheet(s)")
_MARKS = {
    "balance": (
        r"^total assets",
        r"^total (?:current )?liabilities|^liabilities and|^total liabilities and",
        r"retained earnings|accumulated deficit|earnings retained",
    ),
    "cash_flow": (
        r"operating activities|operations",
        r"investing activities|investment activities",
        r"financing activities",
    ),
    "income": (
        r"^(?:total )?(?:net )?(?:sales|revenues?)|net sales|^total revenues?",
        r"income tax|taxes on income",
        r"^net (?:income|earnings|\(?loss)|^consolidated net",
    ),
}
_ROWS: Mapping[str, Sequence[re.Pattern[str]]] = {
    name: tuple(re.compile(mark, re.I) for mark in marks) for name, marks in _MARKS.items()
}
_DILUTION, _PER, _SHARE = any_of("basic, dilut*"), any_of("per"), any_of("share")
_PARTIAL = any_of(
    "*condensed*, *consolidating*, parent*, guarantor*, pro forma, selected, highlights, summary, quarter*, unaudited, "
    "supplement*, schedule*"
)
_LEAST_ROWS = 8


_OWN_TITLE = re.compile(
    r"(?:[\w.,&’'-]+\s+){0,7}?(?:statements?\s+of\s+(?:\w+\s+){0,2}?(?:operations|income|earnings|loss|cash\s+flows?|equity|"
    r"financial\s+(?:position|condition)|(?:share|stock)(?:holders|owners)[’']?\s+equity)|balance\s+sheets?|income\s+statements?)"
    r"(?:\s*\([\w ]+\))?",
    re.I,
)
"""The title of a statement and nothing else, with a company's name before it."""


def statement_title(titles: Sequence[str]) -> str:
    """The last of the ``titles`` over a table that is one of a primary statement of the whole company; "" for none."""
    return next((one for one in reversed(titles) if _OWN_TITLE.fullmatch(one) and not _PARTIAL.search(one)), "")


def statements_of(blocks: Sequence[Block]) -> dict[int, str]:
    """Block ordinal -> "income", "balance" or "cash_flow" for the tables that are such a statement, in whole or in part.

    Of several tables of a kind (highlights of the discussion, condensed statements of a parent), those that look most like
    the audited statement of the whole company.
    """
    found: dict[str, list[tuple[int, int, bool]]] = {}
    for block in blocks:
        if block.table is not None and (name := statement_of(block.table)):
            found.setdefault(name, []).append((_rank(block.table, name), block.ordinal, _opens(block.table, name)))
    kept: dict[int, str] = {}
    for name, ranked in found.items():
        best = max(rank for rank, _, _ in ranked)
        opened = False
        for rank, ordinal, opens in ranked:
            # A second sheet with the same first mark is that of another company, such as a finance arm.
            if rank == best and not (opens and opened):
                kept[ordinal] = name
                opened = opened or opens
    return kept


def _kinds(title: str) -> Iterator[str]:
    """The statements that ``title`` may be of; hedges of cash flows are none."""
    kinds = (name for name, pattern in _TITLES if pattern.search(title))
    return (name for name in kinds if name != "cash_flow" or "hedge" not in title.lower())


def _opens(table: Table, name: str) -> bool:
    """Whether the table has the first mark of its kind: a continuation has not."""
    return any(path and _ROWS[name][0].search(path[-1]) for path in table.row_paths[table.header_rows :])


def _rank(table: Table, name: str) -> int:
    labels = [path[-1] for path in table.row_paths[table.header_rows :] if path]
    titled = any(kind == name for kind in _kinds(table.title)) and _STATEMENT.search(table.title)
    rank = 2 if titled else 0
    if name == "income":
        labels_in_full = (" ".join(path) for path in table.row_paths)
        rank += any(_DILUTION.search(one) or is_followed(one, _PER, _SHARE) for one in labels_in_full)
    rank -= 3 * (_PARTIAL.search(table.title) is not None)
    rank -= sum("%" in cell.text for row in table.rows for cell in row) > len(labels) // 4
    return rank


def statement_of(table: Table) -> str:
    """The primary statement that ``table`` is; "" when it is none.

    Rows decide, as titles are often lost or shared: two of a statement's three marks with a fitting title, or all three.
    """
    labels = [path[-1] for path in table.row_paths[table.header_rows :] if path]
    if len(labels) < _LEAST_ROWS:
        return ""
    titled = next(_kinds(table.title), "")
    for name in ("cash_flow", "balance", "income"):
        marks = sum(any(pattern.search(label) for label in labels) for pattern in _ROWS[name])
        if marks == 3 or (marks >= 1 and titled == name and _STATEMENT.search(table.title)):
            return name
    return ""


CLASS_AXIS = "us-gaap:StatementClassOfStockAxis"
_KEPT = 80
_LOOKED = 32
T = TypeVar("T")
_TAGGED = 50
_OF_STATEMENTS = ("us-gaap:Assets", "us-gaap:StockholdersEquity", "us-gaap:NetIncomeLoss", "us-gaap:ProfitLoss")
_WHOLE_DOLLARS = 1e7
"""A table with amounts of eight digits prints them in full."""


@dataclass(frozen=True)
class FilingFacts:
    """What one filing states in figures."""

    filing: Filing
    facts: tuple[Fact, ...]
    library: Corpus
    _looked: dict[Hashable, Any] = field(default_factory=dict, compare=False, repr=False)

    def once(self, key: Hashable, look: Callable[[], T]) -> T:
        """What was looked for last by ``key``, else what ``look`` gives: a question asks for the same part several times."""
        if key in self._looked:
            known: T = self._looked[key]
            return known
        found = self._looked[key] = look()
        for oldest in list(self._looked)[:-_LOOKED]:
            self._looked.pop(oldest, None)
        return found

    @cached_property
    def tagged(self) -> bool:
        """Whether the filing brings XBRL facts of its statements."""
        return sum(fact.source == "xbrl" and fact.value is not None for fact in self.facts) >= _TAGGED

    @cached_property
    def has_statements(self) -> bool:
        """Whether primary statements stand in it; its schedules alone may be tagged, where it points to an annual report."""
        return bool(self.statements) or any(self.by_concept.get(concept) for concept in _OF_STATEMENTS)

    @cached_property
    def numeric(self) -> tuple[Fact, ...]:
        """Facts with a value, in reading order."""
        return tuple(fact for fact in self.facts if fact.value is not None)

    @cached_property
    def by_concept(self) -> Mapping[str, Sequence[Fact]]:
        """Facts with a value and without dimensions, by concept."""
        found: defaultdict[str, list[Fact]] = defaultdict(list)
        for fact in self.numeric:
            if not fact.dimensions:
                found[fact.concept].append(fact)
        return found

    @cached_property
    def by_class(self) -> Mapping[str, Sequence[Fact]]:
        """Facts that are given for each class of stock, by concept."""
        found: defaultdict[str, list[Fact]] = defaultdict(list)
        for fact in self.numeric:
            if len(fact.dimensions) == 1 and CLASS_AXIS in fact.dimensions:
                found[fact.concept].append(fact)
        return found

    @cached_property
    def dimensioned(self) -> tuple[Fact, ...]:
        """Facts with a value and dimensions."""
        return tuple(fact for fact in self.numeric if fact.dimensions)

    @cached_property
    def years(self) -> tuple[Period, ...]:
        """Fiscal years covered, latest first."""
        return covered(self.filing, self.numeric)

    @cached_property
    def statements(self) -> Mapping[int, str]:
        """Block ordinal of a table -> the statement it is; only primary statements are named."""
        document = self.library.document(self.filing.id)
        return statements_of(document.blocks)

    @cached_property
    def unscaled(self) -> frozenset[int]:
        """Ordinals of tables whose plain amounts may stand for millions: they say no unit where the statements have one."""
        tables = [(block.ordinal, block.table) for block in self.library.document(self.filing.id).blocks if block.table]
        if self.statement_scale == 1:
            return frozenset()
        largest: defaultdict[int, float] = defaultdict(float)
        for fact in self.numeric:
            if fact.source == "table" and fact.block is not None and fact.unit == "usd":
                largest[fact.block] = max(largest[fact.block], abs(fact.value or 0.0))
        return frozenset(o for o, table in tables if table.scale == 1 and not table.units and largest[o] < _WHOLE_DOLLARS)

    @cached_property
    def statement_scale(self) -> int:
        """The factor on the amounts of the statements; 1 where they have none, or differ."""
        document = self.library.document(self.filing.id)
        scales = {block.table.scale for block in document.blocks if block.table and block.ordinal in self.statements}
        return scales.pop() if len(scales) == 1 else 1

    def is_unscaled(self, fact: Fact) -> bool:
        """Whether ``fact`` is an amount of money whose scale no caption tells."""
        is_sum = fact.source == "table" and fact.unit == "usd" and not is_per_thing(fact.label)
        return is_sum and fact.block in self.unscaled

    @cached_property
    def by_own_label(self) -> Labels:
        """Facts with a value by the stems of their row's own label."""
        return labels_of(self.numeric)

    @cached_property
    def label_stems(self) -> Sequence[frozenset[str]]:
        """Stems of the labels of ``numeric``, in the same order."""
        return [frozenset(stems(fact.label.replace(" > ", " "))) for fact in self.numeric]

    @cached_property
    def label_weights(self) -> Mapping[str, float]:
        """Stem -> how much it tells labels apart."""
        counts = Counter(word for label in self.label_stems for word in label)
        total = len(self.label_stems) + 1
        return {word: math.log(1 + total / count) for word, count in counts.items()}


class Index:
    """Indexed filings, those used last kept; made anew when the library has changed. Usable from several threads."""

    def __init__(self, library: Corpus) -> None:
        self._library = library
        self._held: Remembered[Filing, FilingFacts] = Remembered(_KEPT, library.generation)

    def of(self, filing: Filing) -> FilingFacts:
        """The facts of ``filing``; no facts when it is not in the library any more."""

        def make() -> FilingFacts:
            return FilingFacts(filing, self._library.facts.find(filings=(filing.id,)), self._library)

        return self._held.get(filing, make)
