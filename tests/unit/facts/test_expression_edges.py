"""What an expression may hold, how deep it may go, and how it is written back."""

from __future__ import annotations

from decimal import Decimal

import pytest

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
    rewrite,
    shift,
    write,
)
from fin_tui.facts.figures import Unit

FIGURES: dict[str, Measure] = {
    "usd": Measure(Decimal(6), "usd"),
    "shares": Measure(Decimal(2), "shares"),
    "price": Measure(Decimal(3), "usd/share"),
    "days": Measure(Decimal(365), "days"),
    "count": Measure(Decimal(4), "count"),
    "rate": Measure(Decimal(50), "%"),
    "zero": Measure(Decimal(0), "usd"),
    "loss": Measure(Decimal(-8), "usd"),
    "endless": Measure(Decimal("Infinity"), "usd"),
}


def value(text: str, unit: Unit | None = None) -> tuple[Decimal, Unit]:
    found = evaluate(parse(text), lambda name: FIGURES[name.name], unit=unit)
    return found.value, found.unit


def fails(text: str) -> str:
    with pytest.raises(CalculationError) as caught:
        value(text)
    return caught.value.message


def plain(name: Name) -> str:
    return name.name + "'" * name.back


@pytest.mark.parametrize(
    ("text", "result", "unit"),
    [
        ("usd * 2", "12", "usd"),
        ("2 * usd", "12", "usd"),
        ("usd / shares", "3", "usd/share"),
        ("price * shares", "6", "usd"),
        ("usd / price", "2", "shares"),
        ("usd / usd", "1", "ratio"),
        ("usd + usd", "12", "usd"),
        ("usd - loss", "14", "usd"),
        ("usd + 0", "6", "usd"),
        ("0 + usd", "6", "usd"),
        ("max(usd, 0)", "6", "usd"),
        ("max(0, usd)", "6", "usd"),
        ("sum(0, usd, 0)", "6", "usd"),
        ("0 - usd", "-6", "usd"),
        ("rate", "0.5", "ratio"),
        ("rate * usd", "3.0", "usd"),
        ("days / count", "91.25", "ratio"),
        ("1 - 25%", "0.75", "ratio"),
        ("usd ^ 2 / usd", "6", "usd"),
        ("(usd / shares) ^ 1", "3", "usd/share"),
        ("usd ^ 0", "1", "ratio"),
        ("4 ^ 0.5", "2.0", "ratio"),
        ("count ^ -1", "0.25", "ratio"),
        ("(0 - 2) ^ 3", "-8", "ratio"),
        ("1 ^ 0", "1", "ratio"),
        ("0 ^ 2", "0", "ratio"),
        ("0.5 ^ 2", "0.25", "ratio"),
        ("(1 / 4) ^ (1 / 2)", "0.5", "ratio"),
        ("shares ^ 2 / shares", "2", "shares"),
        ("sum(usd)", "6", "usd"),
        ("sum(1, 2, 3)", "6", "ratio"),
        ("avg(usd, usd + usd, 0 * usd)", "6", "usd"),
        ("min(3, 2)", "2", "ratio"),
        ("min(usd, loss)", "-8", "usd"),
        ("max(usd, loss)", "6", "usd"),
        ("abs(loss)", "8", "usd"),
        ("opt(usd)", "6", "usd"),
        ("-loss", "8", "usd"),
        ("--2", "2", "ratio"),
        ("2 - -2", "4", "ratio"),
        ("zero / usd", "0", "ratio"),
    ],
)
def test_values_and_units(text: str, result: str, unit: Unit) -> None:
    assert value(text) == (Decimal(result), unit)


@pytest.mark.parametrize(
    ("text", "asked", "result", "unit"),
    [
        ("usd / usd", "%", "100", "%"),
        ("usd / usd", "days", "1", "days"),
        ("usd / usd", "ratio", "1", "ratio"),
        ("usd / usd", "usd", "1", "ratio"),
        ("usd", "%", "6", "usd"),
        ("days", "count", "365", "count"),
        ("rate", "%", "50.0", "%"),
    ],
)
def test_a_unit_is_given_only_to_what_has_none(text: str, asked: Unit, result: str, unit: Unit) -> None:
    assert value(text, asked) == (Decimal(result), unit)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("usd + shares", "The calculation adds or compares dollars and shares."),
        ("usd - price", "The calculation adds or compares dollars and dollars per share."),
        ("usd + 1", "The calculation adds or compares dollars and a plain number."),
        ("max(usd, shares)", "The calculation adds or compares dollars and shares."),
        ("avg(1, 2, usd)", "The calculation adds or compares a plain number and dollars."),
        ("usd + usd * usd", "The calculation adds or compares dollars and another unit."),
        ("usd + zero / shares", "The calculation adds or compares dollars and dollars per share."),
        ("usd * usd", "The calculation mixes dollars and shares in a way that has no unit."),
        ("usd / zero", "The calculation divides by zero."),
        ("1 / 0", "The calculation divides by zero."),
        ("0 ^ 0", "The calculation divides by zero."),
        ("0 ^ -1", "The calculation divides by zero."),
        ("(0 - 4) ^ 0.5", "A root of a negative figure has no value."),
        ("usd ^ 0.5", "Only plain numbers can be raised to a power that is not whole."),
        ("2 ^ usd", "Only plain numbers can be raised to a power that is not whole."),
        ("endless + usd", "endless is not a finite number."),
        ("9 ^ 9 ^ 9 ^ 9", "The calculation's result is too large."),
    ],
)
def test_what_has_no_meaning_says_why(text: str, told: str) -> None:
    assert fails(text) == told


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("", "Expected a number or a name, found 'the end'.", ""),
        ("1 +", "Expected a number or a name, found 'the end'.", ""),
        ("* 2", "Expected a number or a name, found '*'.", ""),
        ("1 2", "Unexpected '2' in the expression.", ""),
        ("(1", "Expected ')', found 'the end'.", ""),
        ("(1 2", "Expected ')', found '2'.", ""),
        ("sum(1", "Expected ')', found 'the end'.", ""),
        ("1 # 2", "Can't read '# 2' in the expression.", "Use numbers, names, + - * / ^ and ( )."),
        ("exec(1)", "Unknown function 'exec'.", "Known: abs, avg, max, min, opt, prior, sum."),
        ("prior(1, 2)", "prior() takes one argument.", ""),
        ("abs(1, 2)", "abs() takes one argument.", ""),
        ("opt(1, 2)", "opt() takes one argument.", ""),
        ("1" * 2_001, "The expression is too long.", "At most 2000 characters."),
        ("(" * 60, "The expression is nested too deeply.", ""),
    ],
)
def test_what_cannot_be_read_says_why(text: str, message: str, hint: str) -> None:
    with pytest.raises(CalculationError) as caught:
        parse(text)
    assert (caught.value.message, caught.value.hint) == (message, hint)


