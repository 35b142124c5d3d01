"""Whether figures and what is computed of them are all that a question names."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import cast

import pytest

from fin_tui.engine.figures.answer import FigureAnswer
from fin_tui.engine.figures.fitting import (
    are_of_one_row,
    can_be_multiplied,
    fits,
    is_end_of,
    is_moved,
    is_share,
    is_sum_of_lines,
    is_times,
    leaves_basis,
    leaves_out,
    leaves_quarter,
    mixes_wholes,
    names_share,
    numbered_names,
    says_formula,
    tells_of,
    tells_part,
    uses_all_named,
)
from fin_tui.engine.figures.framed import set_apart
from fin_tui.engine.figures.grid import Grid
from fin_tui.engine.figures.ground import Cell, Grounded
from fin_tui.engine.frame.reader import Span
from fin_tui.engine.questions.target import Subject
from fin_tui.engine.questions.wanted import Item, Part, Reading
from fin_tui.facts import vocabulary
from fin_tui.facts.expression import Binary, Measure, Name
from fin_tui.records import CalculationRecord
from tests.unit.engine.figures.book import ACME, ask, understood
from tests.unit.engine.figures.test_framed import _answered, _figure, _frame, _told


def test_a_formula_that_the_question_says_is_told_apart_from_a_share() -> None:
    names = vocabulary()
    cash, capex = names.get("operating_cash_flow"), names.get("capex")
    assert cash is not None
    assert capex is not None
    items = {"a": Item(cash), "b": Item(capex)}
    less = Reading((Part(Binary("-", Name("a"), Name("b")), "cash less capex", "usd"),), items)
    assert says_formula(less)
    assert not says_formula(Reading((Part(Binary("/", Name("a"), Name("b")), "share", "%"),), items))
    assert not says_formula(replace(less, items={**items, "b": Item(capex, phrase="hatch")}))
    assert not says_formula(Reading((Part(Name("a"), "cash", "usd"),), items))


@pytest.mark.parametrize(
    ("follow_up", "left_out"), [("and what remains beyond capex?", True), ("and as revenue?", False), ("and in 2023?", False)]
)
def test_an_answer_to_a_follow_up_tells_of_a_figure_that_this_names(follow_up: str, left_out: bool) -> None:
    answer = ask("What was Acme's revenue in fiscal 2024?")
    assert isinstance(answer, FigureAnswer)
    before = _frame("Acme's revenue", "lookup", targets=("revenue",), answer="money")
    frame = replace(_frame(follow_up, "difference", targets=(), answer="money"), carried=before)
    assert leaves_out(answer, frame, vocabulary()) is left_out
    assert not leaves_out(answer, replace(frame, carried=None), vocabulary())


def test_a_figure_of_the_year_is_none_of_a_quarter_that_is_asked_about() -> None:
    answer = ask("What was Acme's revenue in fiscal 2024?")
    asked = understood("What was Acme's revenue in the Christmas quarter of fiscal 2024?").question
    assert leaves_quarter(answer, asked)
    assert leaves_quarter(answer, replace(asked, text="What was Acme's revenue that qtr?"))
    assert not leaves_quarter(answer, understood("What was Acme's revenue in fiscal 2024?").question)
    assert not leaves_quarter(answer, understood("What was Acme's revenue in Q2 of fiscal 2024?").question)


@pytest.mark.parametrize(
    ("asked", "leaves"),
    [
        ("adjusted revenue of Acme 2024", True),
        ("Acme revenue without the one-time grant", True),
        ("non-GAAP revenue, Acme 2024", True),
        ("split-adjusted revenue", False),
        ("Acme revenue w services 2024", False),
        ("Acme revenue leaving out the grant", True),
        ("Acme revenue 2024", False),
    ],
)
def test_a_figure_of_the_statements_is_none_on_another_basis(asked: str, *, leaves: bool) -> None:
    answer = ask("What was Acme's revenue in fiscal 2024?")
    assert leaves_basis(answer, _frame(asked, "lookup", targets=("revenue",))) is leaves


def test_what_a_row_leaves_out_or_a_calculation_takes_off_is_on_the_basis_asked_for() -> None:
    plain, frame = (
        ask("What was Acme's revenue in fiscal 2024?"),
        _frame("revenue excluding Rockets", "lookup", targets=("revenue",)),
    )
    row = replace(plain, facts=({**plain.facts[0], "label": "Revenue excluding rockets"},))
    assert not leaves_basis(row, frame)
    taken = ask("What was Acme's revenue excluding Rockets in fiscal 2024?")
    assert not leaves_basis(taken, frame)


def test_the_sum_of_lines_of_one_figure_is_that_figure() -> None:
    debt = vocabulary().get("total_debt")
    reading = Reading((Part(Name("x"), "total debt"),), {"x": Item(debt)})
    assert debt is not None
    found = ask("How much did Acme's revenue change from 2022 to 2024?")
    assert found.calculation is not None
    inputs = {name: {**one, "item": "total_debt"} for name, one in found.calculation["inputs"].items()}
    lines = replace(found, calculation=cast("CalculationRecord", {**found.calculation, "inputs": inputs}))
    assert is_sum_of_lines(lines, reading)
    assert not is_sum_of_lines(found, reading)
    assert not is_sum_of_lines(replace(lines, calculation=None), reading)


def test_two_figures_are_no_answer_where_one_is_called_by_both_names() -> None:
    both = ask("What were Acme's revenue and net income in fiscal 2024?")
    assert not fits(both, _frame("sales in cash", "lookup", targets=("sales in cash",), answer="money"))
    assert fits(both, _frame("revenue and net income", "lookup", targets=("revenue", "net income"), answer="money"))
    assert fits(both, _frame("revenue and net income", "lookup", targets=("revenue and net income",), answer="money"))


@pytest.mark.parametrize(
    ("part", "other", "mixes"), [("Rockets", "", True), ("Rockets", "Rockets", False), ("", "", False), ("booming", "", False)]
)
def test_a_figure_of_a_part_is_not_set_over_one_of_the_whole_company(part: str, other: str, *, mixes: bool) -> None:
    names = vocabulary()
    items = {"a": Item(names.get("net_income"), part), "b": Item(names.get("revenue"), other)}
    reading = Reading((Part(Binary("/", Name("a"), Name("b")), "margin", "%"),), items)
    asked = _frame("Rockets net income as a share of its sales", "share", targets=("net income", "sales"), answer="percent")
    frame = replace(asked, parts=(Span("Rockets", 0, 7),))
    assert mixes_wholes(reading, frame) is mixes
    assert not mixes_wholes(replace(reading, items={**items, "b": Item(names.get("net_income"))}), frame)


def test_what_is_computed_uses_every_figure_that_is_named() -> None:
    names = vocabulary()
    dividends, income = names.get("dividends_paid"), names.get("net_income")
    assert dividends is not None
    assert income is not None
    reading = Reading((Part(Binary("/", Name("a"), Name("b")), "share", "%"),), {"a": Item(dividends), "b": Item(income)})
    figures = [_answered("dividends paid", 40), _answered("net income", 90)]
    assert uses_all_named(_frame("dividends as a share of net income", "share", targets=()), reading, figures, names)
    both = _frame("buybacks plus dividends as a share of net income", "share", targets=())
    assert not uses_all_named(both, reading, figures, names)
    assert uses_all_named(both, reading, [*figures, replace(figures[0], row="Share repurchases")], names)


def test_a_level_is_not_how_far_it_moved() -> None:
    moved = ask("How much did Acme's revenue change in fiscal 2024?")
    assert isinstance(moved, FigureAnswer)
    reading = Reading((Part(Name("revenue"), "revenue"),), {}, over="change")
    ends = [float(fact["value"]) for fact in moved.facts if fact["value"] is not None]
    assert is_moved(moved, reading)
    assert not is_moved(moved, replace(reading, over="point"))
    assert is_end_of(ends[0], moved)
    assert not is_end_of(ends[0] * 3, moved)


def test_what_a_share_brings_is_multiplied_by_shares_alone() -> None:
    dividend = replace(_answered("dividends", 2), unit="usd/share", row="Dividends declared per share")
    shares, staff = replace(_answered("shares", 900), unit="shares"), replace(_answered("employees", 900), unit="count")
    assert can_be_multiplied((dividend, shares))
    assert not can_be_multiplied((dividend, staff))


def test_a_figure_of_one_of_two_parts_set_side_by_side_is_not_that_of_both() -> None:
    figures = [replace(_answered("Rockets net sales", 40), row="Rockets net sales")]
    parts = (Span("Rockets", 0, 7), Span("Sleds", 11, 16))
    asked = replace(_frame("Rockets vs Sleds net sales", "compare", targets=("net sales",)), parts=parts)
    assert not tells_part(figures, asked)
    assert tells_part([*figures, replace(figures[0], row="Sleds net sales")], asked)
    assert tells_part(figures, replace(asked, operation="lookup"))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("unfilled 800 orders", ("800",)),
        ("XB-12C charges", ("XB-12C",)),
        ("notes due 2050", ()),
        ("spending above 500 million", ()),
        ("within 12 months", ()),
        ("10-K", ()),
        ("stake of 100%", ()),
        ("how many F-35? percent of sales", ("F-35",)),
        ("cost of 401(k) plans", ("401",)),
        ("growth of 215 percent", ()),
        ("FY23 margin in Q4", ()),
    ],
)
def test_models_are_called_by_numbers(text: str, names: tuple[str, ...]) -> None:
    frame = _frame(text, "lookup", targets=(text,))
    assert numbered_names(frame) == names
    assert tells_of([_figure("800 | Undelivered")], numbered_names(frame)) is (names in ((), ("800",)))


@pytest.mark.parametrize(
    ("operation", "years", "across"),
    [
        ("compare", ((2024,), (2024,)), "difference"),
        ("difference", ((2024,), (2023,)), "difference"),
        ("compare", ((2023, 2024), (2023, 2024)), "each"),
        ("compare", ((2024,), (2024,), (2024,)), "each"),
        ("lookup", ((2024,), (2024,)), "each"),
    ],
)
def test_two_companies_side_by_side_are_told_with_how_far_apart_they_are(
    operation: str, years: tuple[tuple[int, ...], ...], across: str
) -> None:
    whose = [Subject("Acme Corp.", ACME, of) for of in years]
    reading = Reading((Part(Name("x"), "revenue"),), {"x": Item(vocabulary().get("revenue"))})
    frame = _frame("Acme vs Globex revenue", operation, targets=("revenue",))
    assert set_apart(reading, whose, frame).across == across
    assert set_apart(replace(reading, yes_no=True), whose, frame).across == "each"


@pytest.mark.parametrize(
    ("other", "is_one"), [("Rent | Due in 2023 | Leases", True), ("Benefit obligation | Pension plans", False)]
)
def test_years_that_are_told_together_stand_in_rows_of_like_words(other: str, *, is_one: bool) -> None:
    part = Part(Name("x0"), "rent", None)
    figures = [
        replace(_answered("rent", 40, year), row=row, sure=0.9)
        for year, row in ((2023, other), (2024, "Rent | Due in 2024 | Leases"))
    ]
    figures[1] = replace(figures[1], fact=replace(figures[1].fact, start=9))
    cells = tuple(Cell(part, "Acme", 2024, grounded=Grounded(Name("f0"), [figure], ["rent"])) for figure in figures)
    assert are_of_one_row(Grid(Reading((part,), {}), cells)) is is_one
    assert not are_of_one_row(Grid(Reading((part,), {}), cells[1:] * 2))  # One place is told of one year.


def test_a_follow_up_that_only_computes_is_answered_by_no_figure_told() -> None:
    before = _frame("rent", "lookup", targets=("rent",), answer="money")
    both = replace(_frame("add both up", "sum", targets=(), answer="money"), carried=before)
    assert not fits(_told("Acme's rent was $5.", "Rent", 5.0), both)
    assert fits(_told("Acme's rent was $5.", "Rent", 5.0), replace(both, operation="lookup"))


def test_what_a_formula_gives_of_one_year_is_no_change() -> None:
    before = _frame("net margin", "lookup", targets=("net margin",), answer="money")
    moved = replace(_frame("up by how much on the year before?", "growth", targets=(), answer="money"), carried=before)
    of_year = ask("What was Acme's net margin in 2024?")
    assert of_year.calculation is not None
    assert not fits(of_year, replace(moved, answer="percent"))
    assert fits(of_year, replace(moved, operation="lookup", answer="percent"))
    taken_off = replace(moved, operation="difference", answer="percent")
    assert fits(of_year, replace(taken_off, question="and the margin then?"))
    assert not fits(of_year, replace(taken_off, question="what was the change?"))
    assert fits(ask("How did Acme's net margin change from 2023 to 2024?"), replace(moved, answer="percent"))


@pytest.mark.parametrize(("label", "may_be"), [("Rockets backlog", True), ("Rockets", False)])
def test_a_row_called_like_a_part_may_be_of_another_matter(label: str, *, may_be: bool) -> None:
    before = _frame("total backlog", "lookup", targets=("total backlog",), answer="money")
    part = _frame("and Rockets?", "lookup", targets=(), answer="money")
    part = replace(part, parts=(Span("Rockets", 4, 11),), carried=before)
    answer = _told("Acme's Rockets were $5 at the year's end.", label, 5.0)
    answer = replace(answer, facts=({**answer.facts[0], "concept": "table:x"},))
    assert fits(answer, part) is may_be


@pytest.mark.parametrize(("value", "times"), [("315", True), ("31", False)])
def test_more_than_all_of_a_figure_is_so_many_times_it(value: str, *, times: bool) -> None:
    part = Part(Binary("/", Name("a"), Name("b")), "debt to earnings", "%")
    cell = Cell(part, "Acme", 2024, measure=Measure(Decimal(value), "%"))
    reading = Reading((part,), {})
    assert is_times(Grid(reading, (cell,)), reading) is times
    assert not is_times(Grid(reading, (cell,)), replace(reading, over="growth"))


@pytest.mark.parametrize(
    ("label", "is_named"),
    [
        ("R&D expenses as a percentage of net sales", True),
        ("Research and development, percent of revenue", True),
        ("R&D expenses of Rockets as a percentage of net sales", False),
        ("R&D expenses as a percentage of gross profit", False),
        ("R&D expenses over net sales", False),
    ],
)
def test_a_row_may_be_the_share_of_two_named_figures(label: str, *, is_named: bool) -> None:
    names = vocabulary()
    items = {"a": Item(names.get("research_and_development")), "b": Item(names.get("revenue"))}
    reading = Reading((Part(Binary("/", Name("a"), Name("b")), "share", "%"),), items)
    assert is_share(reading)
    assert names_share(label, reading) is is_named
    assert not is_share(replace(reading, items={**items, "b": Item(names.get("revenue"), phrase="Rockets")}))
    assert not is_share(replace(reading, over="growth"))


@pytest.mark.parametrize(("label", "leaves"), [("Hall", True), ("Charge for a hall", False)])
def test_an_answer_to_a_follow_up_tells_of_its_own_words(label: str, *, leaves: bool) -> None:
    before = _frame("which hall closes", "list", targets=("hall",), answer="name")
    frame = replace(_frame("what's the charge", "lookup", targets=(), answer="money"), left_over=("charge",), carried=before)
    answer = _told("Acme's hall was $5.", label, 5.0)
    answer = replace(answer, facts=({**answer.facts[0], "concept": "table:x"},))
    assert leaves_out(answer, frame, vocabulary()) is leaves
