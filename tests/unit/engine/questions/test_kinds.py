"""Questions that rank lines of a statement or parts of a company."""

from __future__ import annotations

from decimal import Decimal

import pytest

from fin_tui.engine.questions.kinds import read_condition, read_rank
from fin_tui.engine.questions.question import read_question
from fin_tui.facts import vocabulary
from fin_tui.facts.ranking import Ranking
from tests.unit.engine.made import filing


@pytest.mark.parametrize(
    ("question", "metric", "test", "limit"),
    [
        ("Was Acme profitable in 2024?", "net_income", "above", 0),
        ("Did Acme report a net loss in fiscal 2024?", "net_income", "below", 0),
        ("Did Acme have an operating loss?", "operating_income", "below", 0),
        ("Does Acme pay dividends?", "dividends_paid", "above", 0),
        ("Does Acme have any goodwill?", "goodwill", "above", 0),
        ("Did Acme have positive free cash flow in 2024?", "free_cash_flow", "above", 0),
        ("Was Acme's free cash flow negative?", "free_cash_flow", "below", 0),
        ("Is Acme's gross margin above 20% in 2024?", "gross_margin", "above", 20),
        ("Did Acme have at least $100 billion of net sales?", "revenue", "at least", 100 * 10**9),
        ("Was Acme's net income lower in 2024 than in 2023?", "net_income", "fell", 0),
    ],
)
def test_the_figure_that_decides_and_how(question: str, metric: str, test: str, limit: int) -> None:
    condition = read_condition(read_question(question, (filing(),)), vocabulary())
    assert condition is not None
    assert (condition.metric.id, condition.test, condition.limit) == (metric, test, Decimal(limit))


@pytest.mark.parametrize(
    "question",
    [
        "Is Acme's gross margin good?",
        "Does Acme have long-term debt covenants?",
        "Is revenue recognized over time?",
        "Did Acme issue shares after June 30, 2024?",
        "Was Acme's revenue above its budget?",
        "Is Acme's revenue above 20%?",
        "What was Acme's revenue above 5 million?",
        "Does Acme use derivatives to hedge its debt?",
        "Was Acme's profitable rocket segment sold?",
    ],
)
def test_what_no_figure_decides(question: str) -> None:
    assert read_condition(read_question(question, (filing(),)), vocabulary()) is None


HELD = (filing("Acme Corp.", 2023), filing("Globex Inc.", 2023, ticker="GBX"))


def read(text: str) -> Ranking | None:
    return read_rank(read_question(text, HELD), vocabulary())


@pytest.mark.parametrize(
    ("text", "kind", "narrowed", "lowest"),
    [
        ("What was Acme's largest liability in 2023?", "liability", "", False),
        ("What is the largest asset on Acme's balance sheet?", "asset", "", False),
        ("Acme's smallest current asset in 2023", "asset", "current", True),
        ("What was the biggest operating expense of Acme?", "expense", "operating", False),
        ("largest long-term liability of Acme", "liability", "noncurrent", False),
    ],
)
def test_lines(text: str, kind: str, narrowed: str, lowest: bool) -> None:
    found = read(text)
    assert found is not None
    assert (found.kind, found.narrowed, found.lowest, found.metric) == (kind, narrowed, lowest, None)


@pytest.mark.parametrize(
    ("text", "kind", "metric", "lowest"),
    [
        ("Which Acme segment had the highest operating income in 2023?", "segment", "operating_income", False),
        ("What was Acme's largest product by revenue?", "product", "revenue", False),
        ("Which region brought Acme the least revenue?", "region", "revenue", True),
        ("Which of Acme's segments was the most profitable?", "segment", "operating_income", False),
    ],
)
def test_parts(text: str, kind: str, metric: str, lowest: bool) -> None:
    found = read(text)
    assert found is not None
    assert found.metric is not None
    assert (found.kind, found.metric.id, found.lowest) == (kind, metric, lowest)


@pytest.mark.parametrize(
    "text",
    [
        "Which of Acme and Globex had the highest revenue?",
        "In which year did Acme have the highest revenue, 2021 or 2022?",
        "What is Acme's largest risk in its cloud segment?",
        "Which segment of Acme grew the most?",
        "What was the largest customer of Acme's largest segment?",
        "What was Acme's highest revenue?",
        "What were Acme's total assets?",
    ],
)
def test_what_ranks_something_else(text: str) -> None:
    assert read(text) is None
