"""The shipped programs: each result worked out again here from the filings' figures, without the evaluator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction as F
from importlib import resources
from pathlib import Path

import pytest

from fin_tui.assets import load_catalogue
from fin_tui.evaluation.run import only_program
from fin_tui.evaluation.sets import Row, load
from tests.conftest import CHECKOUT

SALES, RESEARCH = {2025: 416161, 2024: 391035, 2023: 383285}, {2025: 34550, 2024: 31370}
AMAZON, OPERATING = {2025: 716924, 2024: 637959, 2023: 574785}, {2025: 79975, 2023: 36852}
BY_HAND: dict[str, Callable[[], F | float | str]] = {
    "prog-01": lambda: F(SALES[2025], SALES[2024]) - 1,
    "prog-02": lambda: F(112010, SALES[2025]),
    "prog-03": lambda: F(sum(SALES.values()), 3),
    "prog-04": lambda: (SALES[2025] / SALES[2023]) ** 0.5 - 1,
    "prog-05": lambda: F(98767),
    "prog-06": lambda: F(9447),
    "prog-07": lambda: "yes",
    "prog-08": lambda: F(285508, 359241),
    "prog-09": lambda: F(77670, 59248) - 1,
    "prog-10": lambda: F(OPERATING[2025], AMAZON[2025]),
    "prog-11": lambda: F(360510),
    "prog-12": lambda: 100 * F(OPERATING[2025], AMAZON[2025]) - 100 * F(OPERATING[2023], AMAZON[2023]),
    "prog-13": lambda: F(sum(AMAZON.values())),
    "prog-14": lambda: -F(131819, 139514),
    "prog-15": lambda: F(104780, 106566) - 1,
    "prog-16": lambda: F(75511 * 2, 12304 + 12740),
    "prog-17": lambda: "no",
    "prog-18": lambda: F(-433),
    "prog-19#1": lambda: F(RESEARCH[2025]),
    "prog-19#2": lambda: F(RESEARCH[2024]),
    "prog-19#3": lambda: F(RESEARCH[2025], RESEARCH[2024]) - 1,
    "prog-19#4": lambda: F(RESEARCH[2025], SALES[2025]),
}  # fmt: skip


@pytest.fixture(scope="module")
def own() -> list[Row]:
    with resources.as_file(resources.files("fin_tui.evaluation").joinpath("programs.jsonl")) as file:
        return load(file)


def test_each_program_comes_to_what_is_worked_out_by_hand(own: list[Row]) -> None:
    assert [row.line.id for row in own] == list(BY_HAND)
    for row in own:
        wanted = BY_HAND[row.line.id or ""]()
        assert row.executed == (wanted if isinstance(wanted, str) else pytest.approx(float(wanted), abs=6e-6)), row.line.id
        assert only_program(row).outcome == "right", row.line.id


def test_values_are_the_same_result_in_the_units_of_an_answer(own: list[Row]) -> None:
    factors = {"%": 100, "usd": 1_000_000}
    valued = [row for row in own if row.value is not None]
    assert len(valued) >= 12
    for row in valued:
        wanted = BY_HAND[row.line.id or ""]()
        assert not isinstance(wanted, str)
        assert row.value == pytest.approx(float(wanted) * factors[row.unit], rel=1e-6, abs=1e-5), row.line.id


def test_a_wrong_result_is_noticed(own: list[Row]) -> None:
    assert only_program(replace(own[0], executed=0.0653)).outcome == "wrong"
    assert only_program(replace(own[0], program="divide(1, 0)")).why.startswith("The calculation divides by zero")


def test_every_figure_stands_in_its_sample_filing(own: list[Row]) -> None:
    folder = CHECKOUT / "data" / "samples"
    names = {file.name for file in load_catalogue().asset("sample-filings").files}
    assert {row.filing for row in own} <= names
    if not all((folder / name).is_file() for name in names):
        pytest.skip(reason=f"the sample filings are not in {folder}: run fin-tui setup")
    texts = {name: Path(folder / name).read_text(encoding="utf-8", errors="replace") for name in names}
    for row in own:
        figures = [cell.strip(" $()") for line in row.table[1:] for cell in line[1:]]
        assert figures
        for figure in figures:
            assert f">{figure}<" in texts[row.filing], (row.line.id, figure)
