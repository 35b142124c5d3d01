"""A row that the filing prints under the name asked for, and a formula for the same."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace
from typing import cast

import pytest

from fin_tui.engine.figures import framed
from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.figures.filled import Filled
from fin_tui.engine.figures.frame_readings import FrameReading
from fin_tui.engine.figures.framed import _is_formula, _may_stand, _printed
from fin_tui.engine.figures.grid import Grid
from fin_tui.engine.figures.ground import Cell, Grounded
from fin_tui.engine.figures.linked_book import Linked
from fin_tui.engine.figures.weighed import FEATURES
from fin_tui.engine.frame.reader import Frame, Span
from fin_tui.engine.questions.understanding import Understanding
from fin_tui.engine.questions.wanted import Item, Over, Part, Reading
from fin_tui.engine.rank.ranker import Ranker
from fin_tui.facts import vocabulary
from fin_tui.facts.expression import Binary, Measure, Name
from fin_tui.facts.figures import Figure, Period, Unit
from fin_tui.records import CalculationRecord, Fact
from tests.unit.engine.figures.book import ACME, source

SURE = {"figure": 0.9, "operation": 0.9, "answer": 0.9, "refusal": 0.0}
ASKED = Frame("working capital", (), (), (Span("working capital", 0, 15),), (), "lookup", "money", "", (), SURE)
COMPUTED = FigureAnswer((), (), (), (), 80e6, "usd", calculation=cast("CalculationRecord", {"expression": "a - b"}))


FORMULA = Reading((Part(Name("x"), "figure"),), {"x": Item(vocabulary().get("working_capital"))})
STATED = Reading((Part(Name("x"), "figure"),), {"x": Item(vocabulary().get("inventory"))})


def row(label: str, value: float, unit: Unit = "usd", *, alias: float = 0.0) -> Filled:
    fact = Fact("table:x", label, value, str(value), unit, None, dt.date(2024, 12, 31), source="table", start=7, block=7)
    figure = Figure(label, Decimal(str(value)), unit, fact, ACME[2], Period(dt.date(2024, 12, 31), None, "FY2024"))
    part = Part(Name("f0"), label)
    cell = Cell(part, "Acme", 2024, grounded=Grounded(part.node, [figure], [label]), measure=Measure(figure.value, unit))
    reading = Reading((part,), {})
    features = tuple(alias if name == "alias" else 0.0 for name in FEATURES)
    return Filled(FrameReading(reading, {}, 1.0, 0, is_computed=False), Grid(reading, (cell,)), features)


@pytest.mark.parametrize(
    ("rows", "printed"),
    [
        ((row("Notes > Working capital", 70e6),), 70e6),
        ((row("Consolidated working capital", 70e6),), 70e6),
        ((row("Working capital of Rockets", 70e6),), None),
        ((row("Working capital percentage", 70.0, "%"),), None),
        ((row("Working capital", 70e6), row("Rockets > Working capital", 30e6)), None),
        ((row("Working capital", 80e6),), None),
    ],
)
def test_the_row_of_the_name_asked_for_stands_before_the_formula(rows: tuple[Filled, ...], printed: float | None) -> None:
    found = _printed(rows, COMPUTED, ASKED, FORMULA)
    assert (found.value if found is not None else None) == printed


@pytest.mark.parametrize(("alias", "printed"), [(1.0, 70e6), (0.0, None)])
def test_it_stands_before_a_figure_that_the_filing_calls_otherwise(alias: float, printed: float | None) -> None:
    tagged, stated = row("Funds at hand", 80e6, alias=alias), replace(COMPUTED, calculation=None)
    found = _printed((tagged, row("Working capital", 70e6)), stated, ASKED, STATED)
    assert (found.value if found is not None else None) == printed


@pytest.mark.parametrize(
    ("metric", "over", "is_formula"),
    [("working_capital", "point", True), ("working_capital", "growth", False), ("inventory", "point", False)],
)
def test_only_a_formula_itself_is_told_by_the_row_of_its_name(metric: str, over: Over, *, is_formula: bool) -> None:
    part, items = Part(Name("x"), "figure"), {"x": Item(vocabulary().get(metric))}
    assert _is_formula(Reading((part,), items, over)) is is_formula
    assert not _is_formula(Reading((replace(part, node=Binary("-", Name("x"), Name("x"))),), items, over))


@pytest.mark.parametrize(("value", "stands"), [(61.3, False), (61.0, True)])
def test_things_are_not_counted_in_a_scale_that_nobody_says(value: float, *, stands: bool) -> None:
    floors = row("Floor space", value)
    (cell,), figure = floors.grid.cells, floors.figures[0]
    counted = replace(figure, unit="count", fact=replace(figure.fact, source="table", unit="count"))
    assert cell.grounded is not None
    cell = replace(cell, grounded=replace(cell.grounded, figures=[counted]))
    assert _may_stand(replace(floors, grid=replace(floors.grid, cells=(cell,))), ASKED, None, vocabulary()) is stands


@pytest.mark.parametrize(("part", "stands"), [("Rockets", False), ("Anvils", True)])
def test_what_is_of_the_company_is_none_of_its_segments(part: str, *, stands: bool) -> None:
    of = row("Anvils > Working capital", 70e6)
    of_part = replace(ASKED, parts=(Span(part, 0, len(part)),))
    assert _may_stand(of, of_part, None, vocabulary())  # A row may call the part otherwise, and is read beside it.
    computed = replace(of, made=replace(of.made, is_computed=True))
    assert _may_stand(computed, of_part, None, vocabulary()) is stands
    beside = Reading(STATED.parts, {"x": Item(vocabulary().get("inventory"), part)})
    of_one = replace(ASKED, targets=(*ASKED.targets, Span(part, 0, len(part))))
    assert _may_stand(computed, of_one, beside, vocabulary()) is stands
    assert _may_stand(computed, ASKED, beside, vocabulary())  # A word that only asks, or names a period, is no part.
    of_told = replace(of, made=replace(of.made, given={"working capital": of.figures[0]}))
    assert _may_stand(of_told, replace(ASKED, parts=(Span(part, 0, len(part)),)), None, vocabulary())


def test_what_the_parent_holds_alone_is_not_what_the_company_does() -> None:
    of_parent = row("Acme Corp. (Parent Company only) > Working capital", 70e6)
    assert not _may_stand(of_parent, ASKED, None, vocabulary())
    alone = replace(ASKED, question="working capital of the parent company only")
    assert _may_stand(of_parent, alone, None, vocabulary())


@pytest.mark.parametrize(
    ("text", "value", "slack"), [("10.9 billion", 10.9e9, 5e7), ("$412 million", 412e6, 5e5), ("2 billion", 2e9, 0)]
)
def test_an_amount_of_a_sentence_is_as_exact_as_it_is_printed(text: str, value: float, slack: float) -> None:
    of = row("outlay", value)
    figure = of.figures[0]
    figure = replace(figure, fact=replace(figure.fact, text=text, source="text"))
    cell = replace(of.grid.cells[0], grounded=Grounded(Name("f0"), [figure], ["outlay"]))
    assert replace(of, grid=replace(of.grid, cells=(cell,))).slack == slack
    assert of.slack == 0


@pytest.mark.parametrize(
    ("label", "reading", "is_printed"),
    [("Working capital", FORMULA, True), ("Working capital of Rockets", FORMULA, False), ("Working capital", STATED, False)],
)
def test_what_a_formula_makes_of_tagged_figures_gives_way_to_the_row_as_well(
    label: str, reading: Reading, *, is_printed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(framed, "readings_for", lambda *_: [])
    monkeypatch.setattr(framed, "filled", lambda *_: [row(label, 70e6)])
    asked = cast("Understanding", SimpleNamespace(reading=reading))
    found = framed.printed_instead(ASKED, asked, source(), Linked(cast("Ranker", None), lambda words, filing: ()), COMPUTED)
    assert (found is not None) is is_printed


@pytest.mark.parametrize(("printed", "stands"), [(31.4, True), (30.0, False)])
def test_a_share_that_is_printed_stands_before_the_one_computed_where_it_is_another(printed: float, *, stands: bool) -> None:
    names = vocabulary()
    items = {"a": Item(names.get("research_and_development")), "b": Item(names.get("revenue"))}
    share = Reading((Part(Binary("/", Name("a"), Name("b")), "share", "%"),), items)
    computed = FigureAnswer((), (), (), (), 30.2, "%", calculation=cast("CalculationRecord", {"expression": "a / b"}))
    asked = replace(ASKED, targets=(Span("R&D", 0, 3), Span("sales", 7, 12)), left_over=("sales",))
    text = f"{printed:.0f}" if printed.is_integer() else str(printed)
    rows = (row("R&D as a percentage of net sales", printed, "%"),)
    cell = rows[0].grid.cells[0]
    figure = replace(cell.figures[0], fact=replace(cell.figures[0].fact, text=f"{text}%"))
    rows = (
        replace(rows[0], grid=replace(rows[0].grid, cells=(replace(cell, grounded=Grounded(Name("f0"), [figure], ["R&D"])),))),
    )
    found = _printed(rows, computed, asked, share)
    assert (found is not None) is stands  # 30 % is but 30.2 rounded.
