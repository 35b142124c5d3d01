"""What is looked for among the figures of a filing, and whether a figure's unit and period allow that it is that."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

from fin_tui.candidates import Candidate
from fin_tui.facts.figures import Period
from fin_tui.facts.index import LONGEST_QUARTER
from fin_tui.facts.quarters import says_quarters
from fin_tui.filings.table_header import dates_in
from fin_tui.language import YEAR, any_name
from fin_tui.records import Fact, Filing

_NEAR = 8
_AFTER = 150
"""Days behind a year's end of what a filing tells of the time until it was made."""
_YEAR_DAYS = (340, 385)
_A_YEAR = 365
_LEAST_KIND = 0.02
_AROUND = 2_500
"""Characters around a figure within which sentences and tables tell of the same."""
_DASHES, _DIGITS = ("-", "–", "—"), 4
_TIMES = ("days", "months", "years")
UNITS: Mapping[str, frozenset[str]] = {
    "money": frozenset(("usd",)),
    "per_share": frozenset(("usd/share", "usd")),
    "percent": frozenset(("pure",)),
    "ratio": frozenset(("pure", "count")),
    "count": frozenset(("count", "shares", "usd")),
    "days": frozenset(("count", "days", "years", "months")),
}
"""Kind of figure -> the units that it is told in."""


@dataclass(frozen=True, slots=True)
class Beside:
    """The figure that a conversation was about: what a follow-up asks for often stands in its table, or in a sentence near it."""

    filing: Filing
    fact: Fact
    period: Period

    def is_with(self, other: Fact) -> bool:
        """Whether ``other``, of the same filing, stands in the same table."""
        return self.fact.block is not None and other.block == self.fact.block

    def holds(self, other: Fact) -> bool:
        """Whether ``other``, of the same filing, stands there or near."""
        return self.is_with(other) or (bool(other.end) and abs(other.start - self.fact.start) <= _AROUND)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for."""

    matter: str
    """The words for it, without company and period."""
    answer: str = ""
    """money, count, percent, per_share, ratio, days; "" for any."""
    parts: str = ""
    """The words for segment, product, region …"""
    label: str = ""
    """What it is called, for people; "" for the words themselves."""
    kinds: Mapping[str, float] = field(default_factory=dict)
    """Of each kind the probability that it is asked for; empty where ``answer`` is sure."""
    beside: Beside | None = None
    """Where alone it is looked for; None for everywhere."""
    question: str = ""
    """All words that ask for it, those for the period as well; "" for one of several figures that a question asks for."""
    is_meant: bool = False
    """Its words mean a metric that they do not name: only what is tagged so is it."""

    def read_in(self, year: When) -> str:
        """The words that candidates of ``year`` are read together with."""
        return self.question or " ".join(filter(None, (self.matter, name_of(year))))

    @property
    def chances(self) -> Mapping[str, float]:
        """As ``kinds``, those likely enough to look for."""
        return {kind: share for kind, share in self.kinds.items() if share >= _LEAST_KIND} or {self.answer: 1.0}


@dataclass(frozen=True, slots=True)
class Apart:
    """A year that a filing tells of though its statements do not cover it: what is planned for it or falls due in it, or what
    stands under its name in tables of many years.
    """

    year: Period
    told: dt.date
    """The end of the year that the filing is of."""

    @property
    def name(self) -> str:
        """The year as rows and sentences call it."""
        return self.year.label.removeprefix("FY")


@dataclass(frozen=True, slots=True)
class At:
    """A day or a quarter within a year, or soon after it."""

    year: Period
    day: dt.date
    """The day asked about; of a quarter its last."""
    is_quarter: bool = False

    def is_told_in(self, row: str) -> bool:
        """Whether ``row`` names the day, or days around it: "August 2—August 29, 2021"."""
        days = dates_in(row)
        if any(abs((day - self.day).days) <= _NEAR for day in days):
            return True
        return bool(days) and min(days) <= self.day <= max(days) and (max(days) - min(days)).days <= LONGEST_QUARTER


@dataclass(frozen=True, slots=True)
class Listed:
    """A year by which a row or column may be called, in the table of a figure that was told before."""

    year: Period
    told: dt.date | None
    """The end of that figure's period: without a year of its own, what stands beside it is of the same."""

    @property
    def name(self) -> str:
        """The year as rows call it."""
        return self.year.label.removeprefix("FY")


When = Period | Apart | At | Listed | None
"""The year that a figure is of; None for whatever the filing says."""


def name_of(when: When) -> str:
    """The year or day as people say it: "FY2021", "June 30, 2021"; "" for any."""
    if isinstance(when, At):
        return f"{when.day:%B} {when.day.day}, {when.day.year}"
    return "" if when is None else when.label if isinstance(when, Period) else when.year.label


def may_be(one: Candidate, wanted: Wanted, year: When) -> bool:
    """Whether unit and period of a figure allow that it is the one asked for."""
    return any(unit_fits(one, kind) for kind in wanted.chances) and fit_of_period(one, year) is not None


def unit_fits(one: Candidate, answer: str) -> bool:
    """Whether a figure's unit is one that a kind of answer is told in; a dash is no figure."""
    unit = one.fact.unit
    if not one.fact.value and not any(map(str.isalnum, one.fact.text)):
        return False
    if not answer:
        return True
    allowed = UNITS[answer]
    if answer == "count" and unit == "usd":
        return "$" not in one.fact.text and one.fact.source != "xbrl" and not one.is_amount
    if answer in ("ratio", "percent") and one.fact.source == "xbrl" and unit not in ("usd", "shares", "usd/share"):
        return True
    return (
        unit in allowed
        or (answer == "count" and is_just(unit, answer))
        or (answer == "money" and len(unit) == 3 and unit.isalpha())
        or (answer == "per_share" and unit.endswith(("/share", "/shares")))
    )


