"""What the rooms of ``facts`` hand each other: metrics, periods, figures, gaps."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from fin_tui.records import Fact, Filing

Unit = Literal["usd", "usd/share", "shares", "%", "ratio", "count", "days"]
Statement = Literal[
    "income", "balance", "cash_flow", "equity", "per_share", "shares", "segment", "tax", "lease", "debt", "cover", "other"
]


@dataclass(frozen=True, slots=True)
class Metric:
    """An everyday figure of a 10-K: how people call it and where filings keep it."""

    id: str
    """Snake case, e.g. "research_and_development"."""
    names: tuple[str, ...]
    """Everyday names and abbreviations, lower case; the first is shown to people."""
    unit: Unit
    statement: Statement
    instant: bool
    """A balance at a day; otherwise a flow over a period."""
    concepts: tuple[str, ...] = ()
    """Prefixed concepts in order of preference, e.g. "us-gaap:Revenues"."""
    labels: tuple[str, ...] = ()
    """Row labels, lower case, as statements print them: for filings without tags."""
    formula: str = ""
    """For derived metrics: an expression over metric ids, e.g. "gross_profit / revenue"; avg(x) is the mean of the balances at
    both ends of the period, prior(x) the figure of the year before, opt(x) is x, or 0 where the filing has no such line. A
    metric with concepts too is looked up first; the formula stands in when nothing is found."""
    variants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Industry ("bank", "insurer", "retailer", "real_estate") -> concepts preferred there."""
    negate: bool = False
    """Filings tag it with the sign opposite to how people speak of it (an outflow tagged positive is not: capex is 10)."""
    ahead: tuple[str, ...] = ()
    """Concepts of what falls due in each of the years after the filing's own, the next year's first."""
    part: str = ""
    """What the figure is the part of, where filings tag it by a member: "service" of ``whole``."""
    whole: str = ""
    """Id of the metric of which it is a part."""
    said: str = ""
    """The name it was asked for by: a row called just so goes before others that the metric may mean ("net sales")."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A metric named in a text."""

    metric: Metric
    start: int
    end: int
    score: float
    """1 for an exact name; lower for a typo or a loose match."""


@dataclass(frozen=True, slots=True)
class Period:
    """A fiscal year (or day) of one company."""

    end: dt.date
    start: dt.date | None = None
    """None for an instant, or when only the end is known."""
    label: str = ""
    """ "FY2024" as the company labels it."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with the fact that states it."""

    label: str
    """What it is, for people: "Total net sales", "Greater China net sales"."""
    value: Decimal
    """Base units; percentages as 14.2 for 14.2 %."""
    unit: Unit
    fact: Fact
    filing: Filing
    period: Period
    metric: str = ""
    """Metric id, or "" for a figure found by its label."""
    restated: Decimal | None = None
    """A different value that a later filing gives for the same period."""
    restated_in: Filing | None = None
    note: str = ""
    """What a reader must know: "net income of the parent", "first reported in FY2023"."""
    others: tuple[Fact, ...] = ()
    """Close candidates that lost, best first."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Why there is no figure."""

    label: str
    period: Period | None
    why: str
    """One line for people."""
    candidates: tuple[Fact, ...] = ()
    """What stands near it, when several are equally likely."""
    filing: Filing | None = None
    """Where the candidates stand."""
    no_statements: bool = False
    """No filing held that covers the period has financial statements in it."""
