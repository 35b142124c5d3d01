from __future__ import annotations

import pytest

from fin_tui.engine.answering.refusal import refuse_question
from fin_tui.engine.questions.question import read_question
from fin_tui.engine.questions.target import find_target
from fin_tui.records import Scope
from tests.unit.engine.made import filing

HELD = (filing("Best Buy Co., Inc.", 2024, ticker="BBY"), filing("Acme Corp.", 2024))


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What is the amount of inventories for Best Buy?", None),
        ("Is Best Buy the best stock to buy?", "advice"),
        ("Should I buy Acme?", "advice"),
        ("Is Acme a safe company to put my pension into?", "advice"),
        ("Who will be Acme's next chief executive?", "forecast"),
        ("What was Acme's revenue in 2024?", None),
        ("What was Acme's revenue in 1999?", "period_not_covered"),
    ],
)
def test_refusals_by_the_question_alone(question: str, kind: str | None) -> None:
    read = read_question(question, HELD)
    refusal = refuse_question(read, find_target(read, Scope(), HELD), HELD, is_product=False)
    assert (refusal.kind if refusal else None) == kind
