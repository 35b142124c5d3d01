from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fin_tui.engine.checking.claim_words import figures_in, period_marks
from fin_tui.engine.checking.passages import statements_of
from tests.unit.engine.checking.check_book import ACME, FIGURES, checker


def test_wrapped_lines_are_joined_and_headings_and_items_stand_alone() -> None:
    text = (
        "# Acme *2024*\n\nRevenue rose to a record level in the year that ended in December,\nas customers bought more. "
        "iWidget sales rose.\n- **Margin**: 44%\n2. Cash: $5 billion\n---\n"
    )
    assert [piece.text for piece in statements_of(text)] == [
        "Acme 2024",
        "Revenue rose to a record level in the year that ended in December, as customers bought more.",
        "iWidget sales rose.",
        "Margin: 44%",
        "Cash: $5 billion",
    ]


def test_cells_take_their_columns_year_and_the_captions_scale() -> None:
    text = "Acme (in millions)\n\n| Metric | FY2024 | YoY |\n|---|---:|---|\n| Revenue | 125,000 | 25% |\n| EPS | $1.62 | |"
    pieces = statements_of(text)
    assert [piece.text for piece in pieces] == ["Acme (in millions)", "Revenue, FY2024: 125,000 million", "EPS, FY2024: $1.62"]
    assert [piece.in_table for piece in pieces] == [False, True, True]
    (noted,) = statements_of("| Revenue(b) (in $ millions) | FY2024 |\n|---|---|\n| Net sales | 125,000 |")
    assert noted.text == "Net sales, FY2024: 125,000 million"


def test_signs_of_emphasis_go_and_other_signs_stay() -> None:
    text = "***Both*** of **these** `fell`.\n\nThe period from ____ to ____ of 5 * 3 days, and 2 * 4."
    assert [piece.text for piece in statements_of(text)] == [
        "Both of these fell.",
        "The period from ____ to ____ of 5 * 3 days, and 2 * 4.",
    ]


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("In 2024 it was $5 billion on page 7, Item 8, Note 12.", ["$5 billion"]),
        ("The 53 weeks ended February 3, 2024 brought 62 cents a share.", ["62"]),
        ("1. By then Windows 11 and the iPhone 15 sold well, by 210 basis points.", ["210"]),
        ("The margin rose from 44.1% in fiscal 2023 to 46.2% in fiscal 2024.", ["44.1%", "46.2%"]),
        ("See [3]: sales doubled, to $(1.5) million.", ["doubled", "$(1.5) million"]),
    ],
)
def test_only_numbers_that_state_a_figure_are_checked(text: str, figures: list[str]) -> None:
    spans = [(mark.start, mark.end) for mark in period_marks(text)]
    assert [number.text for number in figures_in(text, spans)] == figures


def test_periods_are_found_in_their_places() -> None:
    marks = period_marks("In fiscal 2024, against the prior year and December 31, 2022, and from 2020 to 2022")
    assert [(mark.years, mark.day, mark.back) for mark in marks] == [
        ((2024,), None, 0),
        ((), None, 1),
        ((), dt.date(2022, 12, 31), 0),
        ((2020, 2021, 2022), None, 0),
    ]


@settings(deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_no_text_breaks_the_checker(text: str) -> None:
    assert checker(FIGURES, held=ACME).check(f"Acme {text} revenue of $5 billion {text}").status in (
        "supported",
        "contradicted",
        "unknown",
    )
