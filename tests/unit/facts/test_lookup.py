"""Figures by metric and period: preference, restatement, splits, classes, gaps."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import pytest

from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Figure, Gap, Metric, Period
from fin_tui.facts.index import FilingFacts
from fin_tui.facts.lookup import FactBook, Wanted
from fin_tui.paths import Paths
from fin_tui.records import Filing
from fin_tui.store.library import Library
from tests.unit.facts.book import balance, fillers, flow, held, opened

REVENUE, CONTRACTS = "us-gaap:Revenues", "us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax"
EPS, SHARES = "us-gaap:EarningsPerShareDiluted", "dei:EntityCommonStockSharesOutstanding"
CLASS, SEGMENT, REGION = (
    "us-gaap:StatementClassOfStockAxis",
    "us-gaap:StatementBusinessSegmentsAxis",
    "srt:StatementGeographicalAxis",
)


@pytest.fixture
def library(paths: Paths) -> Iterator[Library]:
    with opened(paths) as library:
        yield library


def metric(identifier: str) -> Metric:
    found = vocabulary().get(identifier)
    assert found is not None
    return found


def figure(library: Library, identifier: str, filings: list[Filing], period: int | Period) -> Figure:
    found = FactBook(library).figure(metric(identifier), filings, period)
    assert isinstance(found, Figure), found
    return found


def test_the_preferred_concept_wins(library: Library) -> None:
    filing = held(library, 2023, [*fillers(2023), flow(CONTRACTS, 90e6, 2023), flow(REVENUE, 100e6, 2023)])
    assert figure(library, "revenue", [filing], 2023).value == 100_000_000


def test_a_figure_is_as_first_reported_and_names_the_restated_value(library: Library) -> None:
    first = held(library, 2022, [*fillers(2022), flow(REVENUE, 100e6, 2022)])
    later = held(library, 2023, [*fillers(2022, 2023), flow(REVENUE, 104e6, 2022), flow(REVENUE, 120e6, 2023)])
    found = figure(library, "revenue", [later, first], 2022)
    assert (found.value, found.filing.id) == (Decimal(100_000_000), first.id)
    assert (found.restated, found.restated_in) == (Decimal(104_000_000), later)


def test_a_year_without_its_own_filing_comes_from_a_later_one(library: Library) -> None:
    later = held(library, 2023, [*fillers(2022, 2023), flow(REVENUE, 104e6, 2022)])
    found = figure(library, "revenue", [later], 2022)
    assert found.value == 104_000_000
    assert "FY2023" in found.note


def test_rounding_is_no_restatement(library: Library) -> None:
    first = held(library, 2022, [*fillers(2022), flow(REVENUE, 100_400_000, 2022, decimals=-5)])
    later = held(library, 2023, [*fillers(2022, 2023), flow(REVENUE, 100_000_000, 2022, decimals=-6)])
    assert figure(library, "revenue", [first, later], 2022).restated is None


def test_the_most_exact_of_equal_facts(library: Library) -> None:
    facts = [flow(REVENUE, 1.0e9, 2023, decimals=-8), flow(REVENUE, 1_012_000_000, 2023, decimals=-6)]
    filing = held(library, 2023, [*fillers(2023), *facts])
    assert figure(library, "revenue", [filing], 2023).value == 1_012_000_000


def test_quarters_are_not_years(library: Library) -> None:
    quarter = replace(flow(REVENUE, 30e6, 2023), period_start=dt.date(2023, 10, 1))
    filing = held(library, 2023, [*fillers(2023), quarter])
    assert isinstance(FactBook(library).figure(metric("revenue"), [filing], 2023), Gap)


def test_percentages_are_of_a_hundred(library: Library) -> None:
    rate = flow("us-gaap:EffectiveIncomeTaxRateContinuingOperations", 0.147, 2023, unit="pure")
    filing = held(library, 2023, [*fillers(2023), rate])
    assert figure(library, "effective_tax_rate", [filing], 2023).value == Decimal("14.7")


def test_net_income_says_that_the_share_of_others_is_not_in_it(library: Library) -> None:
    facts = [flow("us-gaap:NetIncomeLoss", 90e6, 2023), flow("us-gaap:ProfitLoss", 95e6, 2023)]
    filing = held(library, 2023, [*fillers(2023), *facts])
    found = figure(library, "net_income", [filing], 2023)
    assert found.value == 90_000_000
    assert found.note == "without noncontrolling interests"


def test_shares_on_the_cover_are_summed_over_classes(library: Library) -> None:
    facts = [
        balance(SHARES, count, 2023, unit="shares", members={CLASS: f"us-gaap:{name}Member"})
        for count, name in ((60.0, "CommonClassA"), (40.0, "CommonClassB"))
    ]
    filing = held(library, 2023, [*fillers(2023), *facts])
    found = figure(library, "cover_shares", [filing], 2023)
    assert found.value == 100
    assert "common class a 60" in found.note


def test_splits_are_named_and_series_stand_on_one_basis(library: Library) -> None:
    old = held(
        library, 2023, [*fillers(2022, 2023), flow(EPS, 6.0, 2022, unit="usd/share"), flow(EPS, 12.0, 2023, unit="usd/share")]
    )
    new = held(
        library, 2024, [*fillers(2023, 2024), flow(EPS, 1.2, 2023, unit="usd/share"), flow(EPS, 2.5, 2024, unit="usd/share")]
    )
    first = figure(library, "eps_diluted", [old, new], 2023)
    assert (first.value, first.restated) == (Decimal(12), Decimal("1.2"))
    assert "10-for-1" in first.note
    series = FactBook(library).series(metric("eps_diluted"), [old, new], [2022, 2023, 2024])
    values = [entry.value if isinstance(entry, Figure) else None for entry in series]
    assert values == [Decimal("0.6"), Decimal("1.2"), Decimal("2.5")]


DILUTED = "us-gaap:WeightedAverageNumberOfDilutedSharesOutstanding"


def of_share(library: Library, year: int, earned: float, shares: float) -> Filing:
    """A filing that states the per-share data of one year alone."""
    facts = [flow(EPS, earned, year, unit="usd/share"), flow(DILUTED, shares, year, unit="shares")]
    return held(library, year, [*fillers(year), *facts])


@pytest.mark.parametrize(("shares", "is_one"), [(205e6, False), (12e6, False), (55e6, True)])
def test_years_that_no_filing_shares_are_compared_only_where_the_share_counts_are_near(
    library: Library, shares: float, *, is_one: bool
) -> None:
    filings = [of_share(library, 2019, 8.0, 50e6), of_share(library, 2023, 2.5, shares)]
    book = FactBook(library)
    old, new = (figure(library, "eps_diluted", filings, year) for year in (2019, 2023))
    assert book.is_on_one_basis(old, new, filings) is is_one
    first, *_ = book.series(metric("eps_diluted"), filings, [2019])
    assert isinstance(first, Figure)
    assert first.value == 8
    assert ("a stock split may lie between FY2019 and FY2023" in first.note) is not is_one


def test_an_amendment_without_figures_between_two_filings_hides_no_split(library: Library) -> None:
    old, new = of_share(library, 2019, 8.0, 50e6), of_share(library, 2023, 2.5, 205e6)
    filings = [old, held(library, 2021, [], form="10-K/A"), new]
    first, last = (figure(library, "eps_diluted", filings, year) for year in (2019, 2023))
    assert not FactBook(library).is_on_one_basis(first, last, filings)


def test_what_is_found_by_its_words_is_on_no_common_basis_across_a_split(library: Library) -> None:
    shares = [(2022, 10e6), (2023, 11e6), (2024, 112e6)]
    old = held(library, 2023, [*fillers(2022, 2023), *(flow(DILUTED, count, year, unit="shares") for year, count in shares[:2])])
    new = held(
        library,
        2024,
        [
            *fillers(2023, 2024),
            *(flow(DILUTED, count * 10 if count < 1e8 else count, year, unit="shares") for year, count in shares[1:]),
        ],
    )
    book = FactBook(library)
    first, last = book.series(metric("shares_diluted"), [old, new], [2022, 2024])
    assert isinstance(first, Figure)
    assert isinstance(last, Figure)
    assert book.is_on_one_basis(first, last, [old, new])
    assert not book.is_on_one_basis(replace(first, sure=0.9), last, [old, new])


def test_a_series_of_a_part_stands_on_the_basis_of_the_newest_filing(library: Library) -> None:
    cloud = {SEGMENT: "ex:CloudMember"}
    old = held(
        library, 2023, [*fillers(2022, 2023), flow(REVENUE, 10e6, 2022, members=cloud), flow(REVENUE, 12e6, 2023, members=cloud)]
    )
    new = held(
        library, 2024, [*fillers(2023, 2024), flow(REVENUE, 14e6, 2023, members=cloud), flow(REVENUE, 15e6, 2024, members=cloud)]
    )
    series = FactBook(library).series(metric("revenue"), [old, new], [2022, 2023, 2024], "Cloud")
    assert [one.value / 1_000_000 if isinstance(one, Figure) else None for one in series] == [10, 14, 15]
    assert isinstance(series[1], Figure)
    assert series[1].note.startswith("restated; first reported as $12,000,000")


def test_an_amendment_answers_only_what_the_original_lacks(library: Library) -> None:
    original = held(library, 2023, [*fillers(2023), flow(REVENUE, 100e6, 2023)])
    amended = held(
        library, 2023, [*fillers(2023), flow(REVENUE, 101e6, 2023), balance("us-gaap:Goodwill", 7e6, 2023)], form="10-K/A"
    )
    assert figure(library, "revenue", [amended, original], 2023).value == 100_000_000
    assert figure(library, "goodwill", [amended, original], 2023).value == 7_000_000


def test_gaps_say_what_is_covered(library: Library) -> None:
    filing = held(library, 2023, [*fillers(2022, 2023), flow(REVENUE, 100e6, 2023)])
    book = FactBook(library)
    before = book.figure(metric("revenue"), [filing], 2015)
    assert isinstance(before, Gap)
    assert "FY2022, FY2023" in before.why
    absent = book.figure(metric("inventory"), [filing], 2023)
    assert isinstance(absent, Gap)
    assert absent.period is not None
    assert [period.label for period in book.periods([filing])] == ["FY2023", "FY2022"]


def test_members_by_everyday_names(library: Library) -> None:
    facts = [
        flow(REVENUE, 10e6, 2023, members={REGION: "country:US"}),
        flow(REVENUE, 20e6, 2023, members={SEGMENT: "ex:DataCenterSegmentMember"}),
        flow(REVENUE, 30e6, 2023, members={SEGMENT: "ex:GreaterChinaSegmentMember"}),
        flow(REVENUE, 25e6, 2023, members={REGION: "country:CN"}),
        flow(REVENUE, 5e6, 2023, members={SEGMENT: "ex:DataCenterSegmentMember", REGION: "country:US"}),
    ]
    filing = held(library, 2023, [*fillers(2023), *facts])
    book = FactBook(library)
    for phrase, value in (("U.S.", 10), ("United States", 10), ("data center", 20), ("Greater China", 30), ("China", 25)):
        found = book.dimensioned(phrase, metric("revenue"), [filing], 2023)
        assert isinstance(found, Figure), phrase
        assert found.value == value * 1_000_000, phrase
    assert isinstance(book.dimensioned("Automotive", metric("revenue"), [filing], 2023), Gap)


def test_equally_good_members_are_shown_not_chosen(library: Library) -> None:
    facts = [
        flow(REVENUE, value, 2023, members={axis: "ex:CloudMember"})
        for value, axis in ((10e6, SEGMENT), (12e6, "srt:ProductOrServiceAxis"))
    ]
    filing = held(library, 2023, [*fillers(2023), *facts])
    found = FactBook(library).dimensioned("Cloud", metric("revenue"), [filing], 2023)
    assert isinstance(found, Gap)
    assert {fact.value for fact in found.candidates} == {10e6, 12e6}


def test_unknown_figures_by_their_label(library: Library) -> None:
    facts = [
        flow("ex:ContentSpend", 3e6, 2023, label="Content > Licensed content spending"),
        flow("ex:Other", 4e6, 2023, label="Other spending"),
    ]
    filing = held(library, 2023, [*fillers(2023), *facts])
    book = FactBook(library)
    found = book.by_label("licensed content spending", [filing], 2023)
    assert isinstance(found, Figure)
    assert found.value == 3_000_000
    assert isinstance(book.by_label("satellite launches", [filing], 2023), Gap)


def wanted(text: str, *, scaled: bool = False, percent: bool = False) -> Wanted:
    value = Decimal(text)
    return Wanted(value, abs(value) / 1000 if scaled else Decimal(1) / 2, percent, scaled)


def test_what_a_number_is(library: Library) -> None:
    fact = replace(flow(REVENUE, 123_456_000, 2023), text="123,456")
    rate = replace(flow("us-gaap:EffectiveIncomeTaxRateContinuingOperations", 0.142, 2023), unit="pure", text="14.2")
    book, filings = FactBook(library), [held(library, 2023, [*fillers(2023), fact, rate])]

    def concepts(number: Wanted) -> list[str]:
        return [figure.best.fact.concept for figure in book.stating(number, filings)]

    assert concepts(wanted("123456000")) == [REVENUE]
    assert concepts(wanted("-123456000")) == [REVENUE]
    assert concepts(wanted("123500000", scaled=True)) == [REVENUE]
    assert concepts(wanted("123456")) == [REVENUE]
    assert book.stating(wanted("123456"), filings)[0].as_printed
    assert concepts(wanted("14.2", percent=True)) == [rate.concept]
    assert concepts(wanted("999999999")) == []


def test_a_figure_is_found_once_with_all_its_places(library: Library) -> None:
    early = held(library, 2022, [*fillers(2022), flow(REVENUE, 55_500_000, 2022)])
    row = replace(flow("table:Sales", 55_500_000, 2022), source="table", label="Sales")
    late = held(library, 2023, [*fillers(2022, 2023), row, flow(REVENUE, 55_500_000, 2022)])
    (figure,) = FactBook(library).stating(wanted("55500000"), [early, late])
    assert (figure.best.filing.id, figure.best.fact.concept) == (late.id, REVENUE)
    assert {(place.filing.id, place.fact.concept) for place in figure.others} == {(late.id, "table:Sales"), (early.id, REVENUE)}


def test_what_stands_in_the_metrics_own_statement_goes_first(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tag of the company's own in the cash flow statement, and the standard one in a note beside it."""
    note = replace(flow("us-gaap:Depreciation", 4e6, 2024, label="Depreciation expense"), block=7)
    line = flow("acme:DepreciationAndImpairment", 5e6, 2024, label="Depreciation, amortization and impairment")
    filing = held(library, 2024, [*fillers(2024), note, line])
    monkeypatch.setattr(FilingFacts, "statements", {0: "cash_flow"})
    assert figure(library, "depreciation_amortization", [filing], 2024).value == 5_000_000


@pytest.mark.parametrize(
    ("concept", "lacks"), [("us-gaap:Assets", False), ("us-gaap:NetIncomeLoss", False), ("x:DepreciationSchedule", True)]
)
def test_a_filing_whose_schedules_alone_are_tagged_has_no_statements(library: Library, concept: str, lacks: bool) -> None:
    filing = held(library, 2023, [*fillers(2023), flow(concept, 5e6, 2023)])
    found = FactBook(library).figure(metric("inventory"), [filing], 2023)
    assert isinstance(found, Gap)
    assert found.no_statements is lacks
