"""Words of tokens, and the pieces of a question."""

from __future__ import annotations

import numpy as np
import pytest

from fin_tui.engine.frame.reader import FrameReader
from fin_tui.engine.frame.tokens import pieces_of, word_scores, words_of_tokens
from fin_tui.retrieval.shared_encoder import SharedEncoder

_TEXT = "rent and wages"
_PLACES = [(0, 0), (0, 4), (5, 8), (9, 12), (12, 14), (0, 0)]
"""Of its tokens; a tokenizer parts "wages"."""


def test_a_word_has_the_mean_of_its_tokens() -> None:
    words = words_of_tokens(_TEXT, _PLACES)
    assert words == [(0, 4), (5, 8), (9, 14)]
    scores = word_scores(words, np.arange(12.0, dtype=np.float32).reshape(6, 2), _PLACES)
    assert scores.tolist() == [[2.0, 3.0], [4.0, 5.0], [7.0, 8.0]]


def test_a_piece_begins_where_a_word_and_the_one_before_it_say_so() -> None:
    scores = np.full((6, 2), -9.0, np.float32)
    assert pieces_of(_TEXT, scores, _PLACES)[0] == ()
    scores[3:5, 0], scores[2, 1] = 4.0, 5.0
    pieces, chance = pieces_of(_TEXT, scores, _PLACES)
    assert [_TEXT[a:b] for a, b in pieces] == ["rent", "wages"]
    assert chance > 0.99


def test_no_words_ask_nothing() -> None:
    assert pieces_of("?", np.zeros((2, 2), np.float32), [(0, 0), (0, 0)]) == ((), 0.0)


@pytest.mark.parametrize(
    ("question", "pieces"),
    [
        ("Acme's rent in 2024 and how many halls does it lease?", ("Acme's rent in 2024", "how many halls does it lease")),
        ("Acme research and development 2024", ()),
    ],
)
def test_the_reader_parts_a_question(question: str, pieces: tuple[str, ...]) -> None:
    assert tuple(one.text for one in FrameReader(SharedEncoder()).read(question).asks) == pieces
