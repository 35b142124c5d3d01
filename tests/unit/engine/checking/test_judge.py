"""Numbers told of rows that a sentence names in full, whether or not the vocabulary knows them."""

from __future__ import annotations

import pytest

from fin_tui.engine.checking import Checked
from tests.unit.engine.checking.check_book import FIGURES, Key, checker

ROWS: dict[Key, float] = {
    ("Acme Corp.", "Repayments of widget loans", 2024): 8_426e6,
    ("Acme Corp.", "Repayments of widget loans", 2023): 9_100e6,
    ("Acme Corp.", "Accruals not currently deductible", 2024): 449e6,
    ("Acme Corp.", "Notes and Cash equivalents pledged", 2024): 6_350e6,
}


def check(text: str) -> Checked:
    return checker({**FIGURES, ("Acme Corp.", "revenue", 2024): 125e9}, rows=ROWS).check(text)


@pytest.mark.parametrize(
    "text",
    [
        "In fiscal 2024, Acme Corp. reported repayments of widget loans of $8,426 million.",
        "Acme's repayments of widget loans came to about $8.4 billion in 2024.",
        "Acme recorded $8,426 million in repayments of widget loans in 2024.",
        "Acme's repayments of widget loans fell 7.4% to $8,426 million in fiscal 2024.",
        "Acme's repayments of widget loans fell from $9,100 million in fiscal 2023 to $8,426 million in fiscal 2024.",
        "Acme's repayments of widget loans were $(8,426) million in 2024.",
        "Acme's accruals not currently deductible were $449 million in 2024.",
    ],
)
def test_what_a_row_states_is_supported(text: str) -> None:
    checked = check(text)
    whys = [(number.text, number.why) for statement in checked.statements for number in statement.numbers]
    expected = "unknown" if "$(8,426)" in text else "supported"
    assert checked.status == expected, whys


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("In fiscal 2024, Acme Corp. reported repayments of widget loans of $8,126 million.", "The filing says otherwise"),
        ("In fiscal 2024, Acme Corp. reported repayments of widget loans of $8,426 billion.", "The scale is wrong"),
        ("In fiscal 2024, Acme Corp. reported repayments of widget loans of negative $8,426 million.", "The sign is wrong"),
        ("In fiscal 2024, Acme Corp. reported repayments of widget loans of $9,100 million.", "That is FY2023's figure"),
        ("In fiscal 2024, Acme Corp. reported repayments of widget loans of 8,426 million shares.", "The unit is wrong"),
        ("In fiscal 2024, Acme Corp. reported repayments of widget loans of 8,426%.", "The unit is wrong"),
        ("Acme's repayments of widget loans were not $8,426 million in 2024.", "The sentence denies what the filing states"),
        (
            "Acme's repayments of widget loans rose from $9,100 million in fiscal 2023 to $8,426 million in fiscal 2024.",
            "It fell",
        ),
        ("Acme's revenue was not $125 billion in 2024.", "The sentence denies what the filing states"),
        ("Acme's revenue was 125 billion shares in 2024.", "The unit is wrong"),
    ],
)
def test_another_number_is_wrong_and_the_row_is_shown(text: str, why: str) -> None:
    checked = check(text)
    numbers = [number for statement in checked.statements for number in statement.numbers]
    wrong = [number for number in numbers if number.status == "contradicted"]
    assert [number.why.partition(":")[0].startswith(why) for number in wrong] == [True], [
        (n.text, n.status, n.why) for n in numbers
    ]
    assert wrong[0].found is not None


@pytest.mark.parametrize(
    "text",
    [
        "Acme's repayments of widget loans for Europe came to $3 billion in 2024.",
        "Acme's European repayments of widget loans came to $3 billion in 2024.",
        "Acme's repayments of widget loans per employee came to $3,000 in 2024.",
        "Acme expects repayments of widget loans of $3 billion in 2024.",
        "Acme's adjusted repayments of widget loans came to $3 billion in 2024.",
        "Acme's repayments of widget loans came to $3 billion.",
        "Acme's repayments of widget loans came to $3 billion in the third quarter of 2024.",
        "Acme's repayments of widget loans were not $3 billion in 2024.",
    ],
)
def test_what_may_be_another_figure_is_never_called_wrong(text: str) -> None:
    assert check(text).status == "unknown"


def test_a_longer_row_goes_before_a_figure_that_its_name_holds() -> None:
    text = "Acme's notes and cash equivalents pledged were $6,350 million in 2024."
    assert check(text).status == "supported"