def fit_of_period(one: Candidate, year: When) -> float | None:
    """1 for the year asked about, .5 for a figure without a period, where its sentence names no others, .4 for one dated soon
    after the year or, in a sentence, within it; None for another.
    """
    end = one.fact.period_end
    if year is None:
        return 0.6
    if isinstance(year, At):
        return _moment(one, year)
    if isinstance(year, Listed):
        is_dated_text = one.fact.source == "text" and end is not None  # Its sentence may name several years.
        dated = 1.0 if not is_dated_text and names_year(one.row, year.name) else fit_of_period(one, year.year)
        return 0.5 if dated is None and end is not None and end == year.told else dated
    if isinstance(year, Apart):
        if year.year.end < year.told:
            return 1.0 if names_year(one.row, year.name) or fit_of_period(one, year.year) == 1.0 else None
        is_ahead = end is not None and year.told < end
        is_dated = end is not None and is_ahead and -_A_YEAR < (end - year.year.end).days <= _NEAR
        is_listed = is_ahead and one.fact.source == "text"  # A schedule's sentence names all of its years.
        return 1.0 if is_dated or (not is_listed and names_year(one.row, year.name)) else None
    if end is None:
        return 0.5 if one.fact.source != "text" or _may_tell_of(one.fact.label, year) else None
    gap = (end - year.end).days
    if abs(gap) <= _NEAR:
        start = one.fact.period_start
        length = (end - start).days + 1 if start else None
        if year.start is not None and length is not None and abs(length - ((year.end - year.start).days + 1)) > 20:
            return None
        if year.start is None and length is not None and not _YEAR_DAYS[0] <= length <= _YEAR_DAYS[1]:
            return None
        return 1.0
    if one.fact.source == "text" and _NEAR - _A_YEAR < gap < 0:
        return 0.4
    return 0.4 if 0 < gap <= _AFTER and one.fact.source != "table" else None


def _may_tell_of(sentence: str, year: Period) -> bool:
    """Whether a sentence names ``year``, or a day within it or soon after, or no year at all."""
    if YEAR.search(sentence) is None or names_year(sentence, year.label.removeprefix("FY")):
        return True
    return any(-_A_YEAR < (day - year.end).days <= _AFTER for day in dates_in(sentence))


def _moment(one: Candidate, at: At) -> float | None:
    """As :func:`fit_of_period`, of a day or quarter: what is told of a year is of none of its days but those its row names."""
    end, start = one.fact.period_end, one.fact.period_start
    says = one.fact.label if one.fact.source == "text" else one.row
    if end is not None and abs((end - at.day).days) <= _NEAR:
        if not at.is_quarter or (start is not None and (end - start).days <= LONGEST_QUARTER):
            return 1.0
        is_last = abs((end - at.year.end).days) <= _NEAR  # What ends with the year is of the whole of it.
        return 1.0 if says_quarters(says) or (start is None and not is_last) else None
    if one.fact.source == "text":
        is_near = end is None or (at.is_quarter and abs((end - at.year.end).days) <= _NEAR)
        return 0.5 if is_near and (not at.is_quarter or says_quarters(says) or at.is_told_in(says)) else None
    return 0.5 if one.fact.source == "table" and at.is_told_in(says) else None


def names_year(row: str, year: str) -> bool:
    """Whether ``row`` says the year by itself, not as that of a day ("February 3, 2024") or as one of several ("2024-2025")."""
    return any(
        not _ends_with_day(row[: match.start()]) and not _is_in_range(row[: match.start()], row[match.end() :])
        for match in any_name((year,)).finditer(row)
    )


def _is_in_range(before: str, behind: str) -> bool:
    """Whether a year between these words is the last or the first of several: "2024-2025"."""
    begun, goes_on = before.rstrip(), behind.lstrip()
    is_last = begun[-1:] in _DASHES and begun[:-1].rstrip()[-_DIGITS:].isdecimal()
    return is_last or (goes_on[:1] in _DASHES and goes_on[1:].lstrip()[:_DIGITS].isdecimal())


def _ends_with_day(before: str) -> bool:
    """Whether the year behind ``before`` is that of a day."""
    said = before.rstrip().removesuffix(",")
    month = said.rstrip("0123456789")
    return 1 <= len(said) - len(month) <= 2 and not month[-1:].isalnum()


def fit_of_unit(one: Candidate, wanted: Wanted) -> float:
    """How likely it is that the unit is the one that the wanted kind of answer has, not only one that may be read so."""
    chances = wanted.chances
    return sum(share for kind, share in chances.items() if is_just(one.fact.unit, kind)) / sum(chances.values())


def is_just(unit: str, kind: str) -> bool:
    match kind:
        case "money":
            return unit == "usd" or (len(unit) == 3 and unit.isalpha())
        case "count":
            return unit in ("count", "shares") or (unit not in ("usd", "pure", *_TIMES) and "/" not in unit)
        case "per_share":
            return "/share" in unit
        case "percent":
            return unit == "pure"
        case "days":
            return unit in _TIMES
        case _:
            return True
