from __future__ import annotations

from fin_tui.plural import count, fiscal_years


def test_only_one_is_singular() -> None:
    assert [count(number, "filing") for number in (0, 1, 2, 1204)] == ["0 filings", "1 filing", "2 filings", "1,204 filings"]


def test_years_in_a_row_are_told_by_the_first_and_the_last() -> None:
    assert fiscal_years([2024, 1993, 2022, 2023, 2023]) == "FY1993, FY2022-FY2024"
    assert fiscal_years([2023, 2024]) == "FY2023, FY2024"
    assert fiscal_years([]) == ""
