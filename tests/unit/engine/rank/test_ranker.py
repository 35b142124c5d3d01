"""Kinds of figures that may be asked for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Literal, cast

import numpy as np
import pytest

from fin_tui.candidates import Candidate
from fin_tui.engine.rank.filing_rows import RowBook, numbers_of
from fin_tui.engine.rank.ranker import FEATURES, Ranker, _in_sentence
from fin_tui.engine.rank.wanted import Apart, At, Beside, Listed, Wanted, fit_of_unit, may_be
from fin_tui.facts.figures import Period
from fin_tui.records import Fact
from fin_tui.retrieval.shared_encoder import SharedEncoder
from tests.unit.engine.figures.book import ACME


def candidate(unit: str) -> Candidate:
    return Candidate(Fact("table:x", "x", 3.0, "3", unit, None, None, source="table"), ("x",))


@pytest.mark.parametrize(("unit", "likely"), [("usd", 0.7), ("usd/share", 0.3), ("years", 0.0)])
def test_a_unit_counts_as_likely_as_its_kind_is_asked_for(unit: str, likely: float) -> None:
    wanted = Wanted("x", "money", kinds={"money": 0.7, "per_share": 0.3})
    assert fit_of_unit(candidate(unit), wanted) == pytest.approx(likely)


def test_an_operand_is_read_with_its_year() -> None:
    year, day = Period(dt.date(2022, 6, 30), None, "FY2022"), dt.date(2022, 3, 31)
    assert Wanted("chip sales").read_in(year) == "chip sales FY2022"
    assert Wanted("chip sales").read_in(At(year, day)) == "chip sales March 31, 2022"
    assert Wanted("chip sales").read_in(None) == "chip sales"
    assert Wanted("chip sales", question="chip sales in 2021").read_in(year) == "chip sales in 2021"


def test_a_kind_that_is_hardly_asked_for_is_not_looked_for() -> None:
    assert may_be(candidate("pure"), Wanted("x", "money", kinds={"money": 0.6, "percent": 0.4}), None)
    assert not may_be(candidate("pure"), Wanted("x", "money", kinds={"money": 0.99, "percent": 0.01}), None)


@pytest.mark.parametrize(
    ("sentence", "may"),
    [
        ("Costs rose $171 million in 2022 compared to 2021.", True),
        ("On March 4, 2022, we paid $171 million of notes issued in 2018.", True),
        ("Costs rose $171 million in 2020 compared to 2019.", False),
        ("Costs rose $171 million.", True),
    ],
)
def test_an_undated_number_of_a_sentence_is_of_no_year_that_the_sentence_leaves_out(sentence: str, may: bool) -> None:
    fact = Fact("", sentence, 171e6, "$171 million", "usd", None, None, source="text")
    year = Period(dt.date(2022, 6, 30), None, "FY2022")
    assert may_be(Candidate(fact, (sentence,)), Wanted("costs", "money"), year) == may


@pytest.mark.parametrize(
    ("row", "end", "is_told"),
    [
        ("Fiscal 2025 | Number of stores", None, True),
        ("We expect [ $300 million ] of capital expenditures in 2025.", None, True),
        ("Leases expire | 2025 and later", dt.date(2024, 2, 3), True),
        ("Store count at February 3, 2025", None, False),
        ("Number of stores | 2025-2026", None, False),
        ("Number of stores | 2024 – 2025", None, False),
        ("Number of stores", dt.date(2024, 2, 3), False),
        ("Payments due", dt.date(2025, 12, 31), True),
        ("At January 31, 2025, there were [ 900 ] holders of record.", dt.date(2025, 1, 31), True),
        ("At December 31, 2024, there were [ 900 ] stores.", dt.date(2024, 12, 31), False),
    ],
)
def test_what_a_filing_tells_of_a_later_year_names_it_or_is_dated_in_it(row: str, end: dt.date | None, is_told: bool) -> None:
    one = Candidate(Fact("table:x", row, 3.0, "3", "count", None, end, source="table"), (row,))
    year = Period(dt.date(2025, 12, 31), None, "FY2025")
    assert may_be(one, Wanted("x", "count"), Apart(year, dt.date(2024, 12, 31))) is is_told


@pytest.mark.parametrize(
    ("row", "end", "is_told"),
    [
        ("2020 | Net sales", None, True),
        ("Net sales", dt.date(2020, 12, 31), True),
        ("Net sales", dt.date(2022, 12, 31), False),
        ("Number of stores", None, False),
    ],
)
def test_what_a_filing_tells_of_a_year_long_before_names_it_or_is_dated_in_it(
    row: str, end: dt.date | None, is_told: bool
) -> None:
    one = Candidate(Fact("table:x", row, 3.0, "3", "count", None, end, source="table"), (row,))
    year = Period(dt.date(2020, 12, 31), None, "FY2020")
    assert may_be(one, Wanted("x", "count"), Apart(year, dt.date(2024, 12, 31))) is is_told


_JUNE = dt.date(2025, 6, 30)


@pytest.mark.parametrize(
    ("source", "row", "end", "start", "is_told"),
    [
        ("table", "June 1 – June 30, 2025 | Shares purchased", dt.date(2025, 12, 31), None, True),
        ("table", "6/1/25 - 6/30/25 | Shares purchased", None, None, True),
        ("table", "Total | Shares purchased", dt.date(2025, 12, 31), None, False),
        ("table", "Net sales | Second quarter", _JUNE, dt.date(2025, 4, 1), True),
        ("table", "Net sales", _JUNE, dt.date(2024, 7, 1), False),
        ("xbrl", "Net sales", dt.date(2025, 12, 31), dt.date(2025, 1, 1), False),
        ("text", "In the second quarter we sold [ 900 ] stores.", dt.date(2025, 12, 31), None, True),
        ("text", "At March 31, 2025 we had [ 900 ] stores.", dt.date(2025, 3, 31), None, False),
    ],
)
def test_what_is_told_of_a_year_is_of_none_of_its_quarters_but_those_that_the_row_names(
    source: Literal["xbrl", "table", "text"], row: str, end: dt.date | None, start: dt.date | None, is_told: bool
) -> None:
    one = Candidate(Fact("table:x", row, 3.0, "3", "count", start, end, source=source), (row,))
    year = Period(dt.date(2025, 12, 31), None, "FY2025")
    assert may_be(one, Wanted("x", "count"), At(year, _JUNE, is_quarter=True)) is is_told


def test_a_dash_is_no_figure_and_a_nought_is_one() -> None:
    def told(text: str) -> bool:
        return may_be(
            Candidate(Fact("table:x", "x", 0.0, text, "usd", None, None, source="table"), ("x",)), Wanted("x", "money"), None
        )

    assert [told(text) for text in ("—", "$ -", "0")] == [False, False, True]


def test_things_counted_in_a_unit_of_their_own_are_counts() -> None:
    assert may_be(candidate("bitcoin"), Wanted("x", "count"), None)
    assert not may_be(candidate("pure"), Wanted("x", "count"), None)


@pytest.mark.parametrize(("best", "read"), [(6.0, [6]), (-8.0, [6, 4, 4])])
def test_rows_are_read_until_one_is_far_ahead(best: float, read: list[int]) -> None:
    counts: list[int] = []

    def reader(matter: str, rows: Sequence[str]) -> Sequence[float]:
        counts.append(len(rows))
        return [best if row == "row 0" else -8.0 for row in rows]

    ranker = Ranker(cast(SharedEncoder, None), cast(RowBook, None), reader)
    features = np.zeros((14, len(FEATURES)), np.float32)
    features[:, 0] = np.linspace(0.7, 0.3, 14)
    scores = ranker._scores("cash", [f"row {place}" for place in range(14)], features)
    assert counts == read
    assert len(scores) == 14


@pytest.mark.parametrize(
    ("sentence", "known", "earlier"),
    [
        ("Rent was $127 million in 2024 and $170 million in 2023.", "$127 million", "$170 million"),
        ("In 2024 and 2023 we had 123,200 and 100,300 employees, respectively.", "123,200", "100,300"),
        ("Rent was $127 million in 2024.", "$127 million", None),
        ("In 2024 rent was $127 million and tax $9 million; in 2023 rent was $170 million.", "$127 million", None),
    ],
)
def test_a_sentence_that_tells_of_several_years_gives_the_figure_of_each(sentence: str, known: str, earlier: str | None) -> None:
    ends = {year: dt.date(year, 12, 31) for year in (2023, 2024)}
    told = tuple(numbers_of(sentence, 0, "", ends))
    of = next(one for one in told if one.fact.text == known)
    found = _in_sentence(of, {"chunk": told}, Period(dt.date(2023, 12, 31), None, "FY2023"))
    assert (found.fact.text if found is not None else None) == earlier


@pytest.mark.parametrize(
    ("row", "end", "is_told"),
    [
        ("2027 | Payments due", dt.date(2024, 12, 31), True),
        ("2026 | Payments due", dt.date(2024, 12, 31), True),
        ("Payments due", dt.date(2023, 12, 31), False),
        ("Payments due", None, True),
    ],
)
def test_beside_a_figure_a_row_may_be_called_by_the_year_or_be_of_its_period(
    row: str, end: dt.date | None, is_told: bool
) -> None:
    one = Candidate(Fact("table:x", row, 3.0, "3", "usd", None, end, source="table"), (row,))
    listed = Listed(Period(dt.date(2027, 12, 31), None, "FY2027"), dt.date(2024, 12, 31))
    assert may_be(one, Wanted("x", "money"), listed) is is_told


def test_what_stands_in_the_table_of_a_figure_or_near_it_is_beside_it() -> None:
    def fact(start: int, block: int | None) -> Fact:
        return Fact("table:x", "x", 3.0, "3", "usd", None, None, source="table", start=start, end=start + 1, block=block)

    beside = Beside(ACME[0], fact(10_000, 7), Period(dt.date(2024, 12, 31), None, "FY2024"))
    assert [beside.holds(fact(*place)) for place in ((90_000, 7), (11_000, 8), (90_000, 8), (90_000, None))] == [
        True, True, False, False,
    ]  # fmt: skip


def test_in_a_sentence_that_names_several_years_ahead_each_number_is_of_its_own() -> None:
    row = "Payments due: 2025, $31; 2026, [ $27 ]"
    fact = Fact("", row, 27e6, "$27", "usd", None, dt.date(2026, 12, 31), source="text")
    year = Period(dt.date(2025, 12, 31), None, "FY2025")
    for when, is_told in ((year, False), (Period(dt.date(2026, 12, 31), None, "FY2026"), True)):
        assert may_be(Candidate(fact, (row,)), Wanted("x", "money"), Apart(when, dt.date(2024, 12, 31))) is is_told
        assert may_be(Candidate(fact, (row,)), Wanted("x", "money"), Listed(when, dt.date(2024, 12, 31))) is is_told
