"""When "why?" asks for the reason of a figure, and how it is asked in full."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fin_tui.engine.answering.looking_up import in_full
from fin_tui.engine.figures.answer import FigureAnswer, NoFigures
from fin_tui.engine.frame.reader import FrameReader
from fin_tui.engine.questions.understanding import Request, Understanding, understand
from fin_tui.facts import vocabulary
from fin_tui.retrieval.shared_encoder import SharedEncoder
from tests.unit.engine.figures.book import ask
from tests.unit.engine.made import filing

FRAMES = FrameReader(SharedEncoder())
HELD = (filing("Acme Corp.", 2023), filing("Acme Corp.", 2024), filing("Globex Corp.", 2024, ticker="GLBX"))
FIGURE = ask("What was Acme's revenue in fiscal 2024?")


def read(request: Request) -> Understanding:
    return understand(request, HELD, vocabulary(), frames=FRAMES)


def in_words(*turns: str, change: float | None) -> str | None:
    """The full question for the last of ``turns``, where the figure changed by ``change``."""
    found: FigureAnswer | NoFigures = NoFigures(()) if change is None else replace(FIGURE, value=change)
    made = in_full(read(Request(turns[-1], history=turns[:-1])), read, lambda _: found)
    if made is not None:
        assert made.said == turns[-1]
    return made.request.question if made is not None else None


@pytest.mark.parametrize("why", ["why?", "how come?", "what drove that?"])
def test_the_reason_is_asked_by_figure_direction_and_years(why: str) -> None:
    asked = "What was Acme's revenue in 2024?"
    assert in_words(asked, why, change=20.0) == "Why did Acme's revenue increase in 2024 compared with 2023?"
    assert in_words(asked, why, change=-20.0) == "Why did Acme's revenue decrease in 2024 compared with 2023?"


def test_years_asked_about_are_those_between_which_it_changed() -> None:
    asked = "What was Acme's revenue in 2022 and 2024?"
    assert in_words(asked, "why?", change=1.0) == "Why did Acme's revenue increase in 2024 compared with 2022?"


def test_what_has_no_known_change_or_more_to_say_is_asked_as_it_stands() -> None:
    asked = "What was Acme's revenue in 2024?"
    assert in_words(asked, "why?", change=None) is None
    assert in_words(asked, "why?", change=0.0) is None
    assert in_words(asked, "Why did Acme close its mill?", change=1.0) is None
    assert in_words("What are Acme's risks?", "why?", change=1.0) is None
    assert in_words("Compare the revenue of Acme and Globex in 2024", "why?", change=1.0) is None
    assert in_words("why?", change=1.0) is None
