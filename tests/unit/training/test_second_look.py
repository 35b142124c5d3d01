"""What ships of the figures by which a model's second look is measured."""

from __future__ import annotations

from training.second_look import with_other_digits


def test_a_figure_keeps_its_size_and_look_and_loses_its_value() -> None:
    told = "an additional [ 4,424 ] temporary / employees of [ 13,191 ] in all, FY1995 = 33.5%"
    assert with_other_digits(told) == "an additional [ 4,171 ] temporary / employees of [ 14,060 ] in all, FY1995 = 34.8%"
    assert with_other_digits("Unit sales, FY2015 = $231,218 million") == "Unit sales, FY2015 = $240,709 million"


def test_years_and_labels_stay() -> None:
    assert (
        with_other_digits("Notes due 2025 [a] | Debt, FY2024 to FY2025 = 7") == "Notes due 2025 [a] | Debt, FY2024 to FY2025 = 7"
    )
