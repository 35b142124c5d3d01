from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation, localcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fin_tui.facts.expression import (
    Binary,
    CalculationError,
    Call,
    Measure,
    Name,
    Negative,
    Node,
    Number,
    evaluate,
    names,
    parse,
    shift,
    write,
)
from fin_tui.facts.figures import Unit

USD: dict[str, Measure] = {
    "sales": Measure(Decimal(391035000000), "usd"),
    "before": Measure(Decimal(383285000000), "usd"),
    "shares": Measure(Decimal(15000000000), "shares"),
    "price": Measure(Decimal("2.50"), "usd/share"),
    "rate": Measure(Decimal("24.1"), "%"),
    "nothing": Measure(Decimal(0), "usd"),
    "loss": Measure(Decimal(-500), "usd"),
}


def value(text: str, unit: Unit | None = None) -> Measure:
    return evaluate(parse(text), lambda name: USD[name.name], unit=unit)


def test_growth_in_percent() -> None:
    growth = value("sales / before - 1", "%")
    assert growth.unit == "%"
    assert round(growth.value, 4) == Decimal("2.0220")


@pytest.mark.parametrize(
    ("text", "unit", "result"),
    [
        ("sales - before", "usd", Decimal(7750000000)),
        ("sales / shares", "usd/share", Decimal("26.069")),
        ("price * shares", "usd", Decimal(37500000000)),
        ("rate + 10%", "ratio", Decimal("0.341")),
        ("365 * before / sales", "ratio", Decimal("357.7660055")),
        ("avg(sales, before)", "usd", Decimal(387160000000)),
        ("sum(sales, before, loss)", "usd", Decimal(774319999500)),
        ("max(sales, before)", "usd", Decimal(391035000000)),
        ("abs(loss)", "usd", Decimal(500)),
        ("(sales / before) ^ (1 / 2) - 1", "ratio", Decimal("0.01005937488")),
        ("-loss", "usd", Decimal(500)),
        ("2 ^ 3 ^ 2", "ratio", Decimal(512)),
        ("-2 ^ 2", "ratio", Decimal(-4)),
        ("8 - 3 - 2", "ratio", Decimal(3)),
    ],
)
def test_units_and_values(text: str, unit: Unit, result: Decimal) -> None:
    measured = value(text)
    assert measured.unit == unit
    assert abs(measured.value - result) <= abs(result) * Decimal("1e-6")


@pytest.mark.parametrize(
    "text",
    [
        "sales + shares",
        "sales - 1",
        "sales / nothing",
        "loss ^ 0.5",
        "max(sales, shares)",
        "sales * sales",
        "(loss/before) ^ (1/3)",
    ],
)
def test_what_has_no_meaning_is_an_error(text: str) -> None:
    with pytest.raises(CalculationError):
        value(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 +",
        "(1",
        "1)",
        "1 2",
        "open('x')",
        "a.b",
        "a[0]",
        "prior(a, b)",
        "__import__(a)",
        "1 ** 2",
        "a; b",
        "(" * 300 + "1" + ")" * 300,
    ],
)
def test_what_is_no_expression_is_an_error(text: str) -> None:
    with pytest.raises(CalculationError):
        parse(text)


def test_a_huge_power_is_an_error_and_not_a_hang() -> None:
    with pytest.raises(CalculationError):
        value("9 ^ 9 ^ 9 ^ 9")


def test_averages_and_the_year_before_become_figures_of_years() -> None:
    node = parse("cogs / avg(inventory) - prior(prior(x))")
    assert [(name.name, name.back) for name in names(node)] == [("cogs", 0), ("inventory", 0), ("inventory", 1), ("x", 2)]
    assert [name.back for name in names(shift(node, 3))] == [3, 3, 4, 5]


def _trees(leaves: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    def grow(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        return st.one_of(
            st.builds(Negative, inner),
            st.builds(Binary, st.sampled_from(["+", "-", "*", "/"]), inner, inner),
            st.builds(lambda parts: Call("avg", tuple(parts)), st.lists(inner, min_size=2, max_size=3)),
        )

    return st.recursive(leaves, grow, max_leaves=8)


NUMBERS = st.decimals(min_value=0, max_value=10**9, places=3, allow_nan=False).map(Number)
TREES = _trees(st.one_of(NUMBERS, st.sampled_from(["a", "b", "c"]).map(Name)))
PLAIN = {"a": Decimal(3), "b": Decimal("-0.5"), "c": Decimal(0)}


def plain(name: Name) -> Measure:
    return Measure(PLAIN[name.name], "ratio")


def independent(node: Node) -> Decimal:
    """The value by plain decimal arithmetic, without units."""
    match node:
        case Number(value=number):
            return number
        case Name(name=name):
            return PLAIN[name]
        case Negative(of=of):
            return -independent(of)
        case Call(arguments=arguments):
            return sum((independent(part) for part in arguments), Decimal(0)) / len(arguments)
        case Binary(operator=operator, left=left, right=right):
            one, other = independent(left), independent(right)
            work: dict[str, Callable[[], Decimal]] = {
                "+": lambda: one + other, "-": lambda: one - other, "*": lambda: one * other, "/": lambda: one / other,
            }  # fmt: skip
            return work[operator]()


@settings(max_examples=150, deadline=None)
@given(TREES)
def test_evaluates_as_decimal_arithmetic_does(node: Node) -> None:
    with localcontext() as context:
        context.prec = 34
        try:
            wanted = independent(node)
        except (InvalidOperation, ZeroDivisionError):
            wanted = None
    if wanted is None:
        with pytest.raises(CalculationError):
            evaluate(node, plain)
    else:
        assert evaluate(node, plain).value == wanted


@settings(max_examples=150, deadline=None)
@given(TREES)
def test_what_is_written_reads_back_to_the_same_value(node: Node) -> None:
    again = parse(write(node, lambda name: name.name))
    try:
        wanted = evaluate(node, plain).value
    except CalculationError:
        with pytest.raises(CalculationError):
            evaluate(again, plain)
    else:
        assert evaluate(again, plain).value == wanted


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        node = parse(text)
    except CalculationError:
        return
    assert write(node, lambda name: name.name)


@pytest.mark.parametrize(
    ("text", "unit"), [("a - b", "count"), ("sum(a, b)", "count"), ("a / b", "ratio"), ("a / b - 1", "ratio")]
)
def test_things_added_up_or_set_apart_are_a_number_of_things(text: str, unit: Unit) -> None:
    things = {"a": Measure(Decimal(40), "count"), "b": Measure(Decimal(30), "count")}
    assert evaluate(parse(text), lambda name: things[name.name]).unit == unit


@pytest.mark.parametrize(
    ("text", "asked", "result", "unit"),
    [
        ("things * price", "usd", "10", "usd"), ("shares * price", None, "37500000000", "usd"),
        ("shares * loss", "usd", "-7500000000000", "usd"), ("things * rate", "count", "0.964", "count"),
        ("rate * loss", "usd", "-120.5", "usd"),
        ("price + price", "usd", "5.00", "usd/share"),
    ],
)  # fmt: skip
def test_what_so_many_cost_at_a_price_each_is_told_in_dollars(text: str, asked: Unit | None, result: str, unit: Unit) -> None:
    known = {**USD, "things": Measure(Decimal(4), "count")}
    assert evaluate(parse(text), lambda name: known[name.name], unit=asked) == Measure(Decimal(result), unit)