@pytest.mark.parametrize(("opening", "closing"), [("(", ")"), ("-", ""), ("sum(", ")"), ("sum(1,", ")"), ("1^", "")])
def test_depth_is_counted_by_ones(opening: str, closing: str) -> None:
    parse(opening * 40 + "1" + closing * 40)
    with pytest.raises(CalculationError, match="nested too deeply"):
        parse(opening * 41 + "1" + closing * 41)


def test_the_longest_expression_is_read() -> None:
    assert parse("1" * 2_000) == Number(Decimal("1" * 2_000))


def test_function_names_are_read_in_any_case() -> None:
    assert parse("SUM(a, B)") == Call("sum", (Name("a"), Name("B")))


A, B = Name("a"), Name("b", 1)


@pytest.mark.parametrize(
    ("node", "moved", "found"),
    [
        (A, Name("a", 2), [A]),
        (Number(Decimal(1)), Number(Decimal(1)), []),
        (Negative(A), Negative(Name("a", 2)), [A]),
        (Binary("-", A, B), Binary("-", Name("a", 2), Name("b", 3)), [A, B]),
        (Call("sum", (A, B, A)), Call("sum", (Name("a", 2), Name("b", 3), Name("a", 2))), [A, B, A]),
    ],
)
def test_names_are_found_moved_and_replaced(node: Node, moved: Node, found: list[Name]) -> None:
    assert shift(node, 2) == moved
    assert shift(node, 0) is node
    assert list(names(node)) == found
    assert rewrite(node, lambda name: name) == node


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("prior(a)", Name("a", 1)),
        ("prior(prior(a))", Name("a", 2)),
        ("avg(a)", Call("avg", (A, Name("a", 1)))),
        ("avg(prior(a))", Call("avg", (Name("a", 1), Name("a", 2)))),
        ("avg(a, b)", Call("avg", (A, Name("b")))),
        ("-prior(a)", Negative(Name("a", 1))),
        ("sum(prior(a), 1)", Call("sum", (Name("a", 1), Number(Decimal(1))))),
        ("prior(a - 2)", Binary("-", Name("a", 1), Number(Decimal(2)))),
    ],
)
def test_years_are_settled(text: str, tree: Node) -> None:
    assert parse(text) == tree


@pytest.mark.parametrize(
    "text",
    [
        "a + b - c",
        "a - (b - c)",
        "(a + b) * c",
        "a / (b * c)",
        "a * b / c",
        "-a",
        "-(a + b)",
        "-(-a)",
        "(-a) ^ 2",
        "-a ^ 2",
        "a ^ b ^ c",
        "(a ^ b) ^ c",
        "sum(a, -b)",
        "a * -b",
        "12.50 * a",
        "a ^ -b",
    ],
)
def test_an_expression_is_written_with_as_few_brackets_as_it_needs(text: str) -> None:
    written = write(parse(text), plain)
    assert parse(written) == parse(text)
    assert len(written) <= len(text) + 2
    assert "((" not in written


def test_how_it_is_written() -> None:
    assert write(parse("(a-(b-c))*d^2"), plain) == "(a - (b - c)) * d ^ 2"
    assert write(parse("0.00000001"), plain) == "0.00000001"
    assert write(Number(Decimal("1E+3")), plain) == "1000"
    assert write(parse("a + prior(b)"), plain) == "a + b'"
    below = {"a": "-5", "b": "7"}
    assert write(parse("a ^ 2 - b"), lambda name: below[name.name]) == "(-5) ^ 2 - 7"
    assert write(parse("b ^ 2 - a"), lambda name: below[name.name]) == "7 ^ 2 - (-5)"
