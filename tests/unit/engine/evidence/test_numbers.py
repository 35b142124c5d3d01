from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fin_tui.engine.evidence.citations import numbers_unsupported
from fin_tui.engine.evidence.numbers import (
    Bound,
    Number,
    agrees,
    bound_before,
    compare,
    compare_bounded,
    find_numbers,
    last_digit,
    significant_digits,
)


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("$391.0 billion", "391.0e9", "money"),
        ("391,035", "391035", "plain"),
        ("(2.4)%", "-2.4", "percent"),
        ("12.7 percent", "12.7", "percent"),
        ("$(1,234)", "-1234", "money"),
        ("-5.2", "-5.2", "plain"),
        ("15.1 billion shares", "15.1e9", "plain"),
        ("$1.2bn", "1.2e9", "money"),
    ],
)
def test_reads_a_number(text: str, value: str, kind: str) -> None:
    (number,) = find_numbers(text)
    assert number.value == Decimal(value)
    assert number.kind == kind


@pytest.mark.parametrize("text", ["10-K", "Q4", "COVID-19", "non-GAAP", "3-year", "A100"])
def test_digits_in_words_are_no_numbers(text: str) -> None:
    assert list(find_numbers(text)) == []


@pytest.mark.parametrize(
    ("sentence", "source", "scales", "missing"),
    [
        ("Sales were $391.0 billion.", "Total net sales\t391,035", (1_000_000,), []),
        ("Sales were $391.0 billion.", "Total net sales\t391,035", (1,), ["$391.0 billion"]),
        ("Sales were $391.5 billion.", "Total net sales\t391,035", (1_000_000,), ["$391.5 billion"]),
        ("Sales fell 2.4%.", "decreased (2.4)%", (1,), []),
        ("Sales fell 2.41%.", "decreased 2.4%", (1,), ["2.41%"]),
        ("Sales rose 5%.", "Sales rose $5 a share", (1,), ["5%"]),
        ("In 2023 sales rose.", "Sales rose in fiscal 2022", (1,), ["2023"]),
        ("We have 15.1 billion shares.", "15,115,823,000 shares", (1,), []),
    ],
)
def test_numbers_against_their_source(sentence: str, source: str, scales: tuple[int, ...], missing: list[str]) -> None:
    assert [number.text for number in numbers_unsupported(sentence, source, scales)] == missing


@given(st.integers(min_value=0, max_value=10**12))
def test_a_printed_integer_is_read_back(value: int) -> None:
    (number,) = find_numbers(f"was {value:,} in all")
    assert number.value == value
    assert agrees(number, number)


@given(st.text(max_size=300))
def test_never_raises(text: str) -> None:
    for number in find_numbers(text):
        assert 0 <= number.start < number.end <= len(text)


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


_VALUES = st.decimals(min_value=-(10**13), max_value=10**13, places=2, allow_nan=False, allow_infinity=False)
_WORDS = {"thousand": 10**3, "million": 10**6, "billion": 10**9}


@given(_VALUES, st.sampled_from(sorted(_WORDS)), st.integers(min_value=0, max_value=3))
def test_a_figure_rounded_as_people_do_says_the_figure(value: Decimal, word: str, places: int) -> None:
    shown = (value / _WORDS[word]).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    sign = "-" if shown < 0 else ""
    (number,) = find_numbers(f"It was {sign}${abs(shown):,} {word}.")
    assert compare(number.value, number.accuracy, value) == "same"


@given(_VALUES, st.decimals(min_value=Decimal("0.51"), max_value=10**6, places=2))
def test_what_is_off_by_more_than_half_a_digit_differs(value: Decimal, off: Decimal) -> None:
    assert compare(value + off, Decimal("0.5"), value) == "differs"
    assert compare(value - off, Decimal("0.5"), value) == "differs"


def test_digits_that_the_source_cannot_bear_out_are_finer() -> None:
    in_millions = Decimal(500_000)
    assert compare(Decimal(391_035_400_000), Decimal(50_000), Decimal(391_035_000_000), in_millions) == "finer"
    assert compare(Decimal(391_035_000_000), Decimal("0.5"), Decimal(391_035_000_000), in_millions) == "same"
    assert compare(Decimal(391_000_000_000), Decimal(50_000_000), Decimal(391_035_000_000), in_millions) == "same"


@pytest.mark.parametrize(
    ("words", "bound"),
    [
        ("net sales of approximately ", "about"),
        ("rose to more than ", "over"),
        ("it fell to less than ", "under"),
        ("was just under ", "nearly"),
        ("reached almost ", "nearly"),
        ("net sales of ", "exact"),
        ("the talk was about revenue of ", "exact"),
    ],
)
def test_the_words_before_a_number_bound_it(words: str, bound: Bound) -> None:
    assert bound_before(words) == bound


@pytest.mark.parametrize(
    ("stated", "value", "bound", "match"),
    [
        (390, 391, "exact", "differs"),
        (390, 391, "about", "same"),
        (390, 430, "about", "differs"),
        (380, 391, "over", "same"),
        (400, 391, "over", "differs"),
        (400, 391, "under", "same"),
        (400, 391, "nearly", "same"),
        (400, 401, "nearly", "differs"),
        (400, 200, "nearly", "differs"),
        (-400, 391, "under", "differs"),
    ],
)
def test_a_bounded_number_is_compared_on_its_open_side(stated: int, value: int, bound: Bound, match: str) -> None:
    assert compare_bounded(Decimal(stated), Decimal("0.5"), Decimal(value), Decimal(0), bound) == match


def test_the_last_digit_that_says_something() -> None:
    assert [last_digit(Decimal(text)) for text in ("390", "4.5", "1000000")] == [10, Decimal("0.1"), 1_000_000]
