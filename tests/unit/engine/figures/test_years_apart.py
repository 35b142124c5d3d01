"""Two years that are set against each other, and the balances that a formula takes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fin_tui.engine.figures.answer import FigureAnswer, NoFigures, answer_figures
from fin_tui.engine.figures.fitting import fits
from fin_tui.engine.figures.ground import formula_of, has_average
from fin_tui.engine.frame.reader import Frame, Span
from fin_tui.facts import vocabulary
from tests.unit.engine.figures.book import ACMES, Book, Values, ask, source, understood

COSTS: Values = {("Acme Corp.", "cost_of_revenue", 2023): 50e6}


@pytest.mark.parametrize(
    "question",
    [
        "Acme's revenue in 2024 vs the prior year",
        "Acme revenue 2024 compared with the year before",
        "Acme revenue 2024 against a year ago",
        "Acme's revenue 2024 and the year before",
        "Acme revenue this year vs last year",
        "Acme revenue 2024 v 2023",
    ],
)
def test_the_year_before_that_is_set_against_one_is_told_as_well(question: str) -> None:
    told = ask(question).sentences[0].text
    assert all(shown in told for shown in ("FY2023", "$100 million", "FY2024", "$120 million"))


def test_the_year_before_alone_is_told_where_nothing_is_set_against_it() -> None:
    assert ask("What was Acme's revenue in 2024?", "And the year before?").value == 100e6


def test_between_two_years_set_against_each_other_none_is_told() -> None:
    table = ask("How did Acme's revenue move, 2024 vs 2022?").table
    assert table is None or "FY2023" not in table["columns"]


def test_a_formula_says_which_balances_it_takes() -> None:
    days = ask("What were Acme's days inventory outstanding in 2024?")
    assert days.value == pytest.approx(73.0)
    assert days.unit == "days"
    assert days.sentences[0].text.endswith("in FY2024, on average balances.")


def test_of_years_whose_average_is_not_known_each_has_the_balance_at_its_end() -> None:
    asked = understood("Acme's days inventory outstanding in 2024 vs 2023")
    assert asked.reading is not None
    found = answer_figures(asked.reading, asked.subjects, source(Book({**ACMES, **COSTS})))
    assert isinstance(found, FigureAnswer)
    assert found.table is not None
    cells = [cell["value"] for row in found.table["rows"] for cell in row["cells"]]
    assert pytest.approx([73.0, 365 * 14 / 60]) == sorted(cell for cell in cells if cell and cell > 50)
    assert "on year-end balances" in " ".join(sentence.text for sentence in found.sentences)


@pytest.mark.parametrize(("metric", "takes"), [("inventory_turnover", True), ("average_inventory", False), ("net_debt", False)])
def test_a_formula_over_averages_is_known(metric: str, *, takes: bool) -> None:
    known = vocabulary().get(metric)
    assert known is not None
    assert has_average(formula_of(known)) is takes


@pytest.mark.parametrize(("is_open", "is_told"), [(False, True), (True, False)])
def test_what_a_formula_may_leave_out_is_nothing_only_where_no_row_may_be_it(*, is_open: bool, is_told: bool) -> None:
    asked = understood("What were Acme's shareholder returns in 2024?")
    assert asked.reading is not None
    book = Book({("Acme Corp.", "dividends_paid", 2024): 5e6}, open_gaps=is_open)
    found = answer_figures(asked.reading, asked.subjects, source(book))
    assert isinstance(found, FigureAnswer if is_told else NoFigures)


@pytest.mark.parametrize(
    "how",
    ["inventory over cost of revenue", "inventory / cost of revenue * 365", "365 * inventory / cost of revenue"],
)
def test_days_by_a_definition_are_days(how: str) -> None:
    assert ask(f"Acme's days of inventory in 2024 ({how})").value == pytest.approx(365 * 14 / 60)


def test_days_of_two_years_are_what_is_asked_for_though_their_move_is_told_in_percent() -> None:
    text = "Acme's days inventory outstanding in 2024 vs the prior year"
    asked = understood(text)
    assert asked.reading is not None
    found = answer_figures(asked.reading, asked.subjects, source(Book({**ACMES, **COSTS})))
    assert isinstance(found, FigureAnswer)
    assert found.unit == "%"
    sure = {"figure": 0.9, "operation": 0.6, "answer": 0.9}
    frame = Frame(text, (), (), (Span("days inventory outstanding", 7, 33),), (), "compare", "days", "", (), sure)
    assert fits(found, frame)
    assert not fits(found, replace(frame, answer="count"))
