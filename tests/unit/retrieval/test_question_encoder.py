"""What the trained encoder of questions reads; its weights are tried in ``tests/integration/test_encoders.py``."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from fin_tui.errors import MissingAsset
from fin_tui.retrieval.question_encoder import QuestionEncoder, as_asked


def test_the_last_question_stands_behind_those_before_it() -> None:
    assert as_asked(["who makes the kilns?", "since when"]) == "who makes the kilns? | since when"


def test_of_a_long_conversation_the_first_and_the_last_three_are_kept() -> None:
    assert as_asked(["acme?", "one", "two", "three", "four"]) == "acme? | two | three | four"


def test_the_end_of_a_long_question_is_kept() -> None:
    words = [f"word{at}" for at in range(100)]
    assert as_asked([" ".join(words)]).split()[-1] == "word99"
    assert len(as_asked([" ".join(words)]).split()) < 64


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingAsset, match="can't be read"):
        QuestionEncoder(tmp_path, tmp_path)


def test_the_card_tells_whose_vectors_it_suits() -> None:
    card = json.loads(files("fin_tui.retrieval").joinpath("question_weights", "card.json").read_text(encoding="utf-8"))
    assert card["passages"].startswith("bge-small-en@")
