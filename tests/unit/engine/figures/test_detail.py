"""One figure looked up in a real library: its places, restated values and other years."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fin_tui.engine.figures.detail import Places, citation_at, detail_of, spoken
from fin_tui.errors import NotFound
from fin_tui.paths import Paths
from fin_tui.records import Chunk, Fact, FactRecord
from fin_tui.store.library import Library
from tests.unit.engine.made import hit
from tests.unit.facts.book import flow, held
from tests.unit.store.made import make_entry

REVENUE = "us-gaap:Revenues"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(Paths(tmp_path)) as opened:
        yield opened


def asked(fact: Fact, filing: str) -> FactRecord:
    """The fact object of an answer."""
    return {
        "concept": fact.concept, "label": "Net sales", "as_reported": fact.text, "dimensions": dict(fact.dimensions),
        "period_start": str(fact.period_start), "period_end": str(fact.period_end), "filing": filing, "note": "as first reported",
    }  # fmt: skip


def test_restated_values_other_years_and_the_same_value_elsewhere(library: Library) -> None:
    own = flow(REVENUE, 100e6, 2022)
    part = flow(REVENUE, 40e6, 2022, members={"us-gaap:StatementBusinessSegmentsAxis": "ex:ChinaMember"})
    held(library, 2022, [own, part, replace(own, start=3, end=4), flow(REVENUE, 90e6, 2021), flow("us-gaap:Costs", 1e6, 2022)])
    held(library, 2023, [flow(REVENUE, 104e6, 2022), flow(REVENUE, 120e6, 2023), flow(REVENUE, 91e6, 2021)])
    found = detail_of(asked(own, "10-K-2022"), library)
    assert found.period == "2022-01-01 to 2022-12-31 (365 days)"
    assert (found.unit, found.decimals, found.source, found.note) == ("usd", "to the million", "xbrl", "as first reported")
    assert [(p.filing.fiscal_year, p.fact.value, p.is_different) for p in found.places] == [
        (2022, 100e6, False), (2022, 100e6, False), (2023, 104e6, True),
    ]  # fmt: skip
    assert [p.filing.fiscal_year for p in found.restated] == [2023]
    assert [(str(y.fact.period_end), y.fact.value, y.filing.fiscal_year) for y in found.years] == [
        ("2023-12-31", 120e6, 2023), ("2021-12-31", 91e6, 2023),
    ]  # fmt: skip
    segment = detail_of(asked(part, "10-K-2022"), library)
    assert segment.dimensions == (("statement business segments", "china"),)
    assert len(segment.places) == 1


def test_rows_of_the_same_words_without_a_tag_are_no_restatement(library: Library) -> None:
    own = replace(flow("Widgets", 100e6, 2022), source="table")
    before, of_costs = (
        replace(flow("Widgets", value, 2021), source="table", start=at, end=at + 1) for value, at in ((90e6, 3), (7e6, 20))
    )
    costs = replace(flow("Widgets", 8e6, 2022), source="table", start=18, end=19)
    held(library, 2022, [own, before, costs, of_costs])
    held(library, 2023, [replace(own), replace(flow("Widgets", 9e6, 2022), source="table")])
    found = detail_of(asked(own, "10-K-2022"), library)
    assert found.restated == ()
    assert [place.filing.fiscal_year for place in found.places] == [2022, 2023]
    assert not {7e6, 8e6} & {year.fact.value for year in found.years}


def test_quarters_are_not_other_years_of_a_year(library: Library) -> None:
    own = flow(REVENUE, 100e6, 2022)
    assert own.period_end is not None
    quarter = replace(flow(REVENUE, 30e6, 2021), period_start=own.period_end.replace(year=2021, month=10, day=1))
    held(library, 2022, [own, quarter])
    assert detail_of(asked(own, "10-K-2022"), library).years == ()


def test_hidden_data_counts_only_where_a_filing_prints_it_nowhere(library: Library) -> None:
    own = flow(REVENUE, 100e6, 2022)
    held(library, 2022, [replace(own, start=0, end=0, block=None), own])
    held(library, 2023, [replace(own, start=0, end=0, block=None)])
    assert [p.filing.fiscal_year for p in detail_of(asked(own, "10-K-2022"), library).places] == [2022, 2023]


def test_the_place_of_a_figure_is_cited(library: Library) -> None:
    entry = make_entry()
    filing = library.add(entry).filing
    fact = entry.document.facts[0]
    (place,) = detail_of(asked(fact, filing.id), library).places
    assert (place.item, place.page.startswith("p. ")) == ("8", True)
    cited = citation_at(place, 7, library)
    assert cited is not None
    assert (cited.id, cited.quote) == (7, "Net sales\t391,035")


def test_a_figure_that_is_gone_is_not_replaced_by_another(library: Library) -> None:
    own = flow(REVENUE, 100e6, 2022)
    held(library, 2022, [own])
    for fact, filing in ((replace(own, text="101"), "10-K-2022"), (own, "10-K-2021")):
        with pytest.raises(NotFound):
            detail_of(asked(fact, filing), library)


def test_names_are_spoken() -> None:
    assert spoken("aapl:GreaterChinaSegmentMember") == "greater china"
    assert spoken("us-gaap:ProductOrServiceAxis") == "product or service"


def test_a_citation_of_one_figure_opens_that_figure_and_one_of_several_their_row() -> None:
    found = hit("Sales\t100\t90\nCosts\t60\t50", table=True)
    chunk, of = found.chunk, found.filing

    class Held:
        def holding(self, filing_id: str, start: int, end: int, /) -> Chunk:
            return chunk

    def fact(text: str) -> Fact:
        at = chunk.text.index(text)
        return replace(flow(REVENUE, 1.0, 2024), text=text, start=at, end=at + len(text))

    places = Places(Held())
    for text in ("100", "60", "90", "60"):
        places.number(fact(text), of)
    sales, costs = (passage.citation for passage in places.passages)
    assert chunk.text[slice(*sales.place)] == sales.quote == "Sales\t100\t90"
    assert chunk.text[slice(*costs.place)] == "60"
    assert costs.quote == "Costs\t60\t50"
