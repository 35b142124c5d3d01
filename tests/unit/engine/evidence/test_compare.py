from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fin_tui.engine.evidence.compare import Bound, bound_before, compare, compare_bounded, last_digit
from fin_tui.engine.evidence.numbers import find_numbers

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
