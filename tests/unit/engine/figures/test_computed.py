from __future__ import annotations

from fin_tui.engine.figures.computed import as_read

TIN = "Tin sales | Mills | tin sales | Segments The following table shows"
TOTAL = "Total sales | Income statement"


def test_a_calculation_is_read_by_the_names_of_its_rows_and_what_they_stand_under() -> None:
    assert as_read("/", (TIN, TOTAL)) == "Tin sales | Mills / Total sales | Income statement"


def test_what_is_computed_of_one_row_over_years_names_it_once() -> None:
    assert as_read("growth", (TIN, TIN)) == "growth: Tin sales | Mills"


def test_a_number_of_a_sentence_is_read_in_its_clause() -> None:
    row = "we employed [ 300 ] people - At year-end we employed [ 300 ] people in Ohio. | Our people"
    assert as_read("/", (TOTAL, row)).endswith(" / we employed [ 300 ] people")
