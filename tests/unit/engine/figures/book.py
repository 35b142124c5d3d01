"""A book of invented figures, and questions asked of it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from fin_tui.engine.figures.answer import FigureAnswer, Source, answer_figures
from fin_tui.engine.questions.understanding import Request, Understanding, understand
from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Figure, Gap, Metric, Period
from fin_tui.facts.ranking import Ranking
from fin_tui.records import Chunk, Fact, Filing, Scope
from tests.unit.engine.made import filing, hit

ACME = tuple(filing("Acme Corp.", year) for year in (2022, 2023, 2024))
GLOBEX = (filing("Globex Inc.", 2024, ticker="GBX"),)
HELD = (*ACME, *GLOBEX)
TABLE = "Revenue\t120\t100\nNet income\t30\t20"
Values = Mapping[tuple[str, str, int], float]
ACMES: Values = {
    **{("Acme Corp.", "revenue", year): value for year, value in ((2022, 80e6), (2023, 100e6), (2024, 120e6))},
    **{("Acme Corp.", "net_income", year): value for year, value in ((2022, -10e6), (2023, 20e6), (2024, 30e6))},
    **{("Acme Corp.", "inventory", year): value for year, value in ((2023, 10e6), (2024, 14e6))},
    ("Acme Corp.", "cost_of_revenue", 2024): 60e6,
    ("Acme Corp.", "Rockets revenue", 2024): 30e6,
    ("Acme Corp.", "Rockets net_income", 2024): 5e6,
    ("Acme Corp.", "shares_outstanding", 2024): 5e6,
    ("Globex Inc.", "revenue", 2024): 60e6,
    ("Globex Inc.", "net_income", 2024): 12e6,
}


@dataclass
class Book:
    values: Values = field(default_factory=lambda: ACMES)
    restated: Decimal | None = None
    open_gaps: bool = False
    """Whether a row of any name may be what is not found."""

    def figure(self, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        return self._get(metric.id, metric, filings, period)

    def quarterly(self, metric: Metric, filings: Sequence[Filing], year: int, number: int) -> Figure | Gap:
        return self._get(f"Q{number} {metric.id}", metric, filings, year)

    def lines(self, metric: Metric, filings: Sequence[Filing], period: Period | int) -> tuple[Figure, ...]:
        return ()

    def scheduled(self, metric: Metric, filings: Sequence[Filing], year: int) -> Figure | Gap:
        return Gap(metric.names[0], None, "not listed")

    def ranked(self, asked: Ranking, filings: Sequence[Filing], year: int) -> tuple[Figure, ...]:
        return ()

    def series(
        self, metric: Metric, filings: Sequence[Filing], periods: Sequence[Period | int], phrase: str = ""
    ) -> tuple[Figure | Gap, ...]:
        latest = sorted(filings, key=lambda held: -(held.fiscal_year or 0))
        return tuple(self._get(f"{phrase} {metric.id}".strip(), metric, latest, period) for period in periods)

    def dimensioned(self, phrase: str, metric: Metric, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        return self._get(f"{phrase} {metric.id}", metric, filings, period)

    def is_on_one_basis(self, one: Figure, other: Figure, filings: Sequence[Filing]) -> bool:
        return True

    def by_label(self, phrase: str, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        return self._get(phrase, None, filings, period)

    def _get(self, key: str, metric: Metric | None, filings: Sequence[Filing], period: Period | int) -> Figure | Gap:
        assert isinstance(period, int)
        company = filings[0].company
        value = self.values.get((company, key, period))
        covering = [held for held in filings if held.fiscal_year and 0 <= held.fiscal_year - period <= 2]
        end = dt.date(period, 12, 31)
        if value is None or not covering:
            return Gap(key, Period(end, None, f"FY{period}"), f"No {key} for FY{period}.", is_open=self.open_gaps)
        of = covering[0]
        start = None if metric and metric.instant else dt.date(period, 1, 1)
        fact = Fact(
            f"us-gaap:{key}",
            key,
            value,
            f"{value / 1e6:,.0f}",
            "usd",
            start,
            end,
            start=TABLE.find("1"),
            end=TABLE.find("1") + 3,
            block=1,
        )
        unit = metric.unit if metric else "usd"
        return Figure(key, Decimal(str(value)), unit, fact, of, Period(end, start, f"FY{period}"), metric.id if metric else "")


class Chunks:
    def of_filing(self, filing_id: str, /) -> tuple[Chunk, ...]:
        return ()

    def holding(self, filing_id: str, start: int, end: int) -> Chunk | None:
        of = next(held for held in HELD if held.id == filing_id)
        return hit(TABLE, of=of, table=True, header="Acme · (In millions)").chunk


def source(book: Book | None = None) -> Source:
    return Source(book or Book(), vocabulary(), Chunks())


def understood(*turns: str, scope: Scope | None = None) -> Understanding:
    return understand(Request(turns[-1], scope or Scope(), history=turns[:-1]), HELD, vocabulary())


def ask(*turns: str, book: Book | None = None) -> FigureAnswer:
    asked = understood(*turns)
    assert asked.reading is not None
    answer = answer_figures(asked.reading, asked.subjects, source(book))
    assert isinstance(answer, FigureAnswer)
    return answer
