"""When the ranking of figures and the reading of paragraphs lead to the same sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fin_tui.engine.answering.agreed import SURE, UNREAD, agreed, chance, in_sentence, logit_of
from fin_tui.engine.evidence.evidence import Bearing, Evidence
from fin_tui.engine.evidence.paragraphs import Near, Paragraph, Piece
from fin_tui.engine.figures.answer import Likely, Said, Unsure
from tests.unit.engine.figures.book import ACME, ask

TEXT = "In 2024 we closed 12 of our 40 plants."
PLACE = (ACME[2].id, 18)
TOLD = ask("What was Acme's revenue in fiscal 2024?")
SAID = Said(0.7, PLACE, (12.0, 40.0), lambda: TOLD)


def evidence(logit: float | None, start: int = 0) -> Evidence:
    piece = Piece(TEXT, start, start + len(TEXT))
    near = Near(Paragraph((piece,)), ACME[2], 0, ())
    return Evidence((), (), 1.0, paragraphs=(Bearing(near, 1.0, {}, logit),))


def test_a_sentence_of_a_paragraph_that_answers_is_sure() -> None:
    assert agreed(Unsure((), (), SAID), evidence(4.0)) is TOLD
    assert agreed(Unsure((), (), SAID), evidence(-4.0)) is None
    assert agreed(Unsure((), ()), evidence(4.0)) is None


def test_a_paragraph_elsewhere_or_unread_says_nothing_of_a_figure() -> None:
    assert logit_of(PLACE, evidence(3.0)) == 3.0
    assert logit_of(PLACE, evidence(None)) == UNREAD
    assert logit_of(PLACE, evidence(3.0, start=100)) == UNREAD
    assert logit_of(("another", 18), evidence(3.0)) == UNREAD


def test_each_reading_makes_a_figure_surer() -> None:
    assert chance(0.6, 4.0) > SURE > chance(0.6, -4.0)
    assert chance(0.8, 2.0) > chance(0.4, 2.0)
    assert 0 < chance(0.0, -6.0) < chance(1.0, 6.0) < 1


def test_the_likeliest_number_of_a_sentence_that_is_told_is_as_sure_as_both_make_it() -> None:
    likely = Likely(12.0, 0.6, False, lambda: TOLD, PLACE)
    told = in_sentence(Unsure((likely,), (), SAID), evidence(4.0))
    assert TOLD.single is not None
    assert told is not None
    assert told.value == TOLD.single.value
    assert told.sure == pytest.approx(chance(0.7, 4.0) * 0.6 / 0.7)
    assert in_sentence(Unsure((replace(likely, place=None),), (), SAID), evidence(4.0)) is None
    assert in_sentence(Unsure((likely,), ()), evidence(4.0)) is None
