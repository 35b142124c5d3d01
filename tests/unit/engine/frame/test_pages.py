"""Which page a question wants, and when it wants none."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest

from fin_tui.engine.frame.linear import weights_file
from fin_tui.engine.frame.pages import NAME, Page, page_of
from fin_tui.engine.frame.reader import Frame, FrameReader
from fin_tui.retrieval.shared_encoder import SharedEncoder

ENCODER = SharedEncoder()
FRAMES = FrameReader(ENCODER)


def _paged(*turns: str) -> Frame:
    frame = None
    for turn in turns:
        frame = FRAMES.read(turn, frame)
    assert frame is not None
    return FRAMES.paged(frame)


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("which dangers does it warn of", "risks"),
        ("what are the main risks", "risks"),
        ("how does it earn its money", "sources"),
        ("are its debts more than it can carry", "strength"),
        ("who leads the company", "leader"),
        ("what is the share price", "market"),
        ("how much does the chief executive get paid", "holdings"),
        ("what sort of business is it", "business"),
        ("how much did it earn on rockets", ""),
        ("how did the fire at the rocket yard start", ""),
        ("what was the bridge loan for", ""),
        ("inventory", ""),
        ("why did net income fall", ""),
    ],
)
def test_a_page_is_told_from_questions_for_one_matter(words: str, page: Page) -> None:
    assert page_of(ENCODER, words) == page


def test_a_name_that_the_library_knows_says_nothing_of_the_page() -> None:
    asked = replace(FRAMES.read("what does Zinc do"), companies=())
    assert FRAMES.paged(asked, ((10, 14),)).page == "business"


def test_a_page_takes_nothing_from_the_question_before() -> None:
    asked = _paged("What was Acme's net income in 2024?", "what are the main risks there?")
    assert (asked.page, asked.carried) == ("risks", None)
    assert asked.behind is not None


@pytest.mark.parametrize("follow_up", ["and in fiscal 2022?", "what about Globex", "and the year before?", "is it going up?"])
def test_what_only_goes_on_wants_no_page(follow_up: str) -> None:
    asked = _paged("What was Acme's net income in 2024?", follow_up)
    assert (asked.page, asked.carried is not None) == ("", True)


def test_what_a_figure_was_driven_by_is_not_where_all_revenue_comes_from() -> None:
    assert _paged("fed by what?").page == "sources"
    assert _paged("What was Acme's net income in 2024?", "fed by what?").page == ""


def test_one_word_behind_a_figure_is_no_page_on_the_business() -> None:
    assert _paged("What was Acme's revenue from services in 2024?", "activities?").page == ""
    assert _paged("what sort of business is it?").page == "business"


def test_a_figure_by_itself_is_no_page_unless_that_is_likelier() -> None:
    words = "how much revenue did earn from products in"  # As it is left without company and period.
    assert (page_of(ENCODER, words), page_of(ENCODER, words, asks_figure=True)) == ("sources", "")
    assert page_of(ENCODER, "sales split", asks_figure=True) == "sources"


def test_a_page_tells_as_far_as_a_filing_does_what_else_is_refused() -> None:
    asked = _paged("could Acme go bankrupt?")
    assert (asked.page, asked.refusal) == ("strength", "")


def test_the_weights_are_those_of_the_encoder_in_the_package() -> None:
    ENCODER.load()
    with np.load(io.BytesIO(weights_file(NAME))) as arrays:
        assert str(arrays["encoder"]) == ENCODER.name
