from __future__ import annotations

import pytest

from fin_tui.engine.answering.refusal import refuse_evidence, refuse_question
from fin_tui.engine.evidence.evidence import gather
from fin_tui.engine.figures.answer import NoFigures
from fin_tui.engine.questions.question import read_question
from fin_tui.engine.questions.target import find_target
from fin_tui.engine.questions.understanding import Request, understand
from fin_tui.facts.metrics import vocabulary
from fin_tui.records import Scope
from tests.unit.engine.made import filing, hit

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


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many employees of Acme are unionized?", "not_disclosed"),
        ("How many employees of Acme are full-time?", None),
        ("How many employees does Acme have?", None),
        ("How many employees did Acme have, and in how many states were they located?", None),
        ("How many stores does Acme have?", "not_disclosed"),
    ],
)
def test_a_count_is_of_just_what_is_asked(question: str, kind: str | None) -> None:
    understood = understand(Request(question), HELD, None)
    evidence = gather(
        understood.question.subject, [hit("We had 166,000 full-time employees. Unions are active in our industry.")]
    )
    refusal = refuse_evidence(understood, evidence, NoFigures(("None.",)), 0.9)
    assert (refusal.kind if refusal else None) == kind


@pytest.mark.parametrize(
    ("question", "text", "kind"),
    [
        ("What is TinCare?", "We sell support under the TinCare brand.", None),
        ("What is TinCare?", "We sell support.", "off_topic"),
        ("What is the capital of France?", "We have a mill in France. Our capital is held in several accounts.", "off_topic"),
    ],
)
def test_a_name_that_a_passage_has_is_a_product_where_nothing_else_is_asked(question: str, text: str, kind: str | None) -> None:
    understood = understand(Request(question), HELD, vocabulary())
    refusal = refuse_evidence(understood, gather(understood.question.subject, [hit(text)]), None, 0.9)
    assert (refusal.kind if refusal else None) == kind
