"""Figures looked for by words: which candidate is taken, in which filing and year."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any, cast

import pytest

from fin_tui.candidates import Candidate
from fin_tui.engine.figures.linked_book import Linked, LinkedBook, Looked, Moment
from fin_tui.engine.rank.ranker import Ranker, Scored
from fin_tui.engine.rank.wanted import At, Beside, Wanted
from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Figure, Gap, Period
from fin_tui.records import Chunk, Fact, Filing
from tests.unit.engine.figures.book import ACME, Book


def _scored(value: float, probability: float, place: int, year: int = 2024) -> Scored:
    end = dt.date(year, 12, 31)
    fact = Fact("table:x", "x", value, f"{value:,.0f}", "usd", None, end, source="table", start=place, end=place + 3)
    return Scored(Candidate(fact, (f"row {place}",)), probability)


class _Ranked:
    """Ranks the same candidates for all words, those of a span alone where one is given."""

    def __init__(self, *found: Scored) -> None:
        self.found = found

    def rank(self, wanted: Wanted, filing: Filing, year: Period | None, chunks: Sequence[Chunk]) -> list[Scored]:
        return list(self.found)

    def in_year(self, row: str, filing: Filing, year: Period) -> Candidate | None:
        return None


def _looked_up(linked: Linked, **given: Any) -> Figure | Gap:
    return LinkedBook(Book(), {}, linked, **given).by_label("widgets", ACME, 2024)


def _linked(*found: Scored, **given: Any) -> Linked:
    return Linked(cast("Ranker", _Ranked(*found)), lambda words, filing: (), **given)


def test_the_likeliest_is_taken_and_says_how_likely_it_is() -> None:
    found = _looked_up(_linked(_scored(7e6, 0.6, 10), _scored(8e6, 0.2, 20)))
    assert isinstance(found, Figure)
    assert (float(found.value), found.sure) == (7e6, 0.6)
    assert [fact.value for fact in found.others] == [8e6]


def test_what_is_too_unlikely_stays_a_gap_with_its_candidates() -> None:
    found = _looked_up(_linked(_scored(7e6, 0.6, 10)), least=0.75)
    assert isinstance(found, Gap)
    assert [fact.value for fact in found.candidates] == [7e6]


def test_a_choice_counts_values_not_places_of_one_value() -> None:
    same = (_scored(7e6, 0.6, 10), _scored(7e6, 0.3, 20), _scored(8e6, 0.2, 30))
    found = _looked_up(_linked(*same), choice={"widgets": 1})
    assert isinstance(found, Figure)
    assert float(found.value) == 8e6


def test_a_row_named_after_things_counts_them_as_printed_and_captioned() -> None:
    fact = Fact("table:Ohio", "Ohio > Stores", 65_000.0, "65", "usd", None, dt.date(2024, 12, 31), source="table", start=1, end=3)
    for scale, value in ((1, 65), (1_000, 65_000)):
        found = _looked_up(_linked(Scored(Candidate(fact, ("Ohio",), "Stores", count_scale=scale), 0.9)))
        assert isinstance(found, Figure)
        assert (float(found.value), found.unit, found.fact.value) == (value, "count", value)


class _ByFiling(_Ranked):
    """Ranks other candidates in each filing, and keeps what it was asked for."""

    def __init__(self, found: dict[str, list[Scored]]) -> None:
        super().__init__()
        self.by_filing = found
        self.asked: list[tuple[str, object]] = []

    def rank(self, wanted: Wanted, filing: Filing, year: Any, chunks: Sequence[Chunk]) -> list[Scored]:
        self.asked.append((filing.id, year))
        return self.by_filing.get(filing.id, [])


def test_figures_of_all_filings_that_tell_of_a_year_are_weighed_together() -> None:
    own, later = ACME[1], ACME[2]
    ranked = _ByFiling({own.id: [_scored(7e6, 0.7, 10, 2023)], later.id: [_scored(8e6, 0.72, 20, 2023)]})
    linked = Linked(cast("Ranker", ranked), lambda words, filing: ())
    found = [
        LinkedBook(Book(), {}, linked, choice={"widgets": place}).by_label("widgets", ACME, own.fiscal_year or 0)
        for place in (0, 1)
    ]
    assert [(float(one.value), one.filing.id) for one in found if isinstance(one, Figure)] == [(8e6, later.id), (7e6, own.id)]


def test_a_day_is_asked_of_the_filings_around_it() -> None:
    end = ACME[1].period_end
    assert end is not None
    day = end + dt.timedelta(days=40)
    ranked = _ByFiling({ACME[1].id: [_scored(7e6, 0.6, 10)]})
    linked = Linked(cast("Ranker", ranked), lambda words, filing: ())
    found = LinkedBook(Book(), {}, linked, moment=Moment(day)).by_label("widgets", ACME, 2024)
    assert isinstance(found, Figure)
    assert [(filing, when.day) for filing, when in ranked.asked if isinstance(when, At)] == [(ACME[2].id, day), (ACME[1].id, day)]


def test_a_quarter_is_asked_by_its_last_day() -> None:
    ranked = _ByFiling({ACME[2].id: [_scored(7e6, 0.9, 10)]})
    linked = Linked(cast("Ranker", ranked), lambda words, filing: ())
    year = ACME[2].fiscal_year or 0
    LinkedBook(Book(), {}, linked, moment=Moment(quarter=2)).by_label("widgets", ACME, year)
    ((_, when),) = ranked.asked
    assert isinstance(when, At)
    assert when.is_quarter
    assert ACME[2].period_end is not None
    assert 180 <= (ACME[2].period_end - when.day).days <= 186


def _row(value: float, probability: float, row: str, unit: str = "usd") -> Scored:
    fact = Fact("table:x", row, value, f"{value:,.0f}", unit, None, None, source="table", start=int(value) % 97)
    return Scored(Candidate(fact, (row,)), probability)


def test_the_figure_of_another_year_is_like_the_first_in_words_and_unit() -> None:
    own, before = ACME[2], ACME[1]
    ranked = _ByFiling(
        {
            own.id: [_row(9e6, 0.8, "Widgets shipped abroad")],
            before.id: [_row(150, 0.9, "Days of widgets shipped abroad", "count"), _row(5e6, 0.6, "Prepaid rent"),
                        _row(7e6, 0.5, "Widgets shipped abroad")],
        }
    )  # fmt: skip
    linked = Linked(cast("Ranker", ranked), lambda words, filing: ())
    book = LinkedBook(Book(), {}, linked)
    found = [book.by_label("widgets", [filing], filing.fiscal_year or 0) for filing in (own, before)]
    assert [float(one.value) for one in found if isinstance(one, Figure)] == [9e6, 7e6]


class _ByYear(_Ranked):
    """Ranks other candidates of each year."""

    def __init__(self, found: dict[str, list[Scored]]) -> None:
        super().__init__()
        self.by_year = found

    def rank(self, wanted: Wanted, filing: Filing, year: Any, chunks: Sequence[Chunk]) -> list[Scored]:
        return self.by_year.get(year.label, [])


def test_of_several_years_the_anchor_is_looked_for_first() -> None:
    rows = {
        "FY2024": [_row(9e6, 0.8, "Widgets shipped abroad")],
        "FY2023": [_row(5e6, 0.6, "Prepaid rent"), _row(7e6, 0.5, "Widgets shipped abroad")],
    }
    linked = Linked(cast("Ranker", _ByYear(rows)), lambda words, filing: ())
    for anchor, value in ((None, 5e6), (2024, 7e6)):
        found = LinkedBook(Book(), {}, linked, newest_first=True, anchor=anchor).by_label("widgets", ACME, 2023)
        assert isinstance(found, Figure)
        assert float(found.value) == value


def test_what_was_looked_up_for_a_year_is_none_of_its_quarters() -> None:
    ranked, looked = _ByFiling({ACME[2].id: [_scored(7e6, 0.9, 10)]}), Looked()
    linked = Linked(cast("Ranker", ranked), lambda words, filing: ())
    for moment in (None, Moment(quarter=2)):
        LinkedBook(Book(), {}, linked, looked=looked, moment=moment).by_label("widgets", ACME, 2024)
    assert [isinstance(when, At) for _, when in ranked.asked] == [False, True]
    revenue = vocabulary().get("revenue")
    assert revenue is not None
    found = [
        LinkedBook(Book(), {}, linked, looked=looked, moment=moment).figure(revenue, ACME, 2024)
        for moment in (None, Moment(quarter=2))
    ]
    assert [isinstance(one, Figure) for one in found] == [True, False]


class _Beside(_Ranked):
    """Keeps beside which figure and for which year it was asked."""

    asked: tuple[Beside, Period] | None = None

    def rank_beside(self, wanted: Wanted, beside: Beside, year: Period) -> list[Scored]:
        self.asked = (beside, year)
        return list(self.found)


def test_beside_a_figure_its_own_filing_is_asked_whatever_the_year() -> None:
    told = _scored(5e6, 0.9, 5, 2023).candidate.fact
    beside = Beside(ACME[1], told, Period(dt.date(2023, 12, 31), None, "FY2023"))
    ranked = _Beside(_scored(7e6, 0.6, 10, 2023))
    linked = Linked(cast("Ranker", ranked), lambda words, filing: ())
    found = LinkedBook(Book(), {"widgets": Wanted("widgets", beside=beside)}, linked).by_label("widgets", ACME, 2027)
    assert isinstance(found, Figure)
    assert (float(found.value), found.filing.id, found.period.label) == (7e6, ACME[1].id, "FY2023")
    assert ranked.asked is not None
    assert ranked.asked[1].label == "FY2027"


def test_a_figure_that_is_given_is_not_looked_for() -> None:
    given = _looked_up(_linked(_scored(7e6, 0.6, 10)))
    assert isinstance(given, Figure)
    assert _looked_up(_linked(_scored(8e6, 0.9, 20)), given={"widgets": given}) is given


@pytest.mark.parametrize(("probability", "is_found"), [(0.9, True), (0.5, False)])
def test_a_figure_of_a_formula_that_no_row_is_called_by_is_the_row_that_is_surely_it(
    probability: float, *, is_found: bool
) -> None:
    metric = vocabulary().get("share_repurchases")
    assert metric is not None
    book = LinkedBook(Book({}, open_gaps=True), {}, _linked(_scored(7e6, probability, 10)))
    found = book.figure(metric, ACME, 2024)
    assert isinstance(found, Figure) is is_found
    assert is_found or (isinstance(found, Gap) and found.is_open), "it may be there"
    nowhere = LinkedBook(Book({}, open_gaps=True), {}, _linked(_scored(7e6, 0.001, 10))).figure(metric, ACME, 2024)
    assert isinstance(nowhere, Gap)
    assert not nowhere.is_open
