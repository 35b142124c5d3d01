"""A frame's calculation: which operands it looks for, and what they are to the result."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import replace
from decimal import Decimal
from typing import cast

import pytest

from fin_tui.candidates import Candidate
from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.figures.filled import Filled
from fin_tui.engine.figures.fitting import (
    is_level,
    names_all,
    tells_of,
    tells_part,
)
from fin_tui.engine.figures.frame_readings import FrameReading, readings_of
from fin_tui.engine.figures.framed import (
    _is_absurd,
    _is_one_value,
    compare_figures,
    filled,
    readings_for,
)
from fin_tui.engine.figures.grid import Grid
from fin_tui.engine.figures.ground import Cell, Grounded, over_years
from fin_tui.engine.figures.linked_book import Linked
from fin_tui.engine.figures.operands import TOLD, ways_with_told, with_whole_names
from fin_tui.engine.figures.weighed import _alias, _says_move, chances, is_likely
from fin_tui.engine.frame.reader import Frame, Span
from fin_tui.engine.questions.instructions import Instructions
from fin_tui.engine.questions.understanding import of_known_companies
from fin_tui.engine.questions.wanted import Item, Part, Reading
from fin_tui.engine.rank.ranker import Ranker, Scored
from fin_tui.facts import vocabulary
from fin_tui.facts.expression import Binary, Measure, Name, write
from fin_tui.facts.figures import Figure, Period, Unit
from fin_tui.records import Fact, FactRecord, Sentence, TableCell, TableRecord
from tests.unit.engine.figures.book import ACME, GLOBEX, Book, source, understood


def _frame(text: str, operation: str, *, targets: tuple[str, ...], periods: tuple[str, ...] = (), answer: str = "ratio") -> Frame:
    def spans(words: tuple[str, ...]) -> tuple[Span, ...]:
        return tuple(Span(word, text.find(word), text.find(word) + len(word)) for word in words)

    sure = {"figure": 0.9, "operation": 0.9, "answer": 0.9, "refusal": 0.0}
    return Frame(text, (), spans(periods), spans(targets), (), operation, answer, "", (), sure)


def _readings(frame: Frame) -> list[FrameReading]:
    return readings_of(frame, vocabulary(), Instructions(""))


def test_operands_that_words_name_are_looked_for_by_these() -> None:
    found = _readings(_frame("widgets sold for each salesperson", "per_unit", targets=("widgets sold", "salesperson")))
    assert list(found[0].wanted) == ["widgets sold", "number of salesperson"]


def test_the_whole_may_be_named_first() -> None:
    found = _readings(_frame("of all widgets, how many were blue", "share", targets=("widgets", "blue"), answer="percent"))
    computed = [list(one.wanted) for one in found if one.is_computed]
    assert computed == [["widgets", "blue"], ["blue", "widgets"]]


def test_what_sounds_like_a_calculation_may_be_printed() -> None:
    found = _readings(_frame("average fee per widget", "per_unit", targets=("average fee per widget",), answer="money"))
    assert [(list(one.wanted), one.is_computed, one.chance) for one in found] == [(["average fee per widget"], False, 0.9)]


def test_what_may_be_printed_is_looked_for_by_all_words_not_by_its_operand_alone() -> None:
    before = _frame("widget cost", "lookup", targets=("widget cost",), answer="money")
    frame = _frame("as part of revenue", "share", targets=("revenue",), answer="percent")
    found = _readings(replace(frame, carried=before, operations={"share": 0.6, "lookup": 0.4}))
    assert [list(one.wanted) for one in found if not one.is_computed] == [["widget cost as part of revenue"]]
    alone = _readings(replace(_frame("growth of revenue", "growth", targets=("revenue",)), operations={"growth": 0.9}))
    assert [list(one.wanted) for one in alone if not one.is_computed] == [["growth of revenue"]]


def test_how_far_one_figure_is_above_another_is_told_in_percent() -> None:
    text = "how far above widget cost was the widget price, in percent"
    frame = _frame(text, "growth", targets=("widget cost", "widget price"), answer="percent")
    first = _readings(replace(frame, operands=("widget price", "widget cost")))[0]
    assert list(first.wanted) == ["widget price", "widget cost"]
    assert write(first.reading.parts[0].node, lambda name: name.name).split() == ["x0", "/", "x1", "-", "1"]
    assert (first.reading.parts[0].unit, first.told, first.turned) == ("%", True, False)


def test_a_figure_that_a_metric_names_may_be_looked_for_by_its_words_all_the_same() -> None:
    found = _readings(_frame("backlog", "lookup", targets=("backlog",), answer="money"))
    assert [(one.by_words, [item.metric is None for item in one.reading.items.values()]) for one in found] == [
        (False, [False]),
        (True, [True]),
    ]
    assert [list(one.wanted) for one in found] == [["backlog/"], ["backlog"]]
    unnamed = _readings(_frame("widgets sold", "lookup", targets=("widgets sold",), answer="count"))
    assert [one.by_words for one in unnamed] == [False]


def test_what_a_filing_calls_otherwise_is_an_alias() -> None:
    found = _readings(_frame("backlog", "lookup", targets=("backlog",), answer="money"))[0]

    def told(label: str) -> float:
        fact = Fact("us-gaap:RevenueRemainingPerformanceObligation", label, 5e6, "5", "usd", None, None, source="xbrl")
        figure = Figure("backlog", Decimal(5_000_000), "usd", fact, ACME[2], Period(dt.date(2024, 12, 31), None, "FY2024"))
        return _alias(found, [figure])

    assert told("Unsatisfied performance obligations") == 1.0
    assert told("Total backlog") == 0.0


def _answered(label: str, value: int, year: int = 2024) -> Figure:
    fact = Fact("table:x", label, value, f"{value:,}", "usd", None, dt.date(year, 12, 31), source="table", start=value, block=7)
    return Figure(label, Decimal(value), "usd", fact, ACME[2], Period(dt.date(year, 12, 31), None, f"FY{year}"))


def test_figures_of_the_two_turns_before_are_operands_where_none_is_named() -> None:
    before = _frame("hatch cost", "lookup", targets=("hatch cost",), answer="money")
    frame = replace(_frame("the two added up?", "sum", targets=(), answer="money"), carried=before)
    found = readings_of(frame, vocabulary(), Instructions(""), (_answered("hatch cost", 40), _answered("widget cost", 60)))
    both = next(one for one in found if len(one.given) == 2)
    assert sorted(float(figure.value) for figure in both.given.values()) == [40, 60]
    assert not both.wanted


def test_the_figure_before_is_set_over_a_whole_that_stands_beside_it() -> None:
    before = _frame("hatch cost", "lookup", targets=("hatch cost",), answer="money")
    frame = _frame("as a share of the total", "share", targets=("total",), answer="percent")
    told = _answered("hatch cost", 40)
    found = readings_of(replace(frame, carried=before, operands=("total",)), vocabulary(), Instructions(""), (told,))
    beside = [one for one in found if one.is_beside and one.given]
    assert beside
    assert {wanted.matter for one in beside for wanted in one.wanted.values()} == {"hatch cost total"}
    assert all(wanted.beside and wanted.beside.fact is told.fact for one in beside for wanted in one.wanted.values())
    assert not any(one.given or one.is_beside for one in readings_of(frame, vocabulary(), Instructions("")))


@pytest.mark.parametrize(
    ("operation", "years", "first"),
    [("growth", (2024, 2023), 40), ("growth", (2023, 2024), 60), ("share", (2024, 2024), 40), ("ratio", (2024, 2024), 60)],
)
def test_of_two_figures_the_later_stands_first_and_of_one_year_a_part_over_its_whole(
    operation: str, years: tuple[int, int], first: int
) -> None:
    told = (_answered("hatch cost", 40, years[0]), _answered("widget cost", 60, years[1]))
    frame = _frame("and that as a percentage?", operation, targets=(), answer="percent")
    place = TOLD.index(ways_with_told(frame, told)[0][0])
    assert float(told[place].value) == first


def test_figures_of_two_companies_go_together_only_where_the_question_names_none_of_its_own() -> None:
    mine, other = _answered("hatch cost", 40), _answered("widget cost", 60)
    told = (mine, replace(other, filing=replace(other.filing, company_key="cik:99")))
    own = _frame("as % of operating income", "share", targets=("operating income",), answer="percent")
    operands = {one for way in ways_with_told(own, told) for one in way}
    assert TOLD[1] not in operands
    assert any(TOLD[1] in way for way in ways_with_told(replace(own, targets=(), operands=()), told))
    of_a_year = _frame("and in 2020?", "share", targets=(), periods=("2020",), answer="percent")
    assert not ways_with_told(of_a_year, told)


@pytest.mark.parametrize(("matter", "go_together"), [("lawsuit", False), ("hatch cost", True), ("", True)])
def test_figures_of_two_turns_go_together_only_where_the_question_names_none_but_those(matter: str, go_together: bool) -> None:
    told = (_answered("hatch cost", 40), _answered("widget cost", 60, 2023))
    frame = _frame("and the two together?", "sum", targets=(matter,) if matter else (), answer="money")
    assert any(set(way) == set(TOLD) for way in ways_with_told(replace(frame, operands=()), told)) is go_together


@pytest.mark.parametrize(
    ("values", "told"), [((900, 400), ("Acme had more employees: 900", "a difference of 500")), ((900, None), ())]
)
def test_who_has_more_of_something_is_told_by_the_figures_of_both(values: tuple[int, int | None], told: tuple[str, ...]) -> None:
    text = "Who had more employees in 2024, Acme or Globex?"
    frame = _frame(text, "compare", targets=("employees",), answer="text", periods=("2024",))
    frame = replace(frame, sure={**frame.sure, "figure": 0.05}, kinds={"count": 0.9, "money": 0.1})
    held = {
        (one.company, "employees", 2024): float(value) for one, value in zip((ACME[2], GLOBEX[0]), values, strict=True) if value
    }
    nothing = Linked(cast("Ranker", _NothingRanked()), lambda words, filing: ())
    found = compare_figures(frame, replace(understood(text), frame=frame), source(Book(held)), nothing)
    assert (found is not None) is bool(told)
    assert found is None or all(words in found.sentences[0].text for words in told)


class _NothingRanked:
    """Finds nothing by words."""

    def rank(self, *asked: object) -> list[Scored]:
        return []


class _PrintedRate(_NothingRanked):
    """Finds one printed percentage, whatever the words."""

    def rank(self, *asked: object) -> list[Scored]:
        end = dt.date(2024, 12, 31)
        fact = Fact("table:x", "Effective rate", 0.213, "21.3%", "pure", None, end, source="table", start=5, end=9)
        return [Scored(Candidate(fact, ("Effective rate",)), 0.9)]


def test_what_is_known_by_a_formula_is_looked_for_as_printed_where_the_formula_has_no_operands() -> None:
    text = "Acme's effective tax rate in 2024"
    frame = _frame(text, "lookup", targets=("effective tax rate",), answer="percent", periods=("2024",))
    asked = replace(understood(text), frame=frame)
    linked = Linked(cast("Ranker", _PrintedRate()), lambda words, filing: ())
    found = filled(readings_for(frame, asked, source(Book({}))), asked, source(Book({})), linked)
    assert {(one.value, one.made.by_words) for one in found} == {(21.3, True)}
    nothing = Linked(cast("Ranker", _NothingRanked()), lambda words, filing: ())
    assert not filled(readings_for(frame, asked, source(Book({}))), asked, source(Book({})), nothing)


def test_one_figure_printed_in_two_scales_is_no_ratio() -> None:
    def figure(value: int, label: str) -> Figure:
        fact = Fact("table:x", label, value, "$77", "usd", None, None, source="table")
        return Figure(label, Decimal(value), "usd", fact, ACME[2], Period(dt.date(2024, 12, 31), None, "FY2024"))

    assert _is_one_value([figure(77_000_000, "Revenues > Total"), figure(77, "Other > Total")])
    assert not _is_one_value([figure(77_000_000, "Total"), figure(77, "Cars")])


def test_operations_that_mean_the_same_speak_for_each_other() -> None:
    frame = _frame("blue widgets as part of all widgets", "share", targets=("blue widgets", "all widgets"), answer="percent")
    found = _readings(replace(frame, operations={"share": 0.4, "ratio": 0.3, "lookup": 0.3}))
    assert found[0].chance == pytest.approx(0.7)
    assert [one.is_computed for one in found] == [True, True, False]


def test_an_operand_that_no_words_name_is_not_made_up() -> None:
    found = _readings(_frame("widgets sold for each salesperson", "per_unit", targets=("widgets sold",)))
    assert not any(one.is_computed for one in found)


def test_what_a_reading_leaves_out_is_counted() -> None:
    text = "old, new and used widgets, how many times"
    frame = _frame(text, "ratio", targets=("old", "new", "used widgets"))
    assert _readings(frame)[0].unused == 1


def test_of_is_said_once_in_the_name_of_a_share() -> None:
    made = _readings(_frame("hatch cost of widget cost", "share", targets=("hatch cost", "of widget cost"), answer="percent"))
    assert made[0].reading.parts[0].label == "hatch cost as a percentage of widget cost"


def test_one_figure_of_two_years_is_a_multiple() -> None:
    text = "widget liability 2024 is how many times 2022"
    made = _readings(_frame(text, "ratio", targets=("widget liability",), periods=("2024", "2022")))[0]
    assert made.reading.over == "multiple"
    assert [one.matter for one in made.wanted.values()] == ["widget liability"]


@pytest.mark.parametrize(("names", "is_absurd"), [(("hatch",), True), (("hatch", "widget cost"), False)])
def test_the_formula_of_a_metric_rests_on_more_than_one_figure(names: tuple[str, ...], *, is_absurd: bool) -> None:
    made = replace(_readings(_frame("gross margin", "margin", targets=("gross margin",)))[0], is_computed=True)
    node = Binary("/", Name("f0"), Name(f"f{len(names) - 1}"))
    figures = [_answered(name, 40 + place) for place, name in enumerate(names)]
    cell = Cell(made.reading.parts[0], "Acme", 2024, grounded=Grounded(node, figures, list(names)))
    assert _is_absurd(Grid(made.reading, (cell,)), made) is is_absurd


@pytest.mark.parametrize(("second", "is_absurd"), [(0, True), (60, False)])
def test_nothing_at_all_is_no_operand(second: int, is_absurd: bool) -> None:
    made = next(one for one in _readings(_frame("hatch less widget cost", "difference", targets=("hatch", "widget cost"))))
    part = made.reading.parts[0]
    figures = [_answered("hatch", 40), _answered("widget cost", second)]
    cell = Cell(part, "Acme", 2024, grounded=Grounded(part.node, figures, ["hatch", "widget cost"]))
    assert _is_absurd(Grid(made.reading, (cell,)), made) is is_absurd


@pytest.mark.parametrize(
    ("text", "periods", "says"),
    [
        ("cash from operations less new machines in 2024", ("2024",), False),
        ("how much did cash grow in 2024", ("2024",), True),
        ("cash in 2023 against 2024", ("2023", "2024"), True),
    ],
)
def test_a_change_is_spoken_of_or_has_two_years(text: str, periods: tuple[str, ...], *, says: bool) -> None:
    assert _says_move(_frame(text, "difference", targets=("cash",), periods=periods)) is says


def test_readings_of_one_value_speak_for_each_other_and_none_may_be_right() -> None:
    shares = chances([[1.0], [1.0], [0.0]], [14.2, 14.2, 3.0], 0.0, [1.0])
    assert shares[0] == pytest.approx(2 * math.e / (1 + 2 * math.e + 1))
    assert shares[2] == pytest.approx(1 / (1 + 2 * math.e + 1))


def test_a_printed_percentage_speaks_for_what_it_is_rounded_from() -> None:
    shares = chances([[1.0], [0.0]], [7.8049, 8.0], [0.0, 0.5], [1.0])
    assert shares[0] == shares[1] == pytest.approx((math.e + 1) / (math.e + 2))


@pytest.mark.parametrize(("over", "written"), [("multiple", "a / b / (c / d)"), ("contribution", "(a - c) / (b - d)")])
def test_years_are_set_against_each_other(over: str, written: str) -> None:
    node = over_years(Binary("/", Name("a"), Name("b")), over, 2)
    names = {Name("a"): "a", Name("b"): "b", Name("a", 2): "c", Name("b", 2): "d"}
    assert write(node, lambda name: names[name]) == written


def test_a_brand_is_a_part_of_what_is_asked_of_its_owner() -> None:
    text = "Rocketbook revenue 2024"
    asked = understood("What was Acme's revenue in 2024?")
    frame = replace(_frame(text, "lookup", targets=("revenue",)), companies=(Span("Rocketbook", 0, 10),))
    owner = replace(asked.question.companies[0], start=-1, end=-1)
    of_brand = replace(asked, question=replace(asked.question, companies=(owner,), brands=("Rocketbook",)))
    assert [part.text for part in of_known_companies(frame, of_brand.question).parts] == ["Rocketbook"]
    unbranded = replace(asked, question=replace(asked.question, companies=(owner,)))
    assert of_known_companies(frame, unbranded.question).parts == ()


def _figure(label: str, dimensions: dict[str, str] | None = None) -> Figure:
    fact = Fact("us-gaap:Revenues", label, 5.0, "5", "usd", None, None, source="xbrl", dimensions=dimensions or {})
    return Figure("sales", Decimal(5), "usd", fact, ACME[2], Period(dt.date(2024, 12, 31), None, "FY2024"))


def test_the_whole_companys_figure_is_none_of_its_brands() -> None:
    total, of_brand = _figure("Total revenue"), _figure("Total revenue", {"srt:ProductOrServiceAxis": "acme:RocketbookMember"})
    assert tells_of([total], [])
    assert not tells_of([total], ["Rocketbook"])
    assert tells_of([of_brand], ["Rocketbook"])


def test_the_closest_figure_tells_of_the_part_asked_about() -> None:
    frame = _frame("water pump backlog", "lookup", targets=("backlog",))
    of_part = replace(frame, parts=(Span("water pump", 0, 10),))
    assert tells_part([_figure("Total backlog")], frame)
    assert not tells_part([_figure("Total backlog")], of_part)
    assert tells_part([_figure("Backlog of pumps")], of_part)


def test_what_the_names_give_stands_where_the_words_find_it_too() -> None:
    assert is_likely([-3.0], [3.01, 8.0], [0.3, 0.6])
    assert not is_likely([3.0], [3.0, 8.0], [0.1, 0.8])
    assert not is_likely([3.0], [4.0], [0.9])


def _told(text: str, label: str, value: float | None) -> FigureAnswer:
    fact: FactRecord = {"label": label, "dimensions": {}}
    return FigureAnswer((Sentence(text, (1,), "grounded"),), (), (fact,), (), value, "usd")


def test_a_metric_is_not_all_of_a_longer_name() -> None:
    asked = understood("What was Acme's inventory in 2024?")
    frame = _frame("inventory purchase commitments", "lookup", targets=("inventory purchase commitments",), answer="money")
    answer = _told("Acme's inventory was $5 million in FY2024.", "Inventories", 5e6)
    assert not names_all(answer, asked.reading, frame)
    assert names_all(answer, asked.reading, replace(frame, targets=frame.targets[:0]))
    levels = _frame("inventories", "growth", targets=("inventories",), answer="percent")
    assert names_all(answer, asked.reading, levels)
    assert not names_all(replace(answer, value=None), asked.reading, levels), "levels are no growth"
    per_share = replace(levels, operation="per_unit")
    assert is_level(answer, per_share)
    assert not names_all(answer, asked.reading, per_share), "a plain figure is nothing per share"


def test_a_margin_of_several_years_is_one_of_each() -> None:
    asked = understood("What was Acme's gross margin in 2023 and 2024?")
    frame = _frame("gross margin", "margin", targets=("gross margin",), answer="percent")
    rows = [{"label": "gross margin", "cells": [{"value": 40.0, "unit": "%"}, {"value": 41.0, "unit": "%"}]}]
    answer = replace(_told("Acme's gross margin: 40%; 41%.", "Gross profit", None), unit=None)
    answer = replace(answer, table=cast("TableRecord", {"columns": ["FY2023", "FY2024"], "rows": rows}))
    assert names_all(answer, asked.reading, frame)


def test_names_of_metrics_are_kept_whole() -> None:
    frame = replace(_frame("net debt of Acme", "lookup", targets=("debt",)), left_over=("net",))
    whole = with_whole_names(frame, vocabulary())
    assert ([span.text for span in whole.targets], whole.left_over) == (["net debt"], ())
    cut = replace(_frame("share of revenue for capital expenditures", "share", targets=("revenue", "expenditures")))
    cut = replace(cut, parts=(Span("capital", 21, 28),))
    whole = with_whole_names(cut, vocabulary())
    assert ([span.text for span in whole.targets], whole.parts) == (["revenue", "capital expenditures"], ())
    two = with_whole_names(_frame("revenue per employee", "per_unit", targets=("revenue", "employee")), vocabulary())
    assert len(two.targets) == 2, "a name of two figures is no one figure"
    assert not with_whole_names(_frame("and its margin", "margin", targets=("margin",)), vocabulary()).targets


def test_a_share_of_a_part_is_one_of_the_same_figure() -> None:
    found = _readings(_frame("gadget revenue share", "share", targets=("gadget revenue",), answer="percent"))
    made = next(one for one in found if one.is_computed)
    items = [(item.metric.id if item.metric else "", item.phrase) for item in made.reading.items.values()]
    assert items == [("revenue", "gadget"), ("revenue", "")]
    assert made.reading.parts[0].label == "gadget revenue as a percentage of revenue"


@pytest.mark.parametrize(
    ("text", "operation", "targets", "answer", "label"),
    [
        ("rent less wages", "difference", ("rent", "wages"), "money", "rent less wages"),
        ("rent plus wages", "sum", ("rent", "wages"), "money", "rent plus wages"),
        ("rent per shop", "per_unit", ("rent", "shop"), "money", "rent per shop"),
        ("rent to wages", "ratio", ("rent", "wages"), "ratio", "rent to wages"),
    ],
)
def test_a_calculation_is_called_in_its_own_order(
    text: str, operation: str, targets: tuple[str, ...], answer: str, label: str
) -> None:
    assert _readings(_frame(text, operation, targets=targets, answer=answer))[0].reading.parts[0].label == label


def test_what_was_computed_before_is_computed_again() -> None:
    before = _frame("rent plus wages", "sum", targets=("rent", "wages"), answer="money")
    asked = _frame("as part of revenue", "share", targets=("revenue",), answer="percent")
    asked = replace(asked, operands=("revenue",), carried=before, behind=before)
    made = next(one for one in _readings(asked) if one.is_computed)
    assert made.reading.parts[0].label == "rent plus wages as a percentage of revenue"
    assert len(made.reading.items) == 3


def test_a_year_and_a_brand_are_not_left_out() -> None:
    frame = _frame("Rocketbook 2024 rent to wages", "ratio", targets=("rent", "wages"))
    named = replace(frame, companies=(Span("Rocketbook", 0, 10),), parts=(Span("Rocketbook", 0, 10), Span("2024", 11, 15)))
    told = next(one for one in _readings(named) if not one.regrouped)
    assert told.unused == 0


def test_what_the_reader_takes_for_more_of_the_company_is_a_part() -> None:
    frame = replace(_frame("acme services margin", "margin", targets=("margin",)), companies=(Span("acme services", 0, 13),))
    assert [span.text for span in frame.of_companies([(0, 4)]).parts] == ["services"]
    joined = replace(_frame("current ratio ACME", "ratio", targets=("current ratio ACME",)))
    assert [span.text for span in joined.of_companies([(14, 18)]).targets] == ["current ratio"]


def test_several_plain_figures_are_no_quotient() -> None:
    per_head = _frame("revenue per employee", "per_unit", targets=("revenue", "employee"), answer="money")
    cells: list[TableCell] = [{"value": 5.0, "unit": "usd"}, {"value": None, "unit": None}]
    table: TableRecord = {"columns": ["2024"], "rows": [{"label": "revenue", "cells": cells}]}
    listed = replace(_told("Acme's revenue was $5.", "Revenue", None), unit=None, table=table)
    assert is_level(listed, per_head)
    quotient = replace(listed, table=None, unit="usd", calculation={"expression": "a / b", "inputs": {}})
    assert not is_level(quotient, per_head)
    part = _frame("how much of it was services", "share", targets=(), answer="money")
    assert not is_level(_told("Acme's services revenue was $5.", "Services", 5.0), part), "an amount is asked for"


def test_the_course_of_what_was_asked_for_before_is_looked_for_by_the_words_that_found_it() -> None:
    before = _frame("widget count worldwide", "lookup", targets=("widget count",), answer="count")
    frame = replace(_frame("change?", "difference", targets=(), answer="money"), carried=before)
    first = next(one for one in _readings(frame) if one.is_computed)
    assert [(one.matter, one.answer) for one in first.wanted.values()] == [("widget count worldwide", "count")]
    named = replace(
        _frame("change?", "difference", targets=(), answer="money"), carried=_frame("inventory", "lookup", targets=("inventory",))
    )
    assert list(next(one for one in _readings(named) if one.is_computed).wanted) == ["inventory/"]


def test_what_is_computed_from_earlier_figures_is_no_surer_than_they_are() -> None:
    figure = replace(_answered("hatch cost", 40), sure=0.4)
    reading = FrameReading(Reading((), {}), {}, 1.0, 0, is_computed=True, given={"hatch cost": figure})
    assert Filled(reading, Grid(reading.reading, ()), ()).rests_on == 0.4
    assert Filled(replace(reading, given={}), Grid(reading.reading, ()), ()).rests_on == 1.0


def test_a_percentage_that_was_told_is_one_of_what_was_asked_of() -> None:
    before = _frame("hatch share of rent", "lookup", targets=("rent",), answer="percent")
    frame = replace(_frame("in dollars?", "product", targets=(), answer="money"), carried=before)
    fact = Fact("text:x", "hatch", 0.2, "20%", "pure", None, dt.date(2024, 12, 31), source="text")
    told = Figure("hatch share of rent", Decimal(20), "%", fact, ACME[2], Period(dt.date(2024, 12, 31), None, "FY2024"))
    found = readings_of(frame, vocabulary(), Instructions(""), (told,))
    made = next(one for one in found if one.given and one.is_computed)
    assert [one.matter for one in made.wanted.values()] == ["rent"]
    assert made.reading.parts[0].label == "hatch share of rent times rent"


@pytest.mark.parametrize(
    ("units", "values", "is_absurd"),
    [
        (("%", "usd"), (20, 4_000_000), False), (("%", "%"), (20, 30), True), (("usd", "usd"), (4_000_000, 5_000_000), True),
        (("count", "usd/share"), (400, 12), False), (("shares", "usd"), (400, 12), False),
        (("count", "usd"), (400, 4_000_000), True), (("usd", "usd/share"), (4_000_000, 12), True),
        (("%", "usd/share"), (20, 12), True),
    ],
)  # fmt: skip
def test_not_all_can_be_multiplied(units: tuple[Unit, Unit], values: tuple[int, int], *, is_absurd: bool) -> None:
    made = _readings(_frame("hatch times widget cost", "product", targets=("hatch", "widget cost"), answer="money"))[0]
    part = made.reading.parts[0]
    figures = [replace(_answered(f"figure {unit}", value), unit=unit) for unit, value in zip(units, values, strict=True)]
    cell = Cell(part, "Acme", 2024, grounded=Grounded(part.node, figures, ["hatch", "widget cost"]))
    assert _is_absurd(Grid(made.reading, (cell,)), made) is is_absurd


def test_a_margin_is_no_share_of_another() -> None:
    names = vocabulary()
    margin = names.get("gross_margin")
    assert margin is not None
    items = {"x0": Item(margin), "x1": Item(margin, phrase="hatch")}
    part = Part(Binary("/", Name("x1"), Name("x0")), "hatch gross margin as a percentage of gross margin", "%")
    made = FrameReading(Reading((part,), items), {}, 1.0, 0, is_computed=True)
    figures = [_answered("profit", 40), _answered("sales", 90)]
    cell = Cell(part, "Acme", 2024, measure=Measure(Decimal(89), "%"), grounded=Grounded(part.node, figures, ["a", "b"]))
    assert _is_absurd(Grid(made.reading, (cell,)), made)
    plain = replace(made, reading=replace(made.reading, items={"x0": Item(None), "x1": Item(None)}))
    assert not _is_absurd(Grid(plain.reading, (cell,)), plain)
