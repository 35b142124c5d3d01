"""Parts that no tag names are read from a table by its title, its rows or columns, and the line that they come to."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from fin_tui.engine.structures.members import Axis, axes_named, axis_of, part_tables
from fin_tui.facts import vocabulary
from fin_tui.records import Block, BlockKind, Cover, Document, Fact, Table

_END = {2024: dt.date(2024, 12, 31), 2023: dt.date(2023, 12, 31)}
(REGION,), (SEGMENT,) = axes_named("by geographic area"), axes_named("by segment")


def _facts(block: int, rows: Sequence[tuple[str, float]], year: int = 2024) -> list[Fact]:
    return [
        Fact(
            f"table:{label}", label, value * 1e6, f"{value:g}", "usd", dt.date(year, 1, 1), _END[year], source="table",
            start=at, end=at + 1, block=block,
        )
        for at, (label, value) in enumerate(rows)
    ]  # fmt: skip


def _found(axis: Axis, *tables: tuple[str, Sequence[Fact]]) -> list[tuple[list[str], list[float]]]:
    blocks = tuple(
        Block(at, BlockKind.TABLE, at, at + 1, 1, table=Table((), 0, (), title)) for at, (title, _) in enumerate(tables)
    )
    facts = tuple(fact for _, facts in tables for fact in facts)
    metric = vocabulary().get("revenue")
    assert metric is not None
    found = part_tables(metric, axis, Document("pdf", " " * len(blocks), blocks, 1, Cover(), facts))
    return [([row.name for row in one.rows], [(fact.value or 0) / 1e6 for fact in one.total]) for one in found]


def test_rows_above_a_line_of_the_figure_with_the_heading_that_tells_them_apart() -> None:
    rows = [("Americas: > United States", 9), ("Americas: > Other", 1), ("Asia", 4), ("Total revenue", 14)]
    assert _found(REGION, ("Revenue by geographic area", _facts(0, rows))) == [
        (["Americas – United States", "Americas – Other", "Asia"], [14])
    ]
    assert not _found(SEGMENT, ("Revenue by geographic area", _facts(0, rows)))


def test_columns_and_rows_under_the_name_of_the_figure_and_groups_that_have_it() -> None:
    columns = [("Revenue > North", 5), ("Revenue > South", 4), ("Revenue", 9), ("Depreciation > North", 1)]
    assert _found(SEGMENT, ("Our segments", _facts(0, columns))) == [(["North", "South"], [9])]
    groups = [("North > Revenue", 5), ("North > Assets", 7), ("South > Revenue", 4), ("Total > Revenue", 9)]
    assert _found(SEGMENT, ("Our segments", _facts(0, groups))) == [(["North", "South"], [9])]


def test_rows_of_one_name_under_several_regions_are_told_apart_by_them() -> None:
    rows = [
        ("U.S. Region > Footwear", 3), ("U.S. Region > Apparel", 2), ("U.S. Region > Total U.S.", 5),
        ("EMEA Region > Footwear", 1), ("EMEA Region > Apparel", 1), ("EMEA Region > Total EMEA", 2), ("Total revenues", 7),
    ]  # fmt: skip
    ((names, total),) = _found(SEGMENT, ("Revenue by segment", _facts(0, rows)))
    assert len(set(names)) == len(rows) - 1
    assert names[0] == "U.S. Region – Footwear"
    assert total == [7]


def test_a_column_of_the_figure_beside_others_ends_in_a_total_without_a_name() -> None:
    revenue, earnings = "Revenues Year Ended December 31,", "Earnings(a) Year Ended December 31,"
    rows = [
        (f"Reportable Segment: > Medicines > {revenue}", 8), (f"Reportable Segment: > Medicines > {earnings}", 4),
        (f"Other activities(c) > {revenue}", 1), (f"Other activities(c) > {earnings}", -1),
        (f"Reconciling Items: > Special items > {revenue}", 0), (f"Reconciling Items: > Special items > {earnings}", -2),
        (f"Reconciling Items: > {revenue}", 9), (f"Reconciling Items: > {earnings}", 1),
    ]  # fmt: skip
    ((names, total),) = _found(SEGMENT, ("Our segments", _facts(0, rows)))
    assert names[:2] == ["Medicines", "Other activities"]
    assert total == [9]
    assert not _found(SEGMENT, ("Our segments", _facts(0, rows[:6]))), "without a total nothing proves the parts"


def test_segments_as_columns_of_regions_are_no_regions() -> None:
    both = [("North > Tin", 3), ("North > Glass", 2), ("South > Tin", 2), ("South > Glass", 2)]
    sums = [("Revenue > Tin", 5), ("Revenue > Glass", 4), ("Revenue", 9)]
    assert not _found(REGION, ("Our regions", _facts(0, [*both, *sums])))
    assert _found(SEGMENT, ("Our segments", _facts(0, [*both, *sums]))) == [(["Tin", "Glass"], [9])]


def test_tables_of_a_year_each_are_put_together() -> None:
    now = _facts(0, [("Revenue > North", 5), ("Revenue > South", 4), ("Revenue", 9)])
    before = _facts(1, [("Revenue > North", 3), ("Revenue > South", 2), ("Revenue", 5)], 2023)
    assert _found(SEGMENT, ("Our segments", now), ("Our segments", before)) == [(["North", "South"], [9, 5])]


def test_a_table_of_one_region_is_none_of_the_company() -> None:
    own = _facts(0, [("Footwear", 4), ("Apparel", 2), ("Total revenues", 6)])
    whole = _facts(1, [("Revenues", 20)])
    assert _found(REGION, ("U.S. Region", own), ("Statements of income", whole)) == []


def test_a_larger_figure_that_stands_in_fewer_tables_is_not_the_whole() -> None:
    own = _facts(0, [("Revenue > North", 5), ("Revenue > South", 4), ("Revenue", 9)])
    statements, pro_forma = _facts(1, [("Revenues", 9)]), _facts(2, [("Revenues", 11)])
    tables = (("Our segments", own), ("Statements of income", statements), ("Pro forma results", pro_forma))
    assert _found(SEGMENT, *tables) == [(["North", "South"], [9])]
    assert _found(SEGMENT, *tables, ("Selected data", _facts(3, [("Revenues", 11)]))) == []


def test_states_are_told_by_their_rows_and_come_to_a_total_of_whatever_name() -> None:
    state = axis_of(["state"])
    assert state is not None
    rows = [("Ohio", 5), ("Ohio > Water", 4), ("Iowa", 4), ("Utah", 3), ("Total, top three", 12), ("Texas", 2), ("Other", 1)]
    title = "Summary of the plants' operating revenues"
    found = (["Ohio", "Iowa", "Utah", "Texas", "Other"], [15])
    assert _found(state, (title, _facts(0, [*rows, ("Total plants", 15)]))) == [found]
    assert _found(state, ("Customers", _facts(0, [*rows, ("Total plants", 15)]))) == []
    assert _found(state, (title, _facts(0, rows))) == []
    assert _found(state, (title, _facts(0, [*rows, ("Ohio", 7), ("Total plants", 15)]))) == []
    assert _found(REGION, (title, _facts(0, [*rows, ("Total plants", 15)]))) == []
