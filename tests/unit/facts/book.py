"""A small library made by hand: filings whose facts the tests choose."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from fin_tui.paths import Paths
from fin_tui.records import Block, BlockKind, Cover, Document, Fact, Filing
from fin_tui.store.filings import Entry
from fin_tui.store.library import Library


def year(end: int, *, month: int = 12, day: int = 31) -> tuple[dt.date, dt.date]:
    """First and last day of the calendar-like year that ends in ``end``."""
    last = dt.date(end, month, day)
    return dt.date(end - 1, month, day) + dt.timedelta(days=1), last


def flow(
    concept: str,
    value: float,
    end: int,
    *,
    unit: str = "usd",
    decimals: int | None = -6,
    label: str = "",
    members: Mapping[str, str] | None = None,
) -> Fact:
    """A figure over the year ``end``."""
    start, last = year(end)
    return Fact(
        concept, label or concept, value, f"{value:,}", unit, start, last, members or {}, decimals, start=1, end=2, block=0
    )


def balance(concept: str, value: float, end: int, *, unit: str = "usd", members: Mapping[str, str] | None = None) -> Fact:
    """A balance at the end of the year ``end``."""
    return Fact(concept, concept, value, f"{value:,}", unit, None, year(end)[1], members or {}, -6, start=1, end=2, block=0)


def fillers(*years: int) -> list[Fact]:
    """Figures that make a filing one with tags, covering ``years``."""
    return [flow(f"x:Filler{number}", float(number), end) for end in years for number in range(60)]


def held(library: Library, end: int, facts: list[Fact], *, form: str = "10-K") -> Filing:
    """A filing of fiscal year ``end`` with these facts, in the library."""
    filing = Filing(f"{form}-{end}", f"{form}-{end}.htm", "Example Corp.", "cik:1", form, end, year(end)[1], cik="1")
    block = Block(0, BlockKind.PARAGRAPH, 0, 4, 1)
    document = Document("ixbrl", "text", (block,), 1, Cover(company="Example Corp."), tuple(facts))
    return library.add(Entry(filing, document, (), (), f"{form} {end}".encode())).filing


def opened(paths: Paths) -> Library:
    """An empty library."""
    return Library.open(paths)
