"""Notation of numbers and the edges of their comparison."""

from __future__ import annotations

from decimal import Decimal

import pytest

from fin_tui.engine.evidence.compare import Bound, compare, compare_bounded, last_digit, significant_digits
from fin_tui.engine.evidence.numbers import Number, agrees, find_numbers
from fin_tui.engine.evidence.verify import numbers_unsupported


def one(text: str) -> Number:
    (number,) = find_numbers(text)
    return number


@pytest.mark.parametrize(
    ("text", "value", "accuracy", "kind", "scaled"),
    [
        ("1,234,567", "1234567", "0.5", "plain", False),
        ("12.50", "12.50", "0.005", "plain", False),
        ("$1.2 billion", "1.2e9", "5e7", "money", True),
        ("$3 million", "3e6", "5e5", "money", True),
        ("$5 thousand", "5000", "500", "money", True),
        ("$2 trillion", "2e12", "5e11", "money", True),
        ("$7mm", "7e6", "5e5", "money", True),
        ("$7mn", "7e6", "5e5", "money", True),
        ("$7mln", "7e6", "5e5", "money", True),
        ("$7bln", "7e9", "5e8", "money", True),
        ("$7tn", "7e12", "5e11", "money", True),
        ("$7K", "7000", "500", "money", True),
        ("$7M", "7e6", "5e5", "money", True),
        ("$7B", "7e9", "5e8", "money", True),
        ("$7T", "7e12", "5e11", "money", True),
        ("€7.5 million", "7.5e6", "5e4", "money", True),
        ("£ 12", "12", "0.5", "money", False),
        ("US$ 12", "12", "0.5", "money", False),
        (".5%", "0.5", "0.05", "percent", False),
        ("3 percentage points", "3", "0.5", "percent", False),
        ("(5)", "-5", "0.5", "plain", False),
        ("(5", "5", "0.5", "plain", False),
        ("$(5.5)", "-5.5", "0.05", "money", False),
        ("($5.5)", "-5.5", "0.05", "money", False),
        ("-$5", "-5", "0.5", "money", False),
        ("−5", "-5", "0.5", "plain", False),
        ("negative 5", "-5", "0.5", "plain", False),
        ("minus $5", "-5", "0.5", "money", False),
        ("1.2x", "1.2", "0.05", "plain", False),
    ],
)
def test_notations(text: str, value: str, accuracy: str, kind: str, scaled: bool) -> None:
    number = one(text)
    assert (number.value, number.accuracy) == (Decimal(value), Decimal(accuracy))
    assert (number.kind, number.scaled) == (kind, scaled)


@pytest.mark.parametrize("text", ["A1", "Q1", "10-K", "5th", "3D", "non-5", "a-7", "7-day", "2xy", "No7"])
def test_digits_of_a_word(text: str) -> None:
    assert list(find_numbers(text)) == []


@pytest.mark.parametrize(("text", "values"), [("7M", []), ("7 M", [7]), ("from 5 to 6", [5, 6]), ("x 7", [7])])
def test_a_letter_behind_a_bare_number_is_no_scale(text: str, values: list[int]) -> None:
    assert [abs(int(number.value)) for number in find_numbers(text)] == values


def test_where_a_number_stands() -> None:
    number = one("rose by $ 5.5 million in all")
    assert (number.start, number.end, number.text) == (8, 21, "$ 5.5 million")
    bare = one("rose by 5.5% in all")
    assert (bare.start, bare.end, bare.text) == (8, 12, "5.5%")


@pytest.mark.parametrize(
    ("text", "is_year"),
    [
        ("1999", True),
        ("2024", True),
        ("1899", False),
        ("2100", False),
        ("2,024", False),
        ("$2024", False),
        ("2024%", False),
        ("2024 million", False),
    ],
)
def test_years(text: str, is_year: bool) -> None:
    assert one(text).is_year is is_year


