"""Which words of a question may name the operands of its calculation."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal

import pytest

from fin_tui.engine.figures.operands import (
    ADDED,
    BEFORE,
    TOLD,
    Operands,
    matter_of_before,
    metrics_listed,
    operands_of,
    rests_on_answer,
    told_apart,
    ways_with_told,
    with_whole_names,
)
from fin_tui.engine.frame.reader import Frame, Span
from fin_tui.facts import vocabulary
from fin_tui.facts.figures import Figure, Period
from fin_tui.records import Fact
from tests.unit.engine.figures.book import ACME


def _ways(
    text: str, operation: str, targets: tuple[str, ...], parts: tuple[str, ...] = (), more: tuple[str, ...] = ()
) -> list[Operands]:
    taken: list[int] = []

    def span(words: str) -> Span:
        start = text.find(words)
        while start in taken:
            start = text.find(words, start + 1)
        taken.append(start)
        return Span(words, start, start + len(words))

    named, narrowed = tuple(map(span, targets)), tuple(map(span, parts))
    taken.clear()
    generous = (tuple(map(span, more)), narrowed)
    return operands_of(Frame(text, (), (), named, narrowed, operation, "money", "", (), {"figure": 0.9}, generous=generous))


def test_the_plainest_way_is_each_figure_with_all_parts() -> None:
    ways = _ways("sum of widget cost and rent in Europe", "sum", ("widget cost", "rent"), ("Europe",))
    assert ways[0] == (("widget cost", "Europe"), ("rent", "Europe"))


def test_a_part_may_belong_to_the_figure_beside_it() -> None:
    ways = _ways("blue margin less red margin", "difference", ("margin", "margin"), ("blue", "red"))
    assert (("margin", "blue"), ("margin", "red")) in ways


def test_a_heading_may_be_left_out() -> None:
    ways = _ways("cash handed back: dividends plus buybacks", "sum", ("cash", "dividends", "buybacks"))
    assert (("dividends", ""), ("buybacks", "")) in ways


def test_words_that_may_name_a_figure_are_tried_after_those_that_do() -> None:
    ways = _ways("acme revenue per head", "per_unit", ("revenue",), more=("revenue", "head"))
    assert ways[0] == (("revenue", ""),)
    assert (("revenue", ""), ("head", "")) in ways


def _frame(text: str, operation: str, operands: tuple[str, ...], targets: tuple[str, ...], parts: tuple[str, ...] = ()) -> Frame:
    named, narrowed = ([Span(one, text.find(one), text.find(one) + len(one)) for one in words] for words in (targets, parts))
    sure = {"figure": 0.9}
    return Frame(text, (), (), tuple(named), tuple(narrowed), operation, "money", "", (), sure, operands=operands)


def _told() -> Figure:
    """The gadgets' profit, told before."""
    fact = Fact("", "profit", 5e6, "5", "usd", None, dt.date(2024, 12, 31), source="table", start=7)
    return Figure("profit", Decimal(5_000_000), "usd", fact, ACME[2], Period(dt.date(2024, 12, 31), None, "FY2024"))


def test_operands_that_the_reader_tells_apart_come_first() -> None:
    frame = _frame("what of widget revenue went to rent", "share", ("rent", "widget revenue"), ("widget revenue", "rent"))
    assert told_apart(frame) == (("rent", ""), ("widget revenue", ""))
    assert operands_of(frame)[:2] == [(("rent", ""), ("widget revenue", "")), (("widget revenue", ""), ("rent", ""))]


def test_a_part_may_be_named_by_the_words_of_its_whole_only() -> None:
    frame = _frame("how much of the rent owed falls due in a year", "share", ("in a year", "rent owed"), ("rent owed", "a year"))
    assert (("rent owed", "in a year"), ("rent owed", "")) in operands_of(frame)


def test_an_operand_may_hold_its_part() -> None:
    text = "gadget sales per shop in Ohio"
    frame = _frame(text, "per_unit", ("gadget sales", "shop in Ohio"), ("sales", "shop"), ("gadget", "Ohio"))
    assert told_apart(frame) == (("sales", "gadget"), ("shop in", "Ohio"))


@pytest.mark.parametrize(("operation", "part"), [("margin", "gadget"), ("share", "")])
def test_a_margin_of_a_part_is_one_of_its_own_sales(operation: str, part: str) -> None:
    before = _frame("gadget profit", "lookup", (), ("profit",), ("gadget",))
    asked = _frame("what margin on sales?", operation, ("sales",), ("sales",))
    assert told_apart(replace(asked, carried=before, before="first")) == (("profit", "gadget"), ("sales", part))
    assert ways_with_told(replace(asked, carried=before), [_told()])[0] == (TOLD[0], ("sales", part))


def test_one_operand_may_be_what_was_asked_for_before() -> None:
    before = _frame("gadget sales", "lookup", (), ("sales",), ("gadget",))
    first = replace(_frame("as part of all sales?", "share", ("all sales",), ("all sales",)), carried=before, before="first")
    assert told_apart(first) == (("sales", "gadget"), ("all sales", ""))
    assert told_apart(replace(first, before="second")) == (("all sales", ""), ("sales", "gadget"))
    assert told_apart(replace(first, carried=None)) == ()


def test_where_nothing_is_named_there_is_one_way() -> None:
    assert _ways("how many were there", "lookup", ()) == [()]


