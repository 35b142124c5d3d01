from __future__ import annotations

import re

import pytest

from fin_tui.months import MONTH, MONTH_LIKE, MONTHS, month_number


@pytest.mark.parametrize(("name", "number"), [("January", 1), ("SEPT", 9), ("dec", 12), ("Sep.", 9)])
def test_a_month_is_told_by_its_beginning(name: str, number: int) -> None:
    assert month_number(name) == number


def test_what_begins_like_no_month_is_none() -> None:
    with pytest.raises(ValueError, match="not in tuple"):
        month_number("quarter")


def test_names_and_usual_abbreviations_are_months_and_words_that_begin_so_only_like_them() -> None:
    assert all(re.fullmatch(MONTH, name) and re.fullmatch(MONTH, name[:3]) for name in MONTHS)
    assert re.fullmatch(MONTH, "sept")
    assert not re.fullmatch(MONTH, "marketing")
    assert re.fullmatch(MONTH_LIKE, "marketing")
