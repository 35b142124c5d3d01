from __future__ import annotations

import pytest

from fin_tui.engine.figures.answer import FigureAnswer, decide
from tests.unit.engine.figures.book import Book, source, understood

REVENUE = "Acme's revenue was $5 million in FY2024"


def ask(question: str, **values: float) -> FigureAnswer | None:
    book = Book({("Acme Corp.", metric, 2024): value for metric, value in values.items()})
    return decide(understood(question), source(book))


@pytest.mark.parametrize(
    ("question", "values", "told"),
    [
        ("Was Acme profitable in 2024?", {"net_income": 5e6}, "Yes: Acme's net_income was $5 million in FY2024"),
        ("Was Acme profitable in 2024?", {"net_income": -5e6}, "No: Acme's net_income was $(5) million in FY2024"),
        ("Did Acme report a net loss in 2024?", {"net_income": -5e6}, "Yes: Acme's net_income was $(5) million in FY2024"),
        ("Did Acme pay dividends in 2024?", {"dividends_paid": 5e6}, "Yes: Acme's dividends_paid was $5 million in FY2024"),
        ("Did Acme pay dividends in 2024?", {"dividends_paid": 0}, "No: Acme's dividends_paid was $0 in FY2024"),
        ("Was Acme's revenue above $4 million in 2024?", {"revenue": 5e6}, f"Yes: {REVENUE}, above $4 million"),
        ("Was Acme's revenue at least $5 million?", {"revenue": 5e6}, f"Yes: {REVENUE}, exactly $5 million"),
        ("Was Acme's revenue less than $5 million?", {"revenue": 5e6}, f"No: {REVENUE}, exactly $5 million"),
    ],
)  # fmt: skip
def test_the_figure_is_the_verdict(question: str, values: dict[str, float], told: str) -> None:
    answer = ask(question, **values)
    assert answer is not None
    assert _without_day(answer.sentences[0].text) == f"{told}."
    assert answer.sentences[0].citations


def _without_day(text: str) -> str:
    before, _, behind = text.partition(" (")
    return before + behind.partition(")")[2] if "year ended" in behind else text


def test_years_are_compared() -> None:
    book = Book({("Acme Corp.", "net_income", 2024): 5e6, ("Acme Corp.", "net_income", 2023): 7e6})
    answer = decide(understood("Was Acme's net income higher in 2024 than in 2023?"), source(book))
    assert answer is not None
    assert answer.sentences[0].text.startswith("No: Acme's net income fell $2 million from FY2023 to FY2024")


@pytest.mark.parametrize("question", ["Does Acme have goodwill in 2024?", "Is Acme a good company?", "What was its net income?"])
def test_what_no_figure_states_is_left_to_the_text(question: str) -> None:
    assert ask(question, net_income=5e6) is None
