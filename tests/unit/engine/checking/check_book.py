"""A book of figures made by hand, for the tests of checking a text."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from fin_tui.engine.checking import Checker
from fin_tui.engine.checking.passages import Passages
from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Figure, Gap, Metric, Period, Unit
from fin_tui.facts.index import NamedRow, labels_of, of_year, rows_in
from fin_tui.facts.ranking import Ranking
from fin_tui.records import Chunk, Fact, Filing
from tests.unit.engine.made import filing

ACME = [filing("Acme Corp.", year, ticker="ACME") for year in (2023, 2024)]
BOLT = [filing("Bolt Works Inc.", 2024, ticker="BOLT")]
YEARS = (2022, 2023, 2024)
Key = tuple[str, str, int]


@dataclass
class FakeBook:
    """Figures by company, metric id (or "phrase metric id", or row label) and year."""

    values: Mapping[Key, float]
    units: Mapping[str, Unit] = field(default_factory=dict)
    rows: Mapping[Key, float] = field(default_factory=dict)
    """Tagged rows of whole years by company, label and year."""

    def figure(self, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        if not metric.concepts:
            return Gap(metric.names[0], None, "only by its formula")
        return self._at(metric.id, metric.unit, metric.id, filings, period)

    def quarterly(self, metric: Metric, filings: Sequence[Filing], year: int, number: int) -> Figure | Gap:
        return self._at(f"Q{number} {metric.id}", metric.unit, metric.id, filings, year)

    def lines(self, metric: Metric, filings: Sequence[Filing], period: Period | int) -> tuple[Figure, ...]:
        return ()

    def scheduled(self, metric: Metric, filings: Sequence[Filing], year: int) -> Figure | Gap:
        return Gap(metric.names[0], None, "not listed")

    def ranked(self, asked: Ranking, filings: Sequence[Filing], year: int) -> tuple[Figure, ...]:
        return ()

    def series(
        self, metric: Metric, filings: Sequence[Filing], periods: Sequence[Period | int], phrase: str = ""
    ) -> tuple[Figure | Gap, ...]:
        of = (self.dimensioned(phrase, metric, filings, one) if phrase else self.figure(metric, filings, one) for one in periods)
        return tuple(of)

    def dimensioned(self, phrase: str, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        return self._at(f"{phrase} {metric.id}", metric.unit, metric.id, filings, period)

    def is_on_one_basis(self, one: Figure, other: Figure, filings: Sequence[Filing]) -> bool:
        return True

    def by_label(self, phrase: str, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        return self._at(phrase.lower(), "usd", "", filings, period)

    def periods(self, filings: Sequence[Filing]) -> tuple[Period, ...]:
        held = {year for company, _, year in self.values if filings and company == filings[0].company}
        return tuple(_period(year) for year in sorted(held, reverse=True))

    def rows_named(self, text: str, filings: Sequence[Filing]) -> tuple[NamedRow, ...]:
        return rows_in(text, [labels_of([fact for fact, _ in self._rows(filings)])])

    def rows_of_year(self, row: NamedRow, filings: Sequence[Filing], year: int) -> tuple[tuple[Fact, Filing], ...]:
        found = (one for one in self._rows(filings) if row.stems in labels_of([one[0]]))
        return tuple((fact, filing) for fact, filing in found if of_year([fact], filing, year))

    def _rows(self, filings: Sequence[Filing]) -> list[tuple[Fact, Filing]]:
        return [
            (Fact("us-gaap:Row", label, value, f"{value:,}", "usd", dt.date(year, 1, 1), dt.date(year, 12, 31)), one)
            for (company, label, year), value in self.rows.items()
            for one in filings[:1]
            if one.company == company
        ]

    def _at(self, key: str, unit: Unit, metric: str, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        assert isinstance(period, int)
        value = self.values.get((filings[0].company, key, period)) if filings else None
        if value is None:
            return Gap(key, None, f"No {key}.")
        own = next((one for one in filings if one.fiscal_year == period), filings[0])
        pure = unit == "%"
        stated = value / 100 if pure else value
        fact = Fact(
            f"us-gaap:{key}", key, stated, f"{value:,}", "pure" if pure else unit, dt.date(period, 1, 1), dt.date(period, 12, 31)
        )
        return Figure(key, Decimal(str(value)), unit, fact, own, _period(period), metric)


class NoChunks:
    """A library that shows no passage."""

    def holding(self, filing_id: str, start: int, end: int) -> Chunk | None:
        return None


def _period(year: int) -> Period:
    return Period(dt.date(year, 12, 31), dt.date(year, 1, 1), f"FY{year}")


FIGURES: dict[Key, float] = {
    **{("Acme Corp.", "revenue", year): value for year, value in zip(YEARS, (80e9, 100.04e9, 125e9), strict=True)},
    **{("Acme Corp.", "net_income", year): value for year, value in zip(YEARS, (-2e9, 8e9, 6.46e9), strict=True)},
    **{("Acme Corp.", "gross_profit", year): value for year, value in zip(YEARS, (30e9, 40e9, 55e9), strict=True)},
    **{("Acme Corp.", "research_and_development", year): value for year, value in zip(YEARS, (5e9, 8e9, 10e9), strict=True)},
    **{("Acme Corp.", "eps_diluted", year): value for year, value in zip(YEARS, (-0.5, 2.0, 1.62), strict=True)},
    ("Acme Corp.", "eps_basic", 2024): 1.75,
    **{("Acme Corp.", "Widgets revenue", year): value for year, value in zip(YEARS, (40e9, 50e9, 75e9), strict=True)},
    ("Acme Corp.", "effective_tax_rate", 2024): 14.7,
    ("Acme Corp.", "total_assets", 2024): 300.5e9,
    ("Acme Corp.", "operating_cash_flow", 2024): -1.5e9,
    ("Acme Corp.", "share_repurchases", 2024): 4.2e9,
    ("Acme Corp.", "dividends_paid", 2024): 1.1e9,
    ("Acme Corp.", "shares_diluted", 2024): 3.99e9,
    ("Acme Corp.", "advances to suppliers", 2024): 777e6,
    ("Bolt Works Inc.", "revenue", 2024): 12.345e9,
    ("Bolt Works Inc.", "net_income", 2024): 1.5e9,
    ("Bolt Works Inc.", "stock_compensation", 2024): 432.1e6,
    ("Acme Corp.", "stock_compensation", 2023): 900e6,
}


def checker(
    values: Mapping[Key, float],
    *,
    rows: Mapping[Key, float] | None = None,
    held: Sequence[Filing] = (*ACME, *BOLT),
    passages: Passages | None = None,
) -> Checker:
    """Checks against made-up figures, rows and prose."""
    book = FakeBook(values, rows=rows or {})
    return Checker(book, book, vocabulary(), held, NoChunks(), passages)
