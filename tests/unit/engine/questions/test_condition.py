from __future__ import annotations

from decimal import Decimal

import pytest

from fin_tui.engine.questions.condition import read_condition
from fin_tui.engine.questions.question import read_question
from fin_tui.facts.metrics import vocabulary
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
