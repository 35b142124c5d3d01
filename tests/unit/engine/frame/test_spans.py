"""Tags of tokens -> words of the question."""

from __future__ import annotations

import numpy as np
import pytest

from fin_tui.engine.frame.reader import Frame, Span, _says_when_alone, _spans, _with_lengths

TAGS = ("O", "B-target", "I-target", "B-part", "I-part")


def spans(text: str, tokens: list[tuple[str, int]]) -> dict[str, list[str]]:
    """Spans for tokens, each with the tag that scores highest."""
    places, scores, at = [], [], 0
    for token, tag in tokens:
        at = text.index(token, at)
        places.append((at, at + len(token)))
        at += len(token)
        scores.append(np.eye(len(TAGS), dtype=np.float32)[tag])
    return {kind: [span.text for span in found] for kind, found in _spans(text, TAGS, np.array(scores), places).items()}


def test_a_word_that_the_tokenizer_parts_is_of_one_kind() -> None:
    found = spans("memberships sold", [("member", 1), ("ship", 1), ("s", 0), ("sold", 0)])
    assert found["target"] == ["memberships"]
    assert spans("KC-46 losses", [("KC", 3), ("-", 0), ("46", 3), ("losses", 1)])["part"] == ["KC-46"]


def test_words_in_a_row_make_one_span() -> None:
    assert spans("net debt", [("net", 1), ("debt", 1)])["target"] == ["net debt"]
    assert spans("cash, debt", [("cash", 1), (",", 0), ("debt", 1)])["target"] == ["cash", "debt"]


def test_a_unit_of_time_behind_a_number_belongs_to_the_period() -> None:
    text = "payable inside 12 months"
    named = {"period": (Span("12", 15, 17),), "target": (Span("months", 18, 24),), "part": (), "company": ()}
    assert _with_lengths(text, named) == {**named, "period": (Span("12 months", 15, 24),), "target": ()}


@pytest.mark.parametrize("text", ["cash at 22 year-end", "sales in 2024 months ago"])
def test_a_year_before_a_unit_of_time_stays_a_year(text: str) -> None:
    year = text.split()[2]
    start = text.index(year)
    named: dict[str, tuple[Span, ...]] = {
        "period": (Span(year, start, start + len(year)),),
        "target": (),
        "part": (),
        "company": (),
    }
    assert _with_lengths(text, named) == named


@pytest.mark.parametrize(
    ("said", "period", "is_alone"),
    [
        ("and the year before?", "the year before", True),
        ("and in FY22?", "FY22", True),
        ("vs the year before?", "the year before", False),
        ("growth since 2020?", "2020", False),
        ("from 2019 to 2021", "2019 to 2021", False),
    ],
)
def test_a_follow_up_that_only_says_when_is_told_from_a_comparison(said: str, period: str, is_alone: bool) -> None:
    start = said.index(period)
    spans = (Span(period, start, start + len(period)),)
    assert _says_when_alone(Frame(said, (), spans, (), (), "growth", "percent", "", (), {})) is is_alone
