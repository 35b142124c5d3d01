"""Stored questions asked again: with the history they had, and compared with the answers of then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fin_tui.engine.kept.replay import replayed, requests_of
from fin_tui.engine.questions.understanding import Request
from fin_tui.records import Answer, Refusal, Scope


@dataclass(frozen=True)
class Stored:
    question: str
    answer: Answer
    fingerprint: Mapping[str, Any] = field(default_factory=lambda: {"model": "small", "mode": "sparse", "library": 3})


SALES = Answer("What were the sales?", "answered", "They were $5 million. [1]", value=5e6, unit="usd")
ADVICE = Answer("Should I buy it?", "refused", "", refusal=Refusal("advice", "No advice."))
COSTS = Answer("And the costs?", "answered", "They were $4 million. [1]", value=4e6, unit="usd")
TURNS = tuple(Stored(answer.question, answer) for answer in (SALES, ADVICE, COSTS))


def test_each_question_leans_on_what_was_answered_before_it() -> None:
    asked = list(requests_of(TURNS, Request("", Scope(fiscal_years=(2024,)))))
    assert [(one.question, one.history) for one in asked] == [
        ("What were the sales?", ()),
        ("Should I buy it?", ("What were the sales?",)),
        ("And the costs?", ("What were the sales?",)),
    ]
    assert {(one.mode, one.use_model, one.scope.fiscal_years) for one in asked} == {("sparse", True, (2024,))}


def test_it_is_searched_as_it_was_unless_it_is_said_otherwise() -> None:
    (asked, *_) = requests_of(TURNS, Request("", mode="dense", use_model=False))
    assert (asked.mode, asked.use_model) == ("dense", False)
    plain = Stored("Q?", SALES, {"model": "none", "mode": "hybrid", "library": 3})
    assert [one.use_model for one in requests_of([plain], Request(""))] == [False]


def test_an_answer_that_says_something_else_is_not_the_same() -> None:
    made = {"model": "small", "mode": "sparse", "library": 3}
    same = replayed(TURNS[0], replace(SALES, timings_ms={"total": 9.0}), made)
    assert (same.is_same, same.changes) == (True, ())
    assert not replayed(TURNS[0], replace(SALES, value=6e6), made).is_same
    assert not replayed(TURNS[1], replace(ADVICE, refusal=Refusal("forecast", "")), made).is_same


def test_what_made_it_otherwise_is_named() -> None:
    found = replayed(TURNS[0], SALES, {"model": "none", "mode": "sparse", "library": 5, "corpus": "at 10.0.0.1"})
    assert found.changes == (
        "model small, now none",
        "version of the library 3, now 5",
        "corpus none, now at 10.0.0.1",
    )
