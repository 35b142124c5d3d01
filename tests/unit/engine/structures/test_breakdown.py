"""A figure by segment, product or place is one table: every part that comes to the total, each cell cited."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fin_tui.engine.figures.answer import FigureAnswer, Source
from fin_tui.engine.frame.reader import Frame, Span
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.engine.structures import FilingReader
from fin_tui.engine.structures.breakdown import breakdown, wanted
from fin_tui.engine.structures.members import Dimensioned, are_called, axis_of
from fin_tui.facts import vocabulary
from fin_tui.facts.words import name_as_printed
from fin_tui.records import Block, BlockKind, Cell, Column, Fact, Scope, Table
from tests.unit.engine.figures.book import ACME, understood
from tests.unit.engine.structures.made import Chunks, Library

REVENUE, PROFIT = "us-gaap:Revenues", "us-gaap:OperatingIncomeLoss"
SEGMENT, PLACE, ITEMS = "us-gaap:StatementBusinessSegmentsAxis", "srt:StatementGeographicalAxis", "srt:ConsolidationItemsAxis"
BODY = (
    "Revenue 2024 2023 North 70 60 South 50 45 Both parts 120 105 Total 120 105\n"
    "Operating income North 40 30 South 10 12 Corporate (20) (10) Total 30 32\n"
    "Europe 90 80 Other places 25 20"
)
_YEARS = {2024: dt.date(2024, 12, 31), 2023: dt.date(2023, 12, 31)}


def _facts(concept: str, row: str, members: Mapping[str, str], *values: float) -> list[Fact]:
    start = BODY.index(row)
    return [
        Fact(
            concept, row, value * 1e6, f"{value:g}", "usd", dt.date(year, 1, 1), end, dict(members), -6,
            start=start, end=start + len(row), block=0,
        )
        for (year, end), value in zip(_YEARS.items(), values, strict=True)
    ]  # fmt: skip


FACTS = (
    *_facts(REVENUE, "North", {SEGMENT: "acme:NorthSegmentMember"}, 70, 60),
    *_facts(REVENUE, "South", {SEGMENT: "acme:SouthSegmentMember"}, 50, 45),
    *_facts(REVENUE, "Both parts", {SEGMENT: "acme:BothPartsMember"}, 120, 105),
    *_facts(REVENUE, "Total", {}, 120, 105),
    *_facts(PROFIT, "North", {SEGMENT: "acme:NorthSegmentMember", ITEMS: "us-gaap:OperatingSegmentsMember"}, 40, 30),
    *_facts(PROFIT, "South", {SEGMENT: "acme:SouthSegmentMember", ITEMS: "us-gaap:OperatingSegmentsMember"}, 10, 12),
    *_facts(PROFIT, "Corporate", {ITEMS: "us-gaap:CorporateNonSegmentMember"}, -20, -10),
    *_facts(PROFIT, "Total", {}, 30, 32),
    *_facts(REVENUE, "Europe", {PLACE: "srt:EuropeMember"}, 90, 80),
    *_facts(REVENUE, "Other places", {PLACE: "acme:OtherPlacesMember"}, 25, 20),
)


def _asked(text: str, *, targets: tuple[str, ...] = (), parts: tuple[str, ...] = (), **others: Any) -> Understanding:
    def spans(words: tuple[str, ...]) -> tuple[Span, ...]:
        return tuple(Span(word, text.index(word), text.index(word) + len(word)) for word in words)

    sure = {"figure": 0.5, "refusal": 0.0, "operation": 0.9, "answer": 0.9}
    frame = Frame(
        text, spans(("Acme",)), (), spans(targets), spans(parts), "list", "list", "", (), sure, operations={"list": 0.9}
    )
    return replace(understood(text), frame=replace(frame, **others))


def _page(asked: Understanding, facts: tuple[Fact, ...] = FACTS, blocks: tuple[Block, ...] = ()) -> FigureAnswer | None:
    chunks = Chunks(BODY)
    source = cast("Source", SimpleNamespace(names=vocabulary(), chunks=chunks, book=None))
    return breakdown(asked, source, FilingReader(Library(BODY, facts=facts, blocks=blocks), chunks))


def test_a_figure_by_segment_with_its_years_total_and_shares() -> None:
    page = _page(_asked("Acme revenue by segment", targets=("revenue",), left_over=("segment",)))
    assert page is not None
    assert (
        page.sentences[0].text
        == "Acme, revenue by segment, FY2024: North $70 million (58.3%), South $50 million (41.7%); total $120 million."
    )
    assert page.sentences[0].citations
    assert page.table is not None
    assert page.table["columns"] == ["FY2023", "FY2024"]
    assert [(row["label"], [cell["value"] for cell in row["cells"]]) for row in page.table["rows"]] == [
        ("North", [60e6, 70e6]), ("South", [45e6, 50e6]), ("total revenue", [105e6, 120e6]),
    ]  # fmt: skip
    assert all(cell["citation"] for row in page.table["rows"] for cell in row["cells"])


@pytest.mark.parametrize(
    ("names", "facts", "are"),
    [
        (("North", "South"), FACTS, True),
        (("North", "Charges"), FACTS, False),
        (("Charges", "Losses"), FACTS, False),
        (("Charges", "Losses"), (), True),
    ],
)
def test_rows_are_parts_where_they_are_called_as_those_that_the_filing_tags(
    names: tuple[str, ...], facts: tuple[Fact, ...], are: bool
) -> None:
    axis = axis_of(("segment",))
    assert axis is not None
    assert are_called([Dimensioned(name, ()) for name in names], axis, facts, ACME[-1]) is are


def test_where_revenue_comes_from_is_told_by_products_else_by_segment() -> None:
    asked = _asked("where does Acme's money come from", page="sources", operation="describe", answer="text")
    page = _page(asked)
    assert page is not None
    assert page.sentences[0].text.startswith("Acme, revenue by segment, FY2024: North $70 million (58.3%)")
    kinds = {SEGMENT: "srt:ProductOrServiceAxis"}

    def members(fact: Fact) -> dict[str, str]:
        return {kinds.get(axis, axis): member for axis, member in fact.dimensions.items()}

    goods = tuple(replace(fact, dimensions=members(fact)) for fact in FACTS)
    page = _page(asked, goods)
    assert page is not None
    assert page.sentences[0].text.startswith("Acme, revenue by product and service, FY2024")


@pytest.mark.parametrize(
    ("text", "targets", "left_over"),
    [("Acme operating income by source", ("operating income",), ()), ("Acme segments by sales", ("sales",), ("segments",))],
)
def test_another_figure_or_kind_of_parts_is_no_question_for_sources(
    text: str, targets: tuple[str, ...], left_over: tuple[str, ...]
) -> None:
    asked = _asked(text, targets=targets, left_over=left_over, page="sources")
    plain = replace(asked, frame=replace(asked.frame, page="")) if asked.frame is not None else asked
    found, usual = _page(asked), _page(plain)
    assert (found and found.sentences) == (usual and usual.sentences)


@pytest.mark.parametrize(
    ("name", "text", "printed"),
    [
        ("Compute And Networking", "Compute & Networking grew; compute and networking was led.", "Compute & Networking"),
        ("Asia Pacific", "sales in Asia-Pacific.", "Asia-Pacific"),
        ("Play Station", "The PlayStation sold.", "PlayStation"),
        ("Us", "In the U.S., sales fell.", "U.S"),
        ("Tools Parts", "We make Tools. Parts are bought; Tools (Parts) are not.", "Tools Parts"),
        ("Widgets", "widgets only", "Widgets"),
    ],
)
def test_a_tags_words_are_told_as_the_filing_prints_them(name: str, text: str, printed: str) -> None:
    assert name_as_printed(name, text) == printed


def test_a_part_is_called_as_its_row_where_the_words_of_its_tag_are_printed_nowhere() -> None:
    facts = (
        *_facts(REVENUE, "North", {SEGMENT: "us-gaap:AllOtherSegmentsMember"}, 70, 60),
        *_facts(REVENUE, "South", {SEGMENT: "acme:SouthSegmentMember"}, 50, 45),
        *_facts(REVENUE, "Total", {}, 120, 105),
    )
    page = _page(_asked("Acme revenue by segment", targets=("revenue",), left_over=("segment",)), facts)
    assert page is not None
    assert page.sentences[0].text.startswith("Acme, revenue by segment, FY2024: North $70 million (58.3%), South")


def test_a_row_that_tells_several_parts_names_none() -> None:
    facts = (
        *_facts(REVENUE, "Revenue", {SEGMENT: "acme:WesternMember"}, 70, 60),
        *_facts(REVENUE, "Revenue", {SEGMENT: "acme:EasternMember"}, 50, 45),
        *_facts(REVENUE, "Total", {}, 120, 105),
    )
    page = _page(_asked("Acme revenue by segment", targets=("revenue",), left_over=("segment",)), facts)
    assert page is not None
    assert page.sentences[0].text.startswith("Acme, revenue by segment, FY2024: Western $70 million (58.3%), Eastern")


def test_what_is_of_no_segment_stands_beside_them() -> None:
    page = _page(_asked("Acme operating income by segment", targets=("operating income",), left_over=("segment",)))
    assert page is not None
    told = "North $40 million, South $10 million; Corporate $(20) million; total $30 million."
    assert page.sentences[0].text == f"Acme, operating income by segment, FY2024: {told}"


def test_the_segments_alone_are_told_by_revenue_and_operating_income() -> None:
    page = _page(
        _asked("Acme segments", targets=("segments",), operation="describe", answer="text", sure={"figure": 0.1, "refusal": 0})
    )
    assert page is not None
    assert page.sentences[0].text.startswith("Acme's 2 segments, revenue, FY2024: North $70 million")
    assert page.table is not None
    assert [row["label"] for row in page.table["rows"]][:2] == ["North: revenue", "South: revenue"]


def test_growth_stands_in_place_of_shares_where_it_is_asked_for() -> None:
    chances = {"list": 0.6, "growth": 0.2}
    page = _page(
        _asked(
            "revenue growth by segment of Acme",
            targets=("revenue",),
            left_over=("segment",),
            answer="percent",
            operations=chances,
        )
    )
    assert page is not None
    assert "North $70 million (up 16.7%), South $50 million (up 11.1%); total $120 million (up 14.3%)." in page.sentences[0].text


def _after(before: Understanding, text: str, **others: Any) -> Understanding:
    """A follow-up on ``before``; what it leaves unsaid is carried on."""
    return _asked(text, **{"operation": "lookup", "answer": "money", "carried": before.frame, **others})


BY_SEGMENT = _asked("Acme revenue by segment", targets=("revenue",), left_over=("segment",))


@pytest.mark.parametrize(
    ("follow_up", "line"),
    [
        (_after(BY_SEGMENT, "Acme, and in 2024?"), "Acme, revenue by segment, FY2024: North $70 million"),
        (
            _after(BY_SEGMENT, "Acme, and operating income?", targets=("operating income",)),
            "Acme, operating income by segment, FY2024: North $40 million",
        ),
        (
            _after(
                BY_SEGMENT, "Acme, which segment grew slowest?", targets=("segment",), left_over=("slowest",), operation="rank",
                answer="name", kinds={"percent": 0.9},
            ),
            "Acme, segment with the lowest revenue growth, FY2024: South $50 million (up 11.1%); then North $70 million (up",
        ),
        (
            _after(
                BY_SEGMENT, "Acme, which is its smallest segment?", targets=("segment",), operation="rank", answer="name",
                kinds={"percent": 0.6},
            ),
            "Acme, segment with the lowest revenue, FY2024: South $50 million; then North $70 million.",
        ),
        (
            _after(BY_SEGMENT, "Acme, its smallest region?", targets=("region",), operation="rank", answer="name"),
            "Acme, region or country with the lowest revenue, FY2024: Other places $25 million; then Europe $90 million.",
        ),
    ],
)  # fmt: skip
def test_a_follow_up_goes_on_with_the_parts_that_were_asked_for(follow_up: Understanding, line: str) -> None:
    page = _page(follow_up)
    assert page is not None
    assert page.sentences[0].text.startswith(line)


@pytest.mark.parametrize(
    "others", [{"parts": ("North",)}, {"left_over": ("excluding",)}, {"operation": "why"}, {"targets": ("customers",)}]
)
def test_a_follow_up_that_asks_for_something_else_goes_on_with_no_parts(others: dict[str, Any]) -> None:
    assert wanted(_after(BY_SEGMENT, "Acme, and customers of North?", **others), vocabulary()) is None


def test_the_kind_of_parts_alone_beside_the_company_asks_for_revenue_by_it() -> None:
    page = _page(_asked("Acme by region", left_over=("region",), answer="list", sure={"figure": 0.1, "refusal": 0}))
    assert page is not None
    assert page.sentences[0].text.startswith("Acme, revenue by region and country, FY2024: Europe $90 million")


def test_what_reconciles_is_called_by_its_column_and_never_a_total() -> None:
    reconciling = _facts(PROFIT, "Total 30 32", {ITEMS: "us-gaap:MaterialReconcilingItemsMember"}, -20, -10)
    rest = [replace(fact, label="Total") for fact in reconciling]
    kept = [fact for fact in FACTS if fact.dimensions.get(ITEMS) != "us-gaap:CorporateNonSegmentMember"]
    cells = tuple(Cell("(20)", 0, 1, fact.start, fact.end) for fact in rest[:1])
    columns = (Column(()), Column(("All Other",)))
    block = Block(0, BlockKind.TABLE, 0, len(BODY), 1, table=Table((cells,), 0, columns))
    asked = _asked("Acme operating income by segment", targets=("operating income",), left_over=("segment",))
    page = _page(asked, (*kept, *rest), (block,))
    assert page is not None
    assert "; All Other $(20) million; total $30 million." in page.sentences[0].text


def test_what_the_parts_leave_of_the_total_is_said() -> None:
    page = _page(_asked("Acme revenue by region", targets=("revenue",), parts=("region",)))
    assert page is not None
    assert page.sentences[0].text.endswith("total $120 million (of which $5 million is of none of these).")


def test_a_year_that_only_a_filing_outside_of_the_scope_covers_is_not_told() -> None:
    asked = _asked("Acme revenue by segment 2024", targets=("revenue",), left_over=("segment",))
    assert _page(asked) is not None
    other = next(filing for filing in asked.held if filing.company_key == "name:acme corp." and filing.fiscal_year != 2024)
    narrow = replace(asked, request=replace(asked.request, scope=Scope(filings=(other.id,))))
    assert _page(narrow) is None


def _untagged(*rows: tuple[str, float]) -> tuple[Fact, ...]:
    text = [Fact(f"table:{row}", row, value * 1e6, f"{value:g}", "usd", dt.date(2024, 1, 1), _YEARS[2024]) for row, value in rows]
    return tuple(replace(fact, source="table", start=at, end=at + 1, block=0) for at, fact in enumerate(text))


def test_without_tags_rows_that_come_to_the_printed_total_are_the_parts() -> None:
    table = Table((), 0, (), "Revenue by segment were as follows", "(in millions)", 1_000_000)
    block = Block(0, BlockKind.TABLE, 0, len(BODY), 1, table=table)
    asked = _asked("Acme revenue by segment", targets=("revenue",), left_over=("segment",))
    # A million less than the sum: both rows and total are rounded to millions in print.
    facts = _untagged(("North", 70), ("South", 51), ("Total revenue", 120))
    page = _page(asked, tuple(replace(fact, text=f"{(fact.value or 0) / 1e6:.0f}") for fact in facts), (block,))
    assert page is not None
    assert page.sentences[0].text.startswith("Acme, revenue by segment, FY2024: North $70 million (58.3%)")
    assert _page(asked, _untagged(("North", 70), ("South", 40), ("Total revenue", 120)), (block,)) is None


def test_the_figure_is_called_as_the_line_of_its_total_and_rows_of_other_years_stay_out() -> None:
    table = Table((), 0, (), "Net sales by segment were as follows", "(in millions)", 1_000_000)
    block = Block(0, BlockKind.TABLE, 0, len(BODY), 1, table=table)
    asked = _asked("Acme revenue by segment", targets=("revenue",), left_over=("segment",))
    old = replace(_untagged(("Old", 7))[0], period_start=dt.date(2023, 1, 1), period_end=_YEARS[2023], start=9, end=10)
    page = _page(asked, (*_untagged(("North", 70), ("South", 50)), old, *_untagged(("Total net sales", 120))), (block,))
    assert page is not None
    assert page.sentences[0].text.startswith("Acme, net sales by segment, FY2024: North $70 million (58.3%), South")
    assert page.table is not None
    assert [row["label"] for row in page.table["rows"]] == ["North", "South", "total net sales"]


def test_a_total_of_something_else_keeps_the_name_that_its_row_has() -> None:
    table = Table((), 0, (), "Operating revenues of our plants", "(in millions)", 1_000_000)
    block = Block(0, BlockKind.TABLE, 0, len(BODY), 1, table=table)
    asked = _asked("Acme revenue by state", targets=("revenue",), left_over=("state",))
    page = _page(asked, _untagged(("Ohio", 5), ("Iowa", 4), ("Utah", 3), ("Texas", 2), ("Total Plants", 14)), (block,))
    assert page is not None
    assert page.sentences[0].text.startswith("Acme, revenue by state, FY2024: Ohio $5 million (35.7%), Iowa $4 million (28.6%)")
    assert page.sentences[0].text.endswith("; total Plants $14 million.")


def test_one_part_is_no_breakdown() -> None:
    asked = _asked("Acme revenue by region", targets=("revenue",), parts=("region",))
    assert _page(asked, tuple(fact for fact in FACTS if "acme:OtherPlacesMember" not in fact.dimensions.values())) is None


@pytest.mark.parametrize(
    "others",
    [
        {"parts": ("North",)},
        {"operation": "rank", "answer": "name"},
        {"operation": "growth", "answer": "percent"},
        {"left_over": ("segment", "excluding", "services")},
        {"left_over": ("segment", "excluding"), "operations": {"list": 0.5}},
    ],
)
def test_another_question_wants_none(others: dict[str, Any]) -> None:
    asked = {"targets": ("revenue",), "left_over": ("segment",), **others}
    assert wanted(_asked("Acme revenue by segment, North", **asked), vocabulary()) is None


def test_the_rest_is_none_of_the_largest_and_a_loss_is_put_in_no_order() -> None:
    facts = (*FACTS, *_facts(REVENUE, "Both parts", {PLACE: "srt:AsiaMember"}, 10, 9))
    facts = tuple(replace(one, value=95e6) if one.label == "Other places" else one for one in facts)
    page = _page(_after(BY_SEGMENT, "Acme, its largest region?", targets=("region",), operation="rank", answer="name"), facts)
    assert page is not None
    told = page.sentences[0].text
    assert told.index("Europe") < told.index("Both parts") < told.index("Other places")
    lost = _after(BY_SEGMENT, "Acme, which segment has the largest loss?", targets=("segment",), operation="rank", answer="name")
    assert wanted(lost, vocabulary()) is None
