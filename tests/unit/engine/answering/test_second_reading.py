"""What a question comes to once it is written out in full, and what is known of that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import pytest

from fin_tui.engine.answering.looking_up import LookUp
from fin_tui.engine.answering.second_reading import FEATURES, InFull, SecondReading, is_worthwhile
from fin_tui.engine.figures.answer import FigureAnswer, Likely, Unsure
from fin_tui.engine.figures.linked_book import Linked
from fin_tui.engine.frame.reader import Frame, Span
from fin_tui.engine.frame.rewriter import Rewriter
from fin_tui.engine.questions.understanding import Request, Understanding, understand
from fin_tui.engine.rank.ranker import Ranker
from fin_tui.facts import vocabulary
from fin_tui.records import Filing
from tests.unit.engine.figures.book import HELD, source

ANSWER = cast("FigureAnswer", None)
QUESTION = "what did acme keep of each dollar in 2024"
FRAME = Frame(
    QUESTION, (), (Span("2024", 37, 41),), (Span("keep of each dollar", 14, 33),), (), "share", "percent", "", (),
    {"figure": 0.9, "operation": 0.8, "answer": 0.9, "refusal": 0.0}, operations={"share": 0.8, "lookup": 0.2},
    kinds={"percent": 0.9, "money": 0.1},
)  # fmt: skip


class Asked:
    """Reads questions as the engine does, without weights; ``refused`` are those that it refuses."""

    def __init__(self, *refused: str) -> None:
        self.refused = refused

    def understand(self, request: Request, among: Sequence[Filing] | None = None) -> Understanding:
        return understand(request, HELD, vocabulary())

    def is_refused(self, understood: Understanding) -> bool:
        return understood.request.question in self.refused


class Writes:
    def __init__(self, line: str) -> None:
        self.line, self.texts = line, list[str]()

    def continue_line(self, text: str, *, max_tokens: int, cancelled: Callable[[], bool]) -> tuple[str, Sequence[float]]:
        self.texts.append(text)
        return self.line, (-0.2, -0.4)


def _unsure(*figures: tuple[float, float]) -> Unsure:
    return Unsure(tuple(Likely(value, share, is_computed=True, tell=lambda: ANSWER) for value, share in figures), ())


UNSURE = _unsure((12.0, 0.5), (25.0, 0.4), (10e6, 0.1))


def _read(line: str, question: str = QUESTION, asked: Asked | None = None, model: Writes | None = None) -> InFull | None:
    own, book = asked or Asked(), source()
    linked = Linked(cast("Ranker", None), lambda words, filing: ())
    second = SecondReading(Rewriter(model or Writes(line)), own, LookUp(own.understand, book, None, None), book, linked)
    return second.read(replace(own.understand(Request(question)), frame=replace(FRAME, question=question)), UNSURE)


@pytest.mark.parametrize(
    ("line", "value", "same"),
    [
        ("a / b * 100 | @ net income 2024 | @ revenue 2024", 25.0, 25.0),
        ("a / b | @ net income 2024 | @ revenue 2024", 0.25, 25.0),  # A quarter is 25 %.
        ("a | @ inventory end of 2023", 10e6, 10e6),
        ("a - b | @ inventory end of 2024 | @ inventory end of 2023", 4e6, None),
        ("(a - b) / b * 100 | @ net income 2024 | @ net income 2023", 50.0, None),
        ("a / b * 100 | @ revenue 2024 | @ revenue 2024", None, None),  # Nothing is a share of itself.
        ("a + b | @ shares outstanding 2024 | @ revenue 2024", None, None),  # Shares and dollars don't add up.
        ("a / b * 100 | @ net income 2024 | @ anvils melted 2024", None, None),
        ("ask | Why did Acme earn more?", None, None),
    ],
)
def test_each_part_is_looked_up_and_computed(line: str, value: float | None, same: float | None) -> None:
    found = _read(line)
    if value is None:
        assert found is None
        return
    assert found is not None
    assert found.answer.value == found.value == pytest.approx(value)
    assert (found.same.value if found.same is not None else None) == same


def test_what_is_known_of_it_is_what_its_chance_comes_from() -> None:
    found = _read("a / b * 100 | @ net income 2024 | @ revenue 2024")
    assert found is not None
    known = dict(zip(FEATURES, found.known, strict=True))
    assert known["other"] == 0.5
    assert known["same"] == pytest.approx(-0.405, abs=0.001)
    assert (known["computed"], known["operands"], known["operation"], known["kind"], known["years"]) == (1, 2, 0.8, 0.9, 1)
    assert known["written"] == pytest.approx(-0.3)
    assert known["worst"] == -0.4
    borne_out = replace(found, known=(*found.known[:2], 3.0, 0.0, *found.known[4:]))
    assert 0 < found.chance < borne_out.chance < 1, "what both readings hold for likely is likelier"


def test_how_it_was_read_is_told() -> None:
    found = _read("a / b * 100 | @ net income 2024 | @ revenue 2024")
    assert found is not None
    assert found.note == "Read in full as: Acme net income 2024; Acme revenue 2024."


def test_nothing_is_looked_up_that_would_be_refused_and_of_several_companies_none_is_meant() -> None:
    line = "a / b * 100 | @ net income 2024 | @ revenue 2024"
    assert _read(line, asked=Asked("Acme revenue 2024")) is None
    assert _read(line, "what is kept of each dollar") is None


def test_the_report_asked_about_is_named_to_the_model() -> None:
    model = Writes("ask | Why?")
    _read("", "acme 2023: rent?", model=model)
    assert model.texts[-1] == "Acme 2023\n? acme 2023: rent?\n="
    _read("", "acme rent?", model=model)
    assert model.texts[-1].startswith("Acme 2024\n")


def test_only_what_asks_for_a_figure_is_read_again() -> None:
    understood = Asked().understand(Request(QUESTION))
    assert not is_worthwhile(understood)
    assert is_worthwhile(replace(understood, frame=FRAME))
    assert not is_worthwhile(replace(understood, frame=FRAME, shape="table"))
    assert not is_worthwhile(replace(understood, frame=replace(FRAME, operations={"why": 1.0})))
