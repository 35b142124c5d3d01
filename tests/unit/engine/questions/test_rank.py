"""Questions that rank lines of a statement or parts of a company."""

from __future__ import annotations

import pytest

from fin_tui.engine.questions.question import read_question
from fin_tui.engine.questions.rank import read_rank
from fin_tui.facts.metrics import vocabulary
from fin_tui.facts.ranking import Ranking
from tests.unit.engine.made import filing

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