def test_where_nothing_is_named_the_two_figures_before_are_meant() -> None:
    older = _frame("gadget sales", "lookup", (), ("sales",), ("gadget",))
    newer = replace(_frame("rent?", "lookup", (), ("rent",)), carried=older, behind=older)
    both = replace(_frame("add both up", "sum", (), ()), carried=newer, behind=newer).whole
    assert told_apart(both) == (("sales", "gadget"), ("rent", "gadget"))
    named = replace(_frame("net debt then", "difference", (), ("net debt",)), carried=newer, behind=newer)
    assert told_apart(named) == (), "it names a figure of its own"
    of_company = replace(newer, companies=(Span("Acme", 0, 4),))
    assert told_apart(replace(both, carried=of_company, behind=of_company)) == ()


def test_what_was_computed_before_is_one_operand_not_its_figures() -> None:
    before = _frame("rent plus wages", "sum", ("rent", "wages"), ("rent", "wages"))
    share = replace(_frame("as part of revenue", "share", ("revenue",), ("revenue",)), carried=before)
    assert rests_on_answer(share)
    assert operands_of(share) == [(BEFORE, ("revenue", "")), (("revenue", ""), BEFORE)]
    assert not rests_on_answer(replace(share, carried=replace(before, operation="growth"))), "it comes to no figure of one year"


def test_operands_cut_out_of_a_name_are_the_whole_name() -> None:
    frame = _frame("northern gadget sales over rent", "ratio", ("gadget", "rent"), ("sales", "rent"), ("northern gadget",))
    assert told_apart(frame)[0] == ("northern gadget", "")


def test_a_margin_after_another_is_no_ratio_of_the_two() -> None:
    before = _frame("operating margin", "margin", ("operating margin",), ("operating margin",))
    frame = replace(_frame("and gross margin?", "margin", ("gross margin",), ("gross margin",)), carried=before)
    assert not rests_on_answer(frame)
    assert [target.text for target in frame.whole.targets] == ["gross margin"]
    assert rests_on_answer(replace(frame, operation="share"))


def test_a_percentage_may_be_that_of_the_whole_of_its_part() -> None:
    ways = _ways("in money, what of the rent is Ohio", "product", ("rent",), ("Ohio",))
    assert ways[0] == (("rent", "Ohio"), ("rent", ""))


def test_a_quotient_after_a_quotient_is_over_something_else() -> None:
    before = _frame("sales per plant", "per_unit", ("sales", "plant"), ("sales", "plant"))
    frame = replace(_frame("and per worker?", "per_unit", ("worker",), ("worker",)), carried=before, before="first")
    assert operands_of(frame) == [(("sales", ""), ("worker", ""))]


@pytest.mark.parametrize(
    ("words", "joints", "listed"),
    [
        ("dividends plus buybacks", ADDED, ["dividends", "buybacks"]),
        ("dividends and buybacks", ADDED, []),
        ("dso dpo", ADDED, ["dso", "dpo"]),
        ("restructuring liabilities", ADDED, []),
        ("dividends plus wages of clowns", ADDED, []),
    ],
)
def test_names_of_metrics_are_a_list_only_where_nothing_else_is_said(
    words: str, joints: frozenset[str], listed: list[str]
) -> None:
    assert metrics_listed(words, vocabulary(), joints) == listed


@pytest.mark.parametrize(
    ("text", "target", "operation", "read_as"),
    [
        ("acme working capital 2031", "working capital", "difference", "lookup"),
        ("acme working capital 2031 vs the year before", "working capital", "difference", "difference"),
        ("acme change in working capital 2031", "working capital", "difference", "difference"),
        ("acme revenue 2031", "revenue", "difference", "difference"),
        ("acme current ratio 2031", "current ratio", "ratio", "ratio"),
    ],
)
def test_what_one_name_says_is_computed_by_its_formula(text: str, target: str, operation: str, read_as: str) -> None:
    frame = replace(_frame(text, operation, (), (target,)), operations={operation: 0.8, "lookup": 0.2})
    assert with_whole_names(frame, vocabulary()).operation == read_as


@pytest.mark.parametrize(("text", "takes"), [("and its current ratio?", False), ("what current ratio is that?", True)])
def test_a_ratio_that_is_named_takes_nothing_from_the_question_before(text: str, *, takes: bool) -> None:
    before = _frame("acme payables", "lookup", (), ("payables",))
    frame = replace(_frame(text, "ratio", (), ("current ratio",)), carried=before)
    whole = with_whole_names(frame, vocabulary())
    assert (whole.carried is not None) is takes
    assert takes or whole.answer == "ratio"


def test_two_parts_are_none_over_the_other_of_a_total() -> None:
    of_total = _ways("north + south revenue as % of total", "share", ("revenue",), ("north", "south"))
    of_one = _ways("north as % of south revenue", "share", ("revenue",), ("north", "south"))
    both = (("revenue", "north"), ("revenue", "south"))
    assert both not in of_total
    assert both in of_one


@pytest.mark.parametrize(
    ("text", "target", "before", "parts"),
    [
        ("inventory of it", "inventory", "price of Zorbco", ["price of Zorbco"]),
        ("inventory of it all", "inventory", "price of Zorbco", []),
        ("inventory of it", "inventory", "revenue", []),
        ("employees at that", "employees", "price of Zorbco", []),
        ("fleet of that", "fleet", "price of Zorbco", []),
    ],
)
def test_a_metric_of_what_was_asked_about_before_is_of_that(text: str, target: str, before: str, parts: list[str]) -> None:
    first = Frame(before, (), (), (Span(before, 0, len(before)),), (), "lookup", "money", "", (), {"figure": 0.9})
    frame = Frame(text, (), (), (Span(target, 0, len(target)),), (), "lookup", "money", "", (), {"figure": 0.9}, carried=first)
    assert [one.text for one in matter_of_before(frame, vocabulary())] == parts
    assert not matter_of_before(replace(frame, carried=None), vocabulary())
