"""When the ranking of figures and the reading of paragraphs lead to the same figure of a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fin_tui.engine.answering.agreed import SURE, UNREAD, agreed, chance, logit_of
from fin_tui.engine.evidence.evidence import Bearing, Evidence
from fin_tui.engine.evidence.paragraphs import Near, Paragraph, Piece
from fin_tui.engine.figures.answer import Likely, Said, Unsure
from tests.unit.engine.figures.book import ACME, ask

TEXT = "In 2024 we closed 12 of our 40 plants."
PLACE = (ACME[2].id, 18)
TOLD = ask("What was Acme's revenue in fiscal 2024?")
FIGURE = Likely(12.0, 0.6, False, lambda: TOLD, PLACE, is_told=True, may_stand=True)


def evidence(logit: float | None, start: int = 0) -> Evidence:
    piece = Piece(TEXT, start, start + len(TEXT))
    near = Near(Paragraph((piece,)), ACME[2], 0, ())
    return Evidence((), (), 1.0, paragraphs=(Bearing(near, 1.0, {}, logit),))


def test_a_figure_of_a_paragraph_that_answers_is_sure() -> None:
    assert agreed(Unsure((FIGURE,), ()), evidence(4.0)) is TOLD
    assert agreed(Unsure((FIGURE,), ()), evidence(-4.0)) is None
    assert agreed(Unsure((), ()), evidence(4.0)) is None


@pytest.mark.parametrize("change", [{"is_told": False}, {"may_stand": False}, {"place": None}])
def test_only_a_figure_of_a_sentence_that_may_stand_is_told(change: dict[str, object]) -> None:
    assert agreed(Unsure((replace(FIGURE, **change),), ()), evidence(4.0)) is None  # type: ignore[arg-type]


def test_a_sentence_is_told_whose_numbers_cannot_be_told_apart() -> None:
    unsure = replace(FIGURE, share=0.3)
    said = ask("What was Acme's net income in fiscal 2024?")
    both = Said(0.7, PLACE, (12.0, 40.0), lambda: said, may_stand=True)
    assert agreed(Unsure((unsure,), (), both), evidence(4.0)) is said
    assert agreed(Unsure((FIGURE,), (), both), evidence(4.0)) is TOLD
    assert agreed(Unsure((unsure,), (), both), evidence(-4.0)) is None
    assert agreed(Unsure((unsure,), (), replace(both, may_stand=False)), evidence(4.0)) is None


def test_a_paragraph_elsewhere_or_unread_says_nothing_of_a_figure() -> None:
    assert logit_of(PLACE, evidence(3.0)) == 3.0
    assert logit_of(PLACE, evidence(None)) == UNREAD
    assert logit_of(PLACE, evidence(3.0, start=100)) == UNREAD
    assert logit_of(("another", 18), evidence(3.0)) == UNREAD


def test_each_reading_makes_a_figure_surer() -> None:
    assert chance(0.6, 4.0) > SURE > chance(0.6, -4.0)
    assert chance(0.8, 2.0) > chance(0.4, 2.0)
    assert 0 < chance(0.0, -6.0) < chance(1.0, 6.0) < 1