@pytest.mark.parametrize(
    ("stated", "source", "scales", "says_so"),
    [
        ("5%", "$5", (1,), False),
        ("$5", "5%", (1,), False),
        ("5%", "5", (1,), True),
        ("5", "5%", (1,), True),
        ("$5", "5", (1,), True),
        ("5%", "5", (1_000,), True),
        ("5,000%", "5", (1_000,), False),
        ("5,000", "5%", (1_000,), False),
        ("$5,000", "5", (1_000,), True),
        ("$5", "5", (1_000,), True),
        ("$10", "5", (), False),
        ("$5,000 million", "$5 million", (1_000,), False),
        ("$5.4 thousand", "5", (1_000,), False),
        ("$5.0 million", "5,049", (1_000,), True),
        ("$5.1 million", "5,049", (1_000,), False),
        ("$5.00000 million", "5,000", (1_000,), True),
        ("decreased by 5", "(5)", (1,), True),
    ],
)
def test_a_number_and_its_source(stated: str, source: str, scales: tuple[int, ...], says_so: bool) -> None:
    assert agrees(one(stated), one(source), scales) is says_so


def test_a_year_is_compared_whole() -> None:
    assert [number.text for number in numbers_unsupported("In 2023 and 2024.", "In 2023, sales of 2,024.")] == []
    assert [number.text for number in numbers_unsupported("In 2023 and 2025.", "In 2023, sales of 2,024.")] == ["2025"]


@pytest.mark.parametrize(
    ("stated", "accuracy", "value", "known_to", "told"),
    [
        ("10", "0.5", "10.5", "0", "same"),
        ("10", "0.5", "10.51", "0", "differs"),
        ("10", "0.5", "10.5", "0.5", "same"),
        ("10", "0.5", "10.5", "0.6", "finer"),
        ("10", "0.5", "11", "1", "finer"),
        ("10", "0.5", "11.1", "1", "differs"),
        ("10", "0.5", "10", "5", "same"),
    ],
)
def test_rounding_to_the_edge(stated: str, accuracy: str, value: str, known_to: str, told: str) -> None:
    assert compare(Decimal(stated), Decimal(accuracy), Decimal(value), Decimal(known_to)) == told
    assert compare_bounded(Decimal(stated), Decimal(accuracy), Decimal(value), Decimal(known_to), "exact") == told


@pytest.mark.parametrize(
    ("stated", "value", "bound", "told"),
    [
        ("10", "11", "over", "same"),
        ("10", "9", "over", "differs"),
        ("10", "10", "over", "same"),
        ("10", "9", "under", "same"),
        ("10", "11", "under", "differs"),
        ("-10", "-11", "over", "same"),
        ("-10", "11", "over", "differs"),
        ("10", "-11", "over", "differs"),
        ("10", "0", "under", "same"),
        ("-10", "0", "under", "same"),
        ("0", "11", "over", "same"),
        ("10", "0.7", "under", "same"),
        ("0.7", "-3", "over", "differs"),
        ("-0.7", "0.8", "over", "differs"),
        ("10", "8.5", "nearly", "same"),
        ("10", "8.4", "nearly", "differs"),
        ("10", "10.6", "nearly", "differs"),
        ("400", "380", "about", "same"),
        ("400", "379", "about", "differs"),
        ("400", "420", "about", "same"),
        ("30", "31.5", "about", "same"),
        ("30", "31.6", "about", "differs"),
        ("391", "391.5", "about", "same"),
        ("391", "391.6", "about", "differs"),
    ],
)
def test_words_that_open_one_side(stated: str, value: str, bound: Bound, told: str) -> None:
    assert compare_bounded(Decimal(stated), Decimal("0.5"), Decimal(value), Decimal(0), bound) == told


def test_a_source_that_is_less_exact_is_said_to_be_so_under_any_bound() -> None:
    bounds: tuple[Bound, ...] = ("over", "about")
    assert [compare_bounded(Decimal("10.4"), Decimal("0.05"), Decimal(10), Decimal("0.5"), bound) for bound in bounds] == [
        "finer"
    ] * 2


@pytest.mark.parametrize(
    ("value", "digit", "count"), [("390", "10", 2), ("4.5", "0.1", 2), ("7", "1", 1), ("4.50", "0.1", 2), ("NaN", "0", 0)]
)
def test_the_last_digit_that_counts(value: str, digit: str, count: int) -> None:
    assert last_digit(Decimal(value)) == Decimal(digit)
    assert significant_digits(Decimal(value)) == count
