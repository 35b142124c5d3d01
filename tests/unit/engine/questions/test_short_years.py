"""Years in two digits are read where the company named has a filing of them."""

from __future__ import annotations

import pytest

from fin_tui.engine.questions.companies import CompanyIndex
from fin_tui.engine.questions.short_years import with_years_of
from tests.unit.engine.made import filing

HELD = (filing("Acme Corp.", 2024), filing("Globex Inc.", 1997, ticker="GBX"))


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("acme 24 rent owed", "acme 2024 rent owed"),
        ("Acme's 23 rent", "Acme's 2023 rent"),
        ("rent of acme 22?", "rent of acme 2022?"),
        ("acme avg rent 24?", "acme avg rent 2024?"),
        ("GBX 97: staff", "GBX 1997: staff"),
        ("acme 21 rent", "acme 21 rent"),
        ("acme 97 rent", "acme 97 rent"),
        ("acme 24 months of rent", "acme 24 months of rent"),
        ("acme 24% rent", "acme 24% rent"),
        ("acme rent 2023 of 24", "acme rent 2023 of 24"),
        ("rent of acme and GBX 24 more", "rent of acme and GBX 24 more"),
        ("rent 24", "rent 24"),
    ],
)
def test_two_digits_are_a_year_that_is_covered(typed: str, read: str) -> None:
    assert with_years_of(typed, CompanyIndex(HELD).find(typed), HELD) == read
