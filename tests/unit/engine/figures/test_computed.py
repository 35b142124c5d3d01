from __future__ import annotations

import pytest

from fin_tui.engine.figures.computed import as_read
from fin_tui.engine.figures.framed import FEATURES, likeliest_calculations, weights_of
from fin_tui.retrieval.rerank import CrossEncoder

TIN = "Tin sales | Mills | tin sales | Segments The following table shows"
TOTAL = "Total sales | Income statement"


def test_a_calculation_is_read_by_the_names_of_its_rows_and_what_they_stand_under() -> None:
    assert as_read("/", (TIN, TOTAL)) == "Tin sales | Mills / Total sales | Income statement"


def test_what_is_computed_of_one_row_over_years_names_it_once() -> None:
    assert as_read("growth", (TIN, TIN)) == "growth: Tin sales | Mills"


def test_a_number_of_a_sentence_is_read_in_its_clause() -> None:
    row = "we employed [ 300 ] people - At year-end we employed [ 300 ] people in Ohio. | Our people"
    assert as_read("/", (TOTAL, row)).endswith(" / we employed [ 300 ] people")


@pytest.mark.parametrize("computed", [[True] * 9, [True, False] * 5])
def test_the_likeliest_of_what_is_computed_is_read(computed: list[bool]) -> None:
    of = FEATURES.index("chance")
    features = [[float(place == of) * at for place in range(len(FEATURES))] for at in range(len(computed))]
    weights = [float(place == of) for place in range(len(FEATURES))]
    chosen = likeliest_calculations(features, computed, weights)
    assert chosen == [at for at in range(len(computed) - 1, -1, -1) if computed[at]][:6]
    assert likeliest_calculations([], [], weights_of("first")) == []


def test_the_cross_encoder_prefers_the_calculation_that_is_asked_for() -> None:
    asked = "what part of total sales is tin"
    right, turned, other = CrossEncoder().read(
        asked, [as_read("/", (TIN, TOTAL)), as_read("/", (TOTAL, TIN)), as_read("/", ("Rent expense | Leases", TOTAL))]
    )
    assert right > max(turned, other)
