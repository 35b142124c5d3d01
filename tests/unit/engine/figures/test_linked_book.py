"""Figures looked for by words: which candidate is taken, in which filing and year."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any, cast

from fin_tui.candidates import Candidate
from fin_tui.engine.figures.linked_book import Linked, LinkedBook
from fin_tui.engine.rank.ranker import Ranker, Scored, Spans, Wanted
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

    def rank(
        self, wanted: Wanted, filing: Filing, year: Period | None, chunks: Sequence[Chunk], within: Spans = ()
    ) -> list[Scored]:
        return [one for one in self.found if not within or any(start <= one.candidate.fact.start < end for start, end in within)]

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


def test_only_what_stands_in_the_given_places_counts() -> None:
    linked = _linked(_scored(7e6, 0.6, 10), _scored(8e6, 0.2, 20), within={ACME[2].id: [(15, 30)]})
    found = _looked_up(linked)
    assert isinstance(found, Figure)
    assert float(found.value) == 8e6
    assert isinstance(_looked_up(_linked(_scored(7e6, 0.6, 10), within={"another": [(0, 30)]})), Gap)


def test_a_row_named_after_things_counts_them_as_printed_and_captioned() -> None:
    fact = Fact("table:Ohio", "Ohio > Stores", 65_000.0, "65", "usd", None, dt.date(2024, 12, 31), source="table", start=1, end=3)
    for scale, value in ((1, 65), (1_000, 65_000)):
        found = _looked_up(_linked(Scored(Candidate(fact, ("Ohio",), "Stores", count_scale=scale), 0.9)))
        assert isinstance(found, Figure)
        assert (float(found.value), found.unit, found.fact.value) == (value, "count", value)
