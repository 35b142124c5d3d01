"""What reads paragraphs together with a conversation, with the weights of the package."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from fin_tui.errors import MissingAsset
from fin_tui.retrieval.paragraph_reader import ParagraphReader
from fin_tui.retrieval.rerank import CrossEncoder

CAUSE = "FY2031 Repairs: Spending on repairs more than doubled because the flood of May damaged both kilns of the tile works."
POLICY = "FY2031 Repairs: Repairs and maintenance are expensed as incurred. Major overhauls are capitalized and depreciated."
TALK = "what did the company spend on repairs in 2031 ; question: why so much more than before?"


def test_the_weights_go_on_from_the_cross_encoder_of_the_package() -> None:
    cards = (
        files("fin_tui.retrieval").joinpath(folder, "card.json") for folder in ("paragraph_weights", "cross_encoder_weights")
    )
    upper, lower = (json.loads(card.read_text(encoding="utf-8")) for card in cards)
    assert upper["base"] == lower["name"], "the cross-encoder was trained anew: `make paragraphs` must follow"


def test_the_paragraph_that_answers_is_surer_than_one_on_the_same_subject() -> None:
    policy, cause = ParagraphReader(CrossEncoder()).read(TALK, [POLICY, CAUSE])
    assert cause > policy + 1


def test_each_paragraph_is_read_by_itself() -> None:
    reader = ParagraphReader(CrossEncoder())
    assert reader.read(TALK, [POLICY, CAUSE])[1] == reader.read(TALK, [CAUSE])[0]
    assert reader.read(TALK, []) == []


def test_what_is_longer_than_can_be_read_is_cut() -> None:
    assert len(ParagraphReader(CrossEncoder()).read("why? " * 400, [CAUSE * 40, ""])) == 2


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingAsset, match="can't be read"):
        ParagraphReader(CrossEncoder(), tmp_path).read(TALK, [CAUSE])
