from __future__ import annotations

from dataclasses import replace

import pytest

from fin_tui.evaluation.measures import strays_from_company, strays_from_years, years_named
from tests.unit.engine.made import filing

ACME = [filing(year=year) for year in range(2020, 2026)]
GLOBEX = filing("Globex Inc.", 2024)


@pytest.mark.parametrize(
    ("question", "years"),
    [
        ("Sales in fiscal 2023?", {2023}),
        ("Sales in FY2023 and FY '21?", {2021, 2023}),
        ("The average over fiscal 2021 to 2023", {2021, 2022, 2023}),
        ("From 2019 through fiscal 2021", {2019, 2020, 2021}),
        ("How many of the 2,023 stores sold more than $2023.5 or 2019.5?", set()),
        ("Compare 2019 and 2021", {2019, 2021}),
        ("The growth between fiscal 2019 and fiscal year 2021", {2019, 2020, 2021}),
        ("Where do partners assemble?", set()),
    ],
)
def test_years_in_a_question(question: str, years: set[int]) -> None:
    assert years_named(question) == years


def test_another_company_among_the_first_five() -> None:
    key = ACME[0].company_key
    assert strays_from_company(ACME[:5], {key}) is False
    assert strays_from_company([ACME[0], GLOBEX], {key}) is True
    assert strays_from_company([*ACME[:5], GLOBEX], {key}) is False
    assert strays_from_company([GLOBEX], set()) is None
    assert strays_from_company([], {key}) is None


@pytest.mark.parametrize(
    ("year", "figures", "lenient", "strays"),
    [
        (2022, False, False, False), (2023, False, False, True), (2021, False, False, True),
        (2022, True, False, False), (2024, True, False, False), (2025, True, False, True), (2021, True, False, True),
        (2024, False, True, False), (2021, False, True, False), (2020, False, True, True),
    ],
)  # fmt: skip
def test_words_come_from_the_year_and_figures_from_what_still_covers_it(
    year: int, figures: bool, lenient: bool, strays: bool
) -> None:
    assert strays_from_years([filing(year=year)], {2022}, figures=figures, lenient=lenient) is strays


def test_the_period_end_names_a_year_too_and_the_gold_filing_is_right() -> None:
    late = replace(filing(year=2025), fiscal_year=2024)
    assert strays_from_years([late], {2025}, figures=False, lenient=False) is False
    assert strays_from_years([GLOBEX], {1999}, figures=False, lenient=False, gold=(GLOBEX.file,)) is False
    assert strays_from_years([GLOBEX], set(), figures=False, lenient=False) is None
