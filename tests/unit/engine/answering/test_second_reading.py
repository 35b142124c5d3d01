"""A figure that is not sure stands where a second reading of its question comes to it as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import pytest

from fin_tui.engine.answering.looking_up import LookUp
from fin_tui.engine.answering.second_reading import FEATURES, BorneOut, SecondReading
from fin_tui.engine.figures.answer import FigureAnswer, Likely, Unsure
from fin_tui.engine.frame.rewriter import Rewriter
from fin_tui.engine.questions.understanding import Request, Understanding, understand
from fin_tui.facts import vocabulary
from fin_tui.records import Filing
from tests.unit.engine.figures.book import HELD, source

ANSWER = cast("FigureAnswer", None)


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


UNSURE = _unsure((12.0, 0.5), (25.0, 0.4), (10e6, 0.3))


def _found(line: str, question: str = "what did acme keep of each dollar in 2024", asked: Asked | None = None) -> BorneOut | None:
    own = asked or Asked()
    second = SecondReading(Rewriter(Writes(line)), own, LookUp(own.understand, source(), None, None))
    return second.borne_out(own.understand(Request(question)), UNSURE)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("a / b * 100 | @ net income 2024 | @ revenue 2024", 25.0),
        ("a / b | @ net income 2024 | @ revenue 2024", 25.0),  # 0.25 is 25 %.
        ("a | @ inventory end of 2023", 10e6),
        ("a - b | @ inventory end of 2024 | @ inventory end of 2023", None),  # 4 million is none of those.
        ("a | @ net income 2024", None),  # Neither is 30 million.
        ("a | Globex revenue 2024", None),  # That is another company's.
        ("a / b * 100 | @ revenue 2024 | @ revenue 2024", None),  # Nothing is a share of itself.
        ("a + b | @ shares outstanding 2024 | @ revenue 2024", None),  # Shares and dollars don't add up.
        ("a / b * 100 | @ net income 2024 | @ anvils melted 2024", None),
        ("ask | Why did Acme earn more?", None),
    ],
)
def test_the_figure_that_both_come_to_stands(line: str, value: float | None) -> None:
    found = _found(line)
    assert (found.figure.value if found is not None else None) == value


def test_what_is_known_of_it_decides_whether_it_is_told() -> None:
    found = _found("a / b * 100 | @ net income 2024 | @ revenue 2024")
    assert found is not None
    known = dict(zip(FEATURES, found.known, strict=True))
    assert known["first"] == 0
    assert known["same"] == pytest.approx(-0.405, abs=0.001)
    assert known["least"] == pytest.approx(2.587, abs=0.001)
    assert known["worst"] == -0.4
    likeliest = replace(found, known=(2.6, 1.0, 1.5, -0.1, 1.0))
    assert likeliest.is_sure
    for at, value in enumerate((-2.0, 0.0, -5.0, -4.0)):
        less = replace(likeliest, known=(*likeliest.known[:at], value, *likeliest.known[at + 1 :]))
        assert less.chance < likeliest.chance
    assert not replace(found, known=(-1.0, 0.0, -3.0, -2.0, 1.0)).is_sure


def test_how_it_was_read_is_told() -> None:
    found = _found("a / b * 100 | @ net income 2024 | @ revenue 2024")
    assert found is not None
    assert found.note == "Read in full as: Acme net income 2024; Acme revenue 2024. That comes to the same figure."


def test_nothing_is_looked_up_that_would_be_refused_and_of_several_companies_none_is_meant() -> None:
    line = "a / b * 100 | @ net income 2024 | @ revenue 2024"
    assert _found(line, asked=Asked("Acme revenue 2024")) is None
    assert _found(line, "what is kept of each dollar") is None


def test_the_report_asked_about_is_named_to_the_model() -> None:
    own, model = Asked(), Writes("ask | Why?")
    second = SecondReading(Rewriter(model), own, LookUp(own.understand, source(), None, None))
    second.borne_out(own.understand(Request("acme 2023: rent?")), UNSURE)
    assert model.texts[-1] == "Acme 2023\n? acme 2023: rent?\n="
    second.borne_out(own.understand(Request("acme rent?")), UNSURE)
    assert model.texts[-1].startswith("Acme 2024\n")
