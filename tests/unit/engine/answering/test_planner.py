"""A model proposes how a figure is computed; the filings give the values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from fin_tui.config import Settings
from fin_tui.engine.answering.answer import AnswerEngine, tap
from fin_tui.engine.answering.events import Event, EvidenceReady, Status
from fin_tui.engine.answering.planner import Plan, propose, wants_plan
from fin_tui.engine.figures.answer import NoFigures
from fin_tui.engine.models.protocol import Message
from fin_tui.engine.questions.understanding import Request
from fin_tui.errors import ModelFailed
from fin_tui.facts import vocabulary
from fin_tui.records import Answer
from tests.unit.engine.answering.test_answer import Library, Searcher
from tests.unit.engine.figures.book import HELD, source, understood

QUESTION = "By what multiple did Acme's 2024 revenue exceed its inventory?"


@dataclass
class Planner:
    says: str
    name: str = "planner"
    asked: list[Sequence[Message]] = field(default_factory=list)

    def fill(self, messages: Sequence[Message], grammar: str, *, max_tokens: int, cancelled: Callable[[], bool]) -> str:
        self.asked.append(messages)
        if self.says == "fail":
            raise ModelFailed("The process ended.")
        return self.says


def plan(expression: str, form: str = "number") -> str:
    return f'{{"expression": "{expression}", "format": "{form}"}}'


def answer(planner: Planner | None, question: str = QUESTION, *, use_model: bool = True) -> tuple[Answer, str, bool]:
    """The answer, the notes of its evidence, and whether the reader was told to wait for a plan."""
    engine = AnswerEngine(Library(HELD), Searcher(), None, Settings(), figures=source(), planner=planner)
    request = Request(question, use_model=use_model)
    seen: list[Event] = []
    found = tap(engine.stream(request), request, seen.append)
    notes = " ".join(note for event in seen if isinstance(event, EvidenceReady) for note in event.notes)
    return found, notes, any(isinstance(event, Status) and "computed" in event.text for event in seen)


def test_the_plan_is_the_models_and_the_values_are_the_filings() -> None:
    found, notes, waited = answer(Planner(plan("revenue / inventory")))
    assert found.value == pytest.approx(120 / 14)
    assert found.calculation is not None
    assert "proposal of planner: revenue / inventory" in notes
    assert waited


def test_a_plan_in_percent() -> None:
    found, _, _ = answer(Planner(plan("inventory / revenue", "percent")))
    assert found.value == pytest.approx(100 * 14 / 120)
    assert found.unit == "%"


@pytest.mark.parametrize("says", [plan("revenue / happiness"), plan("none"), plan("revenue / goodwill"), "fail", "{", "[3]"])
def test_a_plan_that_can_not_be_read_or_looked_up_changes_nothing(says: str) -> None:
    without, _, _ = answer(None)
    found, notes, _ = answer(Planner(says))
    assert (found.status, found.answer, found.value) == (without.status, without.answer, without.value)
    assert "proposal" not in notes


def test_a_model_that_may_not_plan_is_never_asked() -> None:
    planner = Planner(plan("revenue / inventory"))
    assert not answer(planner, use_model=False)[2]
    assert not answer(planner, "What was Acme's revenue in 2024?")[2]
    assert not answer(planner, "Why did Acme's share of the market fall?")[2]
    assert planner.asked == []


def test_what_no_filing_covers_needs_no_plan() -> None:
    asked = understood(QUESTION)
    assert wants_plan(asked, None, vocabulary())
    assert wants_plan(asked, NoFigures(("No such row.",)), vocabulary())
    assert not wants_plan(asked, NoFigures(("No filing covers it.",), is_period=True), vocabulary())
    assert not wants_plan(asked, NoFigures(("Which?",), close=("a", "b")), vocabulary())


def test_the_question_comes_last_and_unaltered() -> None:
    planner = Planner(plan("revenue / inventory"))
    assert propose(QUESTION, planner, lambda: False) == Plan("revenue / inventory")
    assert planner.asked[0][-1] == Message("user", QUESTION)
