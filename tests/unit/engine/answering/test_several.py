"""A question that asks several things is answered thing by thing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import pytest

from fin_tui.engine.answering.compose import Draft, Timer
from fin_tui.engine.answering.drafting import Drafting, Made
from fin_tui.engine.answering.several import Several
from fin_tui.engine.evidence.evidence import gather
from fin_tui.engine.figures.answer import FigureAnswer, NoFigures
from fin_tui.engine.frame.reader import FrameReader
from fin_tui.engine.questions.understanding import Request, Understanding, understand
from fin_tui.engine.searching.find import Hits
from fin_tui.facts import vocabulary
from fin_tui.records import Sentence
from fin_tui.retrieval.shared_encoder import SharedEncoder
from tests.unit.engine.figures.book import HELD, ask
from tests.unit.engine.made import hit

FRAMES = FrameReader(SharedEncoder())
PASSAGES = (hit("Anvils are leased until 2031.", rank=1), hit("Rockets are sold in Norway.", rank=2, start=500))
FOUND = Hits((), {}, (), "sparse")
BOTH = "How much revenue did Acme make in 2024 and who leases the anvils?"


def read(request: Request) -> Understanding:
    return understand(request, HELD, vocabulary(), frames=FRAMES)


def _told(understood: Understanding, *said: str, number: int = 1, caution: str = "") -> Made:
    evidence = gather("anvils", PASSAGES)
    sentences = tuple(Sentence(one, (number,), "grounded") for one in said)
    draft = Draft(understood, FOUND, evidence, sentences, Timer(), caution=caution)
    return Made(understood, FOUND, evidence, draft=draft)


def _figure(understood: Understanding, question: str) -> Made:
    found = ask(question)
    made = _told(understood, *(one.text for one in found.sentences))
    assert made.draft is not None
    evidence = replace(made.draft.evidence, passages=found.passages)
    draft = replace(made.draft, figures=found, sentences=found.sentences, evidence=replace(evidence, focuses=()))
    return replace(made, found=found, draft=draft)


class Answers:
    """Answers each question with what is given for it."""

    def __init__(self, given: Mapping[str, Made]) -> None:
        self.given, self.asked = given, list[str]()

    def drafted(self, understood: Understanding, timer: Timer) -> Made:
        self.asked.append(understood.request.question)
        return self.given.get(understood.request.question) or Made(understood, FOUND, gather("", ()), NoFigures(()))


def _completed(question: str, whole: Made | None, given: Mapping[str, Made]) -> tuple[Made, list[str]]:
    answers = Answers(given)
    several = Several(cast("Drafting", answers), read, vocabulary())
    understood = read(Request(question))
    return several.completed(whole or _told(understood, "Something near."), Timer()), answers.asked


def test_a_figure_and_what_is_asked_in_words_both_stand_in_the_answer() -> None:
    own = read(Request("?"))
    revenue, words = _figure(own, "What was Acme's revenue in 2024?"), _told(own, "Anvils are leased until 2031.")
    made, asked = _completed(BOTH, None, {"How much revenue did Acme make in 2024?": revenue, "who leases the anvils?": words})
    assert asked == ["How much revenue did Acme make in 2024?", "who leases the anvils?"]
    assert made.draft is not None
    told = made.draft.sentences
    assert [one.text for one in told] == [*(one.text for one in revenue.draft.sentences), "Anvils are leased until 2031."]  # type: ignore[union-attr]
    assert told[-1].opens == "paragraph"
    cited = made.draft.evidence.passages[told[-1].citations[0] - 1]
    assert cited.text == "Anvils are leased until 2031."
    assert made.draft.figures is not None
    assert made.draft.figures.value == 120e6
    assert made.draft.notes == ()


def test_what_no_answer_was_found_for_is_named() -> None:
    own = read(Request("?"))
    made, _ = _completed(
        BOTH, None, {"How much revenue did Acme make in 2024?": _figure(own, "What was Acme's revenue in 2024?")}
    )
    assert made.draft is not None
    assert made.draft.notes == ("Not surely answered: “who leases the anvils”. Closest passages stand last.",)


def test_another_answer_to_the_whole_tells_of_more_than_one_of_them() -> None:
    own = read(Request("?"))
    question = "does Acme make a profit and is it going up"
    whole = _figure(read(Request(question)), "By how much did Acme's net income grow in 2024?")
    made, asked = _completed(question, whole, {"does Acme make a profit?": _figure(own, "What was Acme's net income in 2024?")})
    assert asked == ["does Acme make a profit?", "is it going up?"]
    assert made == whole


def test_another_year_is_asked_of_each_figure_of_the_question_before() -> None:
    asked = read(Request("and in 2023?", history=("Acme revenue and net income in 2024",)))
    answers = Answers({})
    Several(cast("Drafting", answers), read, vocabulary()).completed(_told(asked, "Something near."), Timer())
    assert answers.asked == ["Acme revenue?", "net income in?"]


def test_what_is_refused_by_itself_is_not_answered_within_another_question() -> None:
    own = read(Request("?"))
    question = "How much revenue did Acme make in 2024? is it a good time to buy?"
    given = {
        "How much revenue did Acme make in 2024?": _figure(own, "What was Acme's revenue in 2024?"),
        "is it a good time to buy?": _told(own, "We buy shares from time to time."),
    }
    understood = read(Request(question))
    assert understood.frame is not None
    whole = replace(
        _told(understood, "Something near."), understood=replace(understood, frame=replace(understood.frame, refusal=""))
    )
    made, asked = _completed(question, whole, given)
    assert "is it a good time to buy?" not in asked
    assert made.draft is not None
    assert made.draft.notes == ("Not answered: “is it a good time to buy”. Ask it by itself.",)


def test_what_was_found_for_all_of_it_stands_last_where_something_is_left_unanswered() -> None:
    own = read(Request("?"))
    revenue = _figure(own, "What was Acme's revenue in 2024?")
    made, _ = _completed(BOTH, None, {"How much revenue did Acme make in 2024?": revenue})
    assert made.draft is not None
    assert [one.text for one in made.draft.sentences][-1] == "Something near."
    assert made.draft.sentences[-1].opens == "paragraph"


def test_where_nothing_is_told_by_itself_the_whole_stays() -> None:
    whole = _told(read(Request(BOTH)), "Something near.")
    assert _completed(BOTH, whole, {})[0] is whole


def test_a_page_or_a_table_of_all_that_is_listed_is_the_answer() -> None:
    question = "Acme revenue and net income in 2024"
    whole = _figure(read(Request(question)), "What were Acme's revenue and net income in 2024?")
    made, asked = _completed(question, whole, {})
    assert made is whole
    assert asked == []


def test_two_figures_have_no_one_value() -> None:
    question, own = "Acme revenue and net income in 2024", read(Request("?"))
    given = {
        "Acme revenue?": _figure(own, "What was Acme's revenue in 2024?"),
        "net income in 2024?": _figure(own, "What was Acme's net income in 2024?"),
    }
    made, asked = _completed(question, None, given)
    assert asked == list(given)
    assert made.draft is not None
    figures = made.draft.figures
    assert isinstance(figures, FigureAnswer)
    assert (figures.value, figures.calculation, len(figures.facts)) == (None, None, 2)
    cited = [made.draft.evidence.passages[one.citations[0] - 1].citation.id for one in made.draft.sentences]
    assert cited == [one.citations[0] for one in made.draft.sentences]


@pytest.mark.parametrize("caution", ["No exact answer found.", ""])
def test_the_same_answer_to_two_questions_answers_the_first_alone(caution: str) -> None:
    own = read(Request("?"))
    revenue = _figure(own, "What was Acme's revenue in 2024?")
    given = {"How much revenue did Acme make in 2024?": revenue, "who leases the anvils?": revenue}
    made, _ = _completed(BOTH, None, given)
    assert made.draft is not None
    assert made.draft.notes == ("Not surely answered: “who leases the anvils”. Closest passages stand last.",)
    given["who leases the anvils?"] = _told(own, "Rockets are sold.", caution=caution)
    made, _ = _completed(BOTH, None, given)
    assert made.draft is not None
    assert bool(made.draft.notes) == bool(caution)


def test_prose_that_answers_all_of_it_is_not_taken_apart() -> None:
    own = read(Request("?"))
    question = "What is the quarrel over the anvils about, and how much revenue did Acme make of them in 2024?"
    asked = read(Request(question))
    assert asked.frame is not None
    asked = replace(asked, frame=replace(asked.frame, operations={"describe": 1.0}, sure={**asked.frame.sure, "figure": 0.1}))
    whole = _told(asked, "The quarrel is about anvils, of which 120 were sold.")
    told = _figure(own, "What was Acme's revenue in 2024?")
    several = Several(cast("Drafting", Answers({"how much revenue did Acme make of them in 2024?": told})), read, vocabulary())
    assert several.completed(whole, Timer()) is whole
