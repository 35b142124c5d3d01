from __future__ import annotations

from dataclasses import replace

import pytest

from fin_tui.engine.answering.refusal import refuse_evidence, refuse_question
from fin_tui.engine.evidence.evidence import gather
from fin_tui.engine.frame.reader import FrameReader
from fin_tui.engine.questions.question import read_question
from fin_tui.engine.questions.target import find_target
from fin_tui.engine.questions.understanding import Request, understand
from fin_tui.facts import vocabulary
from fin_tui.records import Scope
from fin_tui.retrieval.shared_encoder import SharedEncoder
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
    frame = FrameReader(SharedEncoder()).read(question)
    refusal = refuse_question(read, find_target(read, Scope(), HELD), HELD, frame, is_product=False)
    assert (refusal.kind if refusal else None) == kind


def test_a_figure_of_a_year_that_is_reported_is_no_forecast() -> None:
    frame = replace(FrameReader(SharedEncoder()).read("How fast did Acme's revenue grow in 2024?"), refusal="forecast")

    def refused(question: str) -> str | None:
        read = read_question(question, HELD)
        refusal = refuse_question(read, find_target(read, Scope(), HELD), HELD, frame, is_product=False)
        return refusal.kind if refusal else None

    assert frame.targets
    assert refused("How fast did Acme's revenue grow in 2024?") is None
    assert refused("How fast does Acme's revenue grow in 2030?") == "forecast"
    assert refused("How fast does Acme's revenue grow?") == "forecast"


@pytest.mark.parametrize(
    ("question", "text", "kind"),
    [
        ("What will Acme pay for leases in 2026?", "Lease payments due in 2026 are $4 million.", None),
        ("What will Acme pay for leases in 2026?", "Lease payments are $4 million.", "period_not_covered"),
        ("What will Acme pay for leases in 2041?", "Lease payments due in 2041 are $4 million.", None),
        ("What will Acme pay for leases in 2041?", "Lease payments are $4 million.", "forecast"),
        ("What did Acme pay for leases in 2020?", "Leases signed in 2020 cost $4 million now.", "period_not_covered"),
        ("What was Acme's lease cost?", "We plant trees.", "not_disclosed"),
    ],
)
def test_a_year_ahead_is_answered_where_a_sentence_names_it_and_one_long_before_is_not(
    question: str, text: str, kind: str | None
) -> None:
    understood = understand(Request(question), HELD, vocabulary())
    evidence = gather(understood.question.subject, [hit(text)])
    refusal = refuse_evidence(understood, evidence, None, 0.3 if kind == "not_disclosed" else 0.9)
    assert (refusal.kind if refusal else None) == kind


@pytest.mark.parametrize(("history", "kind"), [((), "not_disclosed"), (("How large is Acme's revolver?",), None)])
def test_what_a_question_leaves_unsaid_is_not_judged_by_its_own_words(history: tuple[str, ...], kind: str | None) -> None:
    understood = understand(
        Request("anything drawn on it at year end?", history=history), HELD, vocabulary(), frames=FrameReader(SharedEncoder())
    )
    evidence = gather(understood.question.subject, [hit("There were no borrowings under the credit facility.")])
    refusal = refuse_evidence(understood, evidence, None, 0.1)
    assert (refusal.kind if refusal else None) == kind


def test_a_refusal_lists_the_years_of_the_company_that_is_named() -> None:
    frame = FrameReader(SharedEncoder()).read("Who will be Acme's next chief executive?")
    read = read_question("Who will be Acme's next chief executive?", HELD)
    refusal = refuse_question(read, find_target(read, Scope(), HELD), HELD, frame, is_product=False)
    assert refusal is not None
    assert refusal.message.endswith("The library holds Acme FY2024.")


@pytest.mark.parametrize(
    ("question", "is_refused"),
    [
        ("And in euros?", True),
        ("Convert Acme's 2024 revenue to yen", True),
        ("What was Acme's revenue in 2024 in billions?", False),
        ("What exchange rate did Acme use in 2024?", False),
    ],
)
def test_another_currency_is_refused_for_want_of_exchange_rates(question: str, is_refused: bool) -> None:
    read = read_question(question, HELD)
    reader = FrameReader(SharedEncoder())
    frame = reader.read(question, reader.read("What was Acme's revenue in 2024?"))
    refusal = refuse_question(read, find_target(read, Scope(), HELD), HELD, frame, is_product=False)
    assert (refusal is not None and "exchange rates" in refusal.message) == is_refused


def test_a_company_that_changed_its_name_is_listed_once() -> None:
    renamed = replace(HELD[0], company="Acme Old Corp.", fiscal_year=1999)
    held = [renamed, *HELD]
    read = read_question("What was Zenith's revenue?", held)
    refusal = refuse_question(replace(read, unknown=("Zenith",)), find_target(read, Scope(), held), held, None, is_product=False)
    assert refusal is not None
    assert "Acme Old" not in refusal.message
